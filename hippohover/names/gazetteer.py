"""Finds known names in texts by a compiled hash table of their beginnings.

The table holds the hash of every name, and of every beginning of a name that ends at a blank. From
a token of a text on, the hash is extended token by token as long as some name continues in this
way. So the number of steps is the number of tokens of the longest match, however many names there
are. The table takes about 60 bytes per name, opens by memory map, and is shared by processes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.columns import Columns, chunks, save_columns
from hippohover.errors import BuildError
from hippohover.kernels import compiled
from hippohover.names.affixes import NO_AFFIXES, Affixes, Stems, find_affixed, with_others
from hippohover.names.codes import find_codes
from hippohover.names.interning import slot_of
from hippohover.names.mentions import (
    ARTICLE,
    MAX_NAME_TOKENS,
    SMALL,
    CaseRule,
    Mention,
    Phrase,
    find_phrases,
    find_word_runs,
    is_findable,
    kinds_of,
    least_rule,
    pairs_within,
    turned_round,
)
from hippohover.names.normal_forms import placed_tokens

BEGINNING: Final = 2**31 - 2
"""Marks a hash that is only the beginning of names."""

_NOWHERE: Final = int(CaseRule.NOWHERE)
_KEYS_AT_ONCE: Final = 1 << 16
_MOST_TAKEN: Final = 0.9
_BLANK: Final = np.uint8(32)
# Fowler, Noll and Vo's hash FNV-1a of 64 bits.
_FNV_BASIS: Final = np.uint64(0xCBF29CE484222325)
_FNV_PRIME: Final = np.uint64(0x100000001B3)


class TextNames(NamedTuple):
    """Tokens of a text with their places in it, known names and phrases, codes and word runs."""

    folded: list[str]
    written: list[str]
    starts: list[int]
    stops: list[int]
    known: list[Mention]
    phrases: list[Phrase]
    others: list[Phrase]
    runs: list[Phrase]
    """Runs that are no known names as they are written, numbers included."""
    forms: list[Mention]
    """Those of ``known`` that have another form."""

    def phrase_keys(self) -> list[str]:
        """Return the distinct entity keys of phrases, codes and rows of words."""
        return list(dict.fromkeys(one.key for one in (*self.phrases, *self.others)))

    def formed(self) -> set[int]:
        """Return the known names that the text has in other forms alone."""
        if not self.forms:
            return set()
        others = set(self.known).difference(self.forms)
        return {one.name for one in self.forms} - {one.name for one in others}


class Gazetteer:
    """Finds known names in token lists.

    Parameters
    ----------
    keys : mapping of str to int
        As ``add`` takes them.
    n_tokens : int, optional
        Tokens of all keys that will be added, together; those of ``keys`` when not given.
    """

    def __init__(self, keys: Mapping[str, int], n_tokens: int | None = None) -> None:
        if n_tokens is None:
            n_tokens = sum(key.count(" ") + 1 for key in keys)
        n_slots = 64
        while 2 * n_slots < 3 * n_tokens:
            n_slots *= 2
        self._hashes = np.zeros(n_slots, np.uint64)
        self._numbers = np.full(n_slots, -1, np.int32)
        self._rules = np.zeros(0, np.uint8)
        self.stems = Stems(NO_AFFIXES)
        self._forms: Callable[[str], tuple[int, ...]] | None = None
        self._last: tuple[str, TextNames] | None = None
        self.add(keys.items())

    def follow(self, rules: NDArray[np.uint8], affixes: Affixes = NO_AFFIXES) -> None:
        """Set the ``CaseRule`` of each number, ``NEVER`` for others, and the affixes of names."""
        self._rules = rules
        self.stems = Stems(affixes)

    def find_forms(self, forms: Callable[[str], tuple[int, ...]]) -> None:
        """Count a run as the known names that ``forms`` finds for its key, if any."""
        self._forms = forms

    def add(self, pairs: Iterable[tuple[str, int]]) -> None:
        """Add entity keys with their numbers for mentions, 0 or more; keys may share one.

        Keys that ``is_findable`` refuses are left out. ``BuildError`` when two keys share a hash.
        """
        findable = (pair for pair in pairs if is_findable(pair[0].split(" ")))
        for some in chunks(findable, _KEYS_AT_ONCE):
            keys = "\n".join(key for key, _ in some).encode("utf-8", "surrogatepass")
            numbers = np.array([number for _, number in some], np.int32)
            twice = _insert(np.frombuffer(keys, np.uint8), numbers, self._hashes, self._numbers)
            if twice >= 0:
                raise BuildError(
                    f"the name {some[twice][0]!r:.80} shares a 64-bit hash with another: rename "
                    "one of them in the corpus"
                )

    @property
    def rules(self) -> NDArray[np.uint8]:
        """``CaseRule`` of each number, ``NEVER`` beyond."""
        return self._rules

    @classmethod
    def open(cls, path: Path) -> "Gazetteer":
        """Open names that ``save`` wrote, by memory map."""
        names = cls({})
        columns = Columns(path)
        names._hashes = columns.numbers("hashes", np.uint64)
        names._numbers = columns.numbers("numbers", np.int32)
        names._rules = columns.numbers("rules", np.uint8)
        names.stems = Stems(Affixes.of_bytes(columns.numbers("affixes", np.uint8)))
        return names

    @classmethod
    def of(
        cls, hashes: NDArray[np.uint64], numbers: NDArray[np.int32], rules: NDArray[np.uint8]
    ) -> "Gazetteer":
        """Take names from the columns that ``save`` wrote; ``become`` changes them in place."""
        names = cls({})
        names._hashes, names._numbers, names._rules = hashes, numbers, rules
        return names

    def become(self, names: Mapping[str, int]) -> None:
        """Give some keys other numbers; -1 removes them.

        ``BuildError`` when there is no room for them, or as ``add`` raises it.
        """
        n_new = sum(key.count(" ") + 1 for key in names)
        n_taken = int(np.count_nonzero(self._numbers != -1))
        if n_taken + n_new > len(self._numbers) * _MOST_TAKEN:
            raise BuildError("no room is left for new names: build the index again")
        self.add(dict.fromkeys(names, BEGINNING).items())
        self.add((key, number) for key, number in names.items() if number >= 0)
        self._last = None

    def save(self, path: Path) -> None:
        """Write one file; ``IndexStoreError`` when it cannot be written."""
        save_columns(
            path,
            {
                "hashes": self._hashes,
                "numbers": self._numbers,
                "rules": self._rules,
                "affixes": self.stems.affixes.as_bytes(),
            },
        )

    def read(self, text: str) -> TextNames:
        """Find the names in a text; the last text is cached."""
        if self._last is None or self._last[0] is not text:
            folded, written, breaks, starts, stops = placed_tokens(text)
            known = self.find(folded, written)
            stems = self.stems.of(folded) if self.stems.has_any else folded
            if stems is not folded:
                known = with_others(known, self.find(stems, written))
            named = find_phrases(folded, written, known, breaks, with_numbers=True)
            turned = turned_round(named)
            runs = [*named, *turned]
            forms = _other_forms(runs, self._forms) if self._forms else []
            if forms:
                known = sorted([*known, *forms], key=lambda mention: mention.start)
            codes = find_codes(text, folded, known)
            phrases = named
            if forms or codes or any(map(str.isdecimal, "".join(run.key for run in named))):
                phrases = find_phrases(folded, written, [*known, *codes], breaks)
            rows = find_word_runs(folded, [*known, *codes, *phrases], breaks)
            if stems is not folded:
                phrases = [*phrases, *pairs_within(written, folded, phrases)]
                phrases, rows = map(self._in_stems, (phrases, rows))
                rows += find_affixed(written, stems, [*known, *codes])
            others = codes + rows
            placed = folded, written, starts, stops
            self._last = text, TextNames(*placed, known, phrases, others, runs, forms)
        return self._last[1]

    def _in_stems(self, phrases: Sequence[Phrase]) -> list[Phrase]:
        return [one._replace(key=self.stems.key(one.key)) for one in phrases]

    def find(self, folded: Sequence[str], written: Sequence[str]) -> list[Mention]:
        """Find the leftmost-longest known names of a text.

        The first word of each is written as a name, or the name's ``CaseRule`` lets it count; one
        whose rule is ``NOWHERE`` is in no text.
        """
        if not folded:
            return []
        text = np.frombuffer(_encoded(folded), np.uint8)
        kinds = np.frombuffer(kinds_of(written), np.uint8)
        spans = np.empty((len(folded), 3), np.int32)
        n = _find(text, kinds, self._hashes, self._numbers, self._rules, least_rule(written), spans)
        return [Mention(*row) for row in spans[:n].tolist()]


def _other_forms(runs: Sequence[Phrase], forms: Callable[[str], tuple[int, ...]]) -> list[Mention]:
    return [Mention(name, start, stop) for key, start, stop in runs for name in forms(key)]


def _encoded(folded: Sequence[str]) -> bytes:
    return " ".join(folded).encode("utf-8", "surrogatepass")


@compiled
def _find(  # a compiled loop takes arrays, not objects
    text: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    hashes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    rules: NDArray[np.uint8],
    least: int,
    spans: NDArray[np.int32],
) -> int:
    """Fill ``spans`` with (name, start, stop) of tokens; return how many."""
    n = 0
    token = 0
    place = 0
    free = 0
    while token < len(kinds):
        # From a token that is in no name: as far as any name goes on that way.
        if token >= free:
            value = _FNV_BASIS
            at = place
            # Behind an article the next token says whether a name begins: "by the Beatles".
            has_next = token + 1 < len(kinds)
            shown = kinds[token + 1 if kinds[token] & ARTICLE and has_next else token]
            for length in range(1, MAX_NAME_TOKENS + 1):
                # The hash takes in the next token, and the table says what it is the hash of.
                while at < len(text) and text[at] != _BLANK:
                    value = (value ^ np.uint64(text[at])) * _FNV_PRIME
                    at += 1
                number = numbers[slot_of(hashes, numbers, value)]
                if number == -1:
                    break
                # A whole name: it takes the place of a shorter one that begins here.
                rule = rules[number] if number < len(rules) else 0
                is_name = number != BEGINNING and rule != _NOWHERE
                if is_name and (not shown & SMALL or rule >= least):
                    if free <= token:
                        n += 1
                    spans[n - 1, 0] = number
                    spans[n - 1, 1] = token
                    spans[n - 1, 2] = token + length
                    free = token + length
                if at == len(text):
                    break
                value = (value ^ np.uint64(_BLANK)) * _FNV_PRIME
                at += 1
        # On to the next token, whatever was there.
        while place < len(text) and text[place] != _BLANK:
            place += 1
        place += 1
        token += 1
    return n


@compiled
def _insert(
    text: NDArray[np.uint8],
    values: NDArray[np.int32],
    hashes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
) -> int:
    """Insert keys, one per line; return the first whose hash another one has, else -1.

    A key whose value is ``BEGINNING`` is not a name from then on.
    """
    value = _FNV_BASIS
    key = 0
    for at in range(len(text) + 1):
        ends = at == len(text) or text[at] == 10
        # At the end of a token the table takes the hash: of a key with its number, or a beginning.
        if ends or text[at] == _BLANK:
            slot = slot_of(hashes, numbers, value)
            before = numbers[slot]
            hashes[slot] = value
            if ends:
                is_taken = before != -1 and before != BEGINNING  # noqa: PLR1714  (compiled)
                if is_taken and before != values[key] and values[key] != BEGINNING:
                    return key
                numbers[slot] = values[key]
            elif before == -1:
                numbers[slot] = BEGINNING
        # After a key the hash starts again, else it goes on.
        if ends:
            value = _FNV_BASIS
            key += 1
        else:
            value = (value ^ np.uint64(text[at])) * _FNV_PRIME
    return -1
