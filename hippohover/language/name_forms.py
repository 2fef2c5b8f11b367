"""Other forms of known names: "Mr Kelgate", "Kelgate & Co.", "Pier IV", "SilvaneGateway".

A run of capitalised words that is no known name may be another form of one: shortened, turned
round, abbreviated, or spelt or numbered otherwise. It counts as that name where it can be a form of
no other name of the corpus; two names are never merged.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from hippohover.language.cues import word_list
from hippohover.language.quantities.table import number_words, ordinal_value
from hippohover.names.key_table import key_hash, key_hashes
from hippohover.names.mentions import CONNECTORS, STOP_TOKENS
from hippohover.names.normal_forms import entity_key, tokens_and_breaks, without_qualifier
from hippohover.names.spelling import camel_words

MAX_NAMES: Final = 8
"""Names that may share a word by which forms of them are found: a word of more says little."""

MAX_MEANT: Final = 2
"""Names that one run may mean at once: "Mr Kelgate" where two people are called so."""

_MAX_WORDS: Final = 12
_REMEMBERED: Final = 1 << 20
_LEAST_JOINED: Final = 8  # letters of two words that are written as one
_LEAST_HELD: Final = 3  # letters of a word that is said in full
_LEAST_SPELT: Final = 6  # letters of a word that may have another spelling
_BEGIN_BITS: Final = 22  # of a hash that most runs have no name by
_MOST_SHORT: Final = 4  # letters of one that may be short for another
_ONE_LETTER: Final = {"i": "1", "v": "5", "x": "10"}
_ROMAN: Final = re.compile(r"(?=[ivx]{2,})(x{0,3})(ix|iv|v?i{0,3})")
_VOWEL: Final = re.compile(r"[aeiouy]")
_WITHOUT_VOWELS: Final = str.maketrans("", "", "aeiouy")
_TWICE: Final = re.compile(r"(.)\1+")


class FormColumns(NamedTuple):
    """Hashes that names are found by, ascending, and the names' numbers; each of shape (n,)."""

    hashes: NDArray[np.uint64]
    names: NDArray[np.int32]


class Words(NamedTuple):
    """The words of a name that say something, the one that stays when it is shortened, its key."""

    words: tuple[str, ...]
    head: str
    text: str


@lru_cache(maxsize=1 << 12)  # of some texts: a run is looked up, and kept for updates
def words_of(key: str) -> tuple[str, ...]:
    """Return the words of a key that say something, numbers as digits: four, IV and 4th are 4."""
    tokens = key.split(" ")
    words = list(map(_word, tokens))
    if not _ONE_LETTER.keys().isdisjoint(tokens):
        for at, token in enumerate(tokens[1:], start=1):
            # "Pier V" and "Pier V of Velmora": an initial has a name behind it.
            if token in _ONE_LETTER and not "".join(words[at + 1 : at + 2]):
                words[at] = _ONE_LETTER[token]
    return tuple(filter(None, words))


def run_text(key: str) -> str:
    """Return the text by whose hash a run is found as a whole: its words in any order, or joined.

    It is empty for a run that is no form of a name in this way.
    """
    if " " not in key:
        return f"={key}" if len(key) >= _LEAST_JOINED else ""
    words = words_of(key)
    return _bag(words) if len(words) > 1 else ""


def run_hashes(keys: Iterable[str]) -> list[int]:
    """Return the distinct hashes by which runs are found as a whole."""
    texts = dict.fromkeys(map(run_text, keys))
    return key_hashes([text for text in texts if text]).tolist()


def name_hashes(written: str) -> list[int]:
    """Return what forms of a name are found by: its words, all of them together, and joined.

    What stands in brackets tells names apart, and no form says it: such names have none.
    """
    return key_hashes(_texts_of(written)).tolist()


def _texts_of(written: str) -> list[str]:
    words = words_of(key := entity_key(written))
    if len(words) == 1 and not (written.isalpha() and written[1:].islower()):
        words = words_of(" ".join(camel_words(written)).lower())
    if not 1 < len(words) <= _MAX_WORDS or without_qualifier(written) != written:
        return []
    keys = {one for word in words if _is_held(word) for one in (word, _sounding(word))}
    return sorted({*keys, _bag(words), f"={key.replace(' ', '')}"})


def name_words(key: str, written: str) -> tuple[str, ...]:
    """Return the words of a name: of a single one, those that its capitals begin."""
    words = words_of(key)
    return words if len(words) > 1 else words_of(" ".join(camel_words(written)).lower())


def held_words(key: str, written: str) -> list[str]:
    """Return the words of a name by which its shorter forms are found."""
    return [word for word in dict.fromkeys(name_words(key, written)) if _is_held(word)]


def columns_of(names: Iterable[str]) -> FormColumns:
    """Return the columns of names, by how they are written, numbered in their order."""
    found = [(text, number) for number, name in enumerate(names) for text in _texts_of(name)]
    hashes = key_hashes([text for text, _ in found])
    return sorted_columns(hashes, np.array([number for _, number in found], np.int32))


def sorted_columns(hashes: NDArray[np.uint64], names: NDArray[np.int32]) -> FormColumns:
    """Return columns in order; those in order are returned as they are."""
    if (hashes[:-1] <= hashes[1:]).all():
        return FormColumns(hashes, names)
    order = np.argsort(hashes, kind="stable")
    return FormColumns(hashes[order], names[order])


class NameForms:
    """Finds the names that a run of words can be a form of.

    Parameters
    ----------
    columns : FormColumns
    written : callable
        The name of a number.
    """

    def __init__(self, columns: FormColumns, written: Callable[[int], str]) -> None:
        # Single numbers are read from a view of memory in a third of NumPy's time.
        self._hashes = np.ascontiguousarray(columns.hashes).data
        self._names_of = np.ascontiguousarray(columns.names).data
        begins = np.zeros(1 << _BEGIN_BITS, np.bool_)
        begins[columns.hashes >> np.uint64(64 - _BEGIN_BITS)] = True
        self._begins = begins.tobytes()
        self._written = written
        self._known: dict[str, tuple[int, ...]] = {}
        self._by_word: dict[str, list[int] | None] = {}
        self._has = _Kept(self)
        self._words: dict[int, Words] = {}

    def __call__(self, key: str) -> tuple[int, ...]:
        """Return the numbers of the names that a run means: none, or up to ``MAX_MEANT``."""
        if len(key) < _LEAST_JOINED and " " not in key:
            return ()
        numbers = self._known.get(key)
        if numbers is None:
            numbers = self._find(key)
            if len(self._known) < _REMEMBERED:
                self._known[key] = numbers
        return numbers

    def without_article(self, key: str) -> tuple[int, ...]:
        """Return the numbers of the names that are a run behind an article: "gilded archive"."""
        meant: list[int] = []
        for number in self._as_whole(key):
            before, _, rest = self._of(number).text.rpartition(f" {key}")
            if before and not rest and STOP_TOKENS.issuperset(before.split()):
                meant.append(number)
        return _least(meant, self._of)

    def _find(self, key: str) -> tuple[int, ...]:
        # Most runs have a word that no name has, in any spelling: they end here.
        first, *others = key.split(" ")
        if others and not (
            all(map(self._has.__getitem__, others)) and (self._has[first] or first in addresses())
        ):
            return ()
        whole, joined = self._as_whole(key), "".join((first, *others))
        if not (whole or others):
            return ()
        words = words_of(key)
        if not 1 < len(words) <= _MAX_WORDS:
            meant = [n for n in whole if words and "".join(self._of(n).words) == joined]
            return _least(meant, self._of)
        is_addressed = words[0] in addresses() and key.count(" ") < len(words)
        said = words[is_addressed:]
        if not (is_addressed or self._has[first]):
            return ()
        meant = [
            number
            for number in whole
            if is_form(words, self._of(number), is_whole=True)
            or joined == "".join(self._of(number).words)
        ]
        if not meant:
            some = self._with_words(said)
            meant = [n for n in some if is_form(said, self._of(n), is_addressed=is_addressed)]
        return _least(meant, self._of)

    def _as_whole(self, key: str) -> Sequence[int]:
        text = run_text(key)
        return (self._names(key_hash(text)) or ()) if text else ()

    def _with_words(self, words: Sequence[str]) -> set[int]:
        """Return names that may have these words, and have all long ones that few have."""
        found: set[int] | None = None
        short: set[int] = set()
        for word in filter(_is_held, words):
            some = self._with_word(word)
            if some is None:
                continue
            if len(word) <= _MOST_SHORT:
                short.update(some)
            else:
                found = set(some) if found is None else found.intersection(some)
        return short if found is None else found

    def _with_word(self, word: str) -> list[int] | None:
        if word not in self._by_word:
            self._by_word[word] = self._names(key_hash(word))
        return self._by_word[word]

    def is_had(self, token: str) -> bool:
        """Return whether a token's word is short, or a name has it in some spelling."""
        word = _word(token)
        if len(word) <= _MOST_SHORT or word.isdecimal():
            return True
        return self._names(key_hash(_sounding(word))) != []

    def _names(self, value: int) -> list[int] | None:
        """Return names by a hash; None where it is of too many."""
        if not self._begins[value >> (64 - _BEGIN_BITS)]:
            return []
        hashes, found = self._hashes, list[int]()
        at = bisect_left(hashes, value)
        while at < len(hashes) and hashes[at] == value:
            found.append(self._names_of[at])
            at += 1
            if len(found) > MAX_NAMES:
                return None
        return found

    def _of(self, number: int) -> Words:
        if number not in self._words:
            folded, _, breaks = tokens_and_breaks(self._written(number))
            words = [_word(token) for token in folded]
            ends = (at for at, word in enumerate(words) if at and (not word or at in breaks))
            # A legal form behind a name ("Ltd", "GmbH", "Inc") is short, or has no vowel.
            whole = [word for word in words if word]
            last = len(whole) > 2 and (len(whole[-1]) < 4 or not _VOWEL.search(whole[-1], 1))
            head = next((words[at - 1] for at in ends if words[at - 1]), whole[-1 - last])
            self._words[number] = Words(words_of(" ".join(folded)), head, " ".join(folded))
        return self._words[number]


class _Kept(dict[str, bool]):
    """Whether a token may be of a form, found out once; a circle would keep the files open."""

    def __init__(self, forms: NameForms) -> None:
        super().__init__()
        self._forms = proxy(forms)

    def __missing__(self, key: str) -> bool:
        answer = self._forms.is_had(key)
        if len(self) < _REMEMBERED:
            self[key] = answer
        return answer


def _least(numbers: Sequence[int], words: Callable[[int], Words]) -> tuple[int, ...]:
    """Return names that have no other of them inside; none if they are too many.

    "OPS : Wanda Kelgate" has all words of "Wanda Kelgate", and the second is meant.
    """
    if not numbers:
        return ()
    meant = {number: Counter(words(number).words) for number in numbers}
    least = [n for n, name in meant.items() if not any(one < name for one in meant.values())]
    return tuple(sorted(least, key=lambda n: words(n).text)) if len(least) <= MAX_MEANT else ()


def is_form(
    run: Sequence[str], name: Words, *, is_whole: bool = False, is_addressed: bool = False
) -> bool:
    """Return whether a run can be a form of a name, both as ``words_of``.

    Every word of it is one of the name's, or short for one; an initial of a middle name may be
    besides. It says all of the name, whose spelling may be another, or two words in full with its
    head, or its last with what stands for another, or behind a form of address. A number of the
    name is said.
    """
    left, full = list(name.words), list[str]()
    n_short = 0
    for word in run:
        said = word if word in left else ""
        if not said and is_whole:
            said = next((one for one in left if _is_spelt_alike(word, one)), "")
        short = said or next((one for one in left if _is_short(word, one)), "")
        if short:
            left.remove(short)
            full += [said] if said else []
            n_short += not said
        elif len(word) > 1 or word.isdecimal():
            return False
    left = [word for word in left if len(word) > 1 or word.isdecimal()]
    if not full or any(map(str.isdecimal, left)):
        return False
    if sum(map(_is_held, full)) > 1:
        return not left or (name.head in full and len(left) <= len(full))
    if is_whole and not n_short:
        return len(name.words) > 1 and not left
    is_last = full[0] in (name.words[-1], name.head)
    return is_last and len(left) + n_short <= 2 and (n_short > 0 or is_addressed)


def _is_short(word: str, other: str) -> bool:
    """Return whether one of two words is an initial, a beginning or a contraction of the other."""
    short, long = sorted((word, other), key=len)
    if (
        short[0] != long[0]
        or len(short) == len(long)
        or len(short) > _MOST_SHORT
        or long.isdecimal()
    ):
        return False
    letters = iter(long)
    is_within = all(letter in letters for letter in short)
    return long.startswith(short) or (is_within and short[-1] == long[-1])


def _is_spelt_alike(word: str, other: str) -> bool:
    """Return whether two long words differ by one letter, or by two that are swapped."""
    if min(len(word), len(other)) < _LEAST_SPELT or abs(len(word) - len(other)) > 1:
        return False
    if word[0] != other[0] or _sound(word) != _sound(other):
        return False
    pairs = enumerate(zip(word, other, strict=False))
    start = next((at for at, (a, b) in pairs if a != b), min(len(word), len(other)))
    one, two = word[start:], other[start:]
    return (
        one[1:] == two[1:]
        or one[1:] == two
        or one == two[1:]
        or (one[:2] == two[1::-1] and one[2:] == two[2:])
    )


@lru_cache(maxsize=1 << 18)
def _word(token: str) -> str:
    if token.isascii() and token.isdecimal():
        return token.lstrip("0") or "0"
    value = number_words().values.get(token) or ordinal_value(token)
    if value:
        return str(int(value))
    if token in STOP_TOKENS or token in CONNECTORS:
        return ""
    roman = _ROMAN.fullmatch(token)
    return str(_value(roman[1], roman[2])) if roman else token


def _value(tens: str, ones: str) -> int:
    unit = 9 if ones == "ix" else 4 if ones == "iv" else 5 * ("v" in ones) + ones.count("i")
    return 10 * len(tens) + unit


def _sounding(word: str) -> str:
    """Return what spellings of a word are found by; the word where it has but one."""
    return word if len(word) < _LEAST_SPELT else f"~{_sound(word)}"


def _is_held(word: str) -> bool:
    """Return whether a word says which name is meant: no number, no initial."""
    return len(word) >= _LEAST_HELD and not word.isdecimal()


def _bag(words: Iterable[str]) -> str:
    """Return one text for words in any order and spelling; initials do not count."""
    said = [_sound(word) for word in words if len(word) > 1 or word.isdecimal()]
    return f"~{' '.join(sorted(said))}"


@lru_cache(maxsize=1 << 18)
def _sound(word: str) -> str:
    """Return a word's first letter and consonants, which spellings share, without a plural's s."""
    if len(word) < _LEAST_SPELT or not word.isascii():
        return word
    bare = word[0] + word[1:].translate(_WITHOUT_VOWELS)
    return _TWICE.sub(r"\1", bare).removesuffix("s")


@lru_cache(maxsize=1)
def addresses() -> frozenset[str]:
    """Return the words that people are addressed by, as "mr" and "dr"."""
    return frozenset(word_list("honorifics"))
