"""The command ``evaluate``."""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from hippohover.cli.claims import ClaimsSource, missing_parts, with_found_texts
from hippohover.cli.model import (
    FILTERING,
    FilteringModel,
    ModelOptions,
    await_vectors,
    note_usage,
    note_versions,
    opened_engine,
)
from hippohover.cli.options import Index, Json, Limit, SeveralRetrievers, option
from hippohover.cli.output import (
    DISPLAY_NAMES,
    check_outputs,
    console,
    joined,
    note,
    print_json,
    progress,
)
from hippohover.cli.programs import MeasuredPrograms
from hippohover.cli.settings import SetOverrides, note_failures, opened_sources
from hippohover.disk.text_files import write_lines
from hippohover.errors import UsageError
from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.evaluate import (
    DEFAULT_DEPTH,
    N_WARMUPS,
    EvaluationSettings,
    Report,
    RetrievalEngine,
    evaluate,
    gold_pids,
    render_table,
)
from hippohover.evaluation.hover import GoldClaim, MissingGold, equal_titles
from hippohover.evaluation.other_names import by_titles, titles_by_other_names
from hippohover.evaluation.parts import GoldPart
from hippohover.progress import Progress
from hippohover.records import Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim import check_claim

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.programs.run_log import RunLog
    from hippohover.sources.router import SourceRouter

_RUN_DEPTH = 100
_MISSING_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What is measured on which claims."""

    source: ClaimsSource
    retriever: SeveralRetrievers = None
    limit: Limit = None
    candidates: int | None = option(
        None, "Add recall at this depth.", metavar="N", min=22, max=1000
    )
    titles_from: Path | None = option(
        None, "If titles are hidden: an index of the same corpus that shows them."
    )
    overrides: SetOverrides

    @property
    def retrievers(self) -> list[str]:
        """The retrievers that are measured: the walk if none is named."""
        return self.retriever or ["ppr"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Where results go besides the screen; None for nowhere."""

    SECTION: ClassVar = "Output"

    out: Path | None = option(None, "Write the report, and a row per claim, as JSON.")
    run_out: Path | None = option(
        None, "TREC run of the first retriever, to depth 100; RUN.chains.jsonl beside it."
    )
    qrels_out: Path | None = option(None, "TREC qrels of the claims.")
    plot: Path | None = option(None, "Draw the comparison into a .png, .svg or .pdf file.")
    as_json: Json = False


def evaluate_or_estimate(
    index: Index,
    measured: Measured,
    programs: MeasuredPrograms,
    outputs: Outputs,
    model: FilteringModel,
) -> None:
    """Measure retrievers on labelled claims. Reports all gold titles found, recall and latency.

    Example:  hippohover evaluate index/mine claims.jsonl --retriever ppr --retriever bm25
    """
    if programs.estimate:
        estimate_programs(measured, programs, model, as_json=outputs.as_json)
    else:
        evaluate_index(index, measured, programs, outputs, model)


def evaluate_index(
    index: Path,
    measured: Measured,
    programs: MeasuredPrograms,
    outputs: Outputs,
    model: ModelOptions,
) -> None:
    """Measure, print and write what was asked for."""
    sources = opened_sources(programs.source)
    _check_outputs(outputs)
    settings = _settings(measured, programs, model)
    given = measured.source.read()
    refused: UsageError | None = None
    with ExitStack() as stack:
        report_progress = stack.enter_context(progress())
        await_vectors(index, report_progress)
        opened = opened_engine(
            index, model, report_progress, measured.overrides, filters=not programs.program
        )
        engine, asked = stack.enter_context(opened)
        gold = _gold(given.claims[: measured.limit], engine, measured, outputs)
        _note_learned_claims(engine, gold.claims, measured.retrievers)
        answering, log = _beside(engine, programs, asked, sources)
        settings, free = _asking(replace(settings, gold_pids=gold.pids), measured, programs, asked)
        if asked is not None and model.cache is None:
            note("no --lm-cache: if this run is stopped, its replies are lost and paid for again")

        def on_start(missing: Sequence[MissingGold]) -> None:
            _note_missing(missing, by_id=gold.by_id)
            _note_missing_parts(list(missing_parts(engine.tables, gold.claims, gold.pids)))
            _note_equal_titles(engine)
            for name in free:  # what an index has no answer for is not found after an hour
                answering.retrieve(gold.claims[0].claim, retriever=name)

        tell = partial(report_progress, "claims")
        report = evaluate(answering, gold.claims, settings, on_start=on_start, progress=tell)
        changes = measured.overrides.changes
        also = _costs(asked) | ({"settings": list(changes)} if changes else {})
        also["understood"] = given.understood
        also |= {} if log is None else {"programs": log.as_dict()}
        also |= {"ranking": "tuned"} if engine.retrievers.ppr.tuned is not None else {}
        try:
            _write(outputs, report, engine, also)
            _write_trec(outputs, engine, gold, settings, report_progress)
        except UsageError as error:  # what a full disk does not take is shown all the same
            refused = error
    note_usage(asked)
    note_failures(sources)
    _note_health(log)
    if outputs.as_json:
        print_json({**report.as_dict(), **also})
    else:
        screen = console()
        shown = with_display_names(report) if asked is None else report
        screen.print(render_table(shown, screen.width))
    if refused is not None:
        raise refused


def _settings(
    measured: Measured, programs: MeasuredPrograms, model: ModelOptions
) -> EvaluationSettings:
    """Return what is measured; ``UsageError`` for a depth that programs do not have."""
    names = programs.program or ()
    if names and measured.candidates is not None:
        raise UsageError(
            "--candidates needs more than 21 passages, and programs return at most 21: "
            "leave out one of the two"
        )
    return EvaluationSettings(
        retrievers=(*measured.retrievers, *names),
        depth=None if names else DEFAULT_DEPTH,
        n_warmups=N_WARMUPS if not model.is_named else 0,  # a warm-up's calls would be paid for
        n_candidates=measured.candidates,
    )


def _asking(
    settings: EvaluationSettings,
    measured: Measured,
    programs: MeasuredPrograms,
    model: "LanguageModel | None",
) -> tuple[EvaluationSettings, Sequence[str]]:
    """Let what waits for a language model run side by side; also return what costs nothing."""
    if model is None:
        return settings, settings.retrievers
    filtering = [name for name in measured.retrievers if name in FILTERING]
    parallel = dict.fromkeys(programs.program or filtering, model.parallel)
    free = measured.retrievers if programs.program else ()
    return replace(settings, parallel=parallel), free


class _Gold(NamedTuple):
    """Claims as an index knows them, with the passages of their gold where titles do not tell."""

    claims: Sequence[GoldClaim]
    documents: IndexDocuments | None
    pids: Mapping[str, Collection[str]] | None
    by_id: bool


def _gold(
    claims: Sequence[GoldClaim], engine: HippoHover, measured: Measured, outputs: Outputs
) -> _Gold:
    """Find the gold of claims by ids, by titles, or by the titles that another index shows."""
    titles_from, documents = measured.titles_from, None
    if titles_from is not None:
        documents = IndexDocuments.of(HippoHover.open(titles_from).tables.living)
    check_claims(claims, measured.source.claims)
    claims = with_found_texts(claims, engine.tables)
    by_id = any(claim.gold_ids for claim in claims)
    if not by_id and documents is None:
        claims = with_known_titles(claims, engine)
    if documents is None and (by_id or outputs.run_out or outputs.qrels_out):
        documents = IndexDocuments.of(engine.tables.living)
    pids = None
    if documents is not None and by_id:
        pids = documents.gold_pids(claims)
    elif documents is not None and titles_from is not None:
        pids = gold_pids(documents.titles, documents.pids, claims)
    return _Gold(claims, documents, pids, by_id)


def _beside(
    engine: HippoHover,
    programs: MeasuredPrograms,
    model: "LanguageModel | None",
    sources: "SourceRouter | None",
) -> "tuple[RetrievalEngine, RunLog | None]":
    """Return the engine, with the programs if any, and the log of their runs."""
    opened = programs.opened(engine, model, sources)
    if not opened:
        return engine, None
    from hippohover.programs.by_name import WithPrograms
    from hippohover.programs.run_log import RunLog

    for name in opened:
        if name.endswith(".json"):
            note_versions(Path(name))
    log = RunLog()
    return WithPrograms(engine, opened, log.note), log


def estimate_programs(
    measured: Measured, programs: MeasuredPrograms, model: ModelOptions, *, as_json: bool
) -> None:
    """Print an estimate of each program's cost; asks nobody."""
    from hippohover.language_model.client import cost_of
    from hippohover.programs.estimate import forecast, in_words
    from hippohover.programs.saved import unbound_program

    opened_sources(programs.source)  # what names none is refused here too
    n_claims = len(measured.source.read().claims[: measured.limit])
    embedding = programs.scoring.settings()
    price = partial(cost_of, model.settings() if model.is_named else None)
    embedding_price = None if embedding is None else partial(_priced, embedding.price())
    told = {
        name: forecast(unbound_program(name), price, embedding_price)
        for name in programs.program or ()
    }
    if as_json:
        whole = {name: one.times(n_claims).as_dict() for name, one in told.items()}
        print_json({"n_claims": n_claims, "programs": whole})
        return
    embedder = "" if embedding is None else embedding.name
    for name, one in told.items():
        for line in in_words(name, one, n_claims, embedder):
            console().print(line)


def _priced(usd_per_million: float | None, n_tokens: int) -> float | None:
    return None if usd_per_million is None else usd_per_million * n_tokens / 1e6


def _note_health(log: "RunLog | None") -> None:
    """Report how often hypotheses named the evidence, and what following links found."""
    if log is None:
        return
    from hippohover.programs.run_log import health_in_words

    for name, told in log.as_dict().items():
        if words := health_in_words(told["health"]):
            note(f"{name}: {words}")


def _costs(model: "LanguageModel | None") -> dict[str, object]:
    """Return a language model's costs, by stage."""
    if model is None:
        return {}
    stages = {stage: usage.as_dict() for stage, usage in model.ledger.by_stage().items()}
    return {"language_model": {"name": model.name, "stages": stages}}


def _check_outputs(outputs: Outputs) -> None:
    """Refuse a file that cannot be written before the work begins, not an hour later."""
    check_outputs(outputs.out, outputs.run_out, outputs.qrels_out, outputs.plot)
    if outputs.plot is not None:
        from hippohover.rendering.figures import check_format, new_figure

        check_format(outputs.plot)
        new_figure(1, 1)


def check_claims(claims: Sequence[GoldClaim], claims_path: Path) -> None:
    """Raise ``UsageError`` that names the file and the claim that cannot be asked."""
    for claim in claims:
        try:
            check_claim(claim.claim)
        except UsageError as error:
            raise UsageError(f"{claims_path}: claim {claim.uid!r}: {error}") from error


def with_display_names(report: Report) -> Report:
    """Return the report under the names that people see."""
    return replace(
        report,
        retrievers={DISPLAY_NAMES.get(n, n): part for n, part in report.retrievers.items()},
        paired={DISPLAY_NAMES.get(n, n): part for n, part in report.paired.items()},
    )


def with_known_titles(claims: Sequence[GoldClaim], engine: HippoHover) -> Sequence[GoldClaim]:
    """Return the claims; gold that is another name of a document becomes its title."""
    titles = titles_by_other_names(engine.tables.living, claims)
    if titles:
        some = [f"{name!r} is {title!r}" for name, title in titles.items()][:_MISSING_SHOWN]
        more = ", ..." if len(titles) > len(some) else ""
        note(f"{len(titles):,} gold titles are other names of documents: {', '.join(some)}{more}")
    return by_titles(claims, titles)


def _note_missing(missing: Sequence[MissingGold], *, by_id: bool) -> None:
    if not missing:
        return
    n_claims = len({uid for gold in missing for uid in gold.uids})
    shown = joined([gold.title for gold in missing], _MISSING_SHOWN)
    if len(missing) > _MISSING_SHOWN:
        shown += " (--out FILE.json lists all)"
    what = "ids" if by_id else "titles"
    note(
        f"gold {what} that are not in the index, counted as not found: {len(missing):,} (claims "
        f"that ask for them: {n_claims:,}): {shown}"
    )


def _note_missing_parts(missing: Sequence[GoldPart]) -> None:
    if missing:
        note(
            "gold passages that no document of that name holds, counted as not found: "
            f"{len(missing):,}: {joined([part.shown for part in missing], _MISSING_SHOWN)}"
        )


def _note_equal_titles(engine: HippoHover) -> None:
    groups = equal_titles(engine.titles())
    if groups:
        n_titles = sum(map(len, groups))
        note(
            f"titles of the index that the metric cannot tell from others: {n_titles:,}, such as "
            f"{joined(groups[0], 3)}"
        )


def _note_learned_claims(
    engine: HippoHover, claims: Sequence[GoldClaim], retrievers: Sequence[str]
) -> None:
    if "ppr" not in retrievers or not engine.retrievers.settings.rerank:
        return
    from hippohover.retrieval.reranking.rerank import was_learned_from

    tuned = engine.retrievers.ppr.tuned
    learned = [("re-ranking weights were", "scored", was_learned_from)]
    learned += [] if tuned is None else [("tuned ranking was", "ordered", tuned.was_learned_from)]
    for what, done, is_known in learned:
        if n := sum(is_known(claim.claim) for claim in claims):
            note(
                f"the {what} learned from {n:,} of the {len(claims):,} claims: each of these is "
                f"{done} by trees that did not see its group"
            )


def _write(
    outputs: Outputs, report: Report, engine: HippoHover, also: Mapping[str, object]
) -> None:
    """Write the report and its picture, if they are asked for."""
    if outputs.out is not None:
        missing = [{"title": gold.title, "uids": list(gold.uids)} for gold in report.missing]
        rows = [row.as_dict() for row in report.rows]
        whole = {**report.as_dict(), **also, "missing_titles": missing, "claims": rows}
        write_lines(outputs.out, [json.dumps(whole, indent=1)])
    if outputs.plot is not None:
        from hippohover.evaluation.picture import draw_report

        name = f"{engine.manifest.recipe['name']}, {engine.n_passages:,} passages"
        draw_report(report, name, outputs.plot)


def _write_trec(
    outputs: Outputs,
    engine: HippoHover,
    gold: _Gold,
    settings: EvaluationSettings,
    report_progress: Progress,
) -> None:
    """Write qrels, and the run of the first retriever, if they are asked for."""
    from hippohover.evaluation.evaluate import PassageTitles, compared
    from hippohover.evaluation.trec import chains_file, write_chains, write_qrels, write_run

    claims, documents = gold.claims, gold.documents
    if outputs.qrels_out is not None:
        write_qrels(outputs.qrels_out, claims, documents)
    if outputs.run_out is not None:
        first = settings.retrievers[0]
        runs: list[Retrieval] = []
        for claim in claims:
            runs.append(engine.search(claim.claim, _RUN_DEPTH, first))
            report_progress("run", len(runs), len(claims))
        titles_of = PassageTitles(settings.gold_pids, compared(claims))
        write_run(
            outputs.run_out, claims, runs, name=first, titles_of=titles_of, documents=documents
        )
        write_chains(chains_file(outputs.run_out), claims, runs, documents)
        nothing = [c.uid for c, run in zip(claims, runs, strict=True) if not run.passages]
        if nothing:
            note(
                f"claims without any passage, and so without a line in {outputs.run_out}: "
                f"{len(nothing):,}: {joined(nothing, _MISSING_SHOWN)}"
            )
