"""Facts from the words between names, without a parser: who, what the verb says, whom."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.sentence import FORMS_OF_BE
from hippohover.names.gazetteer import Gazetteer, TextNames
from hippohover.names.normal_forms import without_qualifier
from hippohover.names.sentences import sentence_spans
from hippohover.records import Passage, Triple

_MAX_PREDICATE_TOKENS: Final = 10
_OPENING_TOKENS: Final = 3
NAMED_WITH: Final = "is named with"
_KNOWN_SHARE: Final = 0.08
"""Share of a text's words that articles, prepositions, pronouns and forms of "be" are, at least: in
English one of three or four, in text of any other language that was tried fewer than one of ten."""
_DETERMINERS: Final = word_list("determiners") | word_list("articles") | {"and", "or"}
_PREPOSITIONS: Final = word_list("prepositions") - word_list("light")
_LIGHT: Final = word_list("light")
_PRONOUNS: Final = word_list("pronouns") | word_list("relatives")
_CLAUSES: Final = (_PRONOUNS | word_list("subordinate")) - word_list("possessives")
"""They begin a clause, or are what it is about."""
_INTRANSITIVE: Final = word_list("intransitive")
_NO_VERBS: Final = _DETERMINERS | _PREPOSITIONS | _PRONOUNS
_SUBORDINATE: Final = word_list("subordinate")
_OPENING, _CLOSING = "([{", ")]}"
_PLAIN: Final = frozenset(["", "-", "'", "’", ","])
"""Marks between two words that end no clause."""


class BetweenTriples:
    """Facts from the words between names: (subject, verb and the words that lead on, name).

    The subject is the name that opens the sentence, else the passage's title; "who" and "which"
    make the name before them the subject, and so does a verb right behind a name that begins a
    clause. Every other name is an object: its predicate begins with the verb that governs it, which
    lists and endings tell, and goes on with the words right before it. Names before the verb need a
    preposition: "In Isk, the mill closed" says "closed in". A name that no verb governs is "named
    with" the subject, because walks over such pairs find all gold of 0.9 points more chats. In a
    passage whose verbs the lists do not know, which is in another language, the words between two
    names are the predicate.

    Parameters
    ----------
    names : Gazetteer
        What counts as a name beside capitalised phrases.
    """

    name = "between"
    version = "between-3"

    def __init__(self, names: Gazetteer) -> None:
        self._names = names

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        """Yield the triples of each passage."""
        for passage in passages:
            yield self._read(passage)

    def _read(self, passage: Passage) -> list[Triple]:
        words = _Words(passage.text, self._names.read(passage.text))
        title = without_qualifier(passage.title)
        knows_verbs = words.share_of(_NO_VERBS | _LIGHT) > _KNOWN_SHARE
        triples: list[Triple] = []
        for number, (first, stop, names) in enumerate(words.sentences()):
            if names:
                title = title or words(*names[0])
                told = _Sentence(words, names, (first, stop), title, number)
                triples += told.by_verbs() if knows_verbs else told.between()
        return triples


class _Words:
    """Tokens of a text, what stands between them, and the words of a stretch of them."""

    def __init__(self, text: str, names: TextNames) -> None:
        self.text = text
        self.folded, self.starts, self.stops = names.folded, names.starts, names.stops
        self._names = sorted((start, stop) for _, start, stop in (*names.known, *names.phrases))
        self._is_even = text == " ".join(text.split())

    def __call__(self, start: int, stop: int) -> str:
        words = self.text[self.starts[start] : self.stops[stop - 1]]
        return words if self._is_even else " ".join(words.split())

    def share_of(self, listed: frozenset[str]) -> float:
        """Return which share of the words is listed."""
        return sum(word in listed for word in self.folded) / max(len(self.folded), 1)

    def breaks(self, at: int) -> bool:
        """Return whether marks before a token end a clause, or begin one."""
        return self.gap(at).strip() not in _PLAIN

    def gap(self, at: int) -> str:
        """Return what stands between a token and the one before it."""
        return self.text[self.stops[at - 1] : self.starts[at]] if at else ""

    def sentences(self) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
        """Yield the first token of each sentence, the one behind it, and its names."""
        first = at = 0
        for _, end in sentence_spans(self.text):
            following = bisect_left(self.starts, end, first)
            inside: list[tuple[int, int]] = []
            while at < len(self._names) and self._names[at][0] < following:
                inside.append(self._names[at])
                at += 1
            yield first, following, inside
            first = following


@dataclass
class _Clause:
    """What has been read of a clause: its verbs, and where the words behind a name begin."""

    since: int
    verbs: tuple[int, int] = (0, 0)
    predicate: str = ""
    waiting: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Prepositions and names before the verb."""
    others: list[str] = field(default_factory=list[str])
    """Further names that the verb is about."""

    @property
    def ungoverned(self) -> list[str]:
        """Return the names that no verb has governed."""
        return [*(name for _, name in self.waiting), *self.others]


class _Sentence:
    """Reads the facts of one sentence."""

    def __init__(
        self,
        words: _Words,
        names: Sequence[tuple[int, int]],
        span: tuple[int, int],
        title: str,
        number: int,
    ) -> None:
        self._words, self._folded, self._number = words, words.folded, number
        self._first, self._stop = span
        self._names, self._ends = dict(names), {stop: start for start, stop in names}
        self._subject = title

    def between(self) -> Iterator[Triple]:
        """Yield facts whose predicates are the words between names, from the last mark on."""
        before = self._first
        for start, stop in self._names.items():
            if start - self._first < _OPENING_TOKENS and before == self._first:
                self._subject = self._words(start, stop)
            else:
                marks = (at for at in range(start, before, -1) if self._words.breaks(at))
                since = max(next(marks, before), start - _MAX_PREDICATE_TOKENS)
                yield from self._told(since, start, (start, stop))
            before = stop

    def _told(self, since: int, until: int, name: tuple[int, int]) -> Iterator[Triple]:
        if self._subject and since < until:
            yield self._triple(self._words(since, until), self._words(*name))

    def _triple(self, predicate: str, name: str) -> Triple:
        return Triple(self._subject, predicate, name, self._number)

    def by_verbs(self) -> Iterator[Triple]:
        """Yield facts whose predicates begin with a verb."""
        clauses, at = [_Clause(self._first)], self._first
        opened = list(clauses)
        while at < self._stop:
            if at > self._first and self._words.breaks(at):
                _enter(clauses, self._words.gap(at), at)
                opened += [clauses[-1]] if clauses[-1].since == at else []
            clause = clauses[-1]
            if stop := self._names.get(at, 0):
                if self._is_subject(at, stop, clause):
                    self._subject = self._words(at, stop)
                else:
                    yield from self._fact(clause, at, stop)
                clause.since = at = stop
            elif self._is_verb(at):
                clause.verbs, at = (at, self._end_of_verbs(at)), self._end_of_verbs(at)
                group = self._words(*clause.verbs)
                if self._subject:
                    yield from (
                        self._triple(f"{group} {lead}", name) for lead, name in clause.waiting
                    )
                clause.waiting.clear()
            else:
                if at in self._ends and self._folded[at] in ("who", "which"):
                    self._subject = self._words(self._ends[at], at)
                at += 1
        for name in dict.fromkeys(name for clause in opened for name in clause.ungoverned):
            if self._subject and name != self._subject:
                yield self._triple(NAMED_WITH, name)

    def _is_subject(self, at: int, stop: int, clause: _Clause) -> bool:
        """Return whether a name is what its clause is about."""
        before = self._folded[at - 1] if at > self._first else ""
        if at - self._first < _OPENING_TOKENS and clause.since == self._first:
            return before not in _PREPOSITIONS
        begins = before in _SUBORDINATE or before == "and" or "," in self._words.gap(at)
        return begins and stop < self._stop and self._is_verb(stop)

    def _fact(self, clause: _Clause, at: int, stop: int) -> Iterator[Triple]:
        """Yield the fact of a name; before the verb, keep it for later."""
        begin, end = at, clause.verbs[1]
        while begin > max(clause.since, end) and self._folded[begin - 1] in _DETERMINERS:
            begin -= 1
        lead = self._folded[begin - 1] if begin > self._first else ""
        if end and self._folded[stop - 1] in cues().nationalities:
            if self._folded[end - 1] not in FORMS_OF_BE:
                return
            clause.predicate = self._words(*clause.verbs)
        elif end:
            clause.predicate = self._predicate(clause, begin)
        if end:
            for subject in [self._subject, *clause.others]:
                if subject:
                    yield Triple(subject, clause.predicate, self._words(at, stop), self._number)
            clause.others.clear()
        elif lead in _PREPOSITIONS:
            clause.waiting.append((lead, self._words(at, stop)))
        else:
            clause.others.append(self._words(at, stop))

    def _predicate(self, clause: _Clause, stop: int) -> str:
        """Return the verbs and the words that lead to a name.

        Where no words do, they are those of the name before. What is too long, or broken by a
        clause or a mark, loses its middle.
        """
        begin, end = clause.verbs
        since = max(clause.since, end)
        if since > end and since == stop and clause.predicate:
            return clause.predicate
        if since == end and stop - begin <= _MAX_PREDICATE_TOKENS and self._whole(end, stop) == end:
            return self._words(begin, stop)
        since = self._whole(max(since, stop - _MAX_PREDICATE_TOKENS + end - begin), stop)
        while since < stop and self._folded[since] in _DETERMINERS:
            since += 1
        parts = ((begin, end), (since, stop))
        return " ".join(self._words(*part) for part in parts if part[0] < part[1])

    def _whole(self, begin: int, stop: int) -> int:
        """Return where the last words before a name begin that no clause or mark breaks."""
        for at in range(stop - 1, begin - 1, -1):
            if self._folded[at] in _CLAUSES:
                return at + 1
            if at > begin and self._words.breaks(at):
                return at
        return begin

    def _end_of_verbs(self, at: int) -> int:
        """Return where a group of verbs ends that begins at a token: "was first directed"."""
        end = at + 1
        while end < self._stop and end not in self._names and self._words.gap(end).isspace():
            word = self._folded[end]
            if not self._is_verb(end) and (
                word in _NO_VERBS or not (self._folded[end - 1] in _LIGHT or self._leads(end))
            ):
                break
            end += 1
        return end

    def _is_verb(self, at: int) -> bool:
        """Return whether a word is a verb where it stands, and no noun or adjective."""
        word, before = self._folded[at], self._folded[at - 1] if at > self._first else ""
        if word in _LIGHT:
            return True
        if word in _NO_VERBS or before in _DETERMINERS or before in _PREPOSITIONS - {"to"}:
            return False
        if _may_be_verb(word):
            return before in _CLAUSES or not word.endswith("ed") or self._leads(at)
        if word in cues().irregular:
            return self._leads(at)
        follows_name = at in self._ends
        is_present = word.endswith("s") and (follows_name or before in _CLAUSES)
        is_participle = word.endswith("ing") and (follows_name or "," in self._words.gap(at))
        if len(word) < 4 or not (is_present or is_participle) or not self._leads(at):
            return False
        behind = self._folded[at + 1]
        return is_participle or word in _INTRANSITIVE or behind not in _PREPOSITIONS

    def _leads(self, at: int) -> bool:
        """Return whether a name, an article or a preposition stands behind a word."""
        behind = self._folded[at + 1] if at + 1 < self._stop else ""
        listed = behind in _DETERMINERS or behind in _PREPOSITIONS
        return listed or at + 1 in self._names or behind.isdecimal()


@lru_cache(maxsize=1 << 14)
def _may_be_verb(word: str) -> bool:
    return cues().is_verb(word)


def _enter(clauses: list[_Clause], marks: str, at: int) -> None:
    """Begin and end clauses at the marks between two words."""
    for mark in marks:
        if mark in _OPENING:
            clauses.append(_Clause(at))
        elif mark in _CLOSING and len(clauses) > 1:
            clauses.pop()
            clauses[-1].since = at
        elif mark == ";":
            clauses[-1] = _Clause(at)
