"""Compares a claim with sentences: denials, other numbers or values, exchanged roles.

For each check the sentences count that are about the same. A finding is sure where the words around
it are the same as well; one that is not keeps a claim from being called supported, and contradicts
nothing.
"""

from collections.abc import Callable
from typing import Final

from hippohover.language.sentence import Sentence
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.denials import denials
from hippohover.verification.against.fields import other_fields
from hippohover.verification.against.findings import Finding, FindingKind
from hippohover.verification.against.numbers import other_numbers
from hippohover.verification.against.roles import turned_comparisons, turned_roles
from hippohover.verification.against.scattered import apart
from hippohover.verification.against.values import other_nationality, other_values

CHECKS: Final[tuple[Callable[[Comparison], list[Finding]], ...]] = (
    turned_roles,
    other_fields,
    apart,
    denials,
    other_numbers,
    turned_comparisons,
    other_values,
    other_nationality,
)
"""Those of a claim, the surest kinds first."""

_OF_DENIALS: Final = frozenset[FindingKind](["denied"])


def findings_of(beside: Comparison) -> list[Finding]:
    """Return all findings against a claim.

    What is sure against the same words without a denial speaks for a claim that denies them: who
    was born in Leeds was not born in Dover.
    """
    found = [finding for check in CHECKS for finding in check(beside)]
    if not _denies_all(beside.claim):
        return found
    return [one for one in found if not one.sure or one.kind in _OF_DENIALS]


def _denies_all(claim: Sentence) -> bool:
    """Return whether a claim denies all that it says of its subject."""
    behind = [at for at in range(claim.verb, len(claim.words)) if claim.stems[at]]
    own = [at for at in behind if claim.words[at] not in claim.cue.split()]
    return bool(own) and all(claim.denied[at] % 2 for at in own)
