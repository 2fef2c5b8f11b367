"""Which section of a passage an answer cites: the one that holds most of what is asked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.lexical import Stemmer
from hippohover.metadata import MetadataValue
from hippohover.names.normal_forms import tokens
from hippohover.store.tables import IndexTables


@dataclass(frozen=True, slots=True)
class Citing:
    """What is told of passages where some terms are asked for.

    Attributes
    ----------
    tables : IndexTables
    terms : ndarray of int64, shape (n,)
        Numbers of the claim's terms; none where there is no claim.
    """

    tables: IndexTables
    terms: NDArray[np.int64]

    @classmethod
    def of_claim(cls, tables: IndexTables, claim: str) -> "Citing":
        """What is told of passages as evidence of a claim."""
        terms = Stemmer().terms(tokens(claim)[0]) if tables.has_sections else ()
        return cls(tables, tables.arrays.lexical.query_terms(terms))

    def metadata_of(self, row: int) -> dict[str, MetadataValue]:
        """``IndexTables.metadata_of``, with heading and anchor of the section that answers.

        That is the one with most of the terms; a term counts less the more sections of the passage
        have it. Of equals it is the first.
        """
        told = self.tables.metadata_of(row)
        sections = self.tables.sections_of(row) if len(self.terms) else ()
        best = self._best(row, [section.n_tokens for section in sections]) if sections else 0
        if not best:
            return told
        section = sections[best - 1]
        own = {"anchor": section.anchor, "heading": section.heading}
        return {name: value for name, value in (told | own).items() if value or name not in own}

    def _best(self, row: int, n_tokens: list[int]) -> int:
        """Number of a section, of which 0 is the one that the passage begins in."""
        arrays = self.tables.arrays
        begin, end = arrays.term_indptr[row : row + 2].tolist()
        own = arrays.terms[begin + arrays.title_lengths[row] : end]
        found = np.minimum(np.searchsorted(self.terms, own), len(self.terms) - 1)
        at = np.flatnonzero(self.terms[found] == own)
        begins = len(own) - np.cumsum(n_tokens[::-1])[::-1]  # counted from the text's end
        holds = np.zeros((len(n_tokens) + 1, len(self.terms)))
        holds[np.searchsorted(begins, at, side="right"), found[at]] = 1
        return int(np.argmax(holds @ (1 / np.maximum(holds.sum(axis=0), 1))))
