"""A claim -> clauses that can be verified by themselves: its hops.

A main clause has a subject and a predicate of its own; it is cut further by its parse, or without
one at its marks.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from hippohover.language.clauses import ClauseReader
from hippohover.language.cues import cues, word_list
from hippohover.language.parse import Parse
from hippohover.language.parser import MAX_CHARS, Parses
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
_OF_NOUNS: Final = frozenset({"relcl", "acl"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "csubj", "expl"})
_RELATIVE_TAGS: Final = frozenset({"WDT", "WP"})
_EDGES: Final = " \t\n,;:-–—"


def parts_of(text: str, parses: Parses | None = None) -> list[str]:
    """Return clauses of a text that can be verified by themselves, in order.

    Each sentence is cut into its main clauses, and these at their marks (semicolons, "and she",
    ", which"), or by their parse where there is one: then a clause about a noun stands with that
    noun ("the film that won a prize" is "the film won a prize"), and a second verb with the subject
    that it shares.
    """
    sentences = [text[start:stop] for start, stop in sentence_spans(text)]
    found: list[str] = []
    for sentence in sentences:
        for clause in main_clauses(sentence):
            by_parse = [] if parses is None else _by_parse(clause, parses)
            found += by_parse or _cut(
                clause, _MARKS, lambda one, _, other: _say_something(one, other)
            )
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


def _by_parse(sentence: str, parses: Parses) -> list[str]:
    """Return clauses of a sentence; none where it is a single one, or too long to be parsed.

    Nor where one is too short to say anything, as by a parse that went wrong: "The director".
    """
    if len(sentence) > MAX_CHARS:
        return []
    [parse] = parses([sentence])
    clauses = _Clauses(parse)
    told = [clauses.text_of(verb) for verb in clauses.verbs]
    return told if len(told) > 1 and _say_something(*told) else []


class _Clauses:
    """The clauses of a parsed sentence, each known by the place of its verb."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        places = range(len(parse))
        self._framed = _words_of_frame(parse.words)
        self._above = [self._chain(at) for at in places]
        heads = {at for at in places if self._is_verb_of_clause(at)}
        self._own = [next(at for at in chain if at in heads) for chain in self._above]
        self.verbs = [at for at in places if at in heads]

    def text_of(self, verb: int) -> str:
        """Return a clause in words: its own, after those that it shares with another."""
        shared = self._shared(verb)
        own = [at for at in self._of(verb) if not self._joins(at, verb)]
        kept = set(own)
        own = [at for at in own if self._parse.deps[at] != "punct" or at - 1 in kept]
        return " ".join(part for part in (self._text(shared), self._text(own)) if part)

    def _chain(self, at: int) -> list[int]:
        chain = [at]
        while self._parse.heads[chain[-1]] != chain[-1]:
            chain.append(self._parse.heads[chain[-1]])
        return chain

    def _is_verb_of_clause(self, at: int) -> bool:
        arc, tag, head = self._parse.deps[at], self._parse.tags[at], self._parse.heads[at]
        if head == at:
            return True
        if not tag.startswith("VB") or self._parse.words[at][:1].isupper():  # a word of a title
            return False
        is_clause = arc in _OF_NOUNS or (arc == "conj" and self._parse.tags[head].startswith("VB"))
        return is_clause and head >= self._framed and self._n_words_below(at) >= _LEAST_WORDS

    def _n_words_below(self, at: int) -> int:
        below = [place for place, chain in enumerate(self._above) if at in chain]
        return sum(self._parse.words[place][:1].isalnum() for place in below)

    def _of(self, verb: int) -> list[int]:
        return [at for at, own in enumerate(self._own) if own == verb]

    def _shared(self, verb: int) -> list[int]:
        """Return places of the noun that a clause is about, or of the subject that it shares."""
        arc, head = self._parse.deps[verb], self._parse.heads[verb]
        if arc in _OF_NOUNS:
            return self._phrase(head)
        if arc != "conj" or any(self._own[at] == verb for at in self._subjects(verb)):
            return []
        first = head
        while self._parse.deps[first] == "conj" and not self._subjects(first):
            first = self._parse.heads[first]
        return [place for at in self._subjects(first) for place in self._phrase(at)]

    def _subjects(self, verb: int) -> list[int]:
        return self._parse.below(verb, _SUBJECTS)

    def _phrase(self, noun: int) -> list[int]:
        """Return a noun with all that is below it in its own clause."""
        return [
            at
            for at, chain in enumerate(self._above)
            if noun in chain and self._own[at] == self._own[noun]
        ]

    def _joins(self, at: int, verb: int) -> bool:
        """Return whether a word only joins a clause to what it is about: "that", "and"."""
        tag, arc = self._parse.tags[at], self._parse.deps[at]
        if self._parse.heads[at] == verb and arc in {"cc", "punct"}:
            return not self._parse.tags[at].startswith((".", "-"))
        return (
            self._parse.deps[verb] == "relcl"
            and tag in _RELATIVE_TAGS
            and arc in _SUBJECTS | {"dobj"}
        )

    def _text(self, places: Sequence[int]) -> str:
        """Return words at some places, with the blanks between adjacent ones."""
        found = ""
        for before, at in zip([-2, *places], places, strict=False):
            stop = self._parse.ends[before] if before == at - 1 else self._parse.starts[at]
            between = self._parse.text[stop : self._parse.starts[at]]
            found += (between if before == at - 1 else " ") + self._parse.words[at]
        return found.strip(_EDGES)


def _words_of_frame(words: Sequence[str]) -> int:
    """Count a sentence's first words that deny all the rest: "it is not the case that".

    What follows says nothing without them.
    """
    folded = tuple(word.casefold() for word in words[:_LONGEST_FRAME])
    return max((len(one) for one in cues().frames if folded[: len(one)] == one), default=0)
