"""The commands ``query`` and ``explain``."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hippohover.cli.model import FILTERING, ModelOptions, note_usage, opened_engine
from hippohover.cli.output import (
    DISPLAY_NAMES,
    check_can_write,
    console,
    counted,
    note,
    plain,
    print_json,
    progress,
    shortened,
)
from hippohover.cli.settings import note_failures
from hippohover.disk.text_files import write_lines
from hippohover.errors import BudgetError, UsageError
from hippohover.processors import in_order
from hippohover.records import Retrieval, Trace
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.pool import ROUTE_WITHOUT_FILTER
from hippohover.retrieval.where import Condition, Scope

if TYPE_CHECKING:
    from hippohover.cli.claims import Query
    from hippohover.explanation.explain import Explanation
    from hippohover.sources.router import SourceRouter

_TEXT_SHOWN = 220
_SEEDS_SHOWN = 8
_WORKERS = 2


def query_one(  # noqa: PLR0913
    index: Path,
    claim: str,
    *,
    k: int,
    retriever: str,
    model: ModelOptions,
    where: Sequence[str] = (),
    scope: Scope = "answers",
    changes: Sequence[str] = (),
    ranking: str | None = None,
    sources: "SourceRouter | None" = None,
    as_json: bool = False,
    trace: bool = False,
) -> None:
    """Print the answer to one claim."""
    _check_filter_is_asked(retriever, model)
    conditions = [Condition.parse(text) for text in where]
    with (
        progress() as report,
        opened_engine(index, model, report, changes=changes, ranking=ranking) as (engine, asked),
    ):
        retrieval = engine.retrieve(claim, k, retriever, where=conditions, scope=scope)
        if sources is not None:
            retrieval = _with_found(retrieval, sources, k)
        if trace and asked is None and retriever == "ppr":
            candidates = engine.candidate_facts(claim, where=conditions, scope=scope)
            told = replace(retrieval.trace, candidate_facts=candidates)
            retrieval = replace(retrieval, trace=told)
        _note_encoded(engine, retriever)
    note_usage(asked)
    note_failures(sources)
    if retrieval.trace.failure:
        route, failure = retrieval.trace.route, retrieval.trace.failure
        note(f"the choice among facts was skipped ({route}): {failure}")
    if retrieval.trace.by_similarity:
        note(
            "no name and no search term of this text is in the index: its passages are only the "
            "nearest by similarity"
        )
    if as_json:
        print_json(retrieval.as_dict(trace=trace))
        return
    _print_answer(retrieval, filtered=asked is not None)
    if trace:
        _print_trace(retrieval.trace)


def _note_encoded(engine: "HippoHover", retriever: str) -> None:
    """Say that facts were encoded for this run alone, and how to keep their vectors."""
    n = engine.manifest.counts["n_facts"]
    if retriever == "hipporag2" and n and not engine.manifest.recipe["fact_vectors"]:
        note(
            f"encoded {counted(n, 'fact')} for this run alone: to keep their vectors in the index, "
            "build it with fact_vectors = true in the recipe"
        )


def query_file(  # noqa: PLR0913
    index: Path,
    file: Path,
    out: Path | None,
    *,
    k: int,
    retriever: str,
    model: ModelOptions,
    claim_column: str | None = None,
    where: Sequence[str] = (),
    scope: Scope = "answers",
    changes: Sequence[str] = (),
    ranking: str | None = None,
    sources: "SourceRouter | None" = None,
) -> None:
    """Answer every claim of a file, as one JSON object per line, in the file's order.

    At a cap on the model's calls, tokens or money the answers so far are written first.
    """
    from hippohover.cli.claims import read_queries
    from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS

    _check_filter_is_asked(retriever, model)
    conditions = [Condition.parse(text) for text in where]
    if out is not None:
        check_can_write(out)
    queries = read_queries(file, max_chars=MAX_CLAIM_CHARS, claim_column=claim_column)
    lines: list[str] = []
    fallbacks: list[Trace] = []
    stops: list[BudgetError] = []
    n_by_similarity = 0
    with (
        progress() as report,
        opened_engine(index, model, report, changes=changes, ranking=ranking) as (engine, asked),
    ):
        ask = partial(engine.retrieve, k=k, retriever=retriever, where=conditions, scope=scope)

        def answer(query: "Query") -> Retrieval | None:
            try:
                return None if stops else ask(query.claim)
            except BudgetError as error:  # what others have paid for is written
                stops.append(error)
                return None

        workers = _WORKERS if asked is None else asked.parallel
        for query, found in zip(queries, in_order(answer, queries, workers), strict=True):
            if found is not None:
                retrieval = found if sources is None else _with_found(found, sources, k)
                lines.append(_line(query, retrieval))
                fallbacks += [found.trace] if found.trace.failure else []
                n_by_similarity += found.trace.by_similarity
                report("claims", len(lines), len(queries))
        _note_encoded(engine, retriever)
    note_usage(asked)
    note_failures(sources)
    if fallbacks:
        from hippohover.evaluation.report import in_words

        reasons = in_words(Counter(trace.fallback for trace in fallbacks))
        note(
            f"the choice among facts was skipped for {len(fallbacks):,} claims ({reasons}): "
            f"{fallbacks[0].failure}"
        )
    if n_by_similarity:
        note(
            f"no name and no search term of {counted(n_by_similarity, 'claim')} is in the index: "
            "their passages are only the nearest by similarity"
        )
    if out is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    elif lines or not stops:
        write_lines(out, lines)
        console().print(f"{len(lines):,} answers in {plain(str(out))}")
    if stops:
        done = f"{len(lines):,} of {counted(len(queries), 'claim')}"
        raise BudgetError(f"{stops[0]} (answered before: {done})")


def explain_one(  # noqa: PLR0913
    index: Path,
    claim: str,
    *,
    title: str | None,
    pid: str | None,
    picture: Path | None,
    page: Path | None,
    where: Sequence[str] = (),
    scope: Scope = "answers",
    ranking: str | None = None,
    as_json: bool,
) -> None:
    """Print how the walk reached a passage, or why it is in no answer; draw it if asked."""
    if picture is not None and page is not None and picture.resolve() == page.resolve():
        raise UsageError(f"{page}: is the output of two options: give each its own file")
    for file in (picture, page):
        if file is not None:
            check_can_write(file)
    conditions = [Condition.parse(text) for text in where]
    from hippohover.explanation.explain import explain

    with progress() as report:
        engine = HippoHover.open(index, progress=report, ranking=ranking)
    explanation = explain(engine, claim, title=title, pid=pid, where=conditions, scope=scope)
    explanation.check_found()
    if picture is not None:
        from hippohover.explanation.picture import draw

        draw(explanation, picture)
    if page is not None:
        explanation.write_page(page)
    if as_json:
        print_json(explanation.as_dict())
    else:
        _print_explanation(explanation)


def _with_found(retrieval: Retrieval, sources: "SourceRouter", k: int) -> Retrieval:
    from hippohover.sources.beside import with_found

    return with_found(retrieval, sources.run(), k)


def _check_filter_is_asked(retriever: str, model: ModelOptions) -> None:
    if retriever not in FILTERING and (model.fact_filter or model.on_failure):
        raise UsageError(
            f"--filter and --on-filter-failure are about the choice among facts, which {retriever} "
            f"does not make: ask {' or '.join(FILTERING)}, or leave them out"
        )


def _line(query: "Query", retrieval: Retrieval) -> str:
    return json.dumps({**query.named(), **retrieval.as_dict()})


def _print_answer(retrieval: Retrieval, *, filtered: bool) -> None:
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


def _print_trace(trace: Trace) -> None:
    """Print misspelt words, candidate facts with similarity, invented facts."""
    screen = console()
    for typed, meant in trace.corrections:
        screen.print(plain(f"{typed} is in no passage: searched as {meant}"))
    if trace.ranked_by == "fusion":
        screen.print("Few candidates name each other: ranked by the walk, BM25 and cosine together")
    if trace.ranked_by == "words":
        screen.print("Passages without titles or names of their own: BM25 counted most")
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
