"""Words of one sentence: its verb, its subject, its names and its quantities."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.quantities.quantity import EXACT, Quantity
from hippohover.language.quantities.reader import quantities_in
from hippohover.language.quantities.table import number_words

STOPS: Final = frozenset(".!?;:()–—")
MARKS: Final = STOPS | {","}
SUBORDINATE: Final = word_list("subordinate")
CLAUSE_BORDERS: Final = SUBORDINATE | frozenset(";,")
FORMS_OF_BE: Final = frozenset(["is", "are", "was", "were", "been", "be", "being"])
_DESCRIPTION: Final = 8
"""Words behind "is" in which a description names a country."""
_CONTRASTS: Final = frozenset(["but", "while", "whereas", "although", "though"])
_LIFE: Final = re.compile(
    r"[^.;:()]{2,80}(?P<open>\()(?P<born>[^()]*?\b\d{3,4}\b[^()\d]*?)\s?(?P<dash>[–—])\s?"
    r"(?P<died>[^()–—]*?\b\d{3,4}\b[^()\d]*)\)"
)
_YEAR: Final = re.compile(r"\b\d{3,4}\b")
_OLDEST: Final = 115
_NOTS: Final = frozenset(["not", "n't", "never"])
FINITE: Final = frozenset(["is", "are", "was", "were", "has", "had"])
RELATIVE: Final = frozenset(["that", "which", "who", "whose", "where"])
_BOUNDS: Final = frozenset(["more", "less", "fewer"])


@dataclass(frozen=True)
class Sentence:
    """What one sentence says, word by word; marks are words without a stem.

    Attributes
    ----------
    text : str
    words, stems : tuple of str
        Folded; the stem of a stop word, a mark and a light verb ("is") is empty.
    spans : tuple of (int, int)
        Characters of each word.
    denied : tuple of int
        How many denials each word stands behind: two deny nothing.
    hedged : tuple of bool
    named : tuple of bool
        Whether the word is written as part of a name.
    cue : str
        The first phrase that denies or hedges, as it is listed.
    """

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    denied: tuple[int, ...]
    hedged: tuple[bool, ...]
    named: tuple[bool, ...]
    cue: str = ""
    hedge: str = ""

    @cached_property
    def quantities(self) -> list[Quantity]:
        life = life_in(self.text)
        text = self.text
        if life is not None:  # "(1870-1951)" is two years, and no stretch of time
            text = f"{text[: life[1]]};{text[life[1] + 1 :]}"
        return [self._as_limit(one) for one in quantities_in(text)]

    def _as_limit(self, one: Quantity) -> Quantity:
        """Turn the side of "more than four" in "must not take more than four": up to four."""
        ends = {one.low, one.high} & {math.inf, -math.inf}
        places = self.places_in(one) if len(ends) == 1 and one.kind == "number" else []
        nots = (at for at in range(places[0] if places else 0) if self.words[at] in _NOTS)
        limits = {limit_in(self.words, at + 1, len(self.words)) for at in nots}
        if not places or places[0] not in limits:
            return one
        low, high = (
            (one.high, math.inf) if one.low == -math.inf else (-math.inf, one.low / (1 + 2 * EXACT))
        )
        return replace(one, low=low, high=high)

    @cached_property
    def verb(self) -> int:
        """Place of the first word that may be the predicate; the number of words without one.

        Where no word of the lists does, one behind a name that ends in -s: "Loam supersedes Sedge".
        """
        if self.is_field:
            return 0
        places = [at for at in self._unbracketed if at and not self.named[at]]
        in_list = (at for at in places if cues().is_verb(self.words[at]) and not self._is_noun(at))
        behind_names = (at for at in places if self.named[at - 1] and len(self.words[at]) > 3)
        by_ending = (at for at in behind_names if self.words[at].endswith("s"))
        return next(in_list, next(by_ending, len(self.words)))

    @cached_property
    def _unbracketed(self) -> list[int]:
        """Places outside of parentheses."""
        depth, found = 0, list[int]()
        for at, word in enumerate(self.words):
            depth = max(0, depth + (word == "(") - (word == ")"))
            found += [] if depth else [at]
        return found

    def _is_noun(self, at: int) -> bool:
        """Return whether a possible verb begins an apposition: "Ida Fenn, star of Low Tide"."""
        return self.words[at - 1] == "," and self.words[at + 1 : at + 2] == ("of",)

    @cached_property
    def relation(self) -> frozenset[str]:
        """Stems of the predicate: the verb's, and after a form of "be" those that follow it."""
        near = slice(self.verb, self.verb + 4)
        behind = zip(self.stems[near], self.named[near], strict=True)
        return frozenset([stem for stem, named in behind if stem and not named][:1])

    @cached_property
    def subject(self) -> frozenset[str]:
        """Stems of the names before the verb, without those in parentheses."""
        names = [at for at in self._unbracketed if at < self.verb and self.named[at]]
        return frozenset(self.stems[at] for at in names) - {""}

    @cached_property
    def object(self) -> frozenset[str]:
        """Stems of the first name after the verb, if no noun follows it ("an American band")."""
        for at in range(self.verb, len(self.words)):
            if self.named[at]:
                return frozenset(self.stems[one] for one in self.run_of_name(at)) - {""}
        return frozenset()

    def window(self, stems: Collection[str], cue: str = "") -> tuple[int, int]:
        """Return the shortest stretch with a cue and every word of ``stems`` that is here.

        (0, 0) where none is.
        """
        left = {stem for stem in self.stems if stem and stem in stems}
        count: Counter[str] = Counter()
        best, first = (0, len(self.words)), 0
        for last, stem in enumerate(self.stems):
            count[stem] += stem in left
            while left and all(count[one] for one in left):
                if last - first < best[1] - best[0]:
                    best = first, last
                count[self.stems[first]] -= self.stems[first] in left
                first += 1
        spans = [self.spans[at] for at in best] if left else []
        at = self.text.casefold().find(cue.casefold()) if cue else -1
        spans += [(at, at + len(cue))] if at >= 0 else []
        return min((a for a, _ in spans), default=0), max((b for _, b in spans), default=0)

    def run_of_name(self, at: int) -> list[int]:
        """Return places of the name that begins there, past "the"; none if it describes a noun."""
        n = len(self.words)
        while at < n and self.words[at] == "the":
            at += 1
        run: list[int] = []
        while at < n and self.named[at]:
            run.append(at)
            at += 1
        describes = at < n and bool(self.stems[at]) and not cues().is_verb(self.words[at])
        return [] if describes and self.stems[at] not in cues().converse else run

    def written(self, stems: Collection[str]) -> str:
        """Return the text's words for some stems, each once, in its order; else sorted stems.

        Of a name that only a title has, its stems are all that is known.
        """
        found: dict[str, str] = {}
        for stem, (start, stop) in zip(self.stems, self.spans, strict=True):
            if stem in stems:
                found.setdefault(stem, self.text[start:stop])
        return " ".join(found.values()) or " ".join(sorted(stems))

    def places_in(self, quantity: Quantity) -> list[int]:
        """Return places of the words of a quantity."""
        first = bisect_right(self.spans, quantity.start, key=itemgetter(1))
        return [*range(first, bisect_left(self.spans, quantity.stop, key=itemgetter(0)))]

    @cached_property
    def counted(self) -> frozenset[int]:
        """Places of the words of quantities."""
        return frozenset(at for one in self.quantities for at in self.places_in(one))

    def stems_in(self, quantity: Quantity) -> list[str]:
        """Return stems of the words of a quantity."""
        return [self.stems[at] for at in self.places_in(quantity) if self.stems[at]]

    @cached_property
    def nationality(self) -> frozenset[str]:
        """Countries in what the sentence says its subject is: "is a French-Canadian singer"."""
        found: set[str] = set()
        if self.words[self.verb : self.verb + 1] and self.words[self.verb] in FORMS_OF_BE:
            for word in self.words[self.verb + 1 : self.verb + _DESCRIPTION]:
                if word in cues().nationalities:
                    found.add(word)
                elif found or word in MARKS or word in {"who", "which", "that", "by", "in", "of"}:
                    break
        return frozenset(found)

    @cached_property
    def direct(self) -> bool:
        """Whether the subject is a name alone: "Ida Fenn", not "the mayor of Norland"."""
        turns = {*self.cue.split(), *self.hedge.split()}  # "Ida Fenn no longer leads"
        before = {
            stem
            for stem, word in zip(self.stems[: self.verb], self.words, strict=False)
            if stem and word not in turns
        }
        return bool(self.subject) and before <= self.subject

    @cached_property
    def segments(self) -> list[range]:
        """Places of the words between semicolons, and before and after "but" or "while"."""
        borders = [
            at
            for at, word in enumerate(self.words)
            if word == ";" or (word in _CONTRASTS and 0 < at < len(self.words) - 1)
        ]
        ends = [*borders, len(self.words)]
        return [range(start, stop) for start, stop in zip([0, *borders], ends, strict=True)]

    @cached_property
    def passive(self) -> bool:
        """Whether the predicate is between a form of "be" and "by"."""
        behind = self.words[self.verb :]
        return "by" in behind and bool(FORMS_OF_BE & set(behind[: behind.index("by")]))

    @cached_property
    def is_field(self) -> bool:
        """Whether it is a field and its value: "Superseded-By: PEP 649"."""
        return ":" in self.words[1:3] and not FORMS_OF_BE & set(self.words)

    @cached_property
    def held(self) -> dict[str, tuple[bool, bool]]:
        """Stem -> whether it is affirmed here, and denied."""
        return self.held_in(range(len(self.words)))

    def held_in(self, places: Iterable[int]) -> dict[str, tuple[bool, bool]]:
        """Return the same for the words at some places."""
        found: dict[str, tuple[bool, bool]] = {}
        for at in places:
            stem, denied = self.stems[at], bool(self.denied[at] % 2)
            if stem:
                yes, no = found.get(stem, (False, False))
                found[stem] = yes or not denied, no or denied
        return found


def is_described_by(said: Sentence) -> bool:
    """Return whether a name before the verb only describes another: "the note that A replaces"."""
    first = next((at for at, named in enumerate(said.named) if named and said.stems[at]), -1)
    return bool((RELATIVE | {"whom"}) & set(said.words[: max(0, first)]))


def limit_in(words: Sequence[str], begin: int, stop: int) -> int:
    """Return the place of the number of "more than four", of which "not" makes a limit; or -1."""
    for at in range(begin, min(stop, len(words)) - 2):
        if words[at] in STOPS | CLAUSE_BORDERS | {"and", "or"}:
            return -1
        number = words[at + 2]
        counted = number[0].isdecimal() or number in number_words().values
        if words[at] in _BOUNDS and words[at + 1] == "than" and counted:
            return at + 2
    return -1


def life_in(text: str) -> tuple[int, int] | None:
    """Return "(" and the dash in "Ann Lee (25 October 1870 - 4 May 1951) was": born, died.

    Behind a name at the beginning of a sentence; None where there is no such span.
    """
    found = _LIFE.match(text)
    if found is None:
        return None
    born, died = (int(_YEAR.findall(found[part])[-1]) for part in ("born", "died"))
    return (found.start("open"), found.start("dash")) if 0 < died - born < _OLDEST else None


def name_runs(said: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the place of each name of a sentence, and the place after it."""
    at = 0
    while at < len(said.words):
        begin = at
        while at < len(said.words) and said.named[at]:
            at += 1
        if at > begin and any(said.stems[begin:at]):
            yield begin, at
        at += at == begin
