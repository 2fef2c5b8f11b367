"""A sentence -> its words, and of each: is it denied, hedged, part of the subject or of a name?

Read by windows of words between marks, without a parser: the verdict is the same on every machine,
and a claim takes a hundredth of a second. The lists are in ``cues.toml``.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hippohover.lexical import Stemmer
from hippohover.verification.reading.cues import Cues, Phrase, cues, word_list, words_of
from hippohover.verification.reading.quantities.quantity import Quantity
from hippohover.verification.reading.quantities.reader import quantities_in

_STOPS: Final = frozenset(".!?;:()–—")
_MARKS: Final = _STOPS | {","}
_SUBORDINATE: Final = word_list("subordinate")
CLAUSE_BORDERS: Final = _SUBORDINATE | frozenset(";,")
_AND: Final = frozenset(["and", "or", "nor"])
_LONGEST_PHRASE: Final = 6
_FORMS_OF_BE: Final = frozenset(["is", "are", "was", "were", "been", "be", "being"])
_DESCRIPTION: Final = 8
"""Words behind "is" in which a description names a country."""
_CONTRASTS: Final = frozenset(["but", "while", "whereas", "although", "though"])
_LIGHT: Final = word_list("light")
_NO_NAME: Final = word_list("no_name")
_OPENERS: Final = word_list("openers")
_PREFIXES: Final = frozenset({("non",), ("ex",)})
"""Of a word with a hyphen they reach that word alone."""
_DENIES: Final = frozenset(["no", "not", "never", "nothing", "nobody", "none", "without"])
"""With a capital inside a sentence they are of a name: "the film Never Look Back"."""
_LIFE: Final = re.compile(
    r"[^.;:()]{2,80}(?P<open>\()(?P<born>[^()]*?\b\d{3,4}\b[^()\d]*?)\s?(?P<dash>[–—])\s?"
    r"(?P<died>[^()–—]*?\b\d{3,4}\b[^()\d]*)\)"
)
_YEAR: Final = re.compile(r"\b\d{3,4}\b")
_EVENTS: Final = ("born", "died")
_OLDEST: Final = 115


@dataclass(frozen=True)
class Said:
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
        return quantities_in(text)

    @cached_property
    def verb(self) -> int:
        """Place of the first word that may hold the predicate; the number of words without one.

        Where no word of the lists does, one behind a name that ends in -s: "Loam supersedes Sedge".
        """
        if self.is_field:
            return 0
        known, depth = cues(), 0
        behind_name = len(self.words)
        for at, word in enumerate(self.words):
            depth = max(0, depth + (word == "(") - (word == ")"))
            if not at or depth or self.named[at]:
                continue
            if known.is_verb(word):
                return at
            ends = word.endswith("s") and len(word) > 3 and self.named[at - 1]
            behind_name = min(behind_name, at) if ends else behind_name
        return behind_name

    @cached_property
    def relation(self) -> frozenset[str]:
        """Stems of the predicate: of the verb, and behind a form of "be" of what follows it."""
        behind = [
            at
            for at in range(self.verb, min(self.verb + 4, len(self.words)))
            if self.stems[at] and not self.named[at]
        ]
        return frozenset(self.stems[at] for at in behind[:1])

    @cached_property
    def subject(self) -> frozenset[str]:
        """Stems of the names before the verb, those in parentheses aside."""
        found: set[str] = set()
        depth = 0
        for at in range(self.verb):
            depth = max(0, depth + (self.words[at] == "(") - (self.words[at] == ")"))
            if not depth and self.named[at] and self.stems[at]:
                found.add(self.stems[at])
        return frozenset(found)

    @cached_property
    def object(self) -> frozenset[str]:
        """Stems of the first name behind the verb, if no noun follows it ("an American band")."""
        for at in range(self.verb, len(self.words)):
            if self.named[at]:
                return frozenset(self.stems[one] for one in self.run_of_name(at) if self.stems[one])
        return frozenset()

    def window(self, stems: Collection[str], cue: str = "") -> tuple[int, int]:
        """Characters of the shortest stretch with every word of ``stems`` that is here, and a cue.

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
        """Places of the name that begins there, past "the"; none where it describes a noun."""
        n = len(self.words)
        while at < n and self.words[at] == "the":
            at += 1
        run: list[int] = []
        while at < n and self.named[at]:
            run.append(at)
            at += 1
        describes = at < n and bool(self.stems[at]) and not cues().is_verb(self.words[at])
        return [] if describes and self.stems[at] not in cues().converse else run

    def places_in(self, quantity: Quantity) -> list[int]:
        """Places of the words of a quantity."""
        return [
            at
            for at, (start, stop) in enumerate(self.spans)
            if start < quantity.stop and stop > quantity.start
        ]

    def stems_in(self, quantity: Quantity) -> list[str]:
        """Stems of the words of a quantity."""
        return [self.stems[at] for at in self.places_in(quantity) if self.stems[at]]

    @cached_property
    def nationality(self) -> frozenset[str]:
        """Countries in what the sentence says its subject is: "is a French-Canadian singer"."""
        found: set[str] = set()
        if self.words[self.verb : self.verb + 1] and self.words[self.verb] in _FORMS_OF_BE:
            for word in self.words[self.verb + 1 : self.verb + _DESCRIPTION]:
                if word in cues().nationalities:
                    found.add(word)
                elif found or word in _MARKS or word in {"who", "which", "that", "by", "in", "of"}:
                    break
        return frozenset(found)

    @cached_property
    def direct(self) -> bool:
        """Whether the subject is a name alone: "Ida Fenn", not "the mayor of Norland"."""
        before = {stem for stem in self.stems[: self.verb] if stem}
        return bool(self.subject) and before <= self.subject

    @cached_property
    def segments(self) -> list[range]:
        """Places of the words between semicolons, and before and behind "but" or "while"."""
        borders = [
            at
            for at, word in enumerate(self.words)
            if word == ";" or (word in _CONTRASTS and 0 < at < len(self.words) - 1)
        ]
        ends = [*borders, len(self.words)]
        return [range(start, stop) for start, stop in zip([0, *borders], ends, strict=True)]

    @cached_property
    def passive(self) -> bool:
        """Whether a form of "be" and "by" stand around the predicate."""
        behind = self.words[self.verb :]
        return "by" in behind and bool(_FORMS_OF_BE & set(behind[: behind.index("by")]))

    @cached_property
    def is_field(self) -> bool:
        """Whether it is a field and its value: "Superseded-By: PEP 649"."""
        return ":" in self.words[1:3] and not _FORMS_OF_BE & set(self.words)

    @cached_property
    def held(self) -> dict[str, tuple[bool, bool]]:
        """Stem -> whether it stands here affirmed, and denied."""
        return self.held_in(range(len(self.words)))

    def held_in(self, places: Iterable[int]) -> dict[str, tuple[bool, bool]]:
        """The same of the words at some places."""
        found: dict[str, tuple[bool, bool]] = {}
        for at in places:
            stem, denied = self.stems[at], bool(self.denied[at] % 2)
            if stem:
                yes, no = found.get(stem, (False, False))
                found[stem] = yes or not denied, no or denied
        return found


class ClauseReader:
    """Reads sentences; safe from several threads."""

    def __init__(self, known: Cues | None = None) -> None:
        self._cues = known or cues()
        self._stemmer = Stemmer()

    def __call__(self, text: str, names: Sequence[str] = ()) -> Said:
        """What a sentence says; ``names`` are names wherever they stand: "Never Look Back"."""
        told = words_of(text)
        words = [word for word, _, _ in told]
        n = len(words)
        named = _named(text, told, names)
        denied, hedged = [0] * n, [False] * n
        cue = hedge = ""
        at = 0
        while at < n:
            phrase, kind = self._cue(words, at)
            inside = (
                named[at]
                or (words[at] == "n't" and named[at - 1])
                or (phrase not in _PREFIXES and _hyphened(text, told[at]))
            )
            if not phrase or inside or (phrase == ("nor",) and "neither" in words[:at]):
                at += 1
                continue
            begin = at + len(phrase)
            if kind == "affirm":
                at = begin
                continue
            stop = self._end(words, begin, to_stop=kind == "frame", whole=kind == "clause")
            stop = begin + 1 if phrase in _PREFIXES else stop
            for place in range(begin, min(stop, n)):
                if kind == "hedge":
                    hedged[place] = True
                else:
                    denied[place] += 1
            if kind == "hedge":
                hedge = hedge or " ".join(phrase)
            else:
                cue = cue or " ".join(phrase)
            at = begin
        _, end, told_false = self._denied_behind(words)
        denied[:end] = [times + 1 for times in denied[:end]]
        cue = cue or told_false
        begin, end, dropped = self._dropped(words)
        hedged[begin:end] = [True] * (end - begin)
        hedge = hedge or dropped
        if words[-1:] == ["?"]:
            hedged, hedge = [True] * n, hedge or "?"
        return Said(
            text=text,
            words=tuple(words),
            stems=self._stems(text, told),
            spans=tuple((start, stop) for _, start, stop in told),
            denied=tuple(denied),
            hedged=tuple(hedged),
            named=tuple(named),
            cue=cue,
            hedge=hedge,
        )

    def _stems(self, text: str, told: Sequence[tuple[str, int, int]]) -> tuple[str, ...]:
        """Stems of words; the marks of a span of life are its birth and its death."""
        words = [word for word, _, _ in told]
        life = life_in(text)
        events = {} if life is None else dict(zip(life, _EVENTS, strict=True))
        born_died = dict(zip(_EVENTS, self._stemmer.terms(_EVENTS), strict=True)) if events else {}
        found: list[str] = []
        for word, (_, start, _), stem in zip(words, told, self._stemmer.terms(words), strict=True):
            tells_nothing = word in _MARKS or word in _LIGHT or word == "n't"
            own = "" if tells_nothing else stem or self._cues.turning.get(word, "")
            found.append(born_died[events[start]] if start in events else own)
        return tuple(found)

    def _dropped(self, words: Sequence[str]) -> tuple[int, int, str]:
        """Words of the clause before "was dropped" in "The charge was dropped"; 0, 0 without."""
        for at in range(1, len(words)):
            for phrase in self._cues.dropped:
                if tuple(words[at : at + len(phrase)]) == phrase:
                    borders = [n for n in range(at) if words[n] in _STOPS | CLAUSE_BORDERS]
                    return max(borders, default=-1) + 1, at, " ".join(phrase)
        return 0, 0, ""

    def _denied_behind(self, words: Sequence[str]) -> tuple[int, int, str]:
        """Words before "is a myth" in "The claim that ... is a myth"; 0, 0 without."""
        if not any(tuple(words[: len(one)]) in self._cues.reports for one in self._cues.reports):
            return 0, 0, ""
        for at in range(1, len(words)):
            for phrase in self._cues.behind:
                if tuple(words[at : at + len(phrase)]) == phrase:
                    return 0, at, " ".join(phrase)
        return 0, 0, ""

    def _cue(self, words: Sequence[str], at: int) -> tuple[Phrase, str]:
        """The longest phrase that begins there, and what it does."""
        for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            phrase = tuple(words[at : at + length])
            for kind, phrases in (
                ("affirm", self._cues.affirm),
                ("frame", self._cues.frames),
                ("clause", self._cues.deny_clause),
                ("deny", self._cues.deny),
                ("hedge", self._cues.hedge),
            ):
                if phrase in phrases:
                    return phrase, kind
        return (), ""

    def _end(self, words: Sequence[str], begin: int, *, to_stop: bool, whole: bool) -> int:
        """Where what a cue reaches ends."""
        at = begin
        while at < len(words):
            word = words[at]
            if word in _STOPS or (word in _SUBORDINATE and not to_stop):
                return at
            if to_stop or whole:
                at += 1
                continue
            if word == "," and self._breaks(words, at, begin):
                return at
            if word in _AND and self._new_predicate(words, at + 1):
                return at
            at += 1
        return at

    def _new_predicate(self, words: Sequence[str], at: int) -> bool:
        following = words[at] if at < len(words) else ""
        return following in self._cues.pronouns or self._cues.is_verb(following)

    def _breaks(self, words: Sequence[str], comma: int, begin: int) -> bool:
        """Whether a comma ends the reach: not in a list, and not around a word put in between."""
        chunk: list[str] = []
        for word in words[comma + 1 :]:
            if word in _MARKS:
                break
            chunk.append(word)
        if comma == begin and len(chunk) <= 3:
            return False  # "did not, however, win"
        opens = bool(chunk) and (
            chunk[0] in self._cues.pronouns | _SUBORDINATE | {"and", "but", "four"}
            or any(self._cues.is_verb(word) or word.endswith("ing") for word in chunk)
        )
        return opens or not chunk


def life_in(text: str) -> tuple[int, int] | None:
    """Characters of "(" and the dash in "Ann Lee (25 October 1870 - 4 May 1951) was": born, died.

    Behind a name at the beginning of a sentence; None where there is no such span.
    """
    found = _LIFE.match(text)
    if found is None:
        return None
    born, died = (int(_YEAR.findall(found[part])[-1]) for part in ("born", "died"))
    return (found.start("open"), found.start("dash")) if 0 < died - born < _OLDEST else None


def _hyphened(text: str, word: tuple[str, int, int]) -> bool:
    """Whether a word is part of a longer one: "no-calorie"."""
    return text[word[2] : word[2] + 1] == "-" or text[max(0, word[1] - 1) : word[1]] == "-"


def _named(
    text: str, told: Sequence[tuple[str, int, int]], names: Sequence[str] = ()
) -> list[bool]:
    """Which words are written as names, or stand in one of some names.

    The first of a sentence only where no list of common words has it.
    """
    found: list[bool] = []
    is_field = not _FORMS_OF_BE & {word for word, _, _ in told}
    inside = [span for name in names for span in _places_of(name, text)]
    for at, (word, start, stop) in enumerate(told):
        capital = text[start : start + 1].isupper() and word not in _NO_NAME and word not in _MARKS
        first = at == 0 or told[at - 1][0] in _STOPS
        digits = (
            word.replace(".", "").isdigit()
            and bool(found)
            and found[-1]
            and text[start - 1 : start] == " "
        )
        known = any(begin <= start and stop <= end for begin, end in inside) and word not in _MARKS
        if first and told[at + 1 : at + 2] and told[at + 1][0] in cues().pronouns:
            capital = False  # "Previously she"
        if (
            first
            and is_field
            and (":" in [one for one, _, _ in told[at + 1 : at + 3]] or _is_value(told, at))
        ):
            capital = False  # "Superseded-By: PEP 649", "Status: Accepted"
        capital = capital or (word in _DENIES and not first and text[start:stop].istitle())
        found.append((capital and (not first or word not in _OPENERS)) or digits or known)
    for at in range(1, len(found) - 1):  # "Bank of England", but not "Pelmouth and Carvick"
        if told[at][0] in {"of", "de", "la", "von", "van"}:
            found[at] = found[at] or (found[at - 1] and found[at + 1])
    return found


def _is_value(told: Sequence[tuple[str, int, int]], at: int) -> bool:
    """Whether a word behind a colon may be a verb."""
    return at > 0 and told[at - 1][0] == ":" and cues().is_verb(told[at][0])


def _places_of(name: str, text: str) -> list[tuple[int, int]]:
    """Spans at which a name of several words stands in a text, as a whole."""
    if " " not in name:
        return []
    return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
