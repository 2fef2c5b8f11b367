"""Who is said to have said what: "Ann Roe said that Tim Orr fixed the leak"."""

from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.said import FORMS_OF_BE, MARKS, STOPS, Said

_THAT: Final = "that"
_REACH: Final = 5
"""Words between "said" and "that" at most: "said on Tuesday that"."""
_RELATIVE: Final = "who"
_CONTRASTS: Final = STOPS | {"but", "while", "whereas"}
_LEAST: Final = 2
"""Words that a sentence reports at least."""


@dataclass(frozen=True, slots=True)
class Speech:
    """What a sentence reports.

    Attributes
    ----------
    at : int
        Place of the verb that reports.
    speaker : frozenset of str
        Stems of whoever said it; empty for a pronoun.
    body : range
        Places of the words that were said.
    """

    at: int
    speaker: frozenset[str]
    body: range


def speech_in(said: Said) -> Speech | None:
    """Return the first thing that a sentence reports of somebody's words; None without any."""
    for at, word in enumerate(said.words):
        if word not in cues().speech or not at or said.named[at] or said.denied[at] % 2:
            continue
        if said.words[at - 1] in FORMS_OF_BE or said.words[at + 1 : at + 2] == ("to",):
            continue  # "was told", "said to be"
        body = _body(said, at)
        if len(body) >= _LEAST:
            return Speech(at, _speaker(said, at), body)
    return None


def _body(said: Said, at: int) -> range:
    """Return places of what follows the verb, or stands before a comma: "..., Ann Roe said."."""
    n = len(said.words)
    behind = said.words[at + 1 : at + 2]
    commas = [place for place in range(at) if said.words[place] == ","]
    if commas and (not behind or behind[0] in STOPS):
        return range(commas[-1])
    words = said.words[at + 1 : at + 1 + _REACH]
    begin = at + 2 + words.index(_THAT) if _THAT in words else at + 1
    if begin == at + 1 and said.words[at] in cues().speech_with_that:
        return range(0)
    return range(begin, next((one for one in range(begin, n) if said.words[one] in _CONTRASTS), n))


def _speaker(said: Said, at: int) -> frozenset[str]:
    """Return stems of the words before a verb, back to a mark; before "who" of the name there."""
    stop = at - 1 if said.words[at - 1] == _RELATIVE else at
    stop -= said.words[stop - 1] == "," and stop < at
    begin = stop
    while begin and said.words[begin - 1] not in MARKS | {"and", "but"}:
        begin -= 1
    return frozenset(stem for stem in said.stems[begin:stop] if stem)
