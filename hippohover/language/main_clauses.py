"""A sentence -> its main clauses, where each has a subject and a predicate of its own."""

import re
from itertools import takewhile
from typing import Final

from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues, word_list
from hippohover.language.said import SUBORDINATE, Said

_JOINS: Final = re.compile(r";\s+|(?P<comma>,)?\s+(?:and|but)\s+")
_FINITE: Final = frozenset(["is", "are", "was", "were", "has", "had"])
_DETERMINERS: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "his",
        "her",
        "its",
        "their",
        "this",
        "these",
        "most",
        "all",
        "some",
        "many",
        "no",
        "each",
        "every",
        "several",
        "few",
        "about",
        "over",
        "more",
        "at",
        "there",
        "one",
    ]
)
"""They begin a subject, as a number does: "most", "at least"."""
_RELATIVE: Final = frozenset(["that", "who", "which", "whose", "where"])
_OWN: Final = frozenset(["he", "she", "it", "they"])
_BREAKS: Final = SUBORDINATE | {"that", ",", ";", "("}
_FRAME_WORDS: Final = 8
_FEW_WORDS: Final = 3
_BEFORE_NOUN: Final = word_list("before_noun")


def main_clauses(sentence: str) -> list[str]:
    """Return clauses that stand side by side: "Ann Roe won, and the team lost" has two.

    Cut at ", and" and "; " before a subject with a predicate, where one is before it too; at a
    bare "and" only between "was" and a name with "was". Nothing is cut behind "it is false that",
    nor inside "who" or "that".
    """
    found: list[str] = []
    begin = 0
    for border in _JOINS.finditer(sentence):
        before, after = sentence[begin : border.start()], sentence[border.end() :]
        if _are_two(before, after, close=border[0].strip() in {"and", "but"}):
            found.append(before)
            begin = border.end()
    return [*found, sentence[begin:]]


def _are_two(before: str, after: str, *, close: bool) -> bool:
    read = ClauseReader()
    first, second = read(before), read(f"so {after}")  # a capital is no name at the beginning
    if _is_framed(first) or min(len(before.split()), len(after.split())) < _FEW_WORDS:
        return False
    subject = _subject(second, named_only=close)
    if not subject:
        return False
    if close:
        return bool(_FINITE & set(first.words)) and not _BREAKS & set(first.words)
    return _has_predicate(first) or (_is_long(first) and bool(_FINITE & set(second.words)))


def _has_predicate(said: Said) -> bool:
    """Return whether a verb stands behind a subject, and not behind a comma: ", directed by"."""
    places = [at for at in range(1, len(said.words)) if _is_predicate(said, at)]
    first = next(iter(places), 0)
    relative = len(places) == 1 and bool(_RELATIVE & set(said.words[:first]))
    return first > 0 and said.words[first - 1] != "," and not relative


def _is_long(said: Said) -> bool:
    """Return whether words are no list, and enough for a verb that no list has."""
    return len(said.words) > _FEW_WORDS and "," not in said.words and not all(said.named)


def _subject(said: Said, *, named_only: bool) -> list[str]:
    """Return the words of a clause's subject, behind "so"; none without a predicate after it."""
    n = len(said.words)
    if n < 3 or "both" in said.words or not (said.named[1] or (not named_only and _opens(said))):
        return []
    verb = next((at for at in range(2, n) if _is_predicate(said, at)), n)
    words = list(said.words[1:verb])
    if verb == n or _BREAKS & set(words) or (named_only and not all(said.named[1:verb])):
        return []
    return words if not named_only or said.words[verb] in _FINITE else []


def _opens(said: Said) -> bool:
    """Return whether a subject without a name begins behind "so"."""
    first = said.words[1]
    return first in _DETERMINERS | _OWN or first[0].isdigit()


def _is_predicate(said: Said, at: int) -> bool:
    """Return whether a word may be a clause's verb: by the list, or by its "-s" behind a noun."""
    word = said.words[at]
    if said.named[at]:
        return False
    ends = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return cues().is_verb(word) or (ends and said.words[at - 1] not in _BEFORE_NOUN | {"so"})


def _is_framed(said: Said) -> bool:
    words = tuple(takewhile(lambda word: word != ",", said.words[:_FRAME_WORDS]))
    return any(words[: len(one)] == one for one in cues().frames)
