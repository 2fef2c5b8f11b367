"""The commands ``query`` and ``explain``."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from hippohover.cli.model import FILTERING, FilteringModel, ModelOptions, note_usage, opened_engine
from hippohover.cli.options import (
    MOST_PASSAGES,
    ClaimColumn,
    Index,
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
    shortened,
)
from hippohover.cli.settings import Overrides, SetOverrides, note_failures, opened_sources
from hippohover.cli.standard_input import claims_typed
from hippohover.disk.text_files import write_lines
from hippohover.errors import BudgetError, UsageError
from hippohover.processors import in_order
from hippohover.retrieval.registry import retriever_names

if TYPE_CHECKING:
    from hippohover.cli.claims import Query
    from hippohover.explanation.explain import Explanation
    from hippohover.records import Retrieval, Trace
    from hippohover.retrieval.engine import HippoHover
    from hippohover.sources.router import SourceRouter

_TEXT_SHOWN = 220
_SEEDS_SHOWN = 8
_WORKERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Which passages may be answers."""

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

    k: int = option(MOST_PASSAGES, f"Passages, 1 to {MOST_PASSAGES}.", "-k", callback=within_answer)
    retriever: str = option("ppr", f"One of {', '.join(retriever_names())}.", callback=a_retriever)
    bounds: Bounds
    overrides: SetOverrides
    source: Sources = None

    def __post_init__(self) -> None:
        """Refuse bounds of what a source finds."""
        if self.source and self.bounds.where:
            raise typer.BadParameter(
                "--where applies only to passages of the index: leave --source out"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
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
        claim, file = self.claim, self.file
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
class PassageExplained:
    """Which passage of which answer is explained, and where its paths are drawn."""

    claim: str = argument(..., "A claim or a question, in words.")
    title: str | None = option(None, "Title of the passage.")
    pid: str | None = option(None, "Id of the passage, if titles are hidden.")
    png: Path | None = option(None, "Draw the paths into a .png, .svg or .pdf file.")
    html: Path | None = option(None, "Write the paths as an HTML page, drawn and in words.")
    as_json: Json = False

    def __post_init__(self) -> None:
        """Refuse both names of a passage, and neither."""
        title, pid = self.title, self.pid
        need_one("--title T", "--pid ID", has_first=title is not None, has_second=pid is not None)


def query(index: Index, asked: Asked, search: Search, model: FilteringModel) -> None:
    """Find passages for a claim or a question. At most 21, ranked; --file answers a whole file.

    Example:  hippohover query index/mine "The director of Lantern Hill was born in Vessby."
    """
    if asked.file is None:
        query_one(index, asked, search, model)
        return
    with claims_typed(asked.file) as path:
        query_file(index, path, asked, search, model)


def query_one(index: Path, asked: Asked, search: Search, model: ModelOptions) -> None:
    """Print the answer to one claim."""
    claim, sources = asked.claim or "", opened_sources(search.source)
    _check_filter_is_asked(search.retriever, model)
    within = search.bounds.parsed()
    with (
        progress() as report,
        opened_engine(index, model, report, search.overrides) as (engine, language_model),
    ):
        retrieval = engine.retrieve(claim, search.k, search.retriever, **within)
        if sources is not None:
            retrieval = _with_found(retrieval, sources, search.k)
        if asked.trace and language_model is None and search.retriever == "ppr":
            candidates = engine.candidate_facts(claim, **within)
            told = replace(retrieval.trace, candidate_facts=candidates)
            retrieval = replace(retrieval, trace=told)
        _note_encoded(engine, search.retriever)
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
    if asked.as_json:
        print_json(retrieval.as_dict(trace=asked.trace))
        return
    _print_answer(retrieval, filtered=language_model is not None)
    if asked.trace:
        _print_trace(retrieval.trace)


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
    how: dict[str, Any] = {"k": search.k, "retriever": search.retriever, **search.bounds.parsed()}
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
                retrieval = found if sources is None else _with_found(found, sources, search.k)
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


def explain_one(
    index: Index, passage: PassageExplained, bounds: Bounds, overrides: Overrides
) -> None:
    """Show why a passage ranks, or why not. A passage that ranks has the walk's strongest paths.

    Example:  hippohover explain index/mine "The director of Lantern Hill ..." --title "Vessby"
    """
    picture, page = passage.png, passage.html
    check_outputs(picture, page)
    within = bounds.parsed()
    from hippohover.explanation.explain import explain
    from hippohover.retrieval.engine import HippoHover

    with progress() as report:
        engine = HippoHover.open(index, progress=report, ranking=overrides.ranking)
    explanation = explain(engine, passage.claim, title=passage.title, pid=passage.pid, **within)
    explanation.check_found()
    if picture is not None:
        from hippohover.explanation.picture import draw

        draw(explanation, picture)
    if page is not None:
        explanation.write_page(page)
    if passage.as_json:
        print_json(explanation.as_dict())
    else:
        _print_explanation(explanation)


def _with_found(retrieval: "Retrieval", sources: "SourceRouter", k: int) -> "Retrieval":
    from hippohover.sources.beside import with_found

    return with_found(retrieval, sources.run(), k)


def _check_filter_is_asked(retriever: str, model: ModelOptions) -> None:
    if retriever not in FILTERING and (model.fact_filter or model.on_failure):
        raise UsageError(
            f"--filter and --on-filter-failure are about the choice among facts, which {retriever} "
            f"does not make: ask {' or '.join(FILTERING)}, or leave them out"
        )


def _print_answer(retrieval: "Retrieval", *, filtered: bool) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from hippohover.language.claim_kinds import called

    screen = console()
    for passage in retrieval.passages:
        head = Text(f"{passage.rank:>3}  ", style="dim")
        head.append(plain(passage.title) or "(untitled)", style="bold")
        head.append(f"  {passage.score:.4g}", style="dim")
        if passage.citation != passage.title:
            head.append(f"  {plain(passage.citation)}", style="dim")
        screen.print(head)
        under = (
            (passage.heading, "italic"),
            (passage.text, ""),
            (passage.others_in_words(), "dim"),
        )
        for words, style in under:
            if words:
                line = Text(shortened(words, _TEXT_SHOWN), style=style)
                screen.print(Padding(line, (0, 0, 0, 5)))
    if not retrieval.passages:
        what = called(retrieval.claim)
        screen.print(f"nothing found: the index holds no name and no search term of this {what}")
    name = retrieval.retriever
    name = name if filtered else DISPLAY_NAMES.get(name, name)
    screen.print(
        f"{len(retrieval.passages)} of {retrieval.trace.n_candidates:,} candidates by "
        f"{name} in {1000 * retrieval.trace.seconds:.0f} ms",
        style="dim",
    )


def _print_trace(trace: "Trace") -> None:
    """Print misspelt words, candidate facts with similarity, invented facts."""
    from hippohover.retrieval.facts.pool import ROUTE_WITHOUT_FILTER

    screen = console()
    for typed, meant in trace.corrections:
        screen.print(plain(f"{typed} is in no passage: searched as {meant}"))
    if trace.ranked_by == "fusion":
        screen.print("Names join few passages: the walks, BM25 and cosine vote beside the weights")
    if trace.ranked_by == "tuned":
        screen.print("Ranked by the tuned ranking of this corpus")
    screen.print(f"\nFacts ({trace.route})", style="bold")
    if trace.failure:
        screen.print(plain(trace.failure))
    others = "       " if trace.route == ROUTE_WITHOUT_FILTER else "dropped"
    for candidate in trace.candidate_facts:
        fact = candidate.fact
        words = plain(f"{fact.subject} | {fact.predicate} | {fact.object}")
        mark, style = ("kept   ", "") if candidate.kept else (others, "dim")
        mark = "instead" if trace.fallback and fact in trace.facts else mark
        screen.print(f"{candidate.similarity:>6.3f}  {mark}  {words}", style=style)
    for words in trace.invented_facts:
        screen.print(f"        invented {plain(' | '.join(words))}", style="dim")
    screen.print(f"{trace.lm_calls} language-model calls, {trace.fallbacks} fallbacks", style="dim")


def _print_explanation(explanation: "Explanation") -> None:
    from rich.text import Text

    screen = console()
    head = Text(plain(explanation.title), style="bold")
    if explanation.rank is not None:
        head.append(f"  rank {explanation.rank:,}  score {explanation.score:.4g}", style="dim")
    screen.print(head)
    if explanation.citation != explanation.title:
        screen.print(plain(explanation.citation))
    if explanation.reason:
        screen.print(plain(explanation.reason))
    _print_seeds(explanation)
    counted = any(path.share > 0 for path in explanation.paths)
    if explanation.paths:
        what = "share of its score in the walk" if counted else "probability, too weak to count"
        screen.print(f"\nStrongest paths, with their {what}", style="bold")
    for path in explanation.paths:
        weight = f"{path.share:>6.1%}" if counted else f"{path.mass:>7.1e}"
        screen.print(f"{weight}  {plain(path.sentence())}")
        for fact in dict.fromkeys(fact for edge in path.edges for fact in edge.facts):
            words = plain(f"{fact.subject} | {fact.predicate} | {fact.object}")
            screen.print(f"        {words}", style="dim")


def _print_seeds(explanation: "Explanation") -> None:
    screen = console()
    screen.print("\nSeeds of the walk", style="bold")
    for seed in explanation.seeds[:_SEEDS_SHOWN]:
        screen.print(f"{seed.mass:>6.1%}  {seed.kind:<8}{plain(seed.shown)}")
    more = len(explanation.seeds) - _SEEDS_SHOWN
    if more > 0:
        screen.print(f"        and {more} smaller ones", style="dim")
