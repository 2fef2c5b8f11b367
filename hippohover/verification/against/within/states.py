"""Finds "on" where a sentence says "off": of an option, a flag or a machine."""

from collections.abc import Iterator
from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.said import FORMS_OF_BE, STOPS, Said

_BEFORE: Final = FORMS_OF_BE | {"turned", "switched", "default"}
_BEHIND: Final = STOPS | {",", "by", "and", "but", "when", "if", "unless", "until", "during", "at"}
"""Where none of them follows, "on" says where something is."""
_NOT: Final = frozenset(["not", "n't"])
_STATES: Final = {"on": True, "off": False, "enabled": True, "disabled": False}
_BORDERS: Final = frozenset([",", ";", "and", "but", "while"])


def other_states(grounds: Grounds) -> list[Finding]:
    """Find the other of on and off in the part of a sentence with the claim's words."""
    mine = [(state, stems) for _, state, stems in _states(grounds.claim)]
    if len(mine) != 1:
        return []
    [(wanted, stems)] = mine
    told = [
        (grounds.share_of(stems, own | grounds.evidence[at].title), state == wanted, at, place)
        for at in range(len(grounds.evidence))
        for place, state, own in _states(grounds.evidence[at].said)
    ]
    best = max((share for share, *_ in told), default=0.0)
    likely = [one for one in told if one[0] >= best]
    if best < CARRIES or any(same for _, same, _, _ in likely):
        return []
    _, _, at, place = likely[0]
    word = grounds.evidence[at].said.words[place]
    return [Finding("denied", at, word, f"“{word}”", sure=best >= 1.0)]


def _states(said: Said) -> Iterator[tuple[int, bool, frozenset[str]]]:
    """Yield the place of each state, whether it is on, and the stems around it."""
    for at, word in enumerate(said.words):
        if word not in _STATES:
            continue
        behind = said.words[at + 1 : at + 2]
        before = at - 2 if said.words[at - 1] in _NOT else at - 1
        switched = said.words[before] in _BEFORE and (not behind or behind[0] in _BEHIND)
        if word in {"on", "off"} and not switched:
            continue
        borders = [n for n, one in enumerate(said.words) if one in _BORDERS]
        begin = max((n for n in borders if n < at), default=-1) + 1
        stop = min((n for n in borders if n > at), default=len(said.words))
        stems = {said.stems[n] for n in range(begin, stop) if n != at and said.stems[n]}
        yield at, _STATES[word] != bool(said.denied[at] % 2), frozenset(stems)
