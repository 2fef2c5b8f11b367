"""Reads Arrow files of others: as they lie on the disk, and never unpacked.

Nothing that is written here is compressed, and PyArrow cannot be told to refuse what is: some
kilobytes could fill the memory. So the headers of a file are read before it reads any of them.
They are flatbuffers: a table is a number that leads back to the list of its fields' places
(https://flatbuffers.dev/internals), and Arrow's format names the fields.
"""

import struct
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa
from pyarrow import ipc

_END: Final = struct.Struct("<i6s")  # length of the footer, and what ends every file
_MAGIC: Final = b"ARROW1"
_BLOCK_BYTES: Final = 24  # place, length of the header, length of the body
_CONTINUES: Final = 0xFFFFFFFF
_OF_FOOTER: Final = (2, 3)  # fields of the footer: dictionaries, batches
_HEADER: Final = 2  # field of a message
_DATA: Final = 1  # field of a dictionary
_COMPRESSION: Final = 3  # field of a batch


def read_arrow(mapped: Any) -> Any:  # noqa: ANN401  (Arrow has no types)
    """Return the table of a file that is in memory, or mapped, without a copy.

    Raises
    ------
    ValueError, pyarrow.ArrowException
        It is no Arrow file, or is compressed.
    """
    try:
        _refuse_compressed(memoryview(mapped))
    except struct.error as error:
        raise ValueError("it is no Arrow file") from error
    return ipc.open_file(pa.py_buffer(mapped)).read_all()


def _refuse_compressed(file: memoryview) -> None:
    length, magic = _END.unpack_from(file, max(len(file) - _END.size, 0))
    if magic != _MAGIC:
        raise ValueError("it is no Arrow file")
    footer = _followed(file, len(file) - _END.size - length)
    for of_footer in _OF_FOOTER:
        end = 0
        for place, n_bytes in _blocks(file, _field(file, footer, of_footer)):
            if place < end or n_bytes <= 0:  # one that is read a thousand times is as large
                raise ValueError("its batches overlap")
            end = place + n_bytes
            is_new = _number("<I", file, place) == _CONTINUES
            message = _followed(file, place + (8 if is_new else 4))
            batch = _followed(file, _field(file, message, _HEADER))
            if of_footer == _OF_FOOTER[0]:
                batch = _followed(file, _field(file, batch, _DATA))
            if _field(file, batch, _COMPRESSION):
                raise ValueError("it is compressed")


def _blocks(file: memoryview, field: int) -> Iterator[tuple[int, int]]:
    """Yield the places of messages, and their bytes."""
    if not field:
        return
    vector = _followed(file, field)
    for at in range(_number("<I", file, vector)):
        block = vector + 4 + _BLOCK_BYTES * at
        header, body = _number("<i", file, block + 8), _number("<q", file, block + 16)
        yield _number("<q", file, block), header + max(body, 0)


def _field(file: memoryview, table: int, number: int) -> int:
    """Return the place of a table's field; 0 where it has none."""
    fields = table - _number("<i", file, table)
    place = 4 + 2 * number
    if place >= _number("<H", file, fields):
        return 0
    offset = _number("<H", file, fields + place)
    return table + offset if offset else 0


def _followed(file: memoryview, place: int) -> int:
    return place + _number("<I", file, place)


def _number(form: str, file: memoryview, place: int) -> int:
    if place < 0:  # it would count from the end
        raise struct.error("a place before the file")
    return struct.unpack_from(form, file, place)[0]
