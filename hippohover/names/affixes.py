"""Endings and prefixes written onto names without a blank, learned from a corpus.

In Korean, a name and its particle are one word; in Russian, names have case endings; in Hebrew and
Arabic, "and" and "in" are prefixes. Characters that are attached to several known names are an
affix of the corpus, whatever its language; a word that is a name with an affix then counts as that
name. Words in ASCII, and letters that fold to it, are skipped: English does not need this.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.names.mentions import Mention

_MAX_AFFIX_CHARS: Final = 4
_LEAST_STEM_CHARS: Final = 2
_LEAST_NAMES: Final = 3


class Affixes(NamedTuple):
    """What is written after names, and before them."""

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


def learn_affixes(keys: Iterable[str], texts: Iterable[Iterable[str]]) -> Affixes:
    """Learn affixes that three different names or more have.

    Parameters
    ----------
    keys : iterable of str
        Entity keys of the known names.
    texts : iterable of iterables of str
        Folded tokens of a sample of the texts.
    """
    names = [key.split(" ") for key in keys if not key.isascii()]
    last, first = {name[-1] for name in names}, {name[0] for name in names}
    endings: dict[str, set[str]] = {}
    prefixes: dict[str, set[str]] = {}
    seen = last | first
    for tokens in texts:
        new = {token for token in tokens if not token.isascii()} - seen
        seen |= new
        for token in new:
            for kept in range(max(_LEAST_STEM_CHARS, len(token) - _MAX_AFFIX_CHARS), len(token)):
                if token[:kept] in last:
                    endings.setdefault(token[kept:], set()).add(token[:kept])
                if token[-kept:] in first:
                    prefixes.setdefault(token[:-kept], set()).add(token[-kept:])
    return Affixes(_common(endings), _common(prefixes))


def find_inflected(
    folded: Sequence[str],
    known: Sequence[Mention],
    find: Callable[[Sequence[str]], Iterable[Mention]],
    affixes: Affixes,
) -> list[Mention]:
    """Add mentions of names with an affix to the others, in the words that these leave.

    Parameters
    ----------
    folded : sequence of str
        Folded tokens of a text.
    known : sequence of Mention
        The names that are found in them unchanged.
    find : callable
        Finds names in as many other tokens.
    affixes : Affixes
    """
    mentions = list(known)
    free = [True] * len(folded)
    for mention in known:
        free[mention.start : mention.stop] = [False] * (mention.stop - mention.start)
    # The shortest affix first: what is left of the word is more.
    for n_chars in range(1, _MAX_AFFIX_CHARS + 1):
        for behind in (True, False):
            bare = {
                at: token[:-n_chars] if behind else token[n_chars:]
                for at, token in enumerate(folded)
                if free[at] and _has(token, n_chars, affixes, behind=behind)
            }
            if not bare:
                continue
            for mention in find([bare.get(at, token) for at, token in enumerate(folded)]):
                inside = range(mention.start, mention.stop)
                edge = mention.stop - 1 if behind else mention.start
                if all(free[at] and (at in bare) == (at == edge) for at in inside):
                    mentions.append(mention)
                    free[mention.start : mention.stop] = [False] * len(inside)
    return sorted(mentions, key=lambda mention: mention.start)


def _has(token: str, n_chars: int, affixes: Affixes, *, behind: bool) -> bool:
    if token.isascii() or len(token) < n_chars + _LEAST_STEM_CHARS:
        return False
    return token[-n_chars:] in affixes.endings if behind else token[:n_chars] in affixes.prefixes


def _common(affixes: dict[str, set[str]]) -> frozenset[str]:
    return frozenset(affix for affix, names in affixes.items() if len(names) >= _LEAST_NAMES)
