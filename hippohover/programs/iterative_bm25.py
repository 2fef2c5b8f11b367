"""Hops without a language model: search, add the best new name, search again."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from hippohover.language_model.any_model import AnyModel
from hippohover.programs.hop_program import HopProgram, Limits, Run, Step
from hippohover.records import RankedPassage
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS
from hippohover.sources.search_engine import SearchEngine

_DEPTH: Final = 100


@dataclass
class NamesRun(Run):
    """A run with the names that were searched, and the scores of all that were read."""

    known: set[str] = field(default_factory=set[str])
    gains: dict[str, float] = field(default_factory=dict[str, float])


class IterativeBm25(HopProgram):
    """Three searches by BM25; the last two add a name from what was found to the claim.

    A name that is not in the claim scores 1 / rank times ln(N / passages that have it), summed over
    the best passages of a search that have it. The name with the highest score is added to the
    claim in the next query. The defaults were chosen on claims of train
    (benchmarks/iterative_bm25.py).

    Parameters
    ----------
    n_read : int
        Number of the best passages of each search whose names are candidates.
    n_later : int
        Number of passages that each later search adds to the answer.
    """

    name = "iterative-bm25"
    declared: ClassVar[Limits] = Limits(searches=3)
    run_type = NamesRun

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        *,
        n_read: int = 3,
        n_later: int = 6,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(engine, model, **options)
        self.n_read = n_read
        self.n_later = n_later

    def steps(self) -> Sequence[Step]:
        return [self._search_claim, *[self._search_name] * (self.limits.searches - 1)]

    def _search_claim(self, claim: str, run: NamesRun) -> None:
        run.known = set(run.engine.names_in(claim))
        run.search(claim, _DEPTH)

    def _search_name(self, claim: str, run: NamesRun) -> bool:
        """Search for the best new name and the claim; False where there is no new name."""
        _add_gains(run.gains, run.engine, run.found[-1][: self.n_read])
        best = best_name(run.gains, run.known)
        if best is None:
            return False
        run.known.add(best)
        run.search(f"{best} {claim}", _DEPTH)
        return True

    def ranked(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        return by_quota(run.found, self.k, n_later=self.n_later)


def best_name(gains: Mapping[str, float], known: set[str]) -> str | None:
    """Return the unknown name of the highest gain; ties are alphabetical."""
    new = [name for name in gains if name not in known]
    return min(new, key=lambda name: (-gains[name], name), default=None)


def by_quota(
    rankings: Sequence[Sequence[RankedPassage]], k: int, *, n_later: int
) -> list[RankedPassage]:
    """Return ``k`` passages of several searches: ``n_later`` from each but the first.

    The first gives the rest, one at least. A search gives its best that no earlier one gave, and
    what one lacks the others fill up.
    """
    taken: dict[str, RankedPassage] = {}
    for number, passages in enumerate(rankings):
        new = [passage for passage in passages if passage.pid not in taken]
        n = max(k - n_later * (len(rankings) - 1), 1) if number == 0 else n_later
        taken |= {passage.pid: passage for passage in new[: min(n, k - len(taken))]}
    for passages in rankings:
        rest = [passage for passage in passages if passage.pid not in taken]
        taken |= {passage.pid: passage for passage in rest[: k - len(taken)]}
    return list(taken.values())


def _add_gains(
    gains: dict[str, float], engine: SearchEngine, passages: Sequence[RankedPassage]
) -> None:
    """Add the scores of names in the best passages of one search."""
    for rank, passage in enumerate(passages, start=1):
        text = f"{passage.title}. {passage.text}"[:MAX_CLAIM_CHARS]
        for name, n in engine.names_in(text).items():
            gain = math.log(engine.n_passages / max(n, 1)) / rank
            gains[name] = gains.get(name, 0.0) + gain
