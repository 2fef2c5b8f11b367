"""Programs: one ``dspy.Module`` per strategy. Naming one of them imports DSPy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hippohover.programs.any_retriever import over
    from hippohover.programs.gap_analysis import DecompositionWithGapAnalysis
    from hippohover.programs.hop_chain import HoverMultiHop
    from hippohover.programs.hypothesis import HypothesisDriven
    from hippohover.programs.iterative_bm25 import IterativeBm25
    from hippohover.programs.ppr import PPR
    from hippohover.programs.ppr_hops import PprHops

__all__ = [
    "PPR",
    "PROGRAMS",
    "DecompositionWithGapAnalysis",
    "HoverMultiHop",
    "HypothesisDriven",
    "IterativeBm25",
    "PprHops",
    "over",
]

PROGRAMS: Final = {
    "iterative-bm25": "iterative_bm25.IterativeBm25",
    "hop-chain": "hop_chain.HoverMultiHop",
    "gap-analysis": "gap_analysis.DecompositionWithGapAnalysis",
    "hypothesis": "hypothesis.HypothesisDriven",
    "ppr+hops": "ppr_hops.PprHops",
}
"""Name in commands and results -> module and class; reading the names imports nothing."""


def __getattr__(name: str) -> Any:  # noqa: ANN401
    for home in ("ppr.PPR", "any_retriever.over", *PROGRAMS.values()):
        module, _, own = home.partition(".")
        if own == name:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
