"""The command ``compare``: reads arms from the arguments, and writes the results."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal

from hippohover.cli.claims import ClaimsSource, with_found_texts
from hippohover.cli.evaluate import check_claims, with_known_titles
from hippohover.cli.model import await_vectors
from hippohover.cli.options import ClaimColumn, Json, Limit, SeveralRetrievers, argument, option
from hippohover.cli.output import check_can_write, counted, joined, note, print_json, progress
from hippohover.cli.settings import settings_of
from hippohover.disk.text_files import write_lines
from hippohover.errors import UsageError
from hippohover.evaluation.comparison.compare import Arm, Comparison, compare, measure_names
from hippohover.evaluation.comparison.tables import TableForm, table_of
from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.hover import GoldClaim, missing_gold
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import retriever_class

_FORM_OF: Final[Mapping[str, TableForm]] = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
}
_NOT_IN_A_NAME: Final = re.compile(r"[^\w.=,+-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What is compared on which claims, and where results go.

    Settings of an arm each are ``"query.damping=0.85 query.rerank=false"``; "" changes none.
    """

    claims: list[Path] = option(
        ..., "Claims with gold, in any format of evaluate; may be repeated.", metavar="FILE"
    )
    qrels: list[Path] | None = option(
        None,
        "Relevant documents by ids; one file for each --claims, in their order.",
        metavar="FILE",
    )
    claim_column: ClaimColumn = None
    retriever: SeveralRetrievers = None
    variant: list[str] | None = option(
        None,
        "Settings to compare, such as 'query.damping=0.85 query.rerank=false'; '' keeps "
        "those of the index, and is called as-built in the table; may be repeated.",
        metavar="SETTINGS",
    )
    at: list[str] | None = option(
        None, "Cut-offs, 1 to 1,000: --at 5,21,100, the default; may be repeated.", metavar="N"
    )
    limit: Limit = None
    form: Literal["text", "markdown", "latex", "csv"] = option(
        "text", "Format of the printed table: text, markdown, latex or csv."
    )
    out: list[Path] | None = option(
        None, "Write the table too: .txt, .md, .tex or .csv; may be repeated.", metavar="FILE"
    )
    runs: Path | None = option(None, "Folder for TREC runs and qrels of all arms and sets.")
    plot: Path | None = option(None, "Draw the measures into a .png, .svg or .pdf file.")
    as_json: Json = False


def compare_indexes(
    compared: Compared,
    indexes: list[Path] = argument(..., "Folders of indexes, one or more.", metavar="INDEX..."),
) -> None:
    """Compare indexes, retrievers and settings. Reports nDCG, MRR, recall and all gold found.

    Every combination of these is an arm. Paired tests compare each arm with the first.

    Example:  hippohover compare index/a index/b --claims dev.jsonl --at 5,21,100 --out table.tex
    """
    at = compared.at or ["5,21,100"]
    if compared.at:
        indexes, at = without_cutoffs(indexes, at)
    sources = _sources(compared)
    cutoffs = parsed_cutoffs(at)
    measure_names(cutoffs)  # what is out of range is said before anything is opened
    _check_outputs(compared)
    sets = _sets(sources, compared.limit)
    with progress() as report:
        for index in indexes:
            await_vectors(index, report)
        arms = _arms(indexes, compared, by_id=any(c.gold_ids for s in sets.values() for c in s))
        sets = {name: _known(claims, arms[0]) for name, claims in sets.items()}
        _note_missing(indexes, arms, sets)
        done = compare(
            arms, sets, cutoffs, runs=compared.runs, progress=partial(report, "rankings")
        )
    _write(done, compared)


def _sources(wanted: Compared) -> list[ClaimsSource]:
    """Return the files of claims, each with its own judgements if any are given."""
    claims, qrels = wanted.claims, wanted.qrels
    if qrels and len(qrels) != len(claims):
        raise UsageError(
            f"{len(qrels)} --qrels for {len(claims)} --claims: give one for each, or none"
        )
    return [
        ClaimsSource(claims=one, qrels=by, claim_column=wanted.claim_column)
        for one, by in zip(claims, qrels or [None] * len(claims), strict=True)
    ]


def without_cutoffs(
    indexes: Sequence[Path], cutoffs: Sequence[str]
) -> tuple[list[Path], list[str]]:
    """Take the numbers behind ``--at 5 21 100`` for cut-offs, unless folders are called so."""
    is_number = [path.name.isdecimal() and not path.exists() for path in indexes]
    numbers = [str(path) for path, number in zip(indexes, is_number, strict=True) if number]
    folders = [path for path, number in zip(indexes, is_number, strict=True) if not number]
    return (folders, [*cutoffs, *numbers]) if folders else (list(indexes), list(cutoffs))


def parsed_cutoffs(texts: Sequence[str]) -> list[int]:
    """Read cut-offs such as ``["5,21", "100"]``; ``UsageError`` for anything else."""
    parts = [part for text in texts for part in re.split(r"[\s,]+", text.strip()) if part]
    for part in parts:
        if not (part.isascii() and part.isdigit()):
            raise UsageError(
                f"--at {part}: is not a cut-off: give whole numbers, such as --at 5,21,100"
            )
    return [int(part) for part in parts]


def _sets(sources: Sequence[ClaimsSource], limit: int | None) -> dict[str, Sequence[GoldClaim]]:
    sets: dict[str, Sequence[GoldClaim]] = {}
    given: set[Path] = set()
    for source in sources:
        if source.claims in given:
            raise UsageError(f"{source.claims}: is given twice: give each file of claims once")
        given.add(source.claims)
        name = _plain(source.claims.name.partition(".")[0] or source.claims.name)
        if name in sets:
            name = _plain("-".join(source.claims.with_suffix("").parts[-2:]))
        if name in sets:
            raise UsageError(f"{source.claims}: another set is called {name} too: rename the file")
        sets[name] = source.read().claims[:limit]
        check_claims(sets[name], source.claims)
    return sets


def _arms(indexes: Sequence[Path], wanted: Compared, *, by_id: bool) -> list[Arm]:
    """Return an arm for each index, variant and retriever, named by what differs."""
    retrievers, variants = wanted.retriever or ["ppr"], wanted.variant or [""]
    _check_each_once(indexes, variants)
    documents = [IndexDocuments.of(HippoHover.open(index).tables.living) for index in indexes]
    # One name for a document in all runs: ids, where all indexes have them, else titles.
    have_ids = by_id or all(one.id_of for one in documents)
    arms: list[Arm] = []
    for index, known in zip(indexes, documents, strict=True):
        for variant in variants:
            engine = HippoHover.open(
                index, settings=settings_of(index, variant.split(), "--variant")
            )
            needed = known if have_ids else None
            for retriever in retrievers:
                if retriever_class(retriever).needs_vectors and engine.encode is None:
                    raise UsageError(
                        f"{index}: has no vectors, which {retriever} needs: build it with an "
                        f"encoder, or compare ppr and bm25"
                    )
                parts = [
                    index.resolve().name if len(indexes) > 1 else "",
                    retriever if len(retrievers) > 1 else "",
                    variant.replace("query.", "") or ("as-built" if wanted.variant else ""),
                ]
                name = _plain("+".join(filter(None, parts)) or retriever)
                arms.append(Arm(name, engine, retriever, needed))
    names = [arm.name for arm in arms]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise UsageError(f"arms {joined(twice, 5)} have the same name: rename their folders")
    return arms


def _check_each_once(indexes: Sequence[Path], variants: Sequence[str]) -> None:
    folders: set[Path] = set()
    for index in indexes:
        if (folder := index.resolve()) in folders:
            raise UsageError(f"{index}: is given twice: give each index once")
        if folder.name in {one.name for one in folders}:
            raise UsageError(f"{index}: another index is called {folder.name} too: rename a folder")
        folders.add(folder)
    settings: set[frozenset[str]] = set()
    for variant in variants:
        if (own := frozenset(variant.split())) in settings:
            raise UsageError(f"--variant {variant!r}: is given twice: give each variant once")
        settings.add(own)


def _known(claims: Sequence[GoldClaim], arm: Arm) -> Sequence[GoldClaim]:
    """Return the claims; other names of documents in gold become titles."""
    by_id = any(claim.gold_ids for claim in claims)
    engine = arm.engine
    if not isinstance(engine, HippoHover):
        return claims
    if by_id:
        return with_found_texts(claims, engine.tables)
    return with_known_titles(claims, engine)


def _plain(name: str) -> str:
    """Turn a name into one that fits a file and a field of a TREC run."""
    return _NOT_IN_A_NAME.sub("-", name).strip("-") or "claims"


def _check_outputs(wanted: Compared) -> None:
    if wanted.runs is not None and wanted.runs.exists() and not wanted.runs.is_dir():
        raise UsageError(f"--runs {wanted.runs}: is a file: name a folder")
    for path in wanted.out or ():
        if path.suffix not in _FORM_OF:
            raise UsageError(f"{path}: give the table a name that ends in {', '.join(_FORM_OF)}")
        check_can_write(path)
    if wanted.plot is not None:
        from hippohover.rendering.figures import check_format, new_figure

        check_can_write(wanted.plot)
        check_format(wanted.plot)
        new_figure(1, 1)


def _note_missing(
    indexes: Sequence[Path], arms: Sequence[Arm], sets: Mapping[str, Sequence[GoldClaim]]
) -> None:
    """Warn once about gold that an index lacks: it counts as not found."""
    for index, arm in zip(indexes, arms[:: len(arms) // len(indexes)], strict=True):
        for name, claims in sets.items():
            by_id = any(claim.gold_ids for claim in claims)
            missing = missing_gold(
                claims, _gold_there(arm, claims) if by_id else arm.engine.titles()
            )
            if missing:
                what = counted(len(missing), "gold id" if by_id else "gold title")
                shown = joined([gold.title for gold in missing], 5)
                note(f"{name}, {index}: {what} not in the index, counted as not found: {shown}")


def _gold_there(arm: Arm, claims: Sequence[GoldClaim]) -> list[str]:
    """Return the gold ids that the index of an arm has."""
    assert arm.documents is not None  # noqa: S101  (all arms have them where gold is by id)
    return [name for name, pids in arm.documents.gold_pids(claims).items() if pids]


def _write(done: Comparison, wanted: Compared) -> None:
    for path in wanted.out or ():
        write_lines(path, table_of(done, _FORM_OF[path.suffix]).removesuffix("\n").split("\n"))
    if wanted.plot is not None:
        from hippohover.evaluation.comparison.drawing import draw_comparison

        draw_comparison(done, wanted.plot)
    if wanted.as_json:
        print_json(done.as_dict())
    else:
        print(table_of(done, wanted.form), end="")
