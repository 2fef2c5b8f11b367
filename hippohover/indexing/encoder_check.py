"""Whether an encoder knows the words of a corpus: sentences, taken out of it, look for the rest.

Without a label or a model: a sentence is taken out of its passage, and asked. The encoder counts
where its vectors find the rest of the passage half as often as BM25 does, or more. An encoder
of English finds next to nothing in Chinese, and its list, its seeds and its similarities would
push aside what words and names find.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.stemming import Stemmer
from hippohover.lexical import NO_TERM, saturation_of
from hippohover.names.affixes import Stems
from hippohover.names.normal_forms import tokens
from hippohover.names.sentences import sentence_spans
from hippohover.store.tables import IndexTables, passage_text
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.unit_vectors import UnitVectors

COUNTS: Final = (
    "n_sentences_asked",
    "n_found_by_words",
    "n_found_by_vectors",
    "n_texts_read",
    "n_texts_beyond_ascii",
)
"""Names of what is counted, in a manifest."""
_ROUNDING: Final = 1e-3  # of the codes that vectors are stored as
_MOST_ASKED: Final = 200
_SHARE_ASKED: Final = 4  # one passage in as many at most, so that small corpora build as fast
_MOST_COMPARED: Final = 20_000
_PASSAGES_TRIED: Final = 5
_FEWEST_TOKENS: Final = 5
_MOST_TOKENS: Final = 60


def sentences_found(tables: IndexTables, encoder: Encoder) -> dict[str, int]:
    """Return how many sentences were asked, and found by BM25 and by vectors; and what was read.

    Found is what is among the first tenth of the passages, or the first 21. Which sentences are
    asked depends on the passages alone, and not on their order. Of the texts that were looked at
    for them, those are counted apart whose letters are mostly beyond ASCII.
    """
    arrays = tables.arrays
    rows = np.flatnonzero(arrays.documents >= 0)
    rows = rows[np.argsort(arrays.passage_keys[rows])]
    n = min(_MOST_ASKED, len(rows) // _SHARE_ASKED)
    asked = _Asked(tables, rows[: _PASSAGES_TRIED * _MOST_ASKED], n)
    places = asked.places
    depth = max(min(21, len(rows) // 10), 1)
    compared = np.sort(rows[-_MOST_COMPARED:])
    read = (asked.n_read, asked.n_beyond_ascii)
    if not places:
        return dict(zip(COUNTS, (0, 0, 0, *read), strict=True))
    sentences = encoder.encode([sentence for _, sentence, _ in places])
    rests = UnitVectors.of(encoder.encode([rest for _, _, rest in places]))
    own = (rests[:] * sentences).sum(axis=1)
    nearer = arrays.passage_vectors[compared] @ sentences.T >= own - _ROUNDING
    by_words = by_vectors = 0
    for at, (row, sentence, rest) in enumerate(places):
        others = compared != row
        scores, score = asked.by_words(sentence, rest)
        by_words += score > 0 and np.count_nonzero(scores[compared[others]] >= score) < depth
        n_nearer = np.count_nonzero(nearer[others, at])
        by_vectors += bool(sentences[at].any()) and n_nearer < depth
    found = (len(places), int(by_words), int(by_vectors))
    return dict(zip(COUNTS, (*found, *read), strict=True))


class _Asked:
    """``n`` sentences of some passages, and what is left of each without it."""

    def __init__(self, tables: IndexTables, rows: NDArray[np.int64], n: int) -> None:
        self._lexical = tables.arrays.lexical
        self._stemmer = Stemmer(Stems.of_bytes(tables.arrays.name_affixes))
        n_terms = int(np.count_nonzero(self._lexical.terms != NO_TERM))
        self._mean_length = n_terms / max(tables.arrays.n_passages, 1)
        titles, headings = (tables.passages.column(name) for name in ("title", "heading"))
        self.places: list[tuple[int, str, str]] = []
        self.n_read, self.n_beyond_ascii = len(rows), 0
        for row in rows.tolist():
            text = tables.texts[row]
            self.n_beyond_ascii += not text.isascii() and _is_beyond_ascii(text)
            if len(self.places) == n:
                continue
            spans = [
                span
                for span in sentence_spans(text)
                if _FEWEST_TOKENS <= len(tokens(text[slice(*span)])[0]) <= _MOST_TOKENS
            ]
            if len(spans) > 1:
                start, stop = spans[int(tables.arrays.passage_keys[row]) % len(spans)]
                rest = f"{text[:start]} {text[stop:]}"
                rest = passage_text(titles[row].as_py(), headings[row].as_py(), rest)
                self.places.append((row, text[start:stop], rest))

    def by_words(self, sentence: str, rest: str) -> tuple[NDArray[np.float32], float]:
        """Return BM25 of every passage for a sentence, and that of what is left of its own."""
        lexical = self._lexical
        wanted = lexical.query_terms(self._stemmer.terms(tokens(sentence)[0]))
        held = lexical.term_sequence(self._stemmer.terms(tokens(rest)[0]))
        frequency = np.count_nonzero(held[:, None] == wanted, axis=0)
        saturation = saturation_of(np.array([len(held)]), self._mean_length)
        gains = frequency / (frequency + saturation)
        return lexical.scores(wanted), float(lexical.idf(wanted) @ gains)


def _is_beyond_ascii(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(map(str.isascii, letters)) < len(letters)
