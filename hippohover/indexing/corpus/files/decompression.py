"""Streams compressed with bzip2 or xz, read to their last byte."""

import bz2
import io
import lzma
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BUFFER_BYTES: Final = 2**17
_XZ_MEMORY_BYTES: Final = 2**27  # what xz -9 asks for is half of it


class Readable(Protocol):
    """Gives bytes on demand."""

    def read(self, size: int, /) -> bytes: ...


class _Unpacked(io.RawIOBase):
    """Decompresses stream after stream to the last byte; zeros after a stream are padding.

    ``bz2.BZ2File`` takes whatever it cannot unpack after a stream for padding, and so leaves out a
    second stream whose head is damaged.
    """

    def __init__(
        self,
        packed: Readable,
        decompressor: "Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]",
    ) -> None:
        self._packed = packed
        self._decompressor = decompressor
        self._stream = decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        into = memoryview(buffer)
        content = b""
        while not content:
            if self._stream.eof:
                packed = self._after_a_stream()
                if not packed:
                    return 0
                self._stream = self._decompressor()
            else:
                packed = self._packed.read(_BUFFER_BYTES) if self._stream.needs_input else b""
                if self._stream.needs_input and not packed:
                    raise EOFError
            content = self._stream.decompress(packed, len(into))
        into[: len(content)] = content
        return len(content)

    def _after_a_stream(self) -> bytes:
        """Return the start of the next stream; nothing at the end."""
        packed = self._stream.unused_data.lstrip(b"\0")
        while not packed and (more := self._packed.read(_BUFFER_BYTES)):
            packed = more.lstrip(b"\0")
        return packed


def unpacked_bzip2(packed: Readable) -> io.BufferedReader:
    """Decompress bzip2 through a buffer."""
    return io.BufferedReader(_Unpacked(packed, bz2.BZ2Decompressor), _BUFFER_BYTES)  # pyright: ignore


def unpacked_xz(packed: Readable) -> io.BufferedReader:
    """Decompress xz, with 128 MiB of memory at most, through a buffer."""
    decompressor = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
    return io.BufferedReader(_Unpacked(packed, decompressor), _BUFFER_BYTES)  # pyright: ignore
