"""Named columns in a file, in which build stages pass on their results.

A file holds named columns of numbers or strings, each of its own length. It gets its name once it
is complete and on the disk, so a build that continues can trust it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc

from hippohover.disk import door
from hippohover.disk.arrow_files import read_arrow
from hippohover.disk.errors import reads, writes

Item = TypeVar("Item")
Number = TypeVar("Number", bound=np.generic)


def save_columns(path: Path, columns: Mapping[str, NDArray[Any] | Sequence[str]]) -> None:
    """Write columns; numbers of several dimensions are written flat.

    Raises
    ------
    IndexStoreError
        The disk is full, or the folder cannot be written to.
    """
    lists: dict[str, Any] = {}
    for name, values in columns.items():
        is_array = isinstance(values, np.ndarray)
        flat = pa.array(values.reshape(-1)) if is_array else pa.array(values, pa.large_string())
        offsets = pa.array([0, len(flat)], pa.int64())
        lists[name] = pa.LargeListArray.from_arrays(offsets, flat)
    save_table(path, pa.table(lists))


def save_table(path: Path, table: pa.Table) -> None:  # pyright: ignore[reportUnknownParameterType]
    """Write a table as an Arrow file; raises the errors of ``save_columns``."""
    with writes(path):
        door.make_folder(path.parent)
        with (
            door.written(path, synced=True) as file,
            ipc.new_file(file, table.schema) as sink,
        ):
            sink.write_table(table)


def open_table(path: Path) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
    """Open a table over a memory map; ``IndexDamagedError`` when it cannot be read."""
    with reads(path, pa.ArrowException):
        table = read_arrow(door.mapped(path))
        table.validate(full=True)
        return table


def joined_strings(parts: Sequence[Any]) -> pa.Array:  # pyright: ignore[reportUnknownParameterType]
    """Join columns of strings into one array, large_string."""
    return pa.concat_arrays([pa.array([], pa.large_string()), *parts])


class Columns:
    """Columns of one file, over a memory map."""

    def __init__(self, path: Path) -> None:
        self._table = open_table(path)

    def numbers(self, name: str, kind: type[Number], *, width: int = 0) -> NDArray[Number]:
        """Return the numbers of a column, as rows of ``width`` when that is not 0."""
        column = self._values(name)
        if column.type != pa.from_numpy_dtype(kind):
            raise ValueError(f"column {name} is of the type {column.type}")
        values = column.to_numpy(zero_copy_only=False)
        return cast("NDArray[Number]", values.reshape(-1, width) if width else values)

    def strings(self, name: str) -> pa.Array:  # pyright: ignore[reportUnknownParameterType]
        """Return the strings of a column, large_string."""
        return self._values(name)

    def copied(self, name: str) -> Any:  # noqa: ANN401
        """Return a copy of a column: a list of strings, or an array of numbers as they are."""
        column = self._values(name)
        is_text = pa.types.is_large_string(column.type)
        return column.to_pylist() if is_text else column.to_numpy(zero_copy_only=False).copy()

    def _values(self, name: str) -> Any:  # noqa: ANN401  (Arrow has no types)
        if self._table.column_names.count(name) != 1 or len(self._table) != 1:
            raise ValueError(f"it has no column {name}")
        column = self._table.column(name).chunk(0)
        if not pa.types.is_large_list(column.type) or column.flatten().null_count:
            raise ValueError(f"column {name} is no list of values")
        return column.flatten()


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield lists of ``size`` items, the last one shorter."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk
