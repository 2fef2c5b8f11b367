"""Who else says what the passages of an index say.

Of documents that have a passage of one title and text an index holds the passage of one. What the
others say of themselves it keeps beside, so that one of them takes the place when that one goes.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple, Self

import pyarrow as pa

from hippohover.indexing.corpus.passage_table import (
    column_values,
    is_in,
    joined,
    passage_table,
    repeated_passages,
    repeats_table,
    with_no_texts,
)
from hippohover.records import Passage
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.files import repeats_of


class Repeats(NamedTuple):
    """Passages without texts, of documents that say what another document of an index says.

    Attributes
    ----------
    table : pyarrow.Table
        As ``repeats_table`` makes it.
    fields : sequence of str
        Names of the fields that are kept of documents.
    """

    table: Any
    fields: Sequence[str]

    @classmethod
    def of(cls, stored: StoredIndex, fields: Sequence[str]) -> Self:
        """Read those of a version."""
        table = repeats_of(stored)
        return cls(repeats_table(passage_table([], fields)) if table is None else table, fields)

    def passages(self) -> list[Passage]:
        """Yield all of them."""
        return list(repeated_passages(self.table))

    def concerned(self, pids: Iterable[str], documents: Iterable[str]) -> list[Passage]:
        """Return those with one of some ids, or of one of some documents."""
        chosen = is_in(self.table.column("pid"), pids)
        chosen |= is_in(self.table.column("document"), documents)
        return list(repeated_passages(self.table.filter(pa.array(chosen))))

    def but(self, gone: Collection[Passage], new: Collection[Passage]) -> "Repeats":
        """Remove some and add others; return the same object where that changes nothing."""
        gone, new = set(gone) - set(new), set(new) - set(gone)
        if not (gone or new):
            return self
        table = with_no_texts(self.table)
        lost = set(map(_key, gone))
        columns = (column_values(table, name, "") for name in ("pid", "path", "document"))
        stays = pa.array([key not in lost for key in zip(*columns, strict=False)], pa.bool_())
        came = passage_table(list(new), self.fields)
        return self._replace(table=repeats_table(joined([table.filter(stays), came])))


def _key(passage: Passage) -> tuple[str, str, str]:
    return passage.pid, passage.path, passage.document
