"""An index before a change, and the test whether the change is small."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, rough_count
from hippohover.indexing.corpus.passage_table import is_in, passages_in
from hippohover.language.stemming import Stemmer
from hippohover.lexical import NO_TERM, rough_mean
from hippohover.names.key_table import key_hashes
from hippohover.names.normal_forms import tokens
from hippohover.records import Passage
from hippohover.store.segments.revision import Revision


class NotSmallError(Exception):
    """The change is not small and needs a build; says why."""


class Standing:
    """An index before a change, and the changed passages.

    Parameters
    ----------
    revision : Revision
    new : sequence of Passage
        Those that come, by their ids.
    gone : sequence of int
        Ids of those that go, as numbers.

    Attributes
    ----------
    arrays : IndexArrays
    new_keys : list of int
        Ids of those that come, as numbers.
    gone : set of int
        Rows of those that go.
    changed : list of Passage
        Those that come and those that go.
    """

    def __init__(self, revision: Revision, new: Sequence[Passage], gone: Sequence[int]) -> None:
        self.revision = revision
        self.tables = revision.tables(whole=False)
        self.arrays = self.tables.arrays
        self.new = new
        self.new_keys = [int(passage.pid, 16) for passage in new]
        self.gone = set(revision.rows_of(gone).tolist())
        self.stemmer = Stemmer()
        self._check()
        self.changed = [*self.passages(sorted(self.gone)), *new]

    def _check(self) -> None:
        """Raise ``NotSmallError`` where a change of passages affects all others."""
        n = self.arrays.n_passages
        n_after = n + len(self.new) - len(self.gone)
        if rough_count(n) != rough_count(n_after):
            raise NotSmallError("the number of passages, as it is rounded, changed")
        if self.revision.n_used + len(self.new) > self.revision.n_rows:
            raise NotSmallError("no spare row is left for new passages")
        n_terms = int(self.arrays.term_count[0]) + sum(map(self._n_terms, self.new))
        for row in self.gone:
            own = slice(*self.arrays.term_indptr[row : row + 2])
            n_terms -= int(np.count_nonzero(self.arrays.terms[own] != NO_TERM))
        if rough_mean(n_terms / max(n_after, 1)) != self.revision.mean:
            raise NotSmallError("the mean length of passages, as it is rounded, changed")
        if self.arrays.name_affixes.tobytes().strip(b"\0"):
            raise NotSmallError("names have affixes")

    def _n_terms(self, passage: Passage) -> int:
        texts = (passage.title, passage.heading, passage.text)
        return sum(sum(map(bool, self.stemmer.terms(tokens(text)[0]))) for text in texts)

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """Return passages of some rows, in their order."""
        if not rows:
            return []
        every = self.tables.passages  # ``take`` would copy all of it
        table = pa.concat_tables([every.slice(row, 1) for row in rows])
        texts = pa.array([self.tables.texts[row] for row in rows], pa.large_string())
        return list(passages_in(table.append_column("text", texts)))

    def stays(self) -> NDArray[np.bool_]:
        """Return whether each row holds a passage that stays."""
        stays = self.arrays.documents >= 0
        stays[sorted(self.gone)] = False
        return stays

    def rows_equal(self, column: str, value: str) -> list[int]:
        """Return rows of passages that stay, with that value."""
        rows = self.tables.rows_equal(column, value).tolist() if value else []
        return [row for row in rows if row not in self.gone]

    def rows_among(self, values: Mapping[str, Collection[str]]) -> list[int]:
        """Return rows of passages that stay, with one of some values in one of some columns."""
        chosen = self.stays()[: self.tables.passages.num_rows]
        table, found = self.tables.passages, np.zeros(len(chosen), np.bool_)
        for column, some in values.items():
            if some:
                found |= is_in(table.column(column), sorted(some))
        return np.flatnonzero(chosen & found).tolist()

    def number(self, key: str) -> int:
        """Return the number of the entity of a key; -1 without one."""
        return int(self.revision.numbers("name", key_hashes([key]))[0])

    def is_known(self, number: int) -> bool:
        """Return whether an entity is a known name."""
        standing = self.revision.view("entity_standing")
        return number >= 0 and bool(standing[number] == KNOWN)

    def written(self, number: int) -> str:
        """Return the spelling of an entity."""
        return self.revision.written(number)
