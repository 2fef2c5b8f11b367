"""Arrow files are read as they lie: what is compressed is refused, however it is made."""

import contextlib
from io import BytesIO
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc

from hippohover.disk.arrow_files import read_arrow

TABLES: dict[str, Any] = {
    "rows": pa.table({"a": [1, 2, 3] * 999, "b": ["x" * 99] * 2997}),
    "lists": pa.table({"a": [[1], [2, 3]], "b": [{"c": 1}, None]}),
    "of few values": pa.table({"a": pa.array(["x" * 9999, "y"] * 9).dictionary_encode()}),
    "no rows": pa.table({"a": pa.array([], pa.int64())}),
    "no columns": pa.table({}),
}


def written(table: Any, compression: str | None = None) -> bytes:  # noqa: ANN401
    file = BytesIO()
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(file, table.schema, options=options) as sink:
        for batch in table.to_batches(max_chunksize=100):
            sink.write_batch(batch)
    return file.getvalue()


@pytest.mark.parametrize("name", TABLES)
def test_what_is_not_compressed_comes_back(name: str):
    table = TABLES[name]
    assert read_arrow(written(table)).equals(table.combine_chunks())


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("name", ["rows", "lists", "of few values"])
def test_what_is_compressed_is_refused_unread(name: str, compression: str):
    with pytest.raises(ValueError, match="it is compressed"):
        read_arrow(written(TABLES[name], compression))


@given(st.sampled_from(sorted(TABLES)), st.data())
def test_what_is_damaged_is_read_or_refused(name: str, data: st.DataObject):
    content = bytearray(written(TABLES[name]))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    with contextlib.suppress(ValueError, OSError, pa.ArrowException):
        read_arrow(bytes(content))
