"""Findings against a claim, and the sentences that they are in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hippohover.language.cues import word_list
from hippohover.language.quantities.quantity import Quantity
from hippohover.language.sentence import Sentence

FindingKind = Literal["denied", "number", "roles", "object", "scattered"]

_POSSESSIVE: Final = word_list("possessives")


@dataclass(frozen=True, slots=True)
class FindingType:
    """The name of the signal that reads findings of one kind, and what they say in words."""

    signal: str
    told: str


FINDING_TYPES: Final[dict[FindingKind, FindingType]] = {
    "denied": FindingType("denial", "the evidence denies it"),
    "number": FindingType("other_number", "the evidence counts or dates it otherwise"),
    "roles": FindingType("turned_roles", "the evidence says it the other way round"),
    "object": FindingType("other_value", "the evidence names another"),
    "scattered": FindingType("scattered_words", "no sentence about it says all of it"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that contradicts a claim.

    Attributes
    ----------
    kind : {"denied", "number", "roles", "object", "scattered"}
    sentence : int
        Place of the sentence among those of the evidence.
    cue : str
        What of it speaks against the claim.
    told : str
        In words.
    sure : bool
        Whether it contradicts the claim; else it only keeps it from being called supported.
    """

    kind: FindingKind
    sentence: int
    cue: str
    told: str
    sure: bool = True

    @property
    def in_words(self) -> str:
        """What the evidence says against the claim, and its words."""
        return f"{FINDING_TYPES[self.kind].told}: {self.told}"


@dataclass(frozen=True)
class EvidenceSentence:
    """A sentence of a passage with its title's stems, as a comparison reads it.

    Attributes
    ----------
    said : Sentence
    title, pronouns : frozenset of str
    lead : bool
        Whether it is the first of its passage: one that is named like the title there is the
        title, whatever else it is called by.
    above : tuple of Quantity
        Numbers and dates in what it is about: a release, the day of a message.
    called : mapping of str to frozenset of str
        Stem of a last name that stands alone in it -> stems of the whole name, which its passage
        has before.
    """

    said: Sentence
    title: frozenset[str]
    pronouns: frozenset[str]
    lead: bool = False
    above: tuple[Quantity, ...] = ()
    called: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    @property
    def subject(self) -> frozenset[str]:
        """Stems of the sentence's subject: of its names, or of its passage's title.

        A part of the title stands for all of it: "Okafor" in the passage of Ruth Okafor. "Her
        sister Mira Okafor" is another.
        """
        said = self.said
        names = said.subject
        if self.called:
            names = names.union(*(self.called.get(stem, ()) for stem in names))
        if self.lead and self.title & names:
            return self.title | names
        if names and said.words[0] not in self.pronouns:
            return self.title if names <= self.title else names
        owned = said.words[:1] and said.words[0] in _POSSESSIVE and len(names) > 1
        return names if owned else self.title | names

    @property
    def stems(self) -> frozenset[str]:
        """All of its stems, and its title's."""
        own = self.title | self.said.held.keys()
        return own.union(*self.called.values()) if self.called else own
