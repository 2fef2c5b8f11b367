"""A sentence -> its parts with a verb each: "won in 1979", "and lost the final in 1981"."""

from collections.abc import Iterator
from typing import Final

from hippohover.verification.against.findings import Told
from hippohover.verification.against.sides import name_right_before
from hippohover.verification.reading.cues import cues
from hippohover.verification.reading.said import Said

_RELATIVES: Final = frozenset(["who", "which", "whose"])
_NOUN: Final = 3
"""Words that a relative clause is about, with the mark behind them."""
_BORDERS: Final = frozenset([",", ";", "and", "but", "while", "whereas"])


def pieces_of(said: Said) -> Iterator[range]:
    """Yield places of the parts between borders, joined until each has a verb."""
    begin = 0
    has_verb = False
    for at, word in enumerate(said.words):
        if word in _BORDERS and has_verb and _has_verb(said, at):
            yield range(begin, at)
            begin, has_verb = at + 1, False
        has_verb = has_verb or is_verb(said, at)
    yield range(begin, len(said.words))


def stems_of_piece(told: Told, piece: range) -> frozenset[str]:
    """Return a part's stems with other forms; with the sentence's subject if it names none."""
    said = told.said
    verb = next((at for at in piece if is_verb(said, at)), piece.stop)
    own = {said.stems[at] for at in piece if said.stems[at]}
    own |= {form for stem in own for form in cues().forms.get(stem, ())}
    names_own = any(said.named[at] for at in range(piece.start, verb))
    if said.words[piece.start : piece.start + 1] and said.words[piece.start] in _RELATIVES:
        noun = frozenset(
            stem for stem in said.stems[max(0, piece.start - _NOUN) : piece.start] if stem
        )
        return frozenset(own) | (name_right_before(said, piece.start) or noun)
    return frozenset(own) if names_own else frozenset(own) | told.subject


def is_verb(said: Said, at: int) -> bool:
    """Return whether a word may be a verb, by the lists or its ending."""
    known = cues().is_verb(said.words[at]) or said.stems[at] in cues().forms
    return known and not said.named[at]


def _has_verb(said: Said, border: int) -> bool:
    """Return whether a verb follows before the next border; behind "and", past commas."""
    ends = _BORDERS if said.words[border] == "," else _BORDERS - {","}
    places = range(border + 1, len(said.words))
    stop = next((at for at in places[1:] if said.words[at] in ends), len(said.words))
    return any(is_verb(said, at) for at in range(border + 1, stop))
