"""Finds two sides of a claim exchanged: of "than", of "from ... to", of "the teacher of"."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.said import FORMS_OF_BE, MARKS, STOPS, Said
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.frames import (
    auxiliaries_before,
    is_active_behind,
    name_before,
    name_behind,
)
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.roles import turned_roles

_MORE: Final = frozenset(["more", "less", "fewer"])
_OF_AGE: Final = frozenset(["elder", "older", "younger"])
"""Behind them "of" compares: "the elder sister of Ann Lee"."""
_AGE: Final = {"elder": "older"}
_NO_COMPARATIVES: Final = frozenset(["other", "rather", "another", "ever", "never", "either"])
_FACTORS: Final = {"half": "twice", "twice": "half"}
"""A is half the size of B, and B twice the size of A."""
_TIMES: Final = frozenset(["twice", "half", "times"])
_REACH: Final = 5
_ENDS: Final = MARKS | {"and", "but", "while", "who", "which"}
_SLOTS: Final = frozenset(["in", "at", "on", "for", "with", "to", "from", "into", "against"])
_ARTICLES: Final = frozenset(["the", "a", "an", "early", "late"])
_TO: Final = frozenset(["to", "until", "till"])
_OWNERS: Final = frozenset(["his", "her", "its", "their"])
_ROLE: Final = 5
_TURNED: Final = "the two change places"


@dataclass(frozen=True, slots=True)
class Compared:
    """The words of a comparison with "than".

    Attributes
    ----------
    first, second : frozenset of str
        Stems on both sides.
    by : str
        Stem of what is compared: "older"; behind "more" that of the next word too.
    word : str
    """

    first: frozenset[str]
    second: frozenset[str]
    by: str
    word: str


def turned_comparisons(grounds: Grounds) -> list[Finding]:
    """Find "A is older than B" where a sentence says that B is, or that A is younger."""
    [*mine] = _compared_in(grounds.claim, frozenset())
    if len(mine) != 1 or any(grounds.claim.denied) or turned_roles(grounds):
        return []
    found: list[Finding] = []
    for at, told in enumerate(grounds.evidence):
        others = () if any(told.said.denied) else _compared_in(told.said, told.subject)
        ways = [_way(grounds, mine[0], other) for other in others]
        if True in ways:
            return []
        if False in ways:
            found.append(Finding("roles", at, mine[0].word, _TURNED))
    return found[:1]


def _compared_in(said: Said, subject: frozenset[str]) -> Iterator[Compared]:
    """Yield what a sentence compares by "than", and by "twice as many as"."""
    yield from comparisons_in(said, subject)
    for at, word in enumerate(said.words):
        if word not in _TIMES or said.words[at + 1 : at + 2] != ("as",):
            continue
        reach = range(at + 3, min(at + 3 + _REACH, len(said.words)))
        last = next((n for n in reach if said.words[n] == "as"), 0)
        behind = next((n for n in range(last, len(said.words)) if said.words[n] in _ENDS), None)
        first = frozenset(stem for stem in said.stems[:at] if stem) | subject
        second = frozenset(stem for stem in said.stems[last + 1 : behind] if stem)
        if last and first and second:
            yield Compared(first, second, f"{word} {said.words[at + 2]}", word)


def comparisons_in(said: Said, subject: frozenset[str]) -> Iterator[Compared]:
    """Yield what a sentence compares; its subject's stems are on the first side too."""
    begin = 0
    for than, word in enumerate(said.words):
        of_kin = word in _OF_AGE and said.words[than + 2 : than + 3] == ("of",)
        if word != "than" and not of_kin:
            continue
        at = than if of_kin else _comparative(said, than)
        known = cues().converse.get(said.stems[at], frozenset[str]()) if at > 0 else frozenset()
        if at < 1 or known & {*said.stems}:  # "slower on small files and faster on large ones"
            continue
        last = than + 2 if of_kin else than
        behind = next((n for n in range(last, len(said.words)) if said.words[n] in _ENDS), None)
        first = frozenset(stem for stem in said.stems[begin:at] if stem) | subject
        second = frozenset(stem for stem in said.stems[last + 1 : behind] if stem)
        slot = next((n for n in range(at + 1, last) if said.words[n] in _SLOTS), last)
        first |= frozenset(stem for stem in said.stems[slot:last] if stem)
        between = () if of_kin else (stem for stem in said.stems[at + 1 : slot] if stem)
        by = " ".join([_AGE.get(said.words[at], said.stems[at] or said.words[at]), *between])
        begin = len(said.words) if behind is None else behind
        if first and second:
            yield Compared(first, second, by, said.words[at])


def _comparative(said: Said, than: int) -> int:
    """Return the place of "more" or "colder" shortly before "than"; -1 without one."""
    places = range(than - 1, max(-1, than - _REACH), -1)
    known = cues().converse
    at = next((n for n in places if said.words[n] in _MORE or said.stems[n] in known), -1)
    ends = said.words[than - 1].endswith("er") and said.words[than - 1] not in _NO_COMPARATIVES
    return than - 1 if at < 0 and ends else at


def _way(grounds: Grounds, mine: Compared, other: Compared) -> bool | None:
    """Return whether both say the same (True), or one is the reverse (False)."""
    first, _, rest = mine.by.partition(" ")
    theirs, _, their_rest = other.by.partition(" ")
    converse = theirs in grounds.cues.converse.get(first, ())
    if rest != their_rest or not (converse or first == theirs):
        return None
    a, b = mine.first - mine.second, mine.second - mine.first
    c, d = other.first - other.second, other.second - other.first
    straight = bool(a & c) and bool(b & d)
    crossed = bool(b & c) and bool(a & d)
    return None if straight == crossed else straight != converse


def _ranges(said: Said) -> Iterator[tuple[str, str]]:
    """Yield the words at both ends of "from A to B", past an article; no numbers."""
    for at, word in enumerate(said.words):
        behind = range(at + 1, min(at + _REACH, len(said.words)))
        to = next((n for n in behind if said.words[n] in _TO), -1)
        if word == "from" and to > 0:
            first = next((w for w in said.words[at + 1 : to] if w not in _ARTICLES), "")
            last = next((w for w in said.words[to + 1 : to + _REACH] if w not in _ARTICLES), "")
            if first and last and not (first[0].isdigit() or last[0].isdigit()):
                yield first, last


def relations_of(
    said: Said, subject: frozenset[str], title: frozenset[str]
) -> Iterator[tuple[frozenset[str], str, frozenset[str]]]:
    """Yield who is what of whom: "Ann Roe was the teacher of Tim", "Ann Roe was her teacher"."""
    for at, word in enumerate(said.words):
        if word not in FORMS_OF_BE:
            continue
        own = said.words[at + 1 : at + 2]
        roles = list(roles_behind(said, at))
        if roles:
            holder = subject if at == said.verb else name_before(said, at)
            yield from ((holder, noun, whose) for noun, whose in roles if holder)
        elif own and own[0] in _OWNERS and title:
            nouns = [stem for stem in said.stems[at + 2 : at + 2 + _ROLE] if stem]
            if nouns and (holder := name_before(said, at)):
                yield holder, nouns[0], title


def roles_behind(said: Said, at: int) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what and of whom behind "is": "the aunt of Kim and the teacher of Tim"."""
    while True:
        behind = range(at + 1, min(at + 1 + _ROLE, len(said.words)))
        of = next((n for n in behind if said.words[n] == "of"), -1)
        if of < 0 or not said.stems[of - 1] or said.named[of - 1]:
            return
        run = said.run_of_name(of + 1)
        if whose := name_behind(said, of + 1):
            factor = next((w for w in said.words[at + 1 : of] if w in _FACTORS), "")
            yield f"{factor} {said.stems[of - 1]}".strip(), whose
        at = run[-1] + 1 if run else len(said.words)
        if said.words[at : at + 1] != ("and",):
            return


def _sides(
    said: Said, verb: str, subject: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return stems of the agent and of the patient, without those on both sides."""
    forms = {verb, *cues().forms.get(verb, ())} if verb else set[str]()
    at = next((n for n, stem in enumerate(said.stems) if stem in forms), 0)
    if not at or (said.words[at + 1 : at + 2] and said.words[at + 1] in _SLOTS):
        return None
    if said.text[said.spans[at][0] - 1] == "-":
        return None  # "the ready-made"
    by = "by" in said.words[at : at + _REACH]
    if not (at == said.verb or is_active_behind(said, at) or (by and auxiliaries_before(said, at))):
        return None  # another verb is what the sentence says
    stop = next((n for n in range(at, len(said.words)) if said.words[n] in STOPS), None)
    before = frozenset(stem for stem in said.stems[:at] if stem) | subject
    behind = frozenset(stem for stem in said.stems[at + 1 : stop] if stem)
    sides = before - behind, behind - before
    return (sides[1], sides[0]) if by else sides
