"""The rule extractor: spaCy parses, and ``dependency_rules`` reads the triples."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice

from hippohover.indexing.triples.dependency_rules import RULES_VERSION, TripleRules
from hippohover.indexing.triples.noun_phrases import NounPhrases
from hippohover.language.parse import Parse
from hippohover.language.spacy_models import ENGLISH, ParserModel
from hippohover.names.sentences import sentence_spans
from hippohover.records import Passage, Triple

MAX_PARSED_CHARS = 20_000
"""Longer texts are parsed in pieces: time and memory grow with the longest piece."""

_PASSAGES_A_BATCH = 256
_TEXTS_A_PARSE = 64
_NOT_TEXT = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff]+")

_LONG_RUN = re.compile(r"[^\w\s]{20}(?=[^\w\s])|\S{200}(?=\S)")
"""Runs that are broken by a blank: spaCy's tokenizer takes quadratic time for a long "word"."""


class SpacyTriples:
    """Rule triple extractor on spaCy's dependency parse of English.

    Parameters
    ----------
    model : str
        Installed spaCy package with a tagger and a parser, or the absolute path of one.

    Raises
    ------
    ModelError
        The model is not installed, or has no tagger or parser.
    """

    name = "spacy"
    version: str

    def __init__(self, model: str = ENGLISH) -> None:
        self._model = ParserModel(model)
        self.version = f"rules-{RULES_VERSION}+{self._model.version}"

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        """Yield the triples of each passage, in the order of the passages.

        A passage's triples depend only on its title and text, not on its neighbours.
        """
        for first in range(0, len(passages), _PASSAGES_A_BATCH):
            yield from self._extract_batch(passages[first : first + _PASSAGES_A_BATCH])

    def _extract_batch(self, passages: Sequence[Passage]) -> list[list[Triple]]:
        texts = [_pieces(passage.text) for passage in passages]
        every = (piece for pieces in texts for piece in pieces)
        with closing(self._model.parses(every, batch_size=_TEXTS_A_PARSE)) as parses:
            return [
                _triples_in(islice(parses, len(pieces)), passage.title)
                for passage, pieces in zip(passages, texts, strict=True)
            ]


def _triples_in(parses: Iterable[Parse], title: str) -> list[Triple]:
    """Read the triples of one passage from the parses of its pieces."""
    triples: list[Triple] = []
    sentence = 0
    topic = ""
    for parse in parses:
        if len(parse):
            parse.repair_verbs_taken_for_names()
            phrases = NounPhrases(parse, title, topic=topic)
            topic = phrases.topic
            triples += TripleRules(parse, phrases).triples(sentence)
            sentence += parse.sentences[-1] + 1
    return triples


def _pieces(text: str) -> list[str]:
    """Split text into pieces that the parser takes, at sentence borders if possible."""
    clean = _LONG_RUN.sub(r"\g<0> ", _NOT_TEXT.sub(" ", text)).strip()
    if len(clean) <= MAX_PARSED_CHARS:
        return [clean]
    pieces: list[str] = []
    start = 0
    end = 0
    for _, stop in sentence_spans(clean):
        if stop - start > MAX_PARSED_CHARS and end > start:
            pieces.append(clean[start:end])
            start = end
        end = stop
    pieces.append(clean[start:])
    return [part for piece in pieces for part in _cut(piece)]


def _cut(piece: str) -> Iterator[str]:
    """Yield parts of an endless sentence, cut at blanks, or anywhere when it has none."""
    while len(piece) > MAX_PARSED_CHARS:
        at = piece.rfind(" ", MAX_PARSED_CHARS // 2, MAX_PARSED_CHARS)
        at = at if at > 0 else MAX_PARSED_CHARS
        yield piece[:at].strip()
        piece = piece[at:].strip()
    yield piece
