"""The rule extractor: spaCy parses, and ``dependency_rules`` reads the triples."""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version as package_version
from typing import TYPE_CHECKING

from hippohover.indexing.triples.dependency_parse import DependencyParse
from hippohover.indexing.triples.dependency_rules import RULES_VERSION, TripleRules
from hippohover.indexing.triples.noun_phrases import NounPhrases
from hippohover.names.spacy_models import ENGLISH, load_parser
from hippohover.records import Passage, Triple

if TYPE_CHECKING:
    from spacy.tokens import Doc

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
        Installed spaCy package with a tagger and a parser, or the path of one.

    Raises
    ------
    ModelError
        The model is not installed, or has no tagger or parser.
    """

    name = "spacy"
    version: str

    def __init__(self, model: str = ENGLISH) -> None:
        self._nlp = load_parser(model)
        meta = self._nlp.meta
        model_version = f"{meta['lang']}_{meta['name']}-{meta['version']}"
        self.version = f"rules-{RULES_VERSION}+spacy-{package_version('spacy')}+{model_version}"
        self._labels: dict[int, str] = {}

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        """Yield the triples of each passage, in the order of the passages.

        A passage's triples depend only on its title and text, not on its neighbours.
        """
        for first in range(0, len(passages), _PASSAGES_A_BATCH):
            yield from self._extract_batch(passages[first : first + _PASSAGES_A_BATCH])

    def _extract_batch(self, passages: Sequence[Passage]) -> list[list[Triple]]:
        texts = [_pieces(passage.text) for passage in passages]
        triples: list[list[Triple]] = []
        with self._nlp.memory_zone():  # else the vocabulary grows with the corpus
            docs = self._nlp.pipe(
                (piece for pieces in texts for piece in pieces), batch_size=_TEXTS_A_PARSE
            )
            for passage, pieces in zip(passages, texts, strict=True):
                triples.append(self._read([next(docs) for _ in pieces], passage.title))
        return triples

    def _read(self, docs: "list[Doc]", title: str) -> list[Triple]:
        triples: list[Triple] = []
        sentence = 0
        topic = ""
        for doc in docs:
            if not len(doc):
                continue
            parse = self._parse_of(doc)
            phrases = NounPhrases(parse, title, topic=topic)
            topic = phrases.topic
            triples += TripleRules(parse, phrases).triples(sentence)
            sentence += parse.sentences[-1] + 1
        return triples

    def _parse_of(self, doc: "Doc") -> DependencyParse:
        from spacy.attrs import DEP, HEAD, IDX, LENGTH, SENT_START, TAG

        table = doc.to_array([HEAD, DEP, TAG, IDX, LENGTH, SENT_START]).astype("int64").T
        offsets, deps, tags, starts, lengths, begins = table.tolist()
        text = doc.text
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        begins[0] = 0
        sentence = 0
        sentences: list[int] = []
        for begin in begins:
            sentence += begin == 1
            sentences.append(sentence)
        return DependencyParse(
            text=text,
            starts=starts,
            ends=ends,
            words=[text[start:end] for start, end in zip(starts, ends, strict=True)],
            tags=[self._label(tag) for tag in tags],
            deps=[self._label(dep) for dep in deps],
            heads=[token + offset for token, offset in enumerate(offsets)],
            sentences=sentences,
        )

    def _label(self, code: int) -> str:
        label = self._labels.get(code)
        if label is None:
            label = self._labels[code] = self._nlp.vocab.strings[code % 2**64] if code else ""
        return label


def _pieces(text: str) -> list[str]:
    """Split text into pieces that the parser takes, at sentence borders if possible."""
    clean = _LONG_RUN.sub(r"\g<0> ", _NOT_TEXT.sub(" ", text)).strip()
    if len(clean) <= MAX_PARSED_CHARS:
        return [clean]
    from hippohover.names.sentences import sentence_spans

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
