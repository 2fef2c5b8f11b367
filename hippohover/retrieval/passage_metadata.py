"""Choose the section that an answer cites: the one with most of the query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.stemming import Stemmer
from hippohover.metadata import MetadataValue
from hippohover.names.affixes import Stems
from hippohover.names.normal_forms import tokens
from hippohover.retrieval.where import Condition, meets, text_column
from hippohover.store.tables import IndexTables

_TOLD: Final = ("heading", "anchor")


@dataclass(frozen=True, slots=True)
class PassageMetadata:
    """Metadata of passages for a query of some terms.

    Attributes
    ----------
    tables : IndexTables
    terms : ndarray of int64, shape (n,)
        Numbers of the claim's terms; none where there is no claim.
    conditions : tuple of Condition
        On headings and anchors: a section that meets them is told before one that does not.
    """

    tables: IndexTables
    terms: NDArray[np.int64]
    conditions: tuple[Condition, ...] = ()

    @classmethod
    def of_claim(
        cls, tables: IndexTables, claim: str, where: Sequence[Condition] = ()
    ) -> "PassageMetadata":
        """Return metadata of passages as evidence of a claim with conditions."""
        stemmer = Stemmer(Stems.of_bytes(tables.arrays.name_affixes))
        terms = stemmer.terms(tokens(claim)[0]) if tables.has_sections else ()
        conditions = tuple(one for one in where if one.field in _TOLD)
        return cls(tables, tables.arrays.lexical.query_terms(terms), conditions)

    def metadata_of(self, row: int) -> dict[str, MetadataValue]:
        """Return ``IndexTables.metadata_of``, with heading and anchor of the section.

        That is the one with most of the terms; a term counts less the more sections of the passage
        have it. Of equals it is the first.
        """
        told = self.tables.metadata_of(row)
        sections = self.tables.sections_of(row)
        if not sections:
            return told
        parts = [told, *(section._asdict() for section in sections)]
        shares = self._shares(row, [section.n_tokens for section in sections])
        best = int(np.argmax(shares + len(self.terms) * self._met(parts)))
        if not best:
            return told
        section = sections[best - 1]
        own = {"anchor": section.anchor, "heading": section.heading}
        return {name: value for name, value in (told | own).items() if value or name not in own}

    def _met(self, parts: Sequence[Mapping[str, MetadataValue]]) -> NDArray[np.bool_]:
        """Return whether each section meets its conditions."""
        met = np.ones(len(parts), np.bool_)
        for condition in self.conditions:
            values = [str(part.get(condition.field, "")) for part in parts]
            met &= meets(text_column(values), condition) != condition.negated
        return met

    def _shares(self, row: int, n_tokens: list[int]) -> NDArray[np.float64]:
        """Return the share of the terms in each section; the passage begins in the first."""
        if not len(self.terms):
            return np.zeros(len(n_tokens) + 1)
        arrays = self.tables.arrays
        begin, end = arrays.term_indptr[row : row + 2].tolist()
        own = arrays.terms[begin + arrays.title_lengths[row] : end]
        found = np.minimum(np.searchsorted(self.terms, own), len(self.terms) - 1)
        at = np.flatnonzero(self.terms[found] == own)
        begins = len(own) - np.cumsum(n_tokens[::-1])[::-1]  # counted from the text's end
        holds = np.zeros((len(n_tokens) + 1, len(self.terms)))
        holds[np.searchsorted(begins, at, side="right"), found[at]] = 1
        return holds @ (1 / np.maximum(holds.sum(axis=0), 1))
