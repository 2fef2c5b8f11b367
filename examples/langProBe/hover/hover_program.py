"""The core program of the pipeline that ``HIPPOHOVER_PROGRAM`` names, made without arguments.

It searches the index in ``HIPPOHOVER_INDEX``; without one, the ``rm`` that DSPy is configured with.
"""

from langProBe.hover.hover_pipeline import HoverMultiHopPipeline

HoverMultiHop = HoverMultiHopPipeline.program_type
HoverMultiHopPredict = HoverMultiHop
"""LangProBe's name for its program without written reasoning; these programs write none."""
