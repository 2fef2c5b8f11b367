"""Documents that repeat passages of an index.

If several documents have a passage with the same title and text, an index holds that passage for
one of them. It keeps the details of the others separately, so that one of them can replace the
first when that is deleted.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
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
    """Passages, without texts, of documents that repeat another document.

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

    def passages(self) -> Iterator[Passage]:
        """Yield all of them, as they are wanted: most updates want none."""
        yield from repeated_passages(self.table)

    def concerned(self, pids: Iterable[str], documents: Iterable[str]) -> list[Passage]:
        """Return those with one of some ids, or of one of some documents."""
        chosen = is_in(self.table.column("pid"), pids)
        chosen |= is_in(self.table.column("document"), documents)
        return list(repeated_passages(self.table.filter(pa.array(chosen))))

    def but(self, gone: Collection[Passage], new: Sequence[Passage]) -> "Repeats":
        """Remove some and add others; one of the same document takes the place of another."""
        if not (gone or new):
            return self
        came = {holder_of(one): one for one in new}
        lost = set(map(holder_of, gone)) | came.keys()
        table = with_no_texts(self.table)
        columns = (column_values(table, name, "") for name in ("pid", "path", "document"))
        keys = list(zip(*columns, strict=False))
        stays = pa.array([key not in lost for key in keys], pa.bool_())
        there = [came[key] for key in keys if key in came]  # in the order that they had
        known = set(keys)
        every = [*there, *(one for key, one in came.items() if key not in known)]
        order = [at for at, key in enumerate(keys) if key not in lost]
        order += [at for at, key in enumerate(keys) if key in came]
        order += range(len(keys), len(keys) + len(every) - len(there))
        whole = joined([table.filter(stays), passage_table(every, self.fields)])
        in_order = whole.take(
            pa.array(sorted(range(len(order)), key=order.__getitem__), pa.int64())
        )
        return self._replace(table=repeats_table(in_order))


def holder_of(passage: Passage) -> tuple[str, str, str]:
    """Name a passage and the document that says it: by pid, path and id."""
    return passage.pid, passage.path, passage.document
