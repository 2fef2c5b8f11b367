"""Stems of English words: what a search, a cue and a parse compare words by."""

import threading
from collections.abc import Iterable, Sequence
from functools import cache

from hippohover.names.affixes import Stems
from hippohover.names.mentions import STOP_TOKENS
from hippohover.names.normal_forms import is_letter, tokens, with_next_letters


class Stemmer:
    """Token to search term: Snowball's English stem; the empty string for a stop token.

    Where the corpus has affixes, it is that of the token without them. A letter of a script without
    blanks is one term with the letter behind it, because two of them say as much as a word.

    The dot before a name (".NET") is not part of its term. Snowball does not change tokens of other
    scripts. Safe from several threads: answers are kept in a dictionary, and the stemmer itself is
    locked.
    """

    def __init__(self, stems: Stems | None = None) -> None:
        from Stemmer import Stemmer as SnowballStemmer

        self._stem = SnowballStemmer("english").stemWord
        self._lock = threading.Lock()
        self._bare = stems.bare if stems is not None and stems.has_any else None
        self._known: dict[str, str] = dict.fromkeys(STOP_TOKENS, "")

    def terms(self, tokens: Iterable[str]) -> list[str]:
        """Return the search term of each token, in order."""
        known = self._known
        return [
            term if (term := known.get(token)) is not None else self._learn(token)
            for token in with_next_letters(tokens)
        ]

    def in_a_row(self, tokens: Sequence[str]) -> list[str]:
        """Return the terms by which tokens are found where others may follow.

        Those are all but a last letter, which is one term with what follows it.
        """
        terms = self.terms(tokens)
        return terms[:-1] if is_letter(tokens[-1]) else terms

    def unremembered(self, tokens: Sequence[str]) -> list[str]:
        """Return what ``terms`` does, without caching: for words that nobody wrote."""
        known, stem, bare = self._known, self._stem, self._bare
        bared = map(bare, tokens) if bare else tokens
        with self._lock:
            return [
                term if (term := known.get(token)) is not None else stem(left.lstrip("."))
                for token, left in zip(tokens, bared, strict=True)
            ]

    def _learn(self, token: str) -> str:
        with self._lock:
            term = self._term(token)
        if len(self._known) < 2_000_000:
            self._known[token] = term
        return term

    def _term(self, token: str) -> str:
        bare = self._bare(token) if self._bare else token
        term: str = self._stem(bare.lstrip("."))
        return term


def stem_of(word: str) -> str:
    """Return the stem of the first token in a word as a parser splits it; "" without any."""
    first = tokens(word)[0][:1]
    return shared_stemmer().terms(first)[0] if first else ""


@cache
def shared_stemmer() -> Stemmer:
    """Return the stemmer of all who read sentences."""
    return Stemmer()
