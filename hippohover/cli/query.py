"""The commands ``query`` and ``explain``."""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import typer

from hippohover.cli.answers import Marks, print_answer, print_explanation, print_trace
from hippohover.cli.model import FILTERING, FilteringModel, ModelOptions, note_usage, opened_engine
from hippohover.cli.options import (
    MOST_PASSAGES,
    ClaimColumn,
    Json,
    Sources,
    a_retriever,
    argument,
    need_one,
    option,
    within_answer,
)
from hippohover.cli.output import (
    DISPLAY_NAMES,
    check_can_write,
    check_outputs,
    console,
    counted,
    note,
    plain,
    print_json,
    progress,
    suggest,
)
from hippohover.cli.settings import Overrides, SetOverrides, note_failures, opened_sources
from hippohover.cli.standard_input import claims_typed
from hippohover.cli.which_index import OfIndex
from hippohover.disk.text_files import write_lines
from hippohover.errors import BudgetError, UsageError
from hippohover.processors import in_order
from hippohover.retrieval.registry import retriever_names

if TYPE_CHECKING:
    from hippohover.cli.claims import Query
    from hippohover.records import Retrieval, Trace
    from hippohover.retrieval.engine import HippoHover
    from hippohover.sources.router import SourceRouter

_ON_A_TERMINAL = 5
_WORKERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Which passages may be answers."""

    SECTION: ClassVar = "Filters"

    where: list[str] | None = option(
        None,
        "Which passages may be answers: FIELD=VALUE, FIELD!=VALUE, FIELD^=PREFIX, FIELD@FILE, or "
        "FIELD>=BOUND (<=, >, <); all conditions must hold.",
        metavar="CONDITION",
    )
    scope: Literal["answers", "walk"] | None = option(
        None,
        "What --where limits: answers (default), or walk: other passages are then not used at all.",
        show_default=False,
    )

    def __post_init__(self) -> None:
        """Refuse a scope of nothing."""
        if self.scope and not self.where:
            raise typer.BadParameter("--scope says what --where limits: give --where too")

    def parsed(self) -> dict[str, Any]:
        """Return the arguments ``where`` and ``scope`` of the library's functions."""
        from hippohover.retrieval.where import Condition

        conditions = [Condition.parse(text) for text in self.where or ()]
        return {"where": conditions, "scope": self.scope or "answers"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a claim is answered."""

    k: int | None = option(
        None,
        f"Passages, 1 to {MOST_PASSAGES}; default: {_ON_A_TERMINAL} on a terminal, else all.",
        "-k",
        callback=within_answer,
        show_default=False,
    )
    all_passages: bool = option(False, f"All {MOST_PASSAGES}, on a terminal too.", "--all")
    retriever: str = option("ppr", f"One of {', '.join(retriever_names())}.", callback=a_retriever)
    bounds: Bounds
    overrides: SetOverrides
    source: Sources = None

    def depth(self, *, for_people: bool) -> int:
        """Return how many passages are wanted; people read a few at a time."""
        few = for_people and not self.all_passages and sys.stdout.isatty()
        return self.k or (_ON_A_TERMINAL if few else MOST_PASSAGES)

    def __post_init__(self) -> None:
        """Refuse bounds of what a source finds."""
        if self.source and self.bounds.where:
            raise typer.BadParameter(
                "--where applies only to passages of the index: leave --source out"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(OfIndex):
    """A claim or a file of claims to answer, and how and where answers are shown."""

    claim: str | None = argument(None, "A claim or a question, in words.")
    file: Path | None = option(
        None, "Many claims: JSON, CSV, TSV, TREC topics, or text, one claim per line; - is stdin."
    )
    claim_column: ClaimColumn = None
    out: Path | None = option(
        None, "With --file: write the answers here, as JSON lines, not to stdout."
    )

    trace: bool = option(False, "Show the candidate facts and which were used.", "--trace")
    as_json: Json = False

    def __post_init__(self) -> None:
        """Refuse both a claim and a file, neither, and what goes with the other one."""
        file = self.file
        claim = self.named(self.claim, is_whole=file is not None)
        object.__setattr__(self, "claim", claim)
        need_one(
            "a claim", "--file CLAIMS", has_first=claim is not None, has_second=file is not None
        )
        if claim == "-":
            raise typer.BadParameter(
                "- is not a claim: use --file - to read claims from standard input"
            )
        if self.out is not None and file is None:
            raise typer.BadParameter("--out goes with --file; for one claim use --json")
        if self.claim_column is not None and file is None:
            raise typer.BadParameter("--claim-column goes with --file")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageExplained(OfIndex):
    """Which passage of which answer is explained, and where its paths are drawn."""

    claim: str | None = argument(None, "A claim or a question, in words.")
    title: str | None = option(None, "Title of the passage.")
    pid: str | None = option(None, "Id of the passage, if titles are hidden.")
    png: Path | None = option(None, "Draw the paths into a .png, .svg or .pdf file.")
    html: Path | None = option(None, "Write the paths as an HTML page, drawn and in words.")
    as_json: Json = False

    def __post_init__(self) -> None:
        """Refuse both names of a passage, and neither."""
        claim = self.named(self.claim, is_whole=False)
        object.__setattr__(self, "claim", claim)
        if claim is None:
            raise typer.BadParameter("give a claim or a question, in words")
        title, pid = self.title, self.pid
        need_one("--title T", "--pid ID", has_first=title is not None, has_second=pid is not None)


def query(asked: Asked, search: Search, model: FilteringModel) -> None:
    """Find passages for a claim or a question. At most 21, ranked; --file answers a whole file.

    Example:  hippohover query index/mine "The director of Lantern Hill was born in Vessby."
    """
    if asked.file is None:
        query_one(asked.index, asked, search, model)
        return
    with claims_typed(asked.file) as path:
        query_file(asked.index, path, asked, search, model)


def query_one(index: Path, asked: Asked, search: Search, model: ModelOptions) -> None:
    """Print the answer to one claim."""
    claim, sources = asked.claim or "", opened_sources(search.source)
    _check_filter_is_asked(search.retriever, model)
    within, k = search.bounds.parsed(), search.depth(for_people=not asked.as_json)
    with (
        progress() as report,
        opened_engine(index, model, report, search.overrides) as (engine, language_model),
    ):
        retrieval = engine.retrieve(claim, k, search.retriever, **within)
        if sources is not None:
            retrieval = _with_found(retrieval, sources, k)
        if asked.trace and language_model is None and search.retriever == "ppr":
            candidates = engine.candidate_facts(claim, **within)
            told = replace(retrieval.trace, candidate_facts=candidates)
            retrieval = replace(retrieval, trace=told)
        _note_encoded(engine, search.retriever)
        marks = None if asked.as_json else Marks.of(engine, retrieval)
    note_usage(language_model)
    note_failures(sources)
    if retrieval.trace.failure:
        route, failure = retrieval.trace.route, retrieval.trace.failure
        note(f"the choice among facts was skipped ({route}): {failure}")
    if retrieval.trace.by_similarity:
        note(
            "no name and no search term of this text is in the index: its passages are only the "
            "nearest by similarity"
        )
    if marks is None:
        print_json(retrieval.as_dict(trace=asked.trace))
        return
    name = retrieval.retriever
    filtered = language_model is not None
    print_answer(retrieval, marks, name if filtered else DISPLAY_NAMES.get(name, name))
    if asked.trace:
        print_trace(retrieval.trace)
    if retrieval.passages and not search.all_passages:
        own = shlex.join([str(index), claim, "--title", retrieval.passages[0].title])
        suggest(f"hippohover explain {own}", "why that is first")


def _note_encoded(engine: "HippoHover", retriever: str) -> None:
    """Say that facts were encoded for this run alone, and how to keep their vectors."""
    n = engine.manifest.counts["n_facts"]
    if retriever == "hipporag2" and n and not engine.manifest.recipe["fact_vectors"]:
        note(
            f"encoded {counted(n, 'fact')} for this run alone: to keep their vectors in the index, "
            "build it with fact_vectors = true in the recipe"
        )


def query_file(index: Path, file: Path, asked: Asked, search: Search, model: ModelOptions) -> None:
    """Answer every claim of a file, as one JSON object per line, in the file's order.

    At a cap on the model's calls, tokens or money the answers so far are written first.
    """
    from hippohover.cli.claims import read_queries
    from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS

    sources = opened_sources(search.source)
    _check_filter_is_asked(search.retriever, model)
    k = search.depth(for_people=False)
    how: dict[str, Any] = {"k": k, "retriever": search.retriever, **search.bounds.parsed()}
    if asked.out is not None:
        check_can_write(asked.out)
    queries = read_queries(file, max_chars=MAX_CLAIM_CHARS, claim_column=asked.claim_column)
    lines: list[str] = []
    traces: list[Trace] = []
    stops: list[BudgetError] = []
    with (
        progress() as report,
        opened_engine(index, model, report, search.overrides) as (engine, language_model),
    ):

        def answer(query: "Query") -> "Retrieval | None":
            try:
                return None if stops else engine.retrieve(query.claim, **how)
            except BudgetError as error:  # what others have paid for is written
                stops.append(error)
                return None

        workers = _WORKERS if language_model is None else language_model.parallel
        for query, found in zip(queries, in_order(answer, queries, workers), strict=True):
            if found is not None:
                retrieval = found if sources is None else _with_found(found, sources, k)
                lines.append(json.dumps({**query.named(), **retrieval.as_dict()}))
                traces.append(found.trace)
                report("claims", len(lines), len(queries))
        _note_encoded(engine, search.retriever)
    note_usage(language_model)
    note_failures(sources)
    _note_fallbacks(traces)
    if asked.out is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    elif lines or not stops:
        write_lines(asked.out, lines)
        console().print(f"{len(lines):,} answers in {plain(str(asked.out))}")
    if stops:
        done = f"{len(lines):,} of {counted(len(queries), 'claim')}"
        raise BudgetError(f"{stops[0]} (answered before: {done})")


def _note_fallbacks(traces: "Sequence[Trace]") -> None:
    """Say for how many claims the choice among facts was skipped, or only vectors were near."""
    if fallbacks := [trace for trace in traces if trace.failure]:
        from hippohover.evaluation.report import in_words

        reasons = in_words(Counter(trace.fallback for trace in fallbacks))
        note(
            f"the choice among facts was skipped for {len(fallbacks):,} claims ({reasons}): "
            f"{fallbacks[0].failure}"
        )
    if n_by_similarity := sum(trace.by_similarity for trace in traces):
        note(
            f"no name and no search term of {counted(n_by_similarity, 'claim')} is in the index: "
            "their passages are only the nearest by similarity"
        )


def explain_one(passage: PassageExplained, bounds: Bounds, overrides: Overrides) -> None:
    """Show why a passage ranks, or why not. A passage that ranks has the walk's strongest paths.

    Example:  hippohover explain index/mine "The director of Lantern Hill ..." --title "Vessby"
    """
    picture, page = passage.png, passage.html
    check_outputs(picture, page)
    within = bounds.parsed()
    from hippohover.explanation.explain import explain
    from hippohover.retrieval.engine import HippoHover

    with progress() as report:
        engine = HippoHover.open(passage.index, progress=report, ranking=overrides.ranking)
    claim = passage.claim or ""
    explanation = explain(engine, claim, title=passage.title, pid=passage.pid, **within)
    explanation.check_found()
    if picture is not None:
        from hippohover.explanation.picture import draw

        draw(explanation, picture)
    if page is not None:
        explanation.write_page(page)
    if passage.as_json:
        print_json(explanation.as_dict())
    else:
        print_explanation(explanation)


def _with_found(retrieval: "Retrieval", sources: "SourceRouter", k: int) -> "Retrieval":
    from hippohover.sources.beside import with_found

    return with_found(retrieval, sources.run(), k)


def _check_filter_is_asked(retriever: str, model: ModelOptions) -> None:
    if retriever not in FILTERING and (model.fact_filter or model.on_failure):
        raise UsageError(
            f"--filter and --on-filter-failure are about the choice among facts, which {retriever} "
            f"does not make: ask {' or '.join(FILTERING)}, or leave them out"
        )
