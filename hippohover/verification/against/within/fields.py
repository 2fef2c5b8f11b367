"""Tells which field of a document has a value: "Created: 4 June 2020"."""

from hippohover.verification.against.grounds import Grounds
from hippohover.verification.reading.said import Said


def is_of_another_field(grounds: Grounds, at: int) -> bool:
    """Return whether it is in a field that the claim does not name, beside one that it does."""
    told, held = grounds.evidence[at], grounds.claim.held.keys()
    fields = [one for one in grounds.evidence if one.said.is_field and one.title == told.title]
    named = [one for one in fields if held & _label(one.said)]
    return told.said.is_field and bool(named) and not held & _label(told.said)


def _label(said: Said) -> set[str]:
    """Return stems of a field's name: "Created: 4 June 2020"."""
    return {stem for stem in said.stems[: said.words.index(":")] if stem}
