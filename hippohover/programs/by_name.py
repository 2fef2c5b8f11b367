"""The programs by name, and an engine in which they stand beside the retrievers."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hippohover.errors import UsageError
from hippohover.programs.gap_analysis import DecompositionWithGapAnalysis
from hippohover.programs.hop_chain import HoverMultiHop
from hippohover.programs.hop_program import HopProgram, SearchEngine
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.iterative_bm25 import IterativeBm25
from hippohover.programs.ppr_hops import PprHops
from hippohover.records import Retrieval, Trace

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel

PROGRAMS: Final[dict[str, type[HopProgram]]] = {
    program.name: program
    for program in (
        IterativeBm25,
        HoverMultiHop,
        DecompositionWithGapAnalysis,
        HypothesisDriven,
        PprHops,
    )
}


class WithPrograms:
    """A ``RetrievalEngine`` that answers by a program where its name is given for a retriever's.

    Parameters
    ----------
    engine : SearchEngine
    names : sequence of str
        Programs to have.
    model : LanguageModel, optional
        Who they ask.
    retriever : str, optional
        Retriever that they search with; each one's own when not given.

    Raises
    ------
    UsageError
        A program is unknown, or asks and there is no language model.
    """

    def __init__(
        self,
        engine: SearchEngine,
        names: Sequence[str],
        *,
        model: "LanguageModel | None" = None,
        retriever: str | None = None,
    ) -> None:
        self._engine = engine
        self._programs: dict[str, HopProgram] = {}
        for name in names:
            if name not in PROGRAMS:
                raise UsageError(f"program {name!r} is unknown: name one of {', '.join(PROGRAMS)}")
            program = PROGRAMS[name](engine, model)
            program.retriever = retriever or program.retriever
            self._programs[name] = program

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        """As the engine, or by the program of that name."""
        program = self._programs.get(retriever)
        if program is None:
            return self._engine.retrieve(claim, k, retriever)
        start = time.perf_counter()
        prediction = program(claim=claim)
        trace = Trace(
            route="no-filter",
            n_candidates=len({p.pid for found in prediction.run.found for p in found}),
            seconds=time.perf_counter() - start,
            lm_calls=prediction.run.usage.n_calls,
            fallbacks=prediction.run.fallbacks,
        )
        return Retrieval(claim, retriever, prediction.passages[:k], trace)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        """As the engine; a program's answer is all it has."""
        if retriever in self._programs:
            return self.retrieve(query, depth, retriever)
        return self._engine.search(query, depth, retriever)

    def titles(self) -> Sequence[str]:
        """As the engine."""
        return self._engine.titles()
