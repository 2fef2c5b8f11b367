"""The files of a version that is being written, in a folder that is not published yet."""

import json
import math
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from hippohover.disk import door
from hippohover.disk.errors import message, reads, writes
from hippohover.errors import UsageError
from hippohover.store.checksums import (
    SMALL_FILE_BYTES,
    Stamp,
    is_settled,
    remember,
    sha256_on_disk,
    stamp_of,
)
from hippohover.store.layout import (
    LOG,
    MANIFEST,
    MANIFEST_SUM,
    OWN_FILES,
    file_name,
    file_names,
)
from hippohover.store.manifest import FileEntry, Manifest, ManifestFields, sum_line

if TYPE_CHECKING:
    import pyarrow

_TABLE_ROWS: Final = 2**16


class VersionFiles:
    """Writes the files of one version into a folder, and seals them.

    Attributes
    ----------
    folder : Path
        Folder to write into. A file that is written there directly is sealed like the rest;
        ``writing`` gives its errors a name.
    log : dict
        Saved as ``build_log.json``, the place for what differs between two equal builds.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log: dict[str, Any] = {}

    @contextmanager
    def writing(self, name: str) -> Generator[Path]:
        """Yield the path for one file, its folder made; a refused write names the file.

        Raises
        ------
        UsageError
            The name leaves the folder or is taken, or the writer is not open.
        IndexStoreError
            The disk is full, the folder is read-only, a limit is reached: any ``OSError``.
        """
        self._check_open()
        path = self.folder / file_name(name)
        with writes(path):
            door.make_folder(path.parent)
            yield path

    def save_array(self, name: str, array: NDArray[Any]) -> None:
        """Write an array as ``name``, which ends in ".npy", in C order.

        Raises
        ------
        UsageError
            The array holds Python objects, or as ``writing``.
        IndexStoreError
            As ``writing``.
        """
        if array.dtype.hasobject:
            raise UsageError(message(name, "is an array of objects", "give numbers or fixed text"))
        ordered = np.asarray(array, order="C")
        with self._file(name, ".npy") as file:
            # Not np.save: where the disk is full, its error does not say so.
            npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(ordered))
            file.write(ordered.reshape(-1).view(np.uint8).data)

    @contextmanager
    def new_array(
        self, name: str, dtype: DTypeLike, shape: tuple[int, ...]
    ) -> Generator[NDArray[Any]]:
        """Yield an array of ``name``, which ends in ".npy", to be filled on disk.

        Raises
        ------
        IndexStoreError
            As ``writing``; a disk without room for the whole array is known at once.
        """
        header = npy.header_data_from_array_1_0(np.empty((0,) * len(shape), dtype))
        with self._file(name, ".npy") as file:
            npy.write_array_header_1_0(file, {**header, "shape": shape})
            file.flush()
            offset = file.tell()
            n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
            if n_bytes:  # a map over a hole in a file ends the process where the disk is full
                os.posix_fallocate(file.fileno(), offset, n_bytes)
        if not n_bytes:
            yield np.empty(shape, dtype)
            return
        with door.opened(self.folder / name, "rb+") as file:
            filled = np.memmap(file, dtype, "r+", offset=offset, shape=shape)
        try:
            yield filled
        finally:
            with writes(self.folder / name):
                filled.flush()

    @contextmanager
    def growing_array(
        self, name: str, dtype: DTypeLike
    ) -> Generator[Callable[[NDArray[Any]], None]]:
        """Yield an array of one dimension and unknown length, to which parts are appended.

        Raises
        ------
        IndexStoreError
            As ``writing``.
        """
        n = 0
        header = npy.header_data_from_array_1_0(np.empty(0, dtype))

        def append(part: NDArray[Any]) -> None:
            nonlocal n
            file.write(np.asarray(part, dtype=dtype, order="C").data)
            n += len(part)

        with self._file(name, ".npy") as file:  # NumPy leaves room in headers for such growth
            npy.write_array_header_1_0(file, {**header, "shape": (0,)})
            room = file.tell()
            yield append
            file.seek(0)
            npy.write_array_header_1_0(file, {**header, "shape": (n,)})
            if file.tell() != room:
                raise ValueError(f"{name}: its header has no room for {n} values")

    def array(self, name: str) -> NDArray[Any]:
        """Open an array that was written, mapped read-only."""
        path = self.folder / file_name(name)
        with reads(path), door.opened(path) as file:
            npy.read_magic(file)
            shape, _, dtype = npy.read_array_header_1_0(file)
            return np.memmap(file, dtype, "r", offset=file.tell(), shape=shape)

    def table(self, name: str) -> "pyarrow.Table":  # pyright: ignore[reportUnknownParameterType]
        """Open a table that was written, over a memory map."""
        from hippohover.disk.columns import open_table  # PyArrow takes long to import

        path = self.folder / file_name(name)
        return open_table(path)

    def save_table(self, name: str, table: "pyarrow.Table") -> None:  # pyright: ignore[reportUnknownParameterType]
        """Write a table as ``name``, which ends in ".arrow": an Arrow file, not compressed.

        Equal tables give equal bytes, whatever the chunks and slices they are made of (a
        dictionary column must come with an equal dictionary).

        Raises
        ------
        UsageError, IndexStoreError
            As ``writing``.
        """
        from pyarrow import ipc

        whole = table.unify_dictionaries()
        with self._file(name, ".arrow") as file, ipc.new_file(file, table.schema) as sink:
            for start in range(0, table.num_rows, _TABLE_ROWS):
                rows = whole.slice(start, _TABLE_ROWS)
                # ``take`` makes new buffers: a slice would bring its neighbours' bits along.
                sink.write_table(rows.take(np.arange(rows.num_rows)).combine_chunks())

    def seal(
        self, fields: ManifestFields, on_done: Callable[[int, int], None] = lambda _, __: None
    ) -> None:
        """Describe the files in the manifest, and flush all of them to disk.

        ``on_done`` is told how many files are on the disk, and how many there are.

        Raises
        ------
        UsageError
            The log or the recipe has no form in JSON, or the folder is not open to write.
        IndexStoreError
            Something cannot be written.
        """
        self._check_open()
        with writes(self.folder):
            names = [name for name in file_names(self.folder) if name not in OWN_FILES]
        files: dict[str, FileEntry] = {}
        right: dict[str, Stamp] = {}
        for name in names:
            start = time.time_ns()
            entry = files[file_name(name)] = _sealed_entry(self.folder / name)
            stamp = stamp_of(self.folder / name)
            if entry.n_bytes > SMALL_FILE_BYTES and is_settled(stamp, start):
                right[name] = stamp
            on_done(len(files), len(names))
        if right:  # the first opening need not sum again what was summed here
            remember(self.folder, right)
        manifest = Manifest(**dict(fields), files=files).model_dump()
        data = _json_bytes(MANIFEST, manifest)
        write_synced(self.folder / LOG, _json_bytes(LOG, self.log))
        write_synced(self.folder / MANIFEST, data)
        write_synced(self.folder / MANIFEST_SUM, sum_line(data))
        with writes(self.folder):
            folders = {self.folder / path for name in names for path in PurePath(name).parents}
            for folder in sorted(folders | {self.folder}, key=lambda path: -len(path.parts)):
                door.sync(folder)

    @contextmanager
    def _file(self, name: str, suffix: str) -> Generator[IO[bytes]]:
        """Yield a new file, open for writing."""
        if not name.endswith(suffix):
            raise UsageError(message(name, f"does not end in {suffix}", f"name it {name}{suffix}"))
        with self.writing(name) as path, door.opened(path, "wb") as file:
            yield file

    def _check_open(self) -> None:
        if not self.folder.is_dir():
            fix = "write in the with-block, before publish"
            raise UsageError(message(self.folder.parent, "is not open to write", fix))


def _sealed_entry(path: Path) -> FileEntry:
    """Return checksum and size of a file that the build wrote, once it is on disk."""
    with writes(path), door.opened(path, buffering=0) as file:
        os.fsync(file.fileno())
        n_bytes = os.fstat(file.fileno()).st_size
        return FileEntry(sha256=sha256_on_disk(file.fileno()), n_bytes=n_bytes)


def _json_bytes(name: str, value: object) -> bytes:
    """Return bytes of a value that depend on nothing but the value."""
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=2)
        data = f"{text}\n".encode()
    except (TypeError, ValueError, RecursionError) as error:
        what = f"has no form in JSON ({error})"
        raise UsageError(
            message(name, what, "give text, finite numbers, lists and dicts")
        ) from error
    if len(data) > door.MOST_BYTES[name]:
        what = f"would have {len(data):,} bytes, and at most {door.MOST_BYTES[name]:,} are read"
        raise UsageError(message(name, what, "give the recipe fewer aliases"))
    return data


def write_synced(path: Path, data: bytes) -> None:
    with writes(path):
        with door.opened(path, "wb") as file:
            file.write(data)
        door.sync(path)
