"""Programs: one ``dspy.Module`` per strategy. Importing this imports DSPy."""

from hippohover.programs.gap_analysis import DecompositionWithGapAnalysis
from hippohover.programs.hop_chain import HoverMultiHop
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.iterative_bm25 import IterativeBm25
from hippohover.programs.ppr import PPR
from hippohover.programs.ppr_hops import PprHops

__all__ = [
    "PPR",
    "DecompositionWithGapAnalysis",
    "HoverMultiHop",
    "HypothesisDriven",
    "IterativeBm25",
    "PprHops",
]
