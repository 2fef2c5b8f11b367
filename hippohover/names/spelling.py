"""Spellings one slip away from a word, and the words in one written without blanks."""

from collections.abc import Iterator
from functools import cache
from typing import Final

_BLOCK: Final = 128
_LEAST_PART: Final = 2


def spellings(word: str) -> list[str]:
    """Return distinct words at a Damerau-Levenshtein distance of 1 from a folded word.

    Letters that come in are those of the block of 128 code points that the word's first letter is
    of: a to z for English. They are about 53 a letter.
    """
    if not word:
        return []
    letters = _letters(ord(word[0]) // _BLOCK)
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swapped = [head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1]
    dropped = [head + tail[1:] for head, tail in cuts if tail]
    added = [head + letter + tail for head, tail in cuts for letter in letters]
    changed = [head + letter + tail[1:] for head, tail in cuts if tail for letter in letters]
    every = dict.fromkeys([*swapped, *dropped, *added, *changed])
    return [spelling for spelling in every if spelling not in {word, ""}]


def parted(folded: str, written: str) -> Iterator[list[str]]:
    """Yield words that may make up a word: by capitals, then any two, any three.

    Parameters
    ----------
    folded, written : str
        One token, as ``normal_forms.tokens`` gives it.
    """
    by_capitals = camel_words(written)
    if len(by_capitals) > 1 and len(folded) == len(written):
        yield [word.lower() for word in by_capitals]
    ends = range(_LEAST_PART, len(folded) - _LEAST_PART + 1)
    for first in ends:
        yield [folded[:first], folded[first:]]
    for first in ends:
        for second in range(first + _LEAST_PART, len(folded) - _LEAST_PART + 1):
            yield [folded[:first], folded[first:second], folded[second:]]


def camel_words(written: str) -> list[str]:
    """Split a token at its capitals: "TheGildedArchive" into The, Gilded, Archive.

    A run of capitals is a word up to the one that begins the next: "BBCNews" is BBC, News.
    """
    starts = [0]
    for at in range(1, len(written)):
        before, char = written[at - 1], written[at]
        is_first = char.isupper() and (not before.isupper() or written[at + 1 : at + 2].islower())
        if is_first or char.isdigit() != before.isdigit():
            starts.append(at)
    return [written[a:b] for a, b in zip(starts, [*starts[1:], len(written)], strict=True)]


@cache
def _letters(block: int) -> str:
    chars = map(chr, range(block * _BLOCK, (block + 1) * _BLOCK))
    return "".join(char for char in chars if char.isalpha() and char == char.casefold())
