"""The HoVer pipeline that ``HIPPOHOVER_PROGRAM`` names, with its signatures.

Two published programs have this one path. ``hop-chain``, the default, follows the chain of hops;
``gap-analysis`` decomposes the claim and looks early for what is missing. The index is the one in
``HIPPOHOVER_INDEX``; without one, the ``rm`` of ``dspy.configure`` searches. Its ``lm`` is asked.
"""

import os
from typing import TYPE_CHECKING, Final

from hippohover.errors import UsageError

PROGRAM_VARIABLE: Final = "HIPPOHOVER_PROGRAM"
_name = os.environ.get(PROGRAM_VARIABLE) or "hop-chain"

if TYPE_CHECKING or _name == "hop-chain":
    from hippohover.programs.hop_chain import (
        ChainCompletenessEvaluator,
        DocumentRelevanceScorer,
        HopChainExtractor,
        HopTargetedQuery,
        HoverMultiHop,
        HoverMultiHopPipeline,
    )

    __all__ = [
        "ChainCompletenessEvaluator",
        "DocumentRelevanceScorer",
        "HopChainExtractor",
        "HopTargetedQuery",
        "HoverMultiHop",
        "HoverMultiHopPipeline",
    ]
elif _name == "gap-analysis":
    from hippohover.programs.gap_analysis import (
        BridgingEntityIdentifier,
        ClaimDecomposition,
        DocumentRelevanceScorer,
        EntityExtractor,
        GapAnalysis,
        GapAnalyzer,
        HoverMultiHopPipeline,
    )

    __all__ = [
        "BridgingEntityIdentifier",
        "ClaimDecomposition",
        "DocumentRelevanceScorer",
        "EntityExtractor",
        "GapAnalysis",
        "GapAnalyzer",
        "HoverMultiHopPipeline",
    ]
else:
    raise UsageError(
        f"{PROGRAM_VARIABLE} is {_name!r}: set it to hop-chain or gap-analysis, or leave it out"
    )
