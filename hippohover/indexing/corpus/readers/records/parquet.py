"""Parquet: rows are records, columns are fields; row groups are read in pieces.

Without a column of texts the row is one, as in a table of text.
"""

import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import IO, Any, Final, cast

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.fields import RecordFields, Shape, holds_text
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES, one_line, too_long
from hippohover.indexing.corpus.readers.records.record_file import RecordFile, Row
from hippohover.indexing.corpus.readers.records.shapes import is_claim, shape_of
from hippohover.indexing.corpus.readers.records.tables import row_shape
from hippohover.recipe import CorpusFields

SUFFIXES: Final = (".parquet", ".pq")

_ROWS_A_PIECE: Final = 64
_BUFFER_BYTES: Final = 2**20
_MOST_HEADER_BYTES: Final = 16 * 2**20


def _rows(file: SourceFile, _: CorpusFields) -> Iterator[Row]:
    import pyarrow as pa
    from pyarrow import parquet

    number = 0
    with file.opened() as stream:
        try:
            with parquet.ParquetFile(
                _seekable(stream, file),
                buffer_size=_BUFFER_BYTES,
                thrift_string_size_limit=_MOST_HEADER_BYTES,
                thrift_container_size_limit=_MOST_HEADER_BYTES,
            ) as table:
                for piece in table.iter_batches(_ROWS_A_PIECE, use_threads=False):
                    if piece.nbytes > _ROWS_A_PIECE * MAX_RECORD_BYTES:
                        raise too_long(f"{file.place}: row {number + 1}")
                    for row in range(piece.num_rows):
                        number += 1
                        [record] = piece.slice(row, 1).to_pylist()
                        yield f"{file.place}: row {number}", _plain_record(record)
        except (pa.ArrowException, UnicodeDecodeError, OverflowError) as error:
            raise CorpusError(
                f"{one_line(file.place)}: cannot be read as Parquet ({one_line(str(error))}): "
                "check that it is whole, or write it again"
            ) from error


def _seekable(stream: IO[bytes], file: SourceFile) -> IO[bytes]:
    """Return the file itself, or its content decompressed in memory, since it must be seekable."""
    if isinstance(getattr(stream, "raw", None), io.FileIO):
        return stream
    content = stream.read(MAX_RECORD_BYTES + 1)
    if len(content) > MAX_RECORD_BYTES:
        raise too_long(file.place)
    return io.BytesIO(content)


def _plain_record(record: dict[str, Any]) -> dict[str, object]:
    return {str(name): _plain(value) for name, value in record.items()}


def _plain(value: object) -> object:
    """Convert a value to JSON's types: dates and others become text."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, dict):
        return _plain_record(cast("dict[str, Any]", value))
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[object]", value)]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def _shape(records: Sequence[RecordFields], fields: CorpusFields) -> Shape:
    has_texts = fields.text or any(holds_text(row) or is_claim(row) for row in records)
    return shape_of(records, fields) if has_texts else row_shape(records, fields)


read: Final = RecordFile(_rows, _shape)
