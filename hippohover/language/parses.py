"""Parses sentences by spaCy where it is installed: part of speech and head of each word."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from hippohover.errors import ModelError
from hippohover.language.stemming import Stemmer
from hippohover.names.normal_forms import tokens
from hippohover.names.spacy_models import load_parser

_KEPT: Final = 2000
MAX_CHARS: Final = 2000
"""Of a sentence that is parsed: one that is longer is no sentence."""


@dataclass(frozen=True, slots=True)
class Parse:
    """A parsed sentence: the data on each of its words.

    Attributes
    ----------
    stems : tuple of str
        "" for what tells nothing.
    tags, arcs : tuple of str
        Parts of speech, and kinds of arcs to the head, as spaCy's English models name them.
    heads : tuple of int
        Place of each word's head; a root is its own.
    spans : tuple of (int, int)
        First character of each word, and the one behind it.
    """

    stems: tuple[str, ...]
    tags: tuple[str, ...]
    arcs: tuple[str, ...]
    heads: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


class Parser:
    """Parses sentences, and caches the last 2,000; safe from several threads.

    Raises
    ------
    ModelError
        spaCy or its English model is not installed.
    """

    def __init__(self) -> None:
        try:
            self._nlp: Any = load_parser()
        except ModelError as error:
            raise ModelError("spaCy is not installed: pip install 'hippohover[spacy]'") from error
        self._stemmer = Stemmer()
        self._known: OrderedDict[str, Parse] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, sentences: Sequence[str]) -> list[Parse]:
        """Return the parse of each sentence, cut at 2,000 characters."""
        cut = [sentence[:MAX_CHARS] for sentence in sentences]
        with self._lock:
            new = [text for text in dict.fromkeys(cut) if text not in self._known]
            with self._nlp.memory_zone():
                read = [self._read(doc) for doc in self._nlp.pipe(new, batch_size=32)]
            found = {**{text: self._known[text] for text in cut if text in self._known}}
            found |= dict(zip(new, read, strict=True))
            self._known.update(found)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return [found[text] for text in cut]

    def _read(self, doc: Any) -> Parse:  # noqa: ANN401  (spaCy is imported in one file)
        return Parse(
            stems=tuple(self._stem(token.text) for token in doc),
            tags=tuple(token.tag_ for token in doc),
            arcs=tuple(token.dep_ for token in doc),
            heads=tuple(token.head.i for token in doc),
            spans=tuple((token.idx, token.idx + len(token.text)) for token in doc),
        )

    def _stem(self, word: str) -> str:
        first = tokens(word)[0][:1]
        return self._stemmer.terms(first)[0] if first else ""
