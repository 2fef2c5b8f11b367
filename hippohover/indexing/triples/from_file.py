"""Triples from HippoRAG's ``openie_results_*.json``, found by the passage's text."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from hippohover.indexing.triples.extractor import placed_triples
from hippohover.records import Passage, Triple

RawTriple = tuple[str, str, str]

_PARTS: Final = 3
_WORDS: Final = 6  # by which entries are looked up


class _Entry(NamedTuple):
    """A passage of the file, on one line, and its triples."""

    text: str
    triples: tuple[RawTriple, ...]


class FileTriples:
    """Triples of a file; a ``TripleExtractor``.

    A passage has those of the entry that is its title and text, or its text; a part of a longer
    one has those of its subjects and objects. One that has no entry has no triples.

    Parameters
    ----------
    entries : iterable of mapping
        ``{"passage": "title\\ntext", "extracted_triples": [[subject, predicate, object], ...]}``.
    digest : str
        Of the file that they are from.

    Attributes
    ----------
    n_entries, n_unusable : int
        Entries with a passage; entries without, and triples that are not of three texts.
    """

    name = "file"

    def __init__(self, entries: Iterable[Mapping[str, object]], *, digest: str) -> None:
        self.version = f"file-1-{digest[:12]}"
        self.n_entries = self.n_unusable = 0
        self._by_beginning: dict[str, list[_Entry]] = {}
        for entry in entries:
            self._take(entry)

    def __contains__(self, passage: Passage) -> bool:
        return self._triples(passage) is not None

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple]]:
        """Yield the triples of each passage."""
        for passage in passages:
            yield placed_triples(passage.text, self._triples(passage) or ())

    def _take(self, entry: Mapping[str, object]) -> None:
        text, triples = entry.get("passage"), entry.get("extracted_triples")
        if not isinstance(text, str) or not isinstance(triples, list):
            self.n_unusable += 1
            return
        raw = cast("list[object]", triples)
        whole = tuple(triple for triple in map(_raw_triple, raw) if triple is not None)
        self.n_unusable += len(raw) - len(whole)
        self.n_entries += 1
        taken = _Entry(_one_line(text), whole)
        for beginning in {_first_line(text), _first_words(taken.text)}:
            self._by_beginning.setdefault(beginning, []).append(taken)

    def _triples(self, passage: Passage) -> Sequence[RawTriple] | None:
        """Return the triples of the entry that equals the passage, or holds it; else None."""
        text = _one_line(passage.text)
        titled = _one_line(f"{passage.title}\n{passage.text}")
        # A text that is broken into lines elsewhere begins with another line, but the same words.
        lines = (_one_line(passage.title), _first_line(passage.text))
        beginnings = dict.fromkeys((*lines, _first_words(titled), _first_words(text)))
        entries = [entry for words in beginnings for entry in self._by_beginning.get(words, ())]
        for entry in entries:
            if entry.text in (titled, text):
                return entry.triples
        longer = next((entry for entry in entries if text in entry.text), None)
        if longer is None:
            return None
        named = titled.casefold()
        return [
            triple
            for triple in longer.triples
            if triple[0].casefold() in named and triple[2].casefold() in named
        ]


def _raw_triple(triple: object) -> RawTriple | None:
    parts = cast("list[object]", triple) if isinstance(triple, list) else []
    texts = [" ".join(part.split()) for part in parts if isinstance(part, str)]
    if len(parts) != _PARTS or len(texts) != _PARTS or not all(map(_can_be_written, texts)):
        return None
    return texts[0], texts[1], texts[2]


def _can_be_written(text: str) -> bool:
    return bool(text) and text == text.encode("utf-8", "ignore").decode()


def _first_line(text: str) -> str:
    return _one_line(text.lstrip().partition("\n")[0])


def _first_words(line: str) -> str:
    return " ".join(line.split(" ", _WORDS)[:_WORDS])


def _one_line(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))
