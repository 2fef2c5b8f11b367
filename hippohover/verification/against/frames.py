"""Reads who does what to whom, by a verb: "Finch taught Okafor", "a film directed by Okafor"."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.sentence import FORMS_OF_BE, Sentence

_HAVE: Final = frozenset(["has", "have", "had"])
_DO: Final = frozenset(["will", "would", "did", "does", "do"])
_BETWEEN: Final = frozenset(["also", "already", "never", "not", "just", "since"])
"""Between an auxiliary and its verb these may stand."""
_DETERMINERS: Final = word_list("determiners")
_BY_REACH: Final = 4
_OBJECT_REACH: Final = 4
_ENDS: Final = frozenset(".!?;:()–—,")
_RELATIVES: Final = frozenset({(",", "who"), (",", "which"), (",", "that")})
_SLOTS: Final = frozenset(
    ["in", "at", "on", "for", "with", "to", "from", "into", "against", "under"]
)
_NO_ENDS: Final = frozenset("(),")
"""Between a verb and "by" these may stand: "written (and directed) by"."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One occurrence of a verb in a sentence.

    Attributes
    ----------
    passive : bool
        Whether "by" follows the verb.
    first : tuple of frozenset of str
        Stems of the names that may stand before it: the subject, and the nearest one.
    second : frozenset of str
        Stems of the name behind it, or behind "by"; empty where none is.
    at : int
        Place of the verb.
    slot : str
        Preposition in front of the second name: "starred in"; "" without.
    """

    passive: bool
    first: tuple[frozenset[str], ...]
    second: frozenset[str]
    at: int
    slot: str = ""

    @property
    def agent_and_patient(self) -> tuple[frozenset[str], frozenset[str]]:
        """Agent and patient, the agent known by the first of its names."""
        return (self.second, self.first[0]) if self.passive else (self.first[0], self.second)

    def has(self, agent: frozenset[str], patient: frozenset[str]) -> bool:
        """Return whether the agent does it to the patient here."""
        mine, other = (patient, agent) if self.passive else (agent, patient)
        return same_name(other, self.second) and any(same_name(mine, one) for one in self.first)


def same_name(wanted: frozenset[str], found: frozenset[str]) -> bool:
    """Return whether one of two names holds the other: "Okafor" and "Ruth Okafor"."""
    return bool(wanted and found) and (wanted <= found or found <= wanted)


def frames_of(said: Sentence, stem: str, subjects: Iterable[frozenset[str]]) -> list[Frame]:
    """Return each occurrence of a verb, in any form, in a sentence whose subject has the names."""
    found: list[Frame] = []
    forms = {stem, *cues().forms.get(stem, ())}
    for at, one in enumerate(said.stems):
        if not one or one not in forms or said.named[at] or _is_noun(said, at):
            continue
        reach = range(at + 1, at + 1 + _BY_REACH)
        by = next((place for place in reach if _is_by(said, at, place)), -1)
        near = name_before(said, at)
        first = tuple(name for name in (*subjects, near) if name)
        second = name_behind(said, (by if by >= 0 else at) + 1)
        found.append(Frame(by >= 0, first, second, at, "" if by >= 0 else _slot(said, at)))
    return found


def _is_noun(said: Sentence, at: int) -> bool:
    """Return whether a form of a verb is what somebody is: "Its manager is", "the teacher of"."""
    word, before = said.words[at], said.words[at - 1] if at else ""
    is_name = before in _DETERMINERS or said.is_field  # "Maintainer: Ann Lee"
    return word.endswith(("er", "or", "ers", "ors")) and is_name


def _slot(said: Sentence, verb: int) -> str:
    """Return the preposition between a verb and the name after it; "" without one."""
    for place in range(verb + 1, min(verb + 1 + _OBJECT_REACH, len(said.words))):
        if said.words[place] in _SLOTS:
            return said.words[place]
        if said.named[place] or said.words[place] in _ENDS:
            break
    return ""


def main_frame(said: Sentence, subject: frozenset[str]) -> Frame | None:
    """Return the frame of a sentence's own verb, between subject and another name; or None."""
    if not subject:
        return None
    for at in range(said.verb, min(said.verb + 4, len(said.words))):
        if not said.stems[at] or said.named[at]:
            continue
        active = at == said.verb or is_active_behind(said, at)
        if not active and not cues().is_verb(said.words[at]):
            continue  # "is the second part of a trilogy by" tells of no part that does something
        [*frames] = (one for one in frames_of(said, said.stems[at], (subject,)) if one.at == at)
        if frames and frames[0].second and (frames[0].passive or active):
            return frames[0]
    return None


def is_active_behind(said: Sentence, at: int) -> bool:
    """Return whether a word goes on from the sentence's auxiliary: "is suing", "has painted"."""
    before = auxiliaries_before(said, at)
    return bool(before) and (before[-1] not in FORMS_OF_BE or said.words[at].endswith("ing"))


def auxiliaries_before(said: Sentence, at: int) -> list[str]:
    """Return the auxiliaries from a sentence's verb up to a word; none where others stand there."""
    before = [word for word in said.words[said.verb : at] if word not in _BETWEEN]
    return before if set(before) <= FORMS_OF_BE | _HAVE | _DO else []


def _is_by(said: Sentence, verb: int, place: int) -> bool:
    between = said.words[verb + 1 : place]
    return said.words[place : place + 1] == ("by",) and not (_ENDS - _NO_ENDS) & set(between)


def name_behind(said: Sentence, at: int) -> frozenset[str]:
    """Return stems of the first name after a place, past a few other words: "the pianist"."""
    for place in range(at, min(at + _OBJECT_REACH, len(said.words))):
        if said.named[place]:
            run = place
            while run < len(said.words) and said.named[run]:
                run += 1
            return frozenset(said.stems[one] for one in range(place, run) if said.stems[one])
        if said.words[place] in _ENDS and said.words[place] != ":":
            break
    return frozenset()


def name_before(said: Sentence, at: int) -> frozenset[str]:
    """Return stems of the nearest name before a place, in its clause."""
    place = at - 1
    if said.words[max(0, place - 1) : at] in _RELATIVES:  # "Ann Lund, who taught"
        place -= 2
    while place >= 0 and not said.named[place]:
        if said.words[place] in _ENDS:
            return frozenset()
        place -= 1
    last = place
    while place >= 0 and said.named[place]:
        place -= 1
    return frozenset(said.stems[one] for one in range(place + 1, last + 1) if said.stems[one])
