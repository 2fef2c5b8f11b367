"""The verdict where the verifier does not know the language: by numbers and dates alone.

The learned judge, the model of evidence and the lists of words know English. In another language
they would take "nicht" for one more word. Numbers are read in any.
"""

from typing import Final

from hippohover.names.normal_forms import tokens
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.against.findings import SIGNAL_OF, instead
from hippohover.verification.aggregator import Decision, RuleAggregator, without_evidence
from hippohover.verification.evidence_model import reads
from hippohover.verification.signals import ClaimContext, Reading

UNKNOWN: Final = (
    "the verifier knows English alone: in this language it compares only numbers, dates and names"
)


def is_known(claim: str, context: ClaimContext) -> bool:
    """Return whether the verifier knows the language of a claim and its passages."""
    told = [*context.evidence.chunks, *context.case.chunks]  # the first of them are read
    return reads(claim, *(one.text for one in told))


def by_numbers_alone(case: ComparedClaim) -> Decision:
    """Decide on a claim whose other words nobody understands.

    A sentence of the same words supports it; one of the same words but for a number contradicts
    it. A further word might be "not", and another name may be true as well: then nothing is
    decided.
    """
    decide, mine = RuleAggregator(), tokens(case.text)[0]
    ruled = without_evidence(UNKNOWN)
    for said in (tokens(told.said.text)[0] for told in case.sentences.told):
        others = [pair for pair in zip(said, mine, strict=False) if pair[0] != pair[1]]
        if len(said) != len(mine) or len(others) > 1:
            continue
        if not others:
            return _told(decide({}))
        if all(one.isdecimal() for one in others[0]) and len({*map(int, others[0])}) > 1:
            told = instead("number", 0, *others[0]).told
            ruled = _told(decide({SIGNAL_OF["number"]: Reading(1.0, told=told)}))
    return ruled


def _told(ruled: Decision) -> Decision:
    return Decision(ruled.status, ruled.confidence, (*ruled.reasons, UNKNOWN))
