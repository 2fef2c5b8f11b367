"""A sentence -> for each of its words: is it denied, hedged, part of the subject or a name.

Read by windows of words between marks, without a parser: the verdict is the same on every machine,
and a claim takes a hundredth of a second. The lists are in ``cues.toml``.
"""

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import Cues, Phrase, cues, word_list, words_of
from hippohover.language.named import names_in
from hippohover.language.sentence import (
    CLAUSE_BORDERS,
    FINITE,
    MARKS,
    STOPS,
    SUBORDINATE,
    Sentence,
    life_in,
    limit_in,
)
from hippohover.language.stemming import Stemmer
from hippohover.progress import check_wanted

_DETERMINERS: Final = frozenset(["the", "a", "an", "his", "her", "its", "their", "this", "that"])
ASIDE: Final = frozenset(
    {("except",), ("except", "for"), ("apart", "from"), ("other", "than"), ("rather", "than")}
    | {("instead", "of")}
)
"""They deny no more than the words up to the next verb: "all but the mill were burnt"."""
_AUXILIARIES: Final = frozenset(
    ["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could"]
)
_CONTRASTS: Final = frozenset(["but", "yet", "though", "although"])
_INTENDS: Final = frozenset(["would", "will", "could", "can", "should", "might", "may", "to"])
_SUBJECT_REACH: Final = 5
"""Words in which a clause's subject ends: "and 12 % of them were"."""
_LIFTED_REACH: Final = 3
_AND: Final = frozenset(["and", "or", "nor"])
_NOTS: Final = frozenset({("not",), ("n't",), ("never",)})
_LONGEST_PHRASE: Final = 6
_LIGHT: Final = word_list("light")
_PREFIXES: Final = frozenset({("non",), ("ex",)})
"""Of a word with a hyphen they reach that word alone."""
_EVENTS: Final = ("born", "died")


@dataclass
class _Turned:
    """Which words of a sentence are denied or hedged so far, and by what first."""

    denied: list[int]
    hedged: list[bool]
    cue: str = ""
    hedge: str = ""
    reach: int = 0

    def hedge_words(self, places: range, phrase: str) -> None:
        self.hedged[places.start : places.stop] = [True] * len(places)
        self.hedge = self.hedge or phrase

    def deny_words(self, places: range, phrase: str, *, again: bool) -> None:
        """Deny words; ``again`` of "no lift and no parking" denies each once."""
        for place in places:
            if not again or place >= self.reach:
                self.denied[place] += 1
        self.cue, self.reach = self.cue or phrase, max(self.reach, places.stop)


class ClauseReader:
    """Reads sentences; safe from several threads."""

    def __init__(self, known: Cues | None = None) -> None:
        self._cues = known or cues()
        self._stemmer = Stemmer()

    def __call__(self, text: str, names: Sequence[str] = ()) -> Sentence:
        """Read what a sentence says; ``names`` are names in any place: "Never Look Back"."""
        check_wanted()
        told = words_of(text)
        words = [word for word, _, _ in told]
        named = names_in(text, told, names)
        turned = _Turned([0] * len(words), [False] * len(words))
        at = 0
        while at < len(words):
            phrase, kind = self._cue(words, at)
            if (
                not phrase
                or self._turns_nothing(words, at, phrase, named)
                or (phrase not in _PREFIXES and _hyphened(text, told[at]))
            ):
                at += 1
                continue
            begin = at + len(phrase)
            stop = self._stop(words, begin, phrase, kind)
            if kind == "hedge":
                turned.hedge_words(range(begin, stop), " ".join(phrase))
            elif stop >= 0:
                again = kind == "deny" and at > 0 and words[at - 1] in _AND | {","}
                turned.deny_words(range(begin, stop), " ".join(phrase), again=again)
            at = begin
        self._turn_around(words, turned)
        return Sentence(
            text=text,
            words=tuple(words),
            stems=self._stems(text, told),
            spans=tuple((start, stop) for _, start, stop in told),
            denied=tuple(turned.denied),
            hedged=tuple(turned.hedged),
            named=tuple(named),
            cue=turned.cue,
            hedge=turned.hedge,
        )

    def _turns_nothing(
        self, words: Sequence[str], at: int, phrase: Phrase, named: Sequence[bool]
    ) -> bool:
        """Return whether a cue is inside a name, or denies nothing there."""
        return (
            named[at]
            or (words[at] == "n't" and named[at - 1])
            or self._denies_nothing(words, at, phrase, named)
            or (phrase == ("nor",) and "neither" in words[:at])
        )

    def _stop(self, words: Sequence[str], begin: int, phrase: Phrase, kind: str) -> int:
        """Return the end of what a cue turns; -1 for one that turns nothing."""
        if kind == "affirm":
            return -1
        stop = self._end(words, begin, to_stop=kind == "frame", whole=kind == "clause")
        if phrase in _NOTS and limit_in(words, begin, stop) >= 0:
            return -1
        stop = min(begin + 1, len(words)) if phrase in _PREFIXES else stop
        if phrase in ASIDE | self._cues.near:
            stop = next((n for n in range(begin, stop) if self._cues.is_verb(words[n])), stop)
        return stop

    def _turn_around(self, words: Sequence[str], turned: "_Turned") -> None:
        """Turn the words before what denies or drops them: "... is a myth", "..., but did not"."""
        end, told_false = self._denied_behind(words)
        turned.cue = turned.cue or told_false
        others = (self._elided(words), self._left_undone(words), self._lifted(words))
        for place in itertools.chain(range(end), *others):
            turned.denied[place] += 1
        begin, end, dropped = self._dropped(words)
        turned.hedged[begin:end] = [True] * (end - begin)
        turned.hedge = dropped or turned.hedge
        if words[-1:] == ["?"]:
            turned.hedged, turned.hedge = [True] * len(words), turned.hedge or "?"

    def _stems(self, text: str, told: Sequence[tuple[str, int, int]]) -> tuple[str, ...]:
        """Return stems of words; the marks of a lifespan become its birth and its death."""
        words = [word for word, _, _ in told]
        life = life_in(text)
        events = {} if life is None else dict(zip(life, _EVENTS, strict=True))
        born_died = dict(zip(_EVENTS, self._stemmer.terms(_EVENTS), strict=True)) if events else {}
        found: list[str] = []
        for word, (_, start, _), stem in zip(words, told, self._stemmer.terms(words), strict=True):
            tells_nothing = word in MARKS or word in _LIGHT or word == "n't"
            own = "" if tells_nothing else stem or self._cues.turning.get(word, "")
            found.append(born_died[events[start]] if start in events else own)
        return tuple(found)

    def _denies_nothing(
        self, words: Sequence[str], at: int, phrase: Phrase, named: Sequence[bool]
    ) -> bool:
        """Return whether a denying verb is before a noun, or after what it denies.

        "The failed launch", "The race was missed by Ida Fenn".
        """
        if phrase not in self._cues.deny_verbs:
            return False
        by_name = words[at + 1 : at + 2] == ["by"] and any(named[at + 2 : at + 3])
        return by_name or (at > 0 and words[at - 1] in _DETERMINERS)

    def _elided(self, words: Sequence[str]) -> list[int]:
        """Return places of a clause's subject before a final "not": "dogs are in, cats are not"."""
        found: list[int] = []
        for at in _final_nots(words):
            begin = at - 1
            while begin and words[begin - 1] not in MARKS | _AND | SUBORDINATE:
                begin -= 1
            found += range(begin, at - 1) if begin > 0 else ()
        return found

    def _left_undone(self, words: Sequence[str]) -> list[int]:
        """Return places of what a final "not" denies: "he said he would appeal, but did not"."""
        found: list[int] = []
        for at in _final_nots(words):
            stop = at - 2 if words[at - 2] in self._cues.pronouns else at - 1
            if words[stop - 1] not in _CONTRASTS:
                continue
            stop -= 2 if words[stop - 2] == "," else 1
            meant = [n for n in range(stop) if words[n] in _INTENDS | STOPS]
            if meant and words[meant[-1]] in _INTENDS:
                found += range(meant[-1] + 1, stop)
        return found

    def _lifted(self, words: Sequence[str]) -> list[int]:
        """Return places of bans that were lifted: "ended the ban on fishing"."""
        return [
            at
            for at, word in enumerate(words)
            if word in self._cues.bans
            and not self._cues.lifted.isdisjoint(words[max(0, at - _LIFTED_REACH) : at])
        ]

    def _dropped(self, words: Sequence[str]) -> tuple[int, int, str]:
        """Return the words before "was dropped" in "The charge was dropped"; 0, 0 without."""
        at, phrase = _first_of(self._cues.dropped, words)
        borders = [n for n in range(at) if words[n] in STOPS | CLAUSE_BORDERS]
        return max(borders, default=-1) + 1, at, phrase

    def _denied_behind(self, words: Sequence[str]) -> tuple[int, str]:
        """Count the words before "is a myth" in "The claim that ... is a myth"; 0 without."""
        reports = any(tuple(words[: len(one)]) == one for one in self._cues.reports)
        return _first_of(self._cues.behind, words) if reports else (0, "")

    def _cue(self, words: Sequence[str], at: int) -> tuple[Phrase, str]:
        """Return the longest cue that begins there, and its effect."""
        phrases = self._cues.turns.get(words[at], {})
        longest = min(_LONGEST_PHRASE, len(words) - at) if phrases else 0
        found = (tuple(words[at : at + length]) for length in range(longest, 0, -1))
        phrase = next((one for one in found if one in phrases), ())
        return phrase, phrases.get(phrase, "")

    def _end(self, words: Sequence[str], begin: int, *, to_stop: bool, whole: bool) -> int:
        """Return the end of a cue's reach."""
        at = begin
        while at < len(words):
            word = words[at]
            if word in STOPS or (word in SUBORDINATE and not to_stop):
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
        """Return whether a clause begins there: "he", "won", "12 % were"."""
        following = words[at] if at < len(words) else ""
        if following in self._cues.pronouns or self._cues.is_verb(following):
            return True
        chunk = itertools.takewhile(
            lambda word: word not in MARKS | SUBORDINATE | _AND, words[at : at + _SUBJECT_REACH]
        )
        return not FINITE.isdisjoint(chunk)

    def _breaks(self, words: Sequence[str], comma: int, begin: int) -> bool:
        """Return whether a comma ends the reach: not in a list, and not around an insertion."""
        chunk: list[str] = []
        for word in words[comma + 1 :]:
            if word in MARKS:
                break
            chunk.append(word)
        if comma == begin and len(chunk) <= 3:
            return False  # "did not, however, win"
        opens = bool(chunk) and (
            chunk[0] in self._cues.pronouns | SUBORDINATE | {"and", "but", "four"}
            or any(self._cues.is_verb(word) or word.endswith("ing") for word in chunk)
        )
        return opens or not chunk


def _first_of(phrases: Collection[Phrase], words: Sequence[str]) -> tuple[int, str]:
    """Return the first place behind the first word where one of some phrases begins; 0 without."""
    begins = {phrase[0] for phrase in phrases}
    for at in range(1, len(words)):
        for phrase in phrases if words[at] in begins else ():
            if tuple(words[at : at + len(phrase)]) == phrase:
                return at, " ".join(phrase)
    return 0, ""


def _final_nots(words: Sequence[str]) -> Iterator[int]:
    """Yield places of a "not" behind an auxiliary, with which a clause ends."""
    for at in range(2, len(words)):
        ends = words[at + 1 : at + 2] in ([], ["."], [";"], [","], ["but"])
        if words[at] in {"not", "n't"} and words[at - 1] in _AUXILIARIES and ends:
            yield at


def _hyphened(text: str, word: tuple[str, int, int]) -> bool:
    """Return whether a word is part of a longer one: "no-calorie"."""
    return text[word[2] : word[2] + 1] == "-" or text[max(0, word[1] - 1) : word[1]] == "-"
