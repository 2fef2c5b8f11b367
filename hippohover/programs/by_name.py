"""The programs by name, and an engine that offers them like retrievers."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hippohover import programs
from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.programs.hop_program import HopProgram, Run
from hippohover.records import Retrieval, Trace

PROGRAMS: Final[dict[str, type[HopProgram]]] = {
    name: getattr(programs, home.partition(".")[2]) for name, home in programs.PROGRAMS.items()
}
"""The classes of ``hippohover.programs.PROGRAMS``, by name."""


class WithPrograms:
    """A ``RetrievalEngine`` whose retrievers include the programs, by name.

    Parameters
    ----------
    engine : RetrievalEngine
    programs : mapping of str to HopProgram
    on_run : callable, optional
        Called with the program's name, the claim and the run after each answer of a program.
    """

    def __init__(
        self,
        engine: RetrievalEngine,
        programs: Mapping[str, HopProgram],
        on_run: Callable[[str, str, Run], None] | None = None,
    ) -> None:
        self._engine = engine
        self._programs = programs
        self._on_run = on_run

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        """Retrieve by the engine, or by the program of that name."""
        program = self._programs.get(retriever)
        if program is None:
            return self._engine.retrieve(claim, k, retriever)
        start = time.perf_counter()
        prediction = program(claim=claim)
        run: Run = prediction.run
        if self._on_run is not None:
            self._on_run(retriever, claim, run)
        trace = Trace(
            route="no-filter",
            n_candidates=len({p.pid for passages in run.found for p in passages}),
            seconds=time.perf_counter() - start,
            lm_calls=run.usage.n_requests,
            fallbacks=run.fallbacks,
            searches=len(run.queries),
            input_tokens=run.usage.input_tokens,
            output_tokens=run.usage.output_tokens,
            cost_usd=run.cost_usd,
            source_failures=() if run.sources is None else tuple(run.sources.failures),
            encoding_failure=run.encoding_failure,
        )
        return Retrieval(claim, retriever, prediction.passages[:k], trace)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        """Search the engine; a program finds no more than its answer."""
        if retriever in self._programs:
            return self.retrieve(query, depth, retriever)
        return self._engine.search(query, depth, retriever)

    def titles(self) -> Sequence[str]:
        """Return the engine's titles."""
        return self._engine.titles()
