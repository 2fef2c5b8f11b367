"""Passages as a build hands them on, and an index stores them: enough to build from them again."""

from collections.abc import Iterator, Sequence
from itertools import islice

import pyarrow as pa

from hippohover.records import Passage, PassageId
from hippohover.store.tables import METADATA_PREFIX, IndexTables

_ROWS_A_BATCH = 8192
_FIELDS = ("pid", "title", "text", "part", "start", "links", "document", "heading", "aliases")


def passage_table(  # pyright: ignore[reportUnknownParameterType]
    passages: Sequence[Passage], metadata: Sequence[str] = ()
) -> pa.Table:
    """Table with a column for each field of ``Passage``, and for each name of its metadata."""
    kept = {
        f"{METADATA_PREFIX}{name}": pa.array([p.metadata[at] for p in passages], pa.large_string())
        for at, name in enumerate(metadata)
    }
    return pa.table(
        {
            "pid": pa.array([p.pid for p in passages], pa.large_string()),
            "title": pa.array([p.title for p in passages], pa.large_string()),
            "text": pa.array([p.text for p in passages], pa.large_string()),
            "part": pa.array([p.part for p in passages], pa.int32()),
            "start": pa.array([p.start for p in passages], pa.int64()),
            "links": pa.array([p.links for p in passages], pa.list_(pa.large_string())),
            "document": pa.array([p.document for p in passages], pa.large_string()),
            "heading": pa.array([p.heading for p in passages], pa.large_string()),
            "aliases": pa.array([p.aliases for p in passages], pa.list_(pa.large_string())),
            **kept,
        }
    )


def passages_in(table: pa.Table) -> Iterator[Passage]:  # pyright: ignore[reportUnknownParameterType]
    """The passages that such a table was made of, in its order."""
    kept = [name for name in table.column_names if name.startswith(METADATA_PREFIX)]
    for batch in table.to_batches(_ROWS_A_BATCH):
        columns = [batch.column(name).to_pylist() for name in (*_FIELDS, *kept)]
        for pid, title, text, part, start, links, document, heading, aliases, *metadata in zip(
            *columns, strict=True
        ):
            yield Passage(
                PassageId(pid),
                title,
                text,
                part=part,
                start=start,
                links=tuple(links),
                metadata=tuple(metadata),
                document=document,
                heading=heading,
                aliases=tuple(aliases),
            )


def stored_passages(tables: IndexTables) -> Iterator[Passage]:
    """The passages of an index, in its order."""
    texts = iter(tables.texts)
    for batch in tables.passages.to_batches(_ROWS_A_BATCH):
        of_batch = pa.array(list(islice(texts, len(batch))), pa.large_string())
        yield from passages_in(pa.Table.from_batches([batch]).append_column("text", of_batch))
