"""Compares a claim with the fields of documents: "Created: 4 June 2020"."""

from collections.abc import Iterator
from dataclasses import dataclass

from hippohover.language.cues import cues
from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.said import Said, is_described_by
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.grounds import Grounds


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a document, and its value.

    Attributes
    ----------
    at : int
        Place of its line among the sentences of the evidence.
    title : frozenset of str
        Stems of its document's title.
    label, value : frozenset of str
        Stems of its name and of its value.
    dates : list of Quantity
    """

    at: int
    title: frozenset[str]
    label: frozenset[str]
    value: frozenset[str]
    dates: list[Quantity]

    @classmethod
    def of_line(cls, at: int, told: Told) -> "Field":
        """Return the field that a line is."""
        said = told.said
        colon = said.words.index(":")
        dates = [one for one in said.quantities if one.kind == "date"]
        value = frozenset(stem for stem in said.stems[colon:] if stem)
        return cls(at, told.title, frozenset(_label(said)), value, dates)


def is_of_another_field(grounds: Grounds, at: int) -> bool:
    """Return whether it is in a field that the claim does not name, beside one that it does."""
    told, held = grounds.evidence[at], grounds.claim.held.keys()
    fields = [one for one in grounds.evidence if one.said.is_field and one.title == told.title]
    named = [one for one in fields if held & _label(one.said)]
    return told.said.is_field and bool(named) and not held & _label(told.said)


def other_fields(grounds: Grounds) -> list[Finding]:
    """Find a claim about a document that has a field's value of another document, not its own.

    "RFP 12 was accepted" where its status is "Withdrawn", and that of RFP 19 "Accepted".
    """
    about = grounds.claim.subject
    fields = list(_fields_of(grounds))
    own = [one for one in fields if about and about <= one.title]
    joined = {"and", "or"} & set(grounds.claim.words)
    if len({one.title for one in own}) != 1 or joined or is_described_by(grounds.claim):
        return []
    for mine in own:
        others = [one for one in fields if one.label == mine.label and one.title != mine.title]
        theirs = next((one for one in others if _is_claimed(grounds, one, about)), None)
        if theirs is None or _is_held(grounds, mine):
            continue
        value, other = (_written(grounds, one) for one in (mine, theirs))
        return [Finding("object", mine.at, value, f"“{value}”, not “{other}”")]
    return []


def _fields_of(grounds: Grounds) -> Iterator[Field]:
    """Yield the fields of all documents of the evidence."""
    for at, told in enumerate(grounds.evidence):
        if told.said.is_field and told.said.words[0] != ":":
            yield Field.of_line(at, told)


def _written(grounds: Grounds, one: Field) -> str:
    """Return a field's value as its line has it."""
    return grounds.evidence[one.at].said.text.partition(":")[2].strip(" .")


def _is_claimed(grounds: Grounds, one: Field, about: frozenset[str]) -> bool:
    """Return whether the claim names the field, or has its value for a predicate, and the value."""
    names = grounds.claim.held.keys() & (one.label | _words_for(one.label))
    predicate = grounds.predicate in one.value and len(one.value) == 1
    return (bool(names) or predicate) and bool(one.value - about) and _is_held(grounds, one)


def _words_for(label: frozenset[str]) -> frozenset[str]:
    """Return stems that a sentence may tell a field with."""
    return frozenset[str]().union(*(cues().fields.get(stem, ()) for stem in label))


def _is_held(grounds: Grounds, one: Field) -> bool:
    """Return whether the claim has a field's value: the whole date, or a name of it."""
    dates = [quantity for quantity in grounds.claim.quantities if quantity.kind == "date"]
    if one.dates:
        return any(likeness(mine, other) == "same" for mine in dates for other in one.dates)
    return bool(one.value & grounds.claim.held.keys())


def _label(said: Said) -> set[str]:
    """Return stems of a field's name: "Created: 4 June 2020"."""
    return {stem for stem in said.stems[: said.words.index(":")] if stem}
