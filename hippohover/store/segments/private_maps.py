"""A file's bytes in private memory that can be changed, with spare room.

Unchanged pages stay those of the file: pages are copied when they are written to.
"""

import ctypes
import mmap
import os
import weakref
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.disk import door

_MAP_FIXED = 0x10
_MAP_NORESERVE = 0x4000


def with_room(array: NDArray[Any], n_room: int) -> NDArray[Any]:
    """Return an array with ``n_room`` more rows of 0; a file that it maps stays unchanged.

    Parameters
    ----------
    array : ndarray
        In C order; a NumPy memory map, or a view of a whole one, is mapped once more, anything else
        is copied.
    n_room : int
    """
    shape = (len(array) + n_room, *array.shape[1:])
    source = map_of(array)
    mapped = None if source is None else _mapped(source, shape)
    if mapped is not None:
        return mapped
    copied = np.zeros(shape, array.dtype)
    copied[: len(array)] = array
    return copied


def map_of(array: NDArray[Any]) -> "np.memmap[Any, Any] | None":
    """Return the memory map that an array is, or is all of; None of an empty or another one."""
    source = array if isinstance(array, np.memmap) else array.base
    if not isinstance(source, np.memmap) or not array.flags.c_contiguous:
        return None
    return source if source.nbytes == array.nbytes > 0 else None


def _mapped(array: "np.memmap[Any, Any]", shape: tuple[int, ...]) -> NDArray[Any] | None:
    """Map an array's file followed by anonymous memory; None where that is impossible."""
    filename, offset = array.filename, int(array.offset)
    if filename is None or os.uname().sysname != "Linux":
        return None
    n_bytes = offset + int(np.prod(shape, dtype=np.int64)) * array.dtype.itemsize
    n_file = offset + array.nbytes
    libc = _libc()
    private = mmap.MAP_PRIVATE | _MAP_NORESERVE
    rights = mmap.PROT_READ | mmap.PROT_WRITE
    start = libc.mmap(None, n_bytes, rights, private | mmap.MAP_ANONYMOUS, -1, 0)
    if start in {None, ctypes.c_void_p(-1).value}:
        return None
    descriptor = door.descriptor(Path(filename))
    try:
        again = libc.mmap(start, n_file, rights, private | _MAP_FIXED, descriptor, 0)
    finally:
        os.close(descriptor)
    if again != start:
        libc.munmap(start, n_bytes)
        return None
    buffer = (ctypes.c_ubyte * n_bytes).from_address(start)
    weakref.finalize(buffer, libc.munmap, start, n_bytes)
    flat = np.frombuffer(buffer, np.uint8)[offset:]
    return flat.view(array.dtype).reshape(shape)


@cache
def _libc() -> Any:  # noqa: ANN401  (ctypes has no types)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    ]  # fmt: skip
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return libc
