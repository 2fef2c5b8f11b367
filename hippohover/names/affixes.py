"""Endings and prefixes written onto words without a blank, learned from a corpus.

In Korean, a name and its particle are one word; in Russian and German, names have endings; in
Hebrew and Arabic, "and" and "in" are prefixes. What is attached to several words that also stand
by themselves is an affix of the corpus, whatever its language. Words are then compared by their
stems: a name in another grammatical form is the same name, whether or not a title has it. Texts
that have hardly a letter beyond ASCII are left alone: English does not need this.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.names.mentions import Mention, Phrase
from hippohover.names.normal_forms import tokens

STEM_MARK: Final = "\u02d0"
"""Ends every stem: a letter that hardly a text has, so that no word passes for a stem."""

SAMPLED: Final = 4096
"""Passages, the first by their ids, that affixes of a corpus are learned from."""

_MAX_AFFIX_CHARS: Final = 4
_LEAST_BEGUN: Final = 4
_ROUNDS: Final = 3
_LEAST_STEM_LETTERS: Final = 4  # decomposed, so that two syllables of Korean are enough
_LEAST_WORDS: Final = 3
_LEAST_SHARE: Final = 0.1  # of words with an ending, so many stand without it: -ов is hardly one
_LEAST_BEYOND_ASCII: Final = 0.05  # German has a tenth, English texts with foreign names a fiftieth


class Affixes(NamedTuple):
    """What is written after words, and before them."""

    endings: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()

    def as_bytes(self) -> NDArray[np.uint8]:
        """Encode all of them in UTF-8, for a file."""
        both = "\0".join("\n".join(sorted(side)) for side in (self.endings, self.prefixes))
        return np.frombuffer(both.encode("utf-8", "surrogatepass"), np.uint8)

    @classmethod
    def of_bytes(cls, data: NDArray[np.uint8]) -> "Affixes":
        """Read what ``as_bytes`` wrote."""
        sides = data.tobytes().decode("utf-8", "surrogatepass").partition("\0")
        return cls(*(frozenset(filter(None, side.split("\n"))) for side in (sides[0], sides[2])))


NO_AFFIXES: Final = Affixes()


class Stems(dict[str, str]):
    """Token to its stem, which ends with ``STEM_MARK``; tokens without letters stay."""

    def __init__(self, affixes: Affixes) -> None:
        super().__init__()
        self.affixes = affixes
        self.has_any = any(affixes)

    @classmethod
    def of_bytes(cls, data: NDArray[np.uint8]) -> "Stems":
        """Return the stems of a corpus by its affixes, as ``Affixes.as_bytes`` wrote them."""
        return cls(Affixes.of_bytes(data))

    def __missing__(self, token: str) -> str:
        bare = self.bare(token)
        is_word = len(token) > 1 and token.isalpha() and token[-1] != STEM_MARK
        stem = self[token] = bare + STEM_MARK if is_word and self.has_any else token
        return stem

    def bare(self, token: str) -> str:
        """Return a token without its affixes, and without the mark of a stem."""
        while shorter := self._shorter(token):
            token = shorter
        return token.removesuffix(STEM_MARK)

    def of(self, tokens: Iterable[str]) -> list[str]:
        """Return the stem of each token."""
        return [self[token] for token in tokens]

    def key(self, key: str) -> str:
        """Return an entity key of stems."""
        return " ".join(self.of(key.split(" ")))

    def _shorter(self, word: str) -> str:
        """Return a word without its longest affix, an ending first; "" where it has none."""
        for n_chars in range(min(_MAX_AFFIX_CHARS, len(word) - 1), 0, -1):
            if word[-n_chars:] in self.affixes.endings and _is_stem(word[:-n_chars]):
                return word[:-n_chars]
            if word[:n_chars] in self.affixes.prefixes and _is_stem(word[n_chars:]):
                return word[n_chars:]
        return ""


def learn_affixes(keys: Iterable[str], texts: Iterable[str]) -> Affixes:
    """Learn affixes that three different words or more have.

    An ending is attached to words that stand without it too, and so do a tenth of all words that
    end like it. A prefix is attached to names.

    Parameters
    ----------
    keys : iterable of str
        Entity keys of the known names.
    texts : iterable of str
        A sample of the texts that are not all ASCII.
    """
    keys = list(keys)
    words, n_words, n_beyond = set[str](), 0, 0
    for text in texts:
        folded, written = tokens(text)
        words.update(token for token in folded if len(token) > 1 and token.isalpha())
        n_words += len(folded)
        n_beyond += sum(len(token) > 1 and not token.isascii() for token in written)
    if n_beyond < max(_LEAST_BEYOND_ASCII * n_words, 1):
        return NO_AFFIXES
    firsts = {key.partition(" ")[0] for key in keys if not key.isascii()}
    bases = words.union(token for key in keys for token in key.split(" "))
    return Affixes(_endings(words, bases), _prefixes(words, firsts))


def stem_keys(pairs: Iterable[tuple[str, int]], stems: Stems) -> dict[str, int]:
    """Return the keys of stems by which known names are found, those of two names left out.

    What four names or more begin with, such as an article, is left out as well, if two words stay.
    """
    keys = [(stems.of(key.split(" ")), number) for key, number in pairs]
    firsts = Counter(key[0] for key, _ in keys)
    found: dict[str, int] = {}
    for key, number in keys:
        is_article = len(key) > 2 and firsts[key[0]] >= _LEAST_BEGUN
        for stem in (" ".join(key), " ".join(key[is_article:])):
            if STEM_MARK in stem and found.setdefault(stem, number) != number:
                found[stem] = -1
    return {stem: number for stem, number in found.items() if number >= 0}


def with_others(mentions: Sequence[Mention], others: Iterable[Mention]) -> list[Mention]:
    """Add to mentions those others that share no token with one of them."""
    taken = {at for mention in mentions for at in range(mention.start, mention.stop)}
    free = (one for one in others if taken.isdisjoint(range(one.start, one.stop)))
    return sorted([*mentions, *free], key=lambda mention: mention.start)


def find_affixed(
    written: Sequence[str], stems: Sequence[str], taken: Iterable[Mention | Phrase]
) -> list[Phrase]:
    """Find words with an affix outside ``taken``, in a script without case, as phrases.

    There no capital shows a name, and in Korean a name is one word, which a particle ends.
    """
    inside = {at for one in taken for at in range(one.start, one.stop)}
    return [
        Phrase(stem, at, at + 1)
        for at, (word, stem) in enumerate(zip(written, stems, strict=True))
        if len(stem) <= len(word) and word.lower() == word.upper() and at not in inside
        if stem[-1] == STEM_MARK
    ]


def _endings(words: set[str], bases: set[str]) -> frozenset[str]:
    """Return what is behind enough words that stand without it too, or with another ending."""
    splits = [
        (word[:-n_chars], word[-n_chars:])
        for word in words
        for n_chars in range(1, min(_MAX_AFFIX_CHARS, len(word) - 1) + 1)
        if _is_stem(word[:-n_chars])
    ]
    every = Counter(ending for _, ending in splits)
    endings = frozenset[str]()
    # An ending teaches others: hardly a name of Korean, or an adjective of Russian, stands alone.
    for _ in range(_ROUNDS):
        others = Counter(stem for stem, ending in splits if ending in endings)
        held = Counter(
            ending for stem, ending in splits if stem in bases or others[stem] > (ending in endings)
        )
        endings = frozenset(
            ending
            for ending, n in held.items()
            if n >= max(_LEAST_WORDS, _LEAST_SHARE * every[ending])
        )
    return endings


def _prefixes(words: set[str], names: set[str]) -> frozenset[str]:
    """Return what stands before enough names."""
    held = Counter(
        word[:n_chars]
        for word in words
        for n_chars in range(1, _MAX_AFFIX_CHARS + 1)
        if word[n_chars:] in names and _is_stem(word[n_chars:])
    )
    return frozenset(prefix for prefix, n in held.items() if n >= _LEAST_WORDS)


def _is_stem(word: str) -> bool:
    return len(unicodedata.normalize("NFD", word)) >= _LEAST_STEM_LETTERS
