"""A claim -> clauses that can be verified by themselves: its hops.

A main clause has a subject and a predicate of its own; it is cut further at its marks.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues, word_list
from hippohover.language.sentence import FINITE, RELATIVE, SUBORDINATE, Sentence
from hippohover.names.sentences import sentence_spans

_JOINS: Final = re.compile(r";\s+|(?P<comma>,)?(?<!\s)\s+(?:and|but)\s+")
_OPENS_SUBJECT: Final = word_list("opens_subject")
_BREAKS: Final = SUBORDINATE | {"that", ",", ";", "("}
_BEFORE_NOUN: Final = word_list("before_noun")
_MARKS: Final = re.compile(
    r";\s+|,?(?<!\s)\s+(?:and|but)\s+(?=(?:it|he|she|they|its|his|her|their)\s)|,\s+(?=(?:who|which|where|whose)\s)",
    re.IGNORECASE,
)
_LEAST_WORDS: Final = 3
_LONGEST_FRAME: Final = 8


def parts_of(text: str) -> list[str]:
    """Return clauses of a text that can be verified by themselves, in order.

    Each sentence is cut into its main clauses, and these at their marks: semicolons, "and she",
    ", which".
    """
    sentences = [text[start:stop] for start, stop in sentence_spans(text)]
    found: list[str] = []
    for sentence in sentences:
        for clause in main_clauses(sentence):
            found += _cut(clause, _MARKS, lambda one, _, other: _say_something(one, other))
    return found


@lru_cache(256)
def main_clauses(sentence: str) -> Sequence[str]:
    """Return clauses that stand side by side: "Ann Roe won, and the team lost" has two.

    Cut at ", and" and "; " before a subject with a predicate, where one is before it too; at a
    bare "and" only between "was" and a name with "was". Nothing is cut behind "it is false that",
    nor inside "who" or "that". Several readers of one claim ask again.
    """
    return _cut(sentence, _JOINS, _are_two)


def _cut(
    sentence: str, borders: re.Pattern[str], are_two: Callable[[str, str, str], bool]
) -> list[str]:
    """Cut a sentence where what stands before a border and behind it are two clauses."""
    found: list[str] = []
    begin = 0
    for border in borders.finditer(sentence):
        before, after = sentence[begin : border.start()], sentence[border.end() :]
        if are_two(before, border[0], after):
            found.append(before)
            begin = border.end()
    return [*found, sentence[begin:]]


def _are_two(before: str, join: str, after: str) -> bool:
    if not _say_something(before, after):
        return False
    read, close = ClauseReader(), join.strip() in {"and", "but"}
    first, second = read(before), read(f"so {after}")  # a capital is no name at the beginning
    if _words_of_frame(first.words) or not _subject(second, named_only=close):
        return False
    if close:
        return bool(FINITE & set(first.words)) and not _BREAKS & set(first.words)
    return _has_predicate(first) or (_is_long(first) and bool(FINITE & set(second.words)))


def _has_predicate(said: Sentence) -> bool:
    """Return whether a verb stands behind a subject, and not behind a comma: ", directed by"."""
    places = [at for at in range(1, len(said.words)) if _is_predicate(said, at)]
    first = next(iter(places), 0)
    relative = len(places) == 1 and bool(RELATIVE & set(said.words[:first]))
    return first > 0 and said.words[first - 1] != "," and not relative


def _is_long(said: Sentence) -> bool:
    """Return whether words are no list, and enough for a verb that no list has."""
    return len(said.words) > _LEAST_WORDS and "," not in said.words and not all(said.named)


def _subject(said: Sentence, *, named_only: bool) -> list[str]:
    """Return the words of a clause's subject, behind "so"; none without a predicate after it."""
    n = len(said.words)
    if n < 3 or "both" in said.words or not (said.named[1] or (not named_only and _opens(said))):
        return []
    verb = next((at for at in range(2, n) if _is_predicate(said, at)), n)
    words = list(said.words[1:verb])
    if verb == n or _BREAKS & set(words) or (named_only and not all(said.named[1:verb])):
        return []
    return words if not named_only or said.words[verb] in FINITE else []


def _opens(said: Sentence) -> bool:
    """Return whether a subject without a name begins behind "so"."""
    first = said.words[1]
    return first in _OPENS_SUBJECT or first[0].isdigit()


def _is_predicate(said: Sentence, at: int) -> bool:
    """Return whether a word may be a clause's verb: by the list, or by its "-s" behind a noun."""
    word = said.words[at]
    if said.named[at]:
        return False
    ends = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return cues().is_verb(word) or (ends and said.words[at - 1] not in _BEFORE_NOUN | {"so"})


def _say_something(*texts: str) -> bool:
    return all(len(text.split()) >= _LEAST_WORDS for text in texts)


def _words_of_frame(words: Sequence[str]) -> int:
    """Count a sentence's first words that deny all the rest: "it is not the case that".

    What follows says nothing without them.
    """
    folded = tuple(word.casefold() for word in words[:_LONGEST_FRAME])
    return max((len(one) for one in cues().frames if folded[: len(one)] == one), default=0)
