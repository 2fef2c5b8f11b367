"""Finds two of a claim that change places: "A beat B", "A is older than B", "A has twice B's"."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from hippohover.language.cues import cues, word_list
from hippohover.language.sentence import MARKS, Sentence
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.findings import TURNED, EvidenceSentence, Finding
from hippohover.verification.against.frames import frames_of

_DETERMINERS: Final = word_list("determiners")
_MORE: Final = word_list("more")
_OF_AGE: Final = frozenset(["elder", "older", "younger"])
"""Behind them "of" compares: "the elder sister of Ann Lee"."""
_AGE: Final = {"elder": "older"}
_NO_COMPARATIVES: Final = frozenset(["other", "rather", "another", "ever", "never", "either"])
_ORDER: Final = frozenset(["before", "after"])
"""Before a name they compare times."""
_REACH: Final = 5
_ENDS: Final = MARKS | {"and", "but", "while", "who", "which"}
_SLOTS: Final = frozenset(["in", "at", "on", "for", "with", "to", "from", "into", "against"])


def turned_roles(beside: Comparison) -> list[Finding]:
    """Find what A does to B in the claim, and B to A in a sentence, or in converse words."""
    words = zip(beside.claim.words, beside.claim.named, strict=True)
    if not beside.subject or beside.cues.symmetric & {word for word, named in words if not named}:
        return []
    ways = {at: _way_of_verb(beside, told) for at, told in enumerate(beside.evidence)}
    against = [at for at, way in ways.items() if way is False]
    if not against or True in ways.values():
        return []
    said = beside.evidence[against[0]].said
    cue = said.words[said.verb] if said.verb < len(said.words) else ""
    return [Finding("roles", against[0], cue, TURNED)]


def _way_of_verb(beside: Comparison, told: EvidenceSentence) -> bool | None:
    """Return whether a sentence has the two in the claim's places; None where it does not say."""
    if beside.frame is None:
        return None
    agent, patient = beside.frame.agent_and_patient
    stem, slot = beside.claim.stems[beside.frame.at], beside.frame.slot
    frames = frames_of(told.said, stem, (told.subject,))
    inverse = [one for one in frames if not one.slot and slot in beside.cues.inverse.get(stem, ())]
    if any(one.has(patient, agent) for one in inverse):
        return True  # "Lantern stars Tim Rowe": he starred in it
    frames = [one for one in frames if one.slot == slot]
    if any(one.has(agent, patient) for one in frames):
        return True
    nouns = _DETERMINERS | {"of"}  # "the head of government", which nobody heads there
    verbs = [one for one in frames if not nouns & set(told.said.words[max(0, one.at - 1) : one.at])]
    return False if any(one.has(patient, agent) for one in verbs) else None


class Compared(NamedTuple):
    """Stems on both sides of "than", of what is compared ("older", "more pupil"), and its word."""

    first: frozenset[str]
    second: frozenset[str]
    by: str
    word: str


def turned_comparisons(beside: Comparison) -> list[Finding]:
    """Find "A is older than B" where a sentence says that B is, or that A is younger."""
    [*mine] = comparisons_in(beside.claim, frozenset())
    if len(mine) != 1 or any(beside.claim.denied) or turned_roles(beside):
        return []
    found: list[Finding] = []
    for at, told in enumerate(beside.evidence):
        others = () if any(told.said.denied) else comparisons_in(told.said, told.subject)
        ways = [_way_compared(beside, mine[0], other) for other in others]
        if True in ways:
            return []
        if False in ways:
            found.append(Finding("roles", at, mine[0].word, TURNED))
    return found[:1]


def comparisons_in(said: Sentence, subject: frozenset[str]) -> Iterator[Compared]:
    """Yield what a sentence compares; its subject's stems are on the first side too."""
    begin = 0
    for than, word in enumerate(said.words):
        of_kin = word in _OF_AGE and said.words[than + 2 : than + 3] == ("of",)
        in_time = word in _ORDER and any(said.named[than + 1 : than + 2])
        if word != "than" and not of_kin and not in_time:
            continue
        at = than if of_kin or in_time else _comparative(said, than)
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


def _comparative(said: Sentence, than: int) -> int:
    """Return the place of "more" or "colder" shortly before "than"; -1 without one."""
    places = range(than - 1, max(-1, than - _REACH), -1)
    known = cues().converse
    at = next((n for n in places if said.words[n] in _MORE or said.stems[n] in known), -1)
    ends = said.words[than - 1].endswith("er") and said.words[than - 1] not in _NO_COMPARATIVES
    return than - 1 if at < 0 and ends else at


def _way_compared(beside: Comparison, mine: Compared, other: Compared) -> bool | None:
    """Return whether both say the same (True), or one is the reverse (False)."""
    first, _, rest = mine.by.partition(" ")
    theirs, _, their_rest = other.by.partition(" ")
    converse = theirs in beside.cues.converse.get(first, ())
    if rest != their_rest or not (converse or first == theirs):
        return None
    a, b = mine.first - mine.second, mine.second - mine.first
    c, d = other.first - other.second, other.second - other.first
    straight = bool(a & c) and bool(b & d)
    crossed = bool(b & c) and bool(a & d)
    return None if straight == crossed else straight != converse
