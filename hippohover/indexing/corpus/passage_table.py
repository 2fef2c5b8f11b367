"""Passages as tables, for later stages and for the index, complete enough to rebuild.

A column that few corpora have a value for is there only where some passage has one, and null in
the others: millions of passages that have none cost nothing.
"""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat, starmap
from operator import attrgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow
from numpy.typing import NDArray

from hippohover.metadata import MetadataValue
from hippohover.records import Passage, PassageSection
from hippohover.store.tables import JSON_PREFIX, METADATA_PREFIX, IndexTables, kept_value

_ROWS_A_BATCH = 8192
SECTIONS: Final[Any] = pa.list_(
    pa.struct(
        [("heading", pa.large_string()), ("anchor", pa.large_string()), ("n_tokens", pa.int32())]
    )
)
_TEXT, _TEXTS = pa.large_string(), pa.list_(pa.large_string())
_COLUMNS: Final[dict[str, Any]] = {
    "pid": _TEXT, "title": _TEXT, "text": _TEXT, "part": pa.int32(), "start": pa.int64(),
    "links": _TEXTS, "document": _TEXT, "heading": _TEXT, "aliases": _TEXTS,
}  # fmt: skip
_RARE_COLUMNS: Final[dict[str, Any]] = {
    "path": (_TEXT, ""), "page": (pa.int32(), 0), "anchor": (_TEXT, ""), "sections": (SECTIONS, ()),
}  # fmt: skip
"""Those that few corpora have, and what stands for none."""

_ORDER: Final = [field.name for field in dataclasses.fields(Passage)]


def passage_table(  # pyright: ignore[reportUnknownParameterType]
    passages: Sequence[Passage], metadata: Sequence[str] = ()
) -> pa.Table:
    """Make a table with a column for each field of ``Passage``, and for each of its metadata."""
    columns: dict[str, Any] = {
        name: pa.array(list(map(attrgetter(name), passages)), kind)
        for name, kind in _COLUMNS.items()
    }
    for name, (kind, _) in _RARE_COLUMNS.items():
        values: list[Any] = [getattr(passage, name) or None for passage in passages]
        if kind is SECTIONS:
            values = [some and [section._asdict() for section in some] for some in values]
        columns[name] = pa.array(values, kind)
    for at, name in enumerate(metadata):
        kept = [passage.metadata[at] for passage in passages]
        is_json = [None if value is None or isinstance(value, str) else True for value in kept]
        texts = [json.dumps(v) if j else v for v, j in zip(kept, is_json, strict=True)]
        columns[f"{METADATA_PREFIX}{name}"] = pa.array(texts, pa.large_string())
        columns[f"{JSON_PREFIX}{name}"] = pa.array(is_json, pa.bool_())
    return settled(pa.table(columns))


def joined(tables: Sequence[pa.Table]) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
    """Join such tables."""
    return pa.concat_tables(tables, promote_options="default")


def settled(table: pa.Table) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
    """Drop columns without values and sort the others: equal passages, equal tables."""
    names: list[str] = table.column_names
    rare = [name for name in names if name in _RARE_COLUMNS or name.startswith(JSON_PREFIX)]
    filled = [name for name in rare if table.column(name).null_count < len(table)]
    return table.select([*(name for name in names if name not in rare), *sorted(filled)])


def repeats_table(table: pa.Table) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
    """Make a table of passages without texts, which others of their ids have; one a document.

    By ids, and of those of one id in the order in which a build reads them: files as
    ``place_in_folder`` says, and what is in none, or in one, as it comes here.
    """
    names = ("pid", "path", "document")
    keys = list(zip(*(column_values(table, name, "") for name in names), strict=False))
    first = {key: row for row, key in reversed(list(enumerate(keys)))}
    order = sorted(first, key=lambda key: (key[0], place_in_folder(key[1]), first[key]))
    chosen = table.take(pa.array([first[key] for key in order], pa.int64()))
    return settled(chosen.drop_columns(["text"]).combine_chunks())


def place_in_folder(path: str) -> tuple[str, ...]:
    """Return what files are sorted by as a build reads a folder: its entries by their names."""
    return tuple(path.split("/"))


def repeated_passages(table: pa.Table) -> Iterator[Passage]:  # pyright: ignore[reportUnknownParameterType]
    """Yield the passages that such a table was made of, without their texts."""
    return passages_in(with_no_texts(table))


def with_no_texts(table: pa.Table) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
    """Replace a table's texts by empty ones."""
    return table.append_column("text", pa.array([""] * len(table), pa.large_string()))


def passages_in(table: pa.Table) -> Iterator[Passage]:  # pyright: ignore[reportUnknownParameterType]
    """Yield the passages that such a table was made of, in its order."""
    fields = [name for name in table.column_names if name.startswith(METADATA_PREFIX)]
    for batch in table.to_batches(_ROWS_A_BATCH):
        kept = [kept_values(batch, name.removeprefix(METADATA_PREFIX)) for name in fields]
        columns: dict[str, Iterable[Any]] = {
            name: batch.column(name).to_pylist() for name in _COLUMNS
        }
        for name, (_, none) in _RARE_COLUMNS.items():
            columns[name] = column_values(batch, name, none)
        for name in ("links", "aliases"):
            columns[name] = map(tuple, columns[name])
        columns["sections"] = map(_as_sections, columns["sections"])
        columns["metadata"] = zip(*kept, strict=True) if kept else repeat((), len(batch))
        yield from starmap(Passage, zip(*map(columns.__getitem__, _ORDER), strict=True))


def _as_sections(rows: Iterable[dict[str, Any]]) -> tuple[PassageSection, ...]:
    return tuple(PassageSection(**row) for row in rows)


def kept_values(
    table: Any,  # noqa: ANN401  (Arrow has no types)
    name: str,
) -> list[MetadataValue | None]:
    """Return values of a field that is kept, one per passage of a table or a batch."""
    texts = table.column(f"{METADATA_PREFIX}{name}").to_pylist()
    flags = column_values(table, f"{JSON_PREFIX}{name}", False)
    return [
        None if text is None else kept_value(text, is_json=is_json)
        for text, is_json in zip(texts, flags, strict=True)
    ]


def column_values(table: Any, name: str, none: Any) -> Iterable[Any]:  # noqa: ANN401
    """Return a column of such a table, one value per passage; ``none`` for missing ones."""
    if name not in table.schema.names:
        return repeat(none, len(table))
    return (none if value is None else value for value in table.column(name).to_pylist())


def stored_passages(tables: IndexTables) -> Iterator[Passage]:
    """Yield the passages of an index that exist, in its order."""
    documents = tables.arrays.documents[: tables.passages.num_rows]
    texts = iter(map(tables.texts.__getitem__, np.flatnonzero(documents >= 0).tolist()))
    for batch in tables.living.to_batches(_ROWS_A_BATCH):
        of_batch = pa.array(list(islice(texts, len(batch))), pa.large_string())
        yield from passages_in(pa.Table.from_batches([batch]).append_column("text", of_batch))


def is_in(values: Any, some: Any) -> NDArray[np.bool_]:  # noqa: ANN401  (Arrow has no types)
    """Return whether each of the first strings is among the second, shape (len(values),)."""
    strings = [
        one
        if isinstance(one, pa.ChunkedArray)
        else pa.chunked_array([list(one)], pa.large_string())
        for one in (values, some)
    ]
    options = arrow.SetLookupOptions(strings[1].combine_chunks())
    return arrow.call_function("is_in", [strings[0]], options).to_numpy()
