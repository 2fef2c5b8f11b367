"""Tells which clause says what of whom: "Ann Roe found the leak, and Tim Orr fixed it".

A clause begins behind a semicolon, a comma, "and", "but" or "while" where a subject of its own and
a verb follow, and with "who", "which" and "whose".
"""

from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.said import MARKS, STOPS, Said
from hippohover.verification.against.findings import Told
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.against.sides import name_right_before

_JOINTS: Final = frozenset([",", ";", "and", "but", "while", "whereas"])
_RELATIVES: Final = frozenset(["who", "which", "whose"])
_DETERMINERS: Final = frozenset(
    ["the", "a", "an", "his", "her", "its", "their", "this", "that", "no"]
)
_SUBJECT: Final = 5
"""Words of a clause's own subject at most."""
_PREPOSITIONS: Final = word_list("no_label") - {"the"}
_FINITE: Final = word_list("light") | frozenset(["can", "could", "will", "would", "may", "might"])


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with a verb.

    Attributes
    ----------
    owner : frozenset of str
        Stems of what it says something of; empty for a pronoun.
    stems : frozenset of str
        All of it, its owner too.
    """

    owner: frozenset[str]
    stems: frozenset[str]


def _is_crossed(
    grounds: Grounds,
    told: Told,
    clauses: tuple[Clause, ...],
    subject: frozenset[str],
    rest: list[str],
) -> bool:
    """Return whether one clause has the claim's subject, and one about another the rest."""
    shares = [
        grounds.share_of(rest, with_forms(grounds, one.stems | told.title)) for one in clauses
    ]
    best = max(range(len(clauses)), key=shares.__getitem__)
    one = clauses[best]
    another = bool(one.owner - subject) and bool(subject - one.stems)
    another = another and not one.owner <= told.title
    elsewhere = any(
        grounds.share_of(subject, other.stems) >= CARRIES for other in clauses if other is not one
    )
    theirs = grounds.share_of(subject, one.stems) < CARRIES
    return shares[best] >= CARRIES and another and elsewhere and theirs


def with_forms(grounds: Grounds, stems: frozenset[str]) -> frozenset[str]:
    """Return stems of a clause, and those of the claim that it has in another form."""
    return stems | {
        stem
        for stem in grounds.content
        if (
            grounds.cues.forms.get(stem, frozenset())
            | grounds.cues.doers.get(stem, frozenset())
            | grounds.opposites(stem)
        )
        & stems
    }


def clauses_of(said: Said) -> tuple[Clause, ...]:
    """Return the clauses of a sentence, in order."""
    owners: list[frozenset[str]] = []
    own: list[set[str]] = []
    main = current = 0
    for at, word in enumerate(said.words):
        begun = _begins(said, at)
        if not owners or begun is not None:
            before = owners[main] if owners else frozenset[str]()
            first = _opening(said, 0) or (said.subject if any(said.named[:2]) else frozenset[str]())
            owners.append(first if begun is None else begun or before)
            own.append(set(owners[-1]))
            main = main if word in _RELATIVES else len(owners) - 1
            current = len(owners) - 1
        elif word == "," and owners and current != main:
            current = main  # behind ", who taught it," the sentence goes on
        if said.stems[at]:
            own[current].add(said.stems[at])
    return tuple(Clause(owner, frozenset(stems)) for owner, stems in zip(owners, own, strict=True))


def _begins(said: Said, at: int) -> frozenset[str] | None:
    """Return stems of the subject of a clause that begins there, empty for a pronoun; or None."""
    word = said.words[at]
    if word in _RELATIVES and at:
        return name_right_before(said, at) or None
    if word not in _JOINTS or not _has_verb(said, at):
        return None
    return _opening(said, at + 1)


def _has_verb(said: Said, at: int) -> bool:
    """Return whether a verb is before a joint, since the last full stop."""
    return any(_is_verb(said, place) for place in range(at))


def _opening(said: Said, at: int) -> frozenset[str] | None:
    """Return stems between a place and the next verb, if they may be a subject; else None."""
    if said.words[at : at + 1] and said.words[at] in _JOINTS:
        at += 1
    if said.words[at : at + 1] and said.words[at] in cues().pronouns:
        return frozenset() if _is_verb(said, at + 1) else None
    stems: set[str] = set()
    for place in range(at, min(at + _SUBJECT + 1, len(said.words))):
        word = said.words[place]
        if place > at and _is_verb(said, place) and said.words[place - 1] not in _DETERMINERS:
            return frozenset(stems) or None
        if word in STOPS | MARKS or word in _JOINTS or (word in _PREPOSITIONS and not stems):
            return None
        if said.stems[place]:
            stems.add(said.stems[place])
    return None


def _is_verb(said: Said, at: int) -> bool:
    """Return whether a word is a predicate: by the lists, or by its -s after a name or noun."""
    if at >= len(said.words) or said.named[at]:
        return False
    word = said.words[at]
    known = cues().is_verb(word) or word in _FINITE
    if known or not at or not word.endswith("s") or len(word) < 4:
        return known
    plain = {word.removesuffix("s"), word.removesuffix("es")} & cues().verbs
    return said.named[at - 1] or (bool(plain) and bool(said.stems[at - 1]))
