"""Compares a claim with the fields of documents: "Created: 4 June 2020"."""

from collections.abc import Iterator
from typing import NamedTuple

from hippohover.language.cues import cues
from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.sentence import Sentence, is_described_by
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.findings import Finding, instead


class Field(NamedTuple):
    """A field of a document, "Created: 4 June 2020": its line's place, and stems of its parts."""

    at: int
    title: frozenset[str]
    label: frozenset[str]
    value: frozenset[str]
    dates: list[Quantity]


def is_of_another_field(beside: Comparison, at: int) -> bool:
    """Return whether it is in a field that the claim does not name, beside one that it does."""
    told, held = beside.evidence[at], beside.claim.held.keys()
    fields = [one for one in beside.evidence if one.said.is_field and one.title == told.title]
    named = [one for one in fields if held & _label(one.said)]
    return told.said.is_field and bool(named) and not held & _label(told.said)


def other_fields(beside: Comparison) -> list[Finding]:
    """Find a claim about a document that has a field's value of another document, not its own.

    "RFP 12 was accepted" where its status is "Withdrawn", and that of RFP 19 "Accepted".
    """
    about = beside.claim.subject
    fields = list(_fields_of(beside))
    own = [one for one in fields if about and about <= one.title]
    joined = {"and", "or"} & set(beside.claim.words)
    if len({one.title for one in own}) != 1 or joined or is_described_by(beside.claim):
        return []
    for mine in own:
        others = [one for one in fields if one.label == mine.label and one.title != mine.title]
        theirs = next((one for one in others if _is_claimed(beside, one, about)), None)
        if theirs is None or _is_held(beside, mine):
            continue
        lines = (beside.evidence[one.at].said.text for one in (mine, theirs))
        value, other = (line.partition(":")[2].strip(" .") for line in lines)
        return [instead("object", mine.at, value, other)]
    return []


def _fields_of(beside: Comparison) -> Iterator[Field]:
    """Yield the fields of all documents of the evidence."""
    for at, told in enumerate(beside.evidence):
        said = told.said
        if said.is_field and said.words[0] != ":":
            value = frozenset(stem for stem in said.stems[said.words.index(":") :] if stem)
            dates = [one for one in said.quantities if one.kind == "date"]
            yield Field(at, told.title, frozenset(_label(said)), value, dates)


def _is_claimed(beside: Comparison, one: Field, about: frozenset[str]) -> bool:
    """Return whether the claim names the field, or has its value for a predicate, and the value."""
    known = one.label.union(*(cues().fields.get(stem, ()) for stem in one.label))
    names = beside.claim.held.keys() & known
    predicate = beside.predicate in one.value and len(one.value) == 1
    return (bool(names) or predicate) and bool(one.value - about) and _is_held(beside, one)


def _is_held(beside: Comparison, one: Field) -> bool:
    """Return whether the claim has a field's value: the whole date, or a name of it."""
    dates = [quantity for quantity in beside.claim.quantities if quantity.kind == "date"]
    if one.dates:
        return any(likeness(mine, other) == "same" for mine in dates for other in one.dates)
    return bool(one.value & beside.claim.held.keys())


def _label(said: Sentence) -> set[str]:
    """Return stems of a field's name: "Created: 4 June 2020"."""
    return {stem for stem in said.stems[: said.words.index(":")] if stem}
