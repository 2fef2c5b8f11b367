"""Texts of passages, each in its own zstd frame, so that one can be read alone.

A dictionary made of some of the texts serves all: without one, a frame of some hundred bytes would
hardly be smaller than its text.
"""

import threading
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from zstandard import (
    DICT_TYPE_RAWCONTENT,
    ZstdCompressionDict,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdError,
    frame_content_size,
)

from hippohover.errors import IndexDamagedError

DICTIONARY_BYTES: Final = 1 << 19
"""Longest dictionary; with four times as much, texts take a twentieth less."""

_LEVEL: Final = 9
_SHARE: Final = 16

# What a frame may unpack to, lest some kilobytes from elsewhere fill the memory. Real texts shrink
# to a tenth; only a long one that repeats itself comes near, and its frame is padded.
_ALWAYS_BYTES: Final = 1 << 16
_MOST_TIMES: Final = 1 << 8
_MOST_BYTES: Final = 1 << 26
_PADDING: Final = b"\x50\x2a\x4d\x18"  # begins a frame that zstd skips


class TextStore:
    """Texts by row; safe from several threads.

    Parameters
    ----------
    indptr : ndarray of int64, shape (n_texts + 1,)
    frames : ndarray of uint8, shape (indptr[-1],)
        The frame of text i is ``frames[indptr[i] : indptr[i + 1]]``.
    dictionary : ndarray of uint8
        From ``dictionary_of``.
    """

    def __init__(
        self,
        *,
        indptr: NDArray[np.int64],
        frames: NDArray[np.uint8],
        dictionary: NDArray[np.uint8],
    ) -> None:
        self._indptr = indptr
        self._frames = frames
        self._dictionary = _known(dictionary)
        self._local = threading.local()

    def __len__(self) -> int:
        return len(self._indptr) - 1

    def __getitem__(self, row: int) -> str:
        """Return a text; ``IndexDamagedError`` when its frame is invalid."""
        unpack: ZstdDecompressor | None = getattr(self._local, "unpack", None)
        if unpack is None:
            unpack = self._local.unpack = ZstdDecompressor(dict_data=self._dictionary)
        if not 0 <= row < len(self):
            raise IndexError(f"row {row}: texts count from 0 to {len(self) - 1}")
        frame = self._frames[self._indptr[row] : self._indptr[row + 1]].tobytes()
        try:
            if frame_content_size(frame) > _most_bytes(len(frame)):
                raise ValueError("it unpacks to more than any text")
            return unpack.decompress(frame).decode()
        except (ZstdError, ValueError, MemoryError) as error:  # a damaged size can be any number
            raise IndexDamagedError(
                f"the text of passage {row} cannot be unpacked: build the index again"
            ) from error

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))


def dictionary_of(texts: Iterable[str], n_bytes: int) -> NDArray[np.uint8]:
    """Choose the dictionary for ``packed`` and ``TextStore``: the first of some texts.

    A sixteenth of their ``n_bytes`` together, ``DICTIONARY_BYTES`` at most. It is not learned:
    zstd's trainer reads outside its memory where samples are few or alike (facebook/zstd#3599).
    """
    known = bytearray()
    most = min(n_bytes // _SHARE, DICTIONARY_BYTES)
    for text in texts:
        if len(known) >= most:
            break
        known += text.encode()
    return np.frombuffer(bytes(known[:most]), np.uint8)


def packed(texts: Iterable[str], dictionary: NDArray[np.uint8]) -> Iterator[bytes]:
    """Yield the frame of each text."""
    compressor = ZstdCompressor(level=_LEVEL, dict_data=_known(dictionary), write_dict_id=False)
    for text in texts:
        frame = compressor.compress(data := text.encode())
        missing = -(-len(data) // _MOST_TIMES) - len(frame)
        if len(data) > _ALWAYS_BYTES and missing > 0:
            frame += _PADDING + missing.to_bytes(4, "little") + bytes(missing)
        yield frame


def _most_bytes(n_bytes: int) -> int:
    """Return the bytes that a frame of some bytes may unpack to."""
    return min(max(_ALWAYS_BYTES, _MOST_TIMES * n_bytes), _MOST_BYTES)


def _known(dictionary: NDArray[np.uint8]) -> ZstdCompressionDict:
    return ZstdCompressionDict(dictionary.tobytes(), dict_type=DICT_TYPE_RAWCONTENT)
