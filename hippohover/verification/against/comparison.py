"""Compares a claim with sentences: denials, other numbers or values, exchanged roles.

For each check the sentences count that are about the same. A finding is sure where the words around
it are the same as well; one that is not keeps a claim from being called supported, and contradicts
nothing.
"""

from collections.abc import Callable
from typing import Final

from hippohover.verification.against.compared.amounts import turned_amounts
from hippohover.verification.against.compared.counted import turned_counts, turned_years
from hippohover.verification.against.compared.events import turned_orders
from hippohover.verification.against.compared.moves import moved_away
from hippohover.verification.against.compared.relations import (
    other_spouse,
    turned_kin_and_deeds,
)
from hippohover.verification.against.comparisons import (
    of_another_kind,
    turned_comparisons,
    turned_phrases,
    turned_ranges,
    turned_relations,
)
from hippohover.verification.against.denied.attributed import attributions
from hippohover.verification.against.denied.beside import denials_beside
from hippohover.verification.against.denied.denials import denials, lifted_bans, no_effects
from hippohover.verification.against.denied.everybody import denied_of_everybody
from hippohover.verification.against.denied.hedges import hedges
from hippohover.verification.against.denied.possible import only_possible
from hippohover.verification.against.doers import other_doers
from hippohover.verification.against.findings import Finding, FindingKind
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.meant.bridges import wrong_bridges
from hippohover.verification.against.meant.kin import said_of_kin
from hippohover.verification.against.numbers import other_numbers
from hippohover.verification.against.owners import crossed_clauses
from hippohover.verification.against.ranks import (
    first_of_something_else,
    other_directions,
    other_ranks,
    quantifiers,
)
from hippohover.verification.against.replaced import replaced_words
from hippohover.verification.against.roles import changed_places, turned_roles
from hippohover.verification.against.unsaid import (
    other_slots,
    unnamed_members,
    unsaid_predicate,
)
from hippohover.verification.against.values import other_nationality, other_values, said_of_another
from hippohover.verification.against.within.agents import crossed_agents, other_agents
from hippohover.verification.against.within.fields import other_fields
from hippohover.verification.against.within.halves import exchanged_halves
from hippohover.verification.against.within.limits import limited, other_causes
from hippohover.verification.against.within.states import other_states
from hippohover.verification.reading.said import Said

CHECKS: Final[tuple[Callable[[Grounds], list[Finding]], ...]] = (
    denials,
    denials_beside,
    denied_of_everybody,
    no_effects,
    lifted_bans,
    other_states,
    other_numbers,
    turned_roles,
    turned_comparisons,
    turned_ranges,
    turned_relations,
    turned_phrases,
    turned_orders,
    turned_amounts,
    turned_counts,
    turned_years,
    moved_away,
    turned_kin_and_deeds,
    other_spouse,
    changed_places,
    other_ranks,
    first_of_something_else,
    other_directions,
    quantifiers,
    other_values,
    other_fields,
    other_doers,
    other_nationality,
    replaced_words,
    hedges,
    only_possible,
    attributions,
    said_of_another,
    said_of_kin,
    crossed_clauses,
    crossed_agents,
    other_agents,
    exchanged_halves,
    of_another_kind,
    unsaid_predicate,
    unnamed_members,
    other_slots,
    wrong_bridges,
    limited,
    other_causes,
)
"""Those of a claim, the surest kinds first."""

_OF_DENIALS: Final = frozenset[FindingKind](["denied", "hedged"])


def findings_of(grounds: Grounds) -> list[Finding]:
    """Return all findings against a claim.

    What is sure against the same words without a denial speaks for a claim that denies them: who
    was born in Leeds was not born in Dover.
    """
    found = [finding for check in CHECKS for finding in check(grounds)]
    if not _denies_all(grounds.claim):
        return found
    return [one for one in found if not one.sure or one.kind in _OF_DENIALS]


def _denies_all(claim: Said) -> bool:
    """Return whether a claim denies all that it says of its subject."""
    behind = [at for at in range(claim.verb, len(claim.words)) if claim.stems[at]]
    own = [at for at in behind if claim.words[at] not in claim.cue.split()]
    return bool(own) and all(claim.denied[at] % 2 for at in own)
