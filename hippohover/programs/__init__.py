"""Programs: one ``dspy.Module`` per strategy. Importing this imports DSPy."""

from hippohover.programs.ppr import PPR

__all__ = ["PPR"]
