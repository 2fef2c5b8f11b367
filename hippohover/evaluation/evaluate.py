"""The evaluation of retrievers over claims.

For each claim and retriever, one timed ``retrieve`` gives the first 21 passages, and one
``search``, as deep as the deepest measure needs, gives the rest. Nothing runs beside a timed call,
except other calls of a retriever that waits for a language model. The first calls, while files are
still being read from disk, are not counted.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from hippohover.errors import UsageError
from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, GoldClaim, MissingGold, missing_gold
from hippohover.evaluation.metrics import all_gold_found, as_written, gold_ranks, recall
from hippohover.evaluation.parts import part_ranks, passage_figures
from hippohover.evaluation.report import ClaimRow, Measurement, Report, render_table, summarise
from hippohover.names.normal_forms import normal_title
from hippohover.processors import in_order
from hippohover.records import SPENT, Retrieval

__all__ = [
    "EvaluationSettings",
    "PassageTitles",
    "Report",
    "RetrievalEngine",
    "evaluate",
    "gold_pids",
    "render_table",
]

DEFAULT_DEPTH: Final = 100
FIRST: Final = 5
"""What a person reads, or a model is given: the first few passages."""
N_WARMUPS: Final = 20


class RetrievalEngine(Protocol):
    """What an evaluation, or a program, needs from an engine."""

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        """Return at most ``k`` passages, best first."""
        ...

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        """Return at most ``depth`` passages, best first; may go deeper than an answer."""
        ...

    def titles(self) -> Sequence[str]:
        """Return the title of every passage; empty texts when titles are hidden."""
        ...


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """What to measure, and how.

    Attributes
    ----------
    retrievers : tuple of str
        Names of retrievers of the engine; the others are compared with the first.
    depth : int or None
        Cut-off of the deeper measures, above 21; None leaves out these measures and their searches.
    n_candidates : int or None
        Adds ``candidate_recall@N``.
    n_warmups : int
        Uncounted calls for each retriever, on the first claims.
    gold_pids : mapping of str to collection of str, or None
        Normal title -> pids of its passages, for an index whose titles are hidden: a passage then
        counts for the title that its pid belongs to. None uses the passages' titles. If the claims
        have gold by id: gold id -> pids.
    parallel : mapping of str to int
        Retriever that waits for a language model -> number of claims that it answers at once, by
        default one. Its latencies are then those of calls that share the processors.

    Raises
    ------
    UsageError
        A setting is out of its range.
    """

    retrievers: tuple[str, ...] = ("ppr",)
    depth: int | None = DEFAULT_DEPTH
    n_candidates: int | None = None
    n_warmups: int = N_WARMUPS
    gold_pids: Mapping[str, Collection[str]] | None = None
    parallel: Mapping[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        if not self.retrievers or len(set(self.retrievers)) < len(self.retrievers):
            raise UsageError(f"retrievers are {list(self.retrievers)}: name one or more, each once")
        if self.depth is not None and self.depth <= MAX_RETRIEVED_DOCS:
            raise UsageError(f"depth is {self.depth}: give more than {MAX_RETRIEVED_DOCS}, or None")
        if self.n_candidates is not None and self.n_candidates < 1:
            raise UsageError(f"n_candidates is {self.n_candidates}: give 1 or more, or None")
        if self.n_warmups < 0:
            raise UsageError(f"n_warmups is {self.n_warmups}: give 0 or more")


def gold_pids(
    titles: Sequence[str], pids: Sequence[str], claims: Sequence[GoldClaim]
) -> dict[str, list[str]]:
    """Map normal gold titles to pids, for ``EvaluationSettings.gold_pids``.

    Parameters
    ----------
    titles, pids : sequence of str
        Of every passage of an index that shows titles. A passage has the same pid where they are
        hidden.
    """
    pids_of_title: dict[str, list[str]] = {
        normal_title(title): [] for claim in claims for title in claim.gold_titles
    }
    for title, pid in zip(titles, pids, strict=True):
        if (normal := normal_title(title)) in pids_of_title:
            pids_of_title[normal].append(pid)
    return pids_of_title


def compared(claims: Sequence[GoldClaim]) -> Callable[[str], str]:
    """Return how gold is compared: ids as they are written, titles by the metric."""
    return as_written if any(claim.gold_ids for claim in claims) else normal_title


class PassageTitles:
    """The title, or gold id, that each passage of a ranking counts for.

    Parameters
    ----------
    gold_pids : mapping of str to collection of str, or None
        As in ``EvaluationSettings``. With it, a passage of no gold title counts for ``""``.
    normal : callable
        How gold is compared: ``as_written`` where it is by id.

    Raises
    ------
    UsageError
        A pid is listed under two titles.
    """

    def __init__(
        self,
        gold_pids: Mapping[str, Collection[str]] | None = None,
        normal: Callable[[str], str] = normal_title,
    ) -> None:
        self.normal = normal
        self._title_of: dict[str, str] | None = None if gold_pids is None else {}
        for title, pids in (gold_pids or {}).items():
            for pid in pids:
                self._add(pid, normal(title))

    def __call__(self, retrieval: Retrieval) -> list[str]:
        """Return one title per passage, best first."""
        if self._title_of is None:
            return [passage.title for passage in retrieval.passages]
        return [self._title_of.get(passage.pid, "") for passage in retrieval.passages]

    def _add(self, pid: str, title: str) -> None:
        assigned = self._title_of
        if assigned is not None and assigned.setdefault(pid, title) != title:
            raise UsageError(
                f"gold_pids: passage {pid} is under {assigned[pid]!r} and {title!r}: keep one"
            )


def evaluate(
    engine: RetrievalEngine,
    claims: Sequence[GoldClaim],
    settings: EvaluationSettings | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    on_start: Callable[[Sequence[MissingGold]], None] | None = None,
) -> Report:
    """Run every retriever over every claim and summarise what was found.

    Parameters
    ----------
    engine : RetrievalEngine
        Is called for one claim at a time, except for retrievers in ``settings.parallel``. It must
        not cache answers, or the latency is that of the cache.
    claims : sequence of GoldClaim
        All of them count. A gold title that the index does not hold counts as not found. Where one
        names ``parts``, ``passage_recall@21`` and ``all_passages_found@21`` are measured too.
    settings : EvaluationSettings, optional
        What to measure; by default ``ppr``, to depth 100.
    progress : callable, optional
        Called with (claims done, claims to do) after each claim of each retriever; both numbers
        include the uncounted calls.
    on_start : callable, optional
        Called once, before the first retrieval, with the gold titles that the index does not
        hold. They are in the report too.

    Raises
    ------
    UsageError
        There is no claim, or gold is by id and ``gold_pids`` are not given. Errors of the engine
        are raised too: no claim is skipped.
    """
    if not claims:
        raise UsageError("claims are empty: an evaluation needs one or more")
    settings = settings or EvaluationSettings()
    if settings.gold_pids is None and any(claim.gold_ids for claim in claims):
        raise UsageError(
            "gold of the claims is by id: give gold_pids, of documents.IndexDocuments.of("
            "engine.tables.living).gold_pids(claims)"
        )
    missing = _missing(engine, claims, settings.gold_pids)
    if on_start:
        on_start(missing)
    titles_of = PassageTitles(settings.gold_pids, compared(claims))
    done: list[dict[str, Measurement]] = [{} for _ in claims]
    warmups = claims[: settings.n_warmups]
    n_steps, step = (len(warmups) + len(claims)) * len(settings.retrievers), 0
    by_passage = any(claim.parts for claim in claims)
    for name in settings.retrievers:
        measure = _Measure(engine, settings, titles_of, name, by_passage)
        measured = in_order(measure, claims, settings.parallel.get(name, 1))
        for at in range(-len(warmups), len(claims)):
            if at < 0:
                measure.retrieve(warmups[at])
            else:
                done[at][name] = next(measured)
            step += 1
            if progress:
                progress(step, n_steps)
    rows = [ClaimRow(c.uid, len(c.gold), d) for c, d in zip(claims, done, strict=True)]
    return summarise(rows, missing)


@dataclass(frozen=True, slots=True)
class _Measure:
    """One retriever on one claim."""

    engine: RetrievalEngine
    settings: EvaluationSettings
    titles_of: PassageTitles
    retriever: str
    by_passage: bool

    def retrieve(self, claim: GoldClaim) -> Retrieval:
        return self.engine.retrieve(claim.claim, MAX_RETRIEVED_DOCS, self.retriever)

    def __call__(self, claim: GoldClaim) -> Measurement:
        started = time.perf_counter()
        answer = self.retrieve(claim)
        latency_ms = 1000 * (time.perf_counter() - started)
        gold, normal = claim.gold, self.titles_of.normal
        titles = self.titles_of(answer)
        values = _pair(titles, gold, MAX_RETRIEVED_DOCS, normal)
        if self.by_passage:
            part_rows = part_ranks(claim.gold_parts, answer.passages, titles, normal)
            values |= passage_figures(part_rows, MAX_RETRIEVED_DOCS)
        values |= _pair(titles, gold, FIRST, normal)
        depth, n_candidates = self.settings.depth, self.settings.n_candidates
        spent = {name: getattr(answer.trace, name) for name in SPENT}
        if deepest := max(depth or 0, n_candidates or 0):
            search = self.engine.search(claim.claim, deepest, self.retriever)
            for name in _PAID:  # a reply that failed is in no cache: it is asked for again
                spent[name] = _sum(spent[name], getattr(search.trace, name))
            searched = self.titles_of(search)
            titles = titles if depth is None else searched[:depth]
            if n_candidates is not None:
                name = f"candidate_recall@{n_candidates}"
                values[name] = recall(searched, gold, n_candidates, normal)
        if depth is not None:
            values |= _pair(titles, gold, depth, normal)
        ranks = dict(zip(gold, gold_ranks(titles, gold, normal), strict=True))
        n_passages, ranked_by = len(answer.passages), answer.trace.ranked_by
        return Measurement(
            values, ranks, latency_ms, spent, n_passages, ranked_by, answer.trace.fallback
        )


_PAID: Final = ("lm_calls", "input_tokens", "output_tokens", "cost_usd")


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _pair(
    titles: Sequence[str], gold: Collection[str], k: int, normal: Callable[[str], str]
) -> dict[str, float]:
    return {
        f"all_gold_found@{k}": all_gold_found(titles, gold, k, normal),
        f"recall@{k}": recall(titles, gold, k, normal),
    }


def _missing(
    engine: RetrievalEngine,
    claims: Sequence[GoldClaim],
    gold_pids: Mapping[str, Collection[str]] | None,
) -> list[MissingGold]:
    if gold_pids is None:
        return missing_gold(claims, engine.titles())
    return missing_gold(claims, [title for title, pids in gold_pids.items() if pids])
