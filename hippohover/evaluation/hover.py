"""HoVer's claims: reading them, the benchmark's loader, and its metric for programs.

A claims file holds HoVer's release form, as a JSON array or one object a line, plain or gzipped::

    {"uid": ..., "claim": ..., "supporting_facts": [[title, sentence], ...],
     "label": "SUPPORTED" | "NOT_SUPPORTED", "num_hops": 3, "hpqa_id": ...}

``label``, ``num_hops`` and ``hpqa_id`` may be missing, so that questions of other benchmarks can
be brought into the same form.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from hippohover.errors import CorpusError, UsageError
from hippohover.evaluation.claims_files import claims_content, json_records
from hippohover.evaluation.metrics import all_gold_found
from hippohover.evaluation.splits import folds, groups
from hippohover.names.normal_forms import normal_title

if TYPE_CHECKING:
    import dspy

MAX_RETRIEVED_DOCS: Final = 21
"""The benchmark looks at no more documents than this: three hops of seven."""

_BAR_BETWEEN_BLANKS = re.compile(r"(?<= )\|(?= )")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldClaim:
    """One claim and what a retriever must find for it.

    Attributes
    ----------
    uid : str
        Names the claim; a file may repeat one.
    claim : str
        The words that are searched.
    gold_titles : tuple of str
        Titles that support the claim, in order, each once after ``names.normal_title``.
    supporting_facts : tuple of (str, int)
        Title and sentence number, from 0, as the file gives them.
    label : str
        ``"SUPPORTED"`` or ``"NOT_SUPPORTED"``; empty when the file has none.
    num_hops : int
        As the file gives it, else the number of gold titles.
    hpqa_id : str
        HotpotQA question that the claim was made of; empty when the file has none.
    """

    uid: str
    claim: str
    gold_titles: tuple[str, ...]
    supporting_facts: tuple[tuple[str, int], ...]
    label: str = ""
    num_hops: int = 0
    hpqa_id: str = ""


@dataclass(frozen=True, slots=True)
class MissingGold:
    """A gold title that an index does not hold, and the claims that need it."""

    title: str
    uids: tuple[str, ...]


def load_claims(path: Path | str) -> list[GoldClaim]:
    """Read a claims file.

    Parameters
    ----------
    path : Path
        A JSON array or JSON lines, gzipped or not; which of them is read from its bytes.

    Returns
    -------
    list of GoldClaim
        In the file's order; never empty.

    Raises
    ------
    CorpusError
        The file cannot be read, holds no claim, or has a bad record; the message names the line
        of JSON lines, ``claims.jsonl:17``, or the index in an array, ``claims.json[16]``.
    """
    path = Path(path)
    records = json_records(claims_content(path), str(path))
    claims = [_claim(record, where) for record, where in records]
    if not claims:
        raise CorpusError(f"{path}: holds no claim: give HoVer's release form, JSON or JSON lines")
    return claims


def missing_gold(claims: Sequence[GoldClaim], titles: Iterable[str]) -> list[MissingGold]:
    """Gold titles that ``titles`` do not hold, in the order in which the claims name them."""
    needed: dict[str, tuple[str, list[str]]] = {}
    for claim in claims:
        for title in claim.gold_titles:
            needed.setdefault(normal_title(title), (title, []))[1].append(claim.uid)
    held = {normal for title in titles if (normal := normal_title(title)) in needed}
    return [
        MissingGold(title, tuple(uids))
        for normal, (title, uids) in needed.items()
        if normal not in held
    ]


def equal_titles(titles: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of different titles that are one for the metric, in the order of the first of each."""
    groups: dict[str, dict[str, None]] = {}
    for title in titles:
        groups.setdefault(normal_title(title), {})[title] = None
    return [tuple(group) for normal, group in groups.items() if normal and len(group) > 1]


class hoverBench:  # noqa: N801 - the name that programs written for LangProBe know
    """HoVer as LangProBe hands it to DSPy programs, from files and without a network.

    Claims with ``n_titles`` gold titles are shuffled and split by question group, half to
    ``train``, a quarter each to ``dev`` and ``test``. With ``test_path`` the test claims come
    from that file, all of them, as in LangProBe; ``path`` then gives three quarters to ``train``
    and one to ``dev``, without the claims whose group is in the test file.

    Attributes
    ----------
    train, dev, test : list of dspy.Example
        ``claim``, ``supporting_facts`` (dicts of ``key``, the title, and ``value``, the sentence
        number, the form of the Hugging Face data set) and ``label``; ``claim`` is the input.

    Raises
    ------
    CorpusError
        A file cannot be read.
    UsageError
        There are fewer than four groups of claims with ``n_titles`` gold titles to split.
    """

    def __init__(
        self, path: Path, *, test_path: Path | None = None, n_titles: int = 3, seed: int = 0
    ) -> None:
        claims = [claim for claim in load_claims(path) if len(claim.gold_titles) == n_titles]
        test = load_claims(test_path) if test_path else []
        quarters = _quarters(claims, test, seed)
        train = quarters[0] + quarters[1] + (quarters[3] if test else [])
        self.train = _examples(train, seed)
        self.dev = _examples(quarters[2], seed)
        self.test = _examples(test or quarters[3], seed)


def count_unique_docs(example: "dspy.Example | Mapping[str, Any]") -> int:
    """Number of distinct titles among an example's supporting facts, as they are written."""
    return len(set(_fact_titles(example)))


def discrete_retrieval_eval(
    gold: "dspy.Example | Mapping[str, Any]", pred: "dspy.Prediction", trace: object = None
) -> bool:
    """HoVer's metric for DSPy programs: every gold title is in the first 21 documents.

    Parameters
    ----------
    gold : dspy.Example
        Its ``supporting_facts`` are ``[title, sentence]`` pairs or dicts with ``key``.
    pred : dspy.Prediction
        Its ``retrieved_docs`` are ``"title | text"`` strings, best first.
    trace : object
        Unused; DSPy's optimizers pass it.
    """
    docs: Sequence[str] = pred.retrieved_docs
    titles = [document_title(doc) for doc in docs]
    return bool(all_gold_found(titles, _fact_titles(gold), MAX_RETRIEVED_DOCS))


def format_document(title: str, text: str, heading: str = "") -> str:
    """``"title | text"``, the form in which programs return a passage.

    Headings that the text stands under go before it: ``"title | heading: text"``.

    A bar between blanks inside the title becomes a blank, or the title would end there;
    ``names.normal_title`` drops that bar anyway, but in a title of bars alone.
    """
    above = f"{heading}: " if heading else ""
    return f"{_BAR_BETWEEN_BLANKS.sub(' ', title)} | {above}{text}"


def document_title(document: str) -> str:
    """Title of a ``"title | text"`` string: what stands before its first ``" | "``."""
    return document.split(" | ", 1)[0]


def _quarters(
    claims: Sequence[GoldClaim], test: Sequence[GoldClaim], seed: int
) -> list[list[GoldClaim]]:
    """Claims of no test claim's group, in four parts that share no group."""
    group_ids = groups([*claims, *test])
    in_test = set(group_ids[len(claims) :])
    kept = [(c, g) for c, g in zip(claims, group_ids, strict=False) if g not in in_test]
    n_groups = len({group for _, group in kept})
    if n_groups < 4:
        raise UsageError(f"{n_groups} groups of claims to split: the benchmark needs 4 or more")
    parts: list[list[GoldClaim]] = [[], [], [], []]
    fold_of = folds([group for _, group in kept], n_folds=4, seed=seed).tolist()
    for (claim, _), fold in zip(kept, fold_of, strict=True):
        parts[fold].append(claim)
    return parts


def _examples(claims: Sequence[GoldClaim], seed: int) -> "list[dspy.Example]":
    import dspy

    order = np.random.default_rng(seed).permutation(len(claims))
    return [
        dspy.Example(
            claim=claims[i].claim,
            supporting_facts=[{"key": t, "value": n} for t, n in claims[i].supporting_facts],
            label=claims[i].label,
        ).with_inputs("claim")
        for i in order
    ]


def _fact_titles(example: "dspy.Example | Mapping[str, Any]") -> list[str]:
    facts: Sequence[Any] = example["supporting_facts"]
    return [fact["key"] if isinstance(fact, Mapping) else fact[0] for fact in facts]


def _claim(record: object, where: str) -> GoldClaim:
    if not isinstance(record, dict):
        raise CorpusError(f"{where}: a {type(record).__name__}: a claim is a JSON object")
    fields = cast("dict[str, object]", record)
    facts = _facts(fields.get("supporting_facts"), where)
    titles: dict[str, str] = {}
    for title, _ in facts:
        titles.setdefault(normal_title(title), title)
    n_hops = fields.get("num_hops")
    if n_hops is not None and not _is_count(n_hops):
        raise CorpusError(f"{where}: num_hops is {_show(n_hops)}: give a whole number")
    return GoldClaim(
        uid=_uid(fields.get("uid"), where),
        claim=_text(fields, "claim", where),
        gold_titles=tuple(titles.values()),
        supporting_facts=facts,
        label=_optional_text(fields, "label", where),
        num_hops=cast("int", n_hops) if n_hops is not None else len(titles),
        hpqa_id=_optional_text(fields, "hpqa_id", where),
    )


def _facts(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, list) or not value:
        raise CorpusError(
            f"{where}: supporting_facts is {_show(value)}: give [[title, sentence], ...], at least"
            " one (HoVer's test file has none: use its dev file)"
        )
    return tuple(_fact(fact, where) for fact in cast("list[object]", value))


def _fact(fact: object, where: str) -> tuple[str, int]:
    match fact:
        case [str(title), sentence] | {"key": str(title), "value": sentence}:
            if normal_title(title) and _is_unicode(title) and _is_count(sentence):
                return title, cast("int", sentence)
        case _:
            pass
    raise CorpusError(
        f"{where}: a supporting fact is {_show(fact)}: give [title, sentence number from 0]"
    )


def _uid(value: object, where: str) -> str:
    """A text, or a number as some files have it."""
    return str(value) if _is_count(value) else _text({"uid": value}, "uid", where)


def _text(fields: Mapping[str, object], name: str, where: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip() or not _is_unicode(value):
        raise CorpusError(f"{where}: {name} is {_show(value)}: give a text that is not blank")
    return value


def _optional_text(fields: Mapping[str, object], name: str, where: str) -> str:
    return "" if fields.get(name) in (None, "") else _text(fields, name, where)


def _show(value: object) -> str:
    """Value for a message: short, and never as deep as a hostile list or object can be."""
    if isinstance(value, dict | list) and value:
        return f"a {type(value).__name__} of {len(cast('list[object]', value))}"
    return ascii(value)[:40]


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_unicode(text: str) -> bool:
    """False for lone surrogates, which JSON can spell and no file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
