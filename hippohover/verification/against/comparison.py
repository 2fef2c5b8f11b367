"""Compares a claim with sentences: denials, other numbers or values, exchanged roles.

For each check the sentences count that are about the same. A finding is sure where the words around
it are the same as well; one that is not keeps a claim from being called supported, and contradicts
nothing.
"""

from collections.abc import Callable
from typing import Final

from hippohover.verification.against.bridges import wrong_bridges
from hippohover.verification.against.comparisons import (
    of_another_kind,
    turned_comparisons,
    turned_phrases,
    turned_ranges,
    turned_relations,
)
from hippohover.verification.against.denied.denials import denials, no_effects
from hippohover.verification.against.denied.hedges import hedges
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.numbers import other_numbers
from hippohover.verification.against.owners import crossed_clauses
from hippohover.verification.against.ranks import other_directions, other_ranks, quantifiers
from hippohover.verification.against.replaced import replaced_words
from hippohover.verification.against.roles import changed_places, turned_roles
from hippohover.verification.against.unsaid import other_slots, unnamed_members, unsaid_predicate
from hippohover.verification.against.values import other_nationality, other_values, said_of_another
from hippohover.verification.against.within.halves import exchanged_halves
from hippohover.verification.against.within.states import other_states

CHECKS: Final[tuple[Callable[[Grounds], list[Finding]], ...]] = (
    denials,
    no_effects,
    other_states,
    other_numbers,
    turned_roles,
    turned_comparisons,
    turned_ranges,
    turned_relations,
    turned_phrases,
    changed_places,
    other_ranks,
    other_directions,
    quantifiers,
    other_values,
    other_nationality,
    replaced_words,
    hedges,
    said_of_another,
    crossed_clauses,
    exchanged_halves,
    of_another_kind,
    unsaid_predicate,
    unnamed_members,
    other_slots,
    wrong_bridges,
)
"""Those of a claim, the surest kinds first."""


def findings_of(grounds: Grounds) -> list[Finding]:
    """Return all findings against a claim."""
    return [finding for check in CHECKS for finding in check(grounds)]
