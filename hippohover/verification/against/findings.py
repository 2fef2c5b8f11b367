"""Findings against a claim, and the sentences that they are in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hippohover.language.cues import word_list
from hippohover.language.quantities.quantity import Quantity
from hippohover.language.sentence import Sentence

FindingKind = Literal["denied", "number", "roles", "object", "scattered"]

TURNED: Final = "the evidence says it the other way round"
_POSSESSIVE: Final = word_list("possessives")


SIGNAL_OF: Final[dict[FindingKind, str]] = {
    "denied": "denial",
    "number": "other_number",
    "roles": "turned_roles",
    "object": "other_value",
    "scattered": "scattered_words",
}
"""The signal that reads findings of each kind."""


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
        A sentence that says what was compared.
    sure : bool
        Whether it contradicts the claim; else it only keeps it from being called supported.
    mine : str
        Words of the claim that it is against; "" where there are none.
    theirs : str
        What the evidence says instead of them; "" where it does not say them.
    """

    kind: FindingKind
    sentence: int
    cue: str
    told: str
    sure: bool = True
    mine: str = ""
    theirs: str = ""


def instead(kind: FindingKind, sentence: int, cue: str, mine: str, *, sure: bool = True) -> Finding:
    """Return a finding of a sentence's words in the place of the claim's."""
    told = f"the evidence says “{cue}”, not “{mine}”"
    return Finding(kind, sentence, cue, told, sure, mine, cue)


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
