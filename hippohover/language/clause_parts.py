"""A claim -> clauses that can be verified by themselves: its hops."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.main_clauses import main_clauses
from hippohover.language.parses import MAX_CHARS, Parse
from hippohover.names.sentences import sentence_spans

Parses = Callable[[Sequence[str]], list[Parse]]

_BORDER: Final = re.compile(
    r";\s+|,?\s+(?:and|but)\s+(?=(?:it|he|she|they|its|his|her|their)\s)|,\s+(?=(?:who|which|where|whose)\s)",
    re.IGNORECASE,
)
_LEAST_WORDS: Final = 3
_LONGEST_FRAME: Final = 8
_OF_NOUNS: Final = frozenset({"relcl", "acl"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "csubj", "expl"})
_RELATIVE: Final = frozenset({"WDT", "WP"})
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
            found += by_parse or _by_marks(clause)
    return found


def _by_marks(sentence: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for border in _BORDER.finditer(sentence):
        before, after = sentence[begin : border.start()], sentence[border.end() :]
        if _says_something(before) and _says_something(after):
            found.append(before)
            begin = border.end()
    return [*found, sentence[begin:]]


def _says_something(text: str) -> bool:
    return len(text.split()) >= _LEAST_WORDS


def _by_parse(sentence: str, parses: Parses) -> list[str]:
    """Return clauses of a sentence; none where it is a single one, or too long to be parsed.

    Nor where one is too short to say anything, as by a parse that went wrong: "The director".
    """
    if len(sentence) > MAX_CHARS:
        return []
    [parse] = parses([sentence])
    clauses = _Clauses(sentence, parse)
    told = [clauses.text_of(verb) for verb in clauses.verbs]
    return told if len(told) > 1 and all(map(_says_something, told)) else []


class _Clauses:
    """The clauses of a parsed sentence, each known by the place of its verb."""

    def __init__(self, sentence: str, parse: Parse) -> None:
        self._sentence = sentence
        self._parse = parse
        places = range(len(parse.heads))
        self._words = [sentence[start:stop] for start, stop in parse.spans]
        self._framed = _words_of_frame(self._words)
        self._above = [self._chain(at) for at in places]
        heads = {at for at in places if self._is_verb_of_clause(at)}
        self._own = [next(at for at in chain if at in heads) for chain in self._above]
        self.verbs = [at for at in places if at in heads]

    def text_of(self, verb: int) -> str:
        """Return a clause in words: its own, after those that it shares with another."""
        shared = self._shared(verb)
        own = [at for at in self._of(verb) if not self._joins(at, verb)]
        kept = set(own)
        own = [at for at in own if self._parse.arcs[at] != "punct" or at - 1 in kept]
        return " ".join(part for part in (self._text(shared), self._text(own)) if part)

    def _chain(self, at: int) -> list[int]:
        chain = [at]
        while self._parse.heads[chain[-1]] != chain[-1]:
            chain.append(self._parse.heads[chain[-1]])
        return chain

    def _is_verb_of_clause(self, at: int) -> bool:
        arc, tag, head = self._parse.arcs[at], self._parse.tags[at], self._parse.heads[at]
        if head == at:
            return True
        if not tag.startswith("VB") or self._words[at][:1].isupper():  # a word of a title
            return False
        is_clause = arc in _OF_NOUNS or (arc == "conj" and self._parse.tags[head].startswith("VB"))
        return is_clause and head >= self._framed and self._n_words_below(at) >= _LEAST_WORDS

    def _n_words_below(self, at: int) -> int:
        below = [place for place, chain in enumerate(self._above) if at in chain]
        return sum(self._words[place][:1].isalnum() for place in below)

    def _of(self, verb: int) -> list[int]:
        return [at for at, own in enumerate(self._own) if own == verb]

    def _shared(self, verb: int) -> list[int]:
        """Return places of the noun that a clause is about, or of the subject that it shares."""
        arc, head = self._parse.arcs[verb], self._parse.heads[verb]
        if arc in _OF_NOUNS:
            return self._phrase(head)
        below = [at for at in self._of(verb) if self._parse.heads[at] == verb]
        if arc != "conj" or any(self._parse.arcs[at] in _SUBJECTS for at in below):
            return []
        first = head
        while self._parse.arcs[first] == "conj" and not self._subjects(first):
            first = self._parse.heads[first]
        return [place for at in self._subjects(first) for place in self._phrase(at)]

    def _subjects(self, verb: int) -> list[int]:
        arcs, heads = self._parse.arcs, self._parse.heads
        return [at for at, arc in enumerate(arcs) if arc in _SUBJECTS and heads[at] == verb]

    def _phrase(self, noun: int) -> list[int]:
        """Return a noun with all that is below it in its own clause."""
        return [
            at
            for at, chain in enumerate(self._above)
            if noun in chain and self._own[at] == self._own[noun]
        ]

    def _joins(self, at: int, verb: int) -> bool:
        """Return whether a word only joins a clause to what it is about: "that", "and"."""
        tag, arc = self._parse.tags[at], self._parse.arcs[at]
        if self._parse.heads[at] == verb and arc in {"cc", "punct"}:
            return not self._parse.tags[at].startswith((".", "-"))
        return (
            self._parse.arcs[verb] == "relcl" and tag in _RELATIVE and arc in _SUBJECTS | {"dobj"}
        )

    def _text(self, places: Sequence[int]) -> str:
        """Return words at some places, with the blanks between adjacent ones."""
        found = ""
        for before, at in zip([-2, *places], places, strict=False):
            start, stop = self._parse.spans[at]
            between = (
                " " if before != at - 1 else self._sentence[self._parse.spans[before][1] : start]
            )
            found += between + self._sentence[start:stop]
        return found.strip(_EDGES)


def _words_of_frame(words: Sequence[str]) -> int:
    """Count a sentence's first words that deny all the rest: "it is not the case that".

    What follows says nothing without them.
    """
    folded = tuple(word.casefold() for word in words[:_LONGEST_FRAME])
    return max((len(one) for one in cues().frames if folded[: len(one)] == one), default=0)
