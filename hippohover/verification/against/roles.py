"""Finds names of a claim that change places in a sentence: "A beat B", "B beat A"."""

from itertools import pairwise
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.said import Said
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import frames_of, name_behind
from hippohover.verification.against.grounds import Grounds

_MORE: Final = frozenset(["more", "less", "fewer"])
_THAN_REACH: Final = 8
_BEFORE: Final = "before"
_BEHIND: Final = "behind"
_SLOTS: Final = frozenset(["to", "from", "by"])
_DETERMINERS: Final = frozenset(["the", "a", "an", "his", "her", "its", "their"])
_THAN: Final = frozenset({("than",), ("to",), ("of",)})


def turned_roles(grounds: Grounds) -> list[Finding]:
    """Find what A does to B in the claim, and B to A in a sentence, or in converse words."""
    words = zip(grounds.claim.words, grounds.claim.named, strict=True)
    if not grounds.subject or grounds.cues.symmetric & {word for word, named in words if not named}:
        return []
    ways = {at: _way(grounds, told) for at, told in enumerate(grounds.evidence)}
    against = [at for at, way in ways.items() if way is False]
    if not against or True in ways.values():
        return []
    said = grounds.evidence[against[0]].said
    cue = said.words[said.verb] if said.verb < len(said.words) else ""
    return [Finding("roles", against[0], cue, "the two change places")]


def _places(said: Said, subject: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the names before and after the verb, and the one after each of some prepositions."""
    found = {_BEFORE: subject} if subject else {}
    behind = said.run_of_name(said.verb + 1)
    if behind:
        found[_BEHIND] = frozenset(said.stems[one] for one in behind if said.stems[one])
    for at, word in enumerate(said.words):
        if word in _SLOTS and at > said.verb and (run := said.run_of_name(at + 1)):
            found.setdefault(word, frozenset(said.stems[one] for one in run if said.stems[one]))
    return found


def _way(grounds: Grounds, told: Told) -> bool | None:
    """Return whether a sentence has the two in the claim's places; None where it does not say."""
    compared = _compared(grounds, told)
    if compared is not None:
        return compared
    than = _than(grounds, told)
    if than is not None:
        return than
    if grounds.frame is None:
        return None
    agent, patient = grounds.frame.agent_and_patient
    stem, slot = grounds.claim.stems[grounds.frame.at], grounds.frame.slot
    frames = frames_of(told.said, stem, (told.subject,))
    inverse = [one for one in frames if not one.slot and slot in grounds.cues.inverse.get(stem, ())]
    if any(one.has(patient, agent) for one in inverse):
        return True  # "Lantern stars Tim Rowe": he starred in it
    frames = [one for one in frames if one.slot == slot]
    if any(one.has(agent, patient) for one in frames):
        return True
    nouns = _DETERMINERS | {"of"}  # "the head of government", which nobody heads there
    verbs = [one for one in frames if not nouns & set(told.said.words[max(0, one.at - 1) : one.at])]
    return False if any(one.has(patient, agent) for one in verbs) else None


def _compared(grounds: Grounds, told: Told) -> bool | None:
    """Return the same for "A before B" and its converse, by the names after the two words."""
    for at, stem in enumerate(grounds.claim.stems):
        converse = grounds.cues.converse.get(stem, frozenset())
        both = stem in told.said.held and bool(converse & told.said.held.keys())
        second = _name_behind(grounds.claim, at) if converse else frozenset[str]()
        for place, other in enumerate(told.said.stems if second else ()):
            if both and not _is_nearer(grounds, told.said, place):
                continue  # "slower on small files and faster on large ones"
            if other == stem or other in converse:
                way = _placed(grounds, told, second, _name_behind(told.said, place))
                if way is not None:
                    return way == (other == stem)
    return None


def _than(grounds: Grounds, told: Told) -> bool | None:
    """Return the same for comparisons without names: "more common in men than in women"."""
    mine, other = _sides_of_than(grounds.claim), _sides_of_than(told.said)
    if mine is None or other is None or mine[2] != other[2]:
        return None
    straight = mine[:2] == other[:2]
    crossed = mine[0] == other[1] and mine[1] == other[0]
    return None if straight == crossed else straight


def _placed(
    grounds: Grounds, told: Told, second: frozenset[str], objects: frozenset[str]
) -> bool | None:
    """Return whether subject and second are subject and object (True), or crossed (False)."""
    straight = grounds.subject <= told.subject and bool(objects) and second <= objects
    crossed = second <= told.subject and bool(objects) and grounds.subject <= objects
    return None if straight == crossed else straight


def _is_nearer(grounds: Grounds, said: Said, place: int) -> bool:
    """Return whether a comparison is in the part of a sentence with more of the claim."""
    borders = [at for at, word in enumerate(said.words) if word in {"and", "but", ",", ";"}]
    ends = [0, *borders, len(said.words)]
    own = [stem for stem in grounds.content if stem not in grounds.cues.converse]
    shares = [
        (len(set(own) & set(said.stems[start:stop])), start <= place < stop)
        for start, stop in pairwise(ends)
    ]
    mine = next(share for share, here in shares if here)
    return mine > max((share for share, here in shares if not here), default=-1)


def _name_behind(said: Said, at: int) -> frozenset[str]:
    """Return stems of the name after a comparison, or after its "than", here or elsewhere."""
    if said.words[at] in _MORE:
        than = [place for place, word in enumerate(said.words) if word == "than"]
        at = min(than, key=lambda place: (place < at, place), default=at)
    after = at + 2 if said.words[at + 1 : at + 2] in _THAN else at + 1
    if said.words[after : after + 1] == ("the",) and not any(said.named[after + 1 : after + 2]):
        return name_behind(said, after)  # "the sculptor Ann Lee"
    behind = frozenset(said.stems[one] for one in said.run_of_name(after) if said.stems[one])
    than = said.words.index("than") if "than" in said.words else -1
    if behind or than < 0 or said.words[at] == "than":
        return behind
    return frozenset(said.stems[one] for one in said.run_of_name(than + 1) if said.stems[one])


def _sides_of_than(said: Said) -> tuple[str, str, str] | None:
    """Return stems before and after "than", and of what is compared; or None."""
    if said.words.count("than") != 1:
        return None
    at = said.words.index("than")
    compared = next(
        (
            place
            for place in range(at - 1, max(-1, at - _THAN_REACH), -1)
            if said.words[place] in _MORE or said.stems[place] in cues().converse
        ),
        -1,
    )
    before = [stem for stem in said.stems[compared + 1 : at] if stem]
    behind = [stem for stem in said.stems[at + 1 : at + 4] if stem]
    if compared < 0 or len(before) < 2 or not behind:
        return None
    return before[-1], behind[0], " ".join([said.words[compared], *before[:-1]])
