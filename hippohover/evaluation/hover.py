"""Claims with gold, HoVer's and others', and the benchmark's metric for programs.

HoVer's release form is a JSON array or one object per line, plain or gzipped::

    {"uid": ..., "claim": ..., "supporting_facts": [[title, sentence], ...],
     "label": "SUPPORTED" | "NOT_SUPPORTED", "num_hops": 3, "hpqa_id": ...}

The other forms are described in ``claims_rows`` (the claims), and in ``gold`` and ``qrels`` (what
should be found for them).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from hippohover.errors import CorpusError
from hippohover.evaluation.claims_rows import ClaimRows, Qrels, place_in, read_rows
from hippohover.evaluation.gold import Gold, gold_of, has_gold, is_count, is_words, show
from hippohover.evaluation.metrics import all_gold_found, as_written
from hippohover.evaluation.parts import GoldPart
from hippohover.evaluation.qrels import own_id, read_qrels
from hippohover.names.normal_forms import normal_title

if TYPE_CHECKING:
    import dspy

MAX_RETRIEVED_DOCS: Final = 21
"""The benchmark looks at no more documents than this: three hops of seven."""

_LABELS: Final = {-1: "", 0: "NOT_SUPPORTED", 1: "SUPPORTED"}
"""Of the Hub's rows, which number them; its test rows have none."""

_HOVERS: Final = "claim as claim, uid as uid, gold by title from supporting_facts"
_BAR_BETWEEN_BLANKS = re.compile(r"(?<= )\|(?= )")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldClaim:
    """One claim and what a retriever must find for it.

    Attributes
    ----------
    uid : str
        Names the claim; a file may repeat one. Without one in the file, the number of its line.
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
    gold_ids : tuple of str
        Ids of the documents that support the claim, each once, or of the passages of the
        ``supporting_facts``, one each; where there are some, they are what it is judged by.
    parts : tuple of GoldPart
        The parts of these documents that it needs; empty where only documents are named.
    """

    uid: str
    claim: str
    gold_titles: tuple[str, ...]
    supporting_facts: tuple[tuple[str, int], ...]
    label: str = ""
    num_hops: int = 0
    hpqa_id: str = ""
    gold_ids: tuple[str, ...] = ()
    parts: tuple[GoldPart, ...] = ()

    @property
    def gold(self) -> tuple[str, ...]:
        """The gold to find: ids, else titles."""
        return self.gold_ids or self.gold_titles

    @property
    def gold_parts(self) -> tuple[GoldPart, ...]:
        """The parts to find; where none is named, the documents."""
        return self.parts or tuple(GoldPart(name=name) for name in self.gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsFile:
    """Claims of a file, and how its fields were read.

    Attributes
    ----------
    path : Path
    claims : list of GoldClaim
        In the file's order; never empty.
    understood : str
        One line: "read 200 claims: question as claim, _id as uid, gold by title from
        supporting_facts".
    is_hovers : bool
        Whether it is HoVer's own form, of which nothing had to be found out.
    """

    path: Path
    claims: list[GoldClaim]
    understood: str
    is_hovers: bool


@dataclass(frozen=True, slots=True)
class MissingGold:
    """A gold title, or id, that an index does not hold, and the claims that need it."""

    title: str
    uids: tuple[str, ...]


def load_claims(
    path: Path | str, *, qrels: Path | None = None, claim_column: str | None = None
) -> list[GoldClaim]:
    """Read the claims of a file; see ``read_claims``."""
    return read_claims(path, qrels=qrels, claim_column=claim_column).claims


def read_claims(
    path: Path | str, *, qrels: Path | None = None, claim_column: str | None = None
) -> ClaimsFile:
    """Read a claims file with its gold.

    Parameters
    ----------
    path : Path
        Claims of any form that ``claims_rows.read_rows`` reads, or ``ir_datasets:NAME``.
    qrels : Path, optional
        File of the ids of what is relevant to each claim; it goes before gold in the claims file.
    claim_column : str, optional
        Field or column that holds the claim, where it is not found out.

    Raises
    ------
    CorpusError
        A file cannot be read, holds no claim with gold, or has a bad record; the message names the
        line of JSON lines, ``claims.jsonl:17``, or the index in an array, ``claims.json[16]``.
    UsageError
        ``ir_datasets`` is not installed.
    """
    path = Path(path)
    rows = read_rows(path, claim_column=claim_column)
    if not rows.records:
        raise CorpusError(f"{path}: holds no claim: give HoVer's release form, JSON or JSON lines")
    judged = rows.qrels
    if qrels is not None:
        judged = read_qrels(qrels)
        rows = rows.with_ids_of(judged, qrels)
    golds = [_gold(row, rows, judged, number) for number, row in enumerate(rows.records)]
    source = next((gold.source for _, gold in golds if gold.facts or gold.ids), "")
    claims = [claim for claim, gold in golds if gold.facts or gold.ids]
    if not claims:
        raise CorpusError(_without_gold(path, qrels))
    if len({bool(claim.gold_ids) for claim in claims}) > 1:
        raise CorpusError(f"{path}: gold is by title for some claims, by id for others: split it")
    read = f"{len(claims):,} claims" if len(claims) != 1 else "1 claim"
    if len(claims) < len(golds):
        read += f" of {len(golds):,}, because the others have no gold"
    words = f"{rows.understood()}, gold {source if qrels is None else f'by id from {qrels.name}'}"
    is_hovers = rows.form == "JSON" and words == _HOVERS
    return ClaimsFile(
        path=path, claims=claims, understood=f"read {read}: {words}", is_hovers=is_hovers
    )


def missing_gold(claims: Sequence[GoldClaim], titles: Iterable[str]) -> list[MissingGold]:
    """Return gold that ``titles`` lack, in the order in which the claims name it.

    Gold that is by id is looked for among them as it is written.
    """
    needed: dict[str, tuple[str, list[str]]] = {}
    by_id = any(claim.gold_ids for claim in claims)
    normal_form = as_written if by_id else normal_title
    for claim in claims:
        for name, shown in zip(claim.gold, _shown_gold(claim), strict=True):
            needed.setdefault(normal_form(name), (shown, []))[1].append(claim.uid)
    held = {normal for title in titles if (normal := normal_form(title)) in needed}
    return [
        MissingGold(title, tuple(uids))
        for normal, (title, uids) in needed.items()
        if normal not in held
    ]


def _shown_gold(claim: GoldClaim) -> Sequence[str]:
    """Show gold as readers know it: for a passage, with its title."""
    if claim.gold_ids and len(claim.gold_ids) == len(claim.supporting_facts):
        pairs = zip(claim.supporting_facts, claim.gold_ids, strict=True)
        return [f"{title} ({pid})" for (title, _), pid in pairs]
    return claim.gold


def equal_titles(titles: Iterable[str]) -> list[tuple[str, ...]]:
    """Group different titles that are equal for the metric, by first occurrence."""
    groups: dict[str, dict[str, None]] = {}
    for title in titles:
        groups.setdefault(normal_title(title), {})[title] = None
    return [tuple(group) for normal, group in groups.items() if normal and len(group) > 1]


def count_unique_docs(example: "dspy.Example | Mapping[str, Any]") -> int:
    """Count the distinct titles among an example's supporting facts, as written."""
    return len(set(_fact_titles(example)))


def discrete_retrieval_eval(
    gold: "dspy.Example | Mapping[str, Any]", pred: "dspy.Prediction", trace: object = None
) -> bool:
    """Return HoVer's metric: whether the first 21 documents have all gold titles.

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
    """Write ``"title | text"``, the form in which programs return a passage.

    The headings above the text go before it: ``"title | heading: text"``.

    A bar between blanks inside the title becomes a blank, because the title would end there;
    ``names.normal_title`` drops that bar anyway, except in a title of only bars.
    """
    above = f"{heading}: " if heading else ""
    return f"{_BAR_BETWEEN_BLANKS.sub(' ', title)} | {above}{text}"


def document_title(document: str) -> str:
    """Return the title in ``"title | text"``: the part before the first ``" | "``."""
    return document.split(" | ", 1)[0]


def _fact_titles(example: "dspy.Example | Mapping[str, Any]") -> list[str]:
    facts: Sequence[Any] = example["supporting_facts"]
    return [fact["key"] if isinstance(fact, Mapping) else fact[0] for fact in facts]


def _gold(
    row: tuple[object, str], rows: ClaimRows, qrels: Qrels | None, number: int
) -> tuple[GoldClaim, Gold]:
    """Read a claim with its gold, which may be empty."""
    record, where = row
    if not isinstance(record, dict):
        raise CorpusError(f"{where}: a {type(record).__name__}: a claim is a JSON object")
    fields = cast("dict[str, object]", record)
    uid, words = _uid(fields, rows.uid, where, number), _claim_of(fields, rows, where)
    if qrels is not None:
        # A file that ``trec.write_qrels`` wrote has ids without blanks.
        written = (uid, own_id(uid), quote(uid, safe=""))
        ids = tuple(next((qrels[name] for name in written if name in qrels), ()))
        parts = tuple(GoldPart(name=name) for name in ids)
        gold = Gold((), ids, "by id from its qrels", parts)
    elif has_gold(fields) or (rows.form == "JSON" and rows.claim == "claim"):
        gold = gold_of(fields, where)
    else:
        gold = Gold((), (), "")
    titles: dict[str, str] = {}
    for title, _ in gold.facts:
        titles.setdefault(normal_title(title), title)
    n_hops = fields.get("num_hops")
    if n_hops is not None and not is_count(n_hops):
        raise CorpusError(f"{where}: num_hops is {show(n_hops)}: give a whole number")
    claim = GoldClaim(
        uid=uid,
        claim=words,
        gold_titles=tuple(titles.values()),
        supporting_facts=gold.facts,
        label=_label(fields, where),
        num_hops=cast("int", n_hops) if n_hops is not None else len(gold.ids) or len(titles),
        hpqa_id=_optional_text(fields, "hpqa_id", where),
        gold_ids=gold.ids,
        parts=gold.parts,
    )
    return claim, gold


def _without_gold(path: Path, qrels: Path | None) -> str:
    """Make the error of claims without any gold."""
    if qrels is not None:
        return f"{path}: no claim has its id in {qrels}: give the qrels of these claims"
    beside = sorted(path.parent.glob("qrels/*.tsv"))[:3]
    names = " or ".join(str(file) for file in beside) or "FILE"
    return f"{path}: no claim says what should be found for it: give --qrels {names}"


def _uid(fields: Mapping[str, object], name: str, where: str, number: int) -> str:
    """Return an id as text; without one, the number of the line or item."""
    value = fields.get(name)
    if value is None:
        return str(next(iter(place_in(where).values()), number))
    return str(value) if is_count(value) else _text(fields, name, where)


def _claim_of(fields: Mapping[str, object], rows: ClaimRows, where: str) -> str:
    value = fields.get(rows.claim)
    if value is None:
        raise CorpusError(f"{where}: {rows.claim} is None: {rows.no_claim(fields)}")
    return _text(fields, rows.claim, where)


def _label(fields: Mapping[str, object], where: str) -> str:
    value = fields.get("label")
    if isinstance(value, int) and not isinstance(value, bool) and value in _LABELS:
        return _LABELS[value]
    return _optional_text(fields, "label", where)


def _text(fields: Mapping[str, object], name: str, where: str) -> str:
    value = fields.get(name)
    if not is_words(value):
        raise CorpusError(f"{where}: {name} is {show(value)}: give a text that is not blank")
    return cast("str", value)


def _optional_text(fields: Mapping[str, object], name: str, where: str) -> str:
    return "" if fields.get(name) in (None, "") else _text(fields, name, where)
