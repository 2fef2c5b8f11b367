"""Reads an index: opens a version, maps its files into memory, verifies them."""

import json
import math
import mmap
import os
import weakref
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.disk.errors import REBUILD, message, reads
from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.processors import available_processors
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe
from hippohover.store.checksums import check_file, check_files, read_in_pages
from hippohover.store.layout import LOG, MANIFEST, OWN_FILES, file_names
from hippohover.store.locks import hold
from hippohover.store.manifest import Manifest, check_base, load_manifest
from hippohover.store.versions import check_is_there, version_folder

if TYPE_CHECKING:
    import pyarrow

_PREFETCH_BYTES: Final = 2**26  # as much as one thread reads of a file at a time


class StoredIndex:
    """One version of an index, open for reading, with mapped files.

    The version stays on disk until ``close``, the end of a with-block, or the end of this
    object. Arrays and tables that were taken from it stay valid after that.

    Attributes
    ----------
    folder : Path
        Folder of the version.
    manifest : Manifest
    base : StoredIndex or None
        The version whose files this one changes by segments.
    """

    def __init__(
        self, folder: Path, manifest: Manifest, descriptor: int, base: "StoredIndex | None" = None
    ) -> None:
        self.folder: Final = folder
        self.manifest: Final = manifest
        self.base: Final = base
        self._manifest = os.fstat(descriptor)  # held open, its inode is no other file's
        self._release = weakref.finalize(self, os.close, descriptor)

    @classmethod
    def open(cls, path: Path | str, *, check: bool = True, progress: Progress = silent) -> Self:
        """Open the live version under a root, or the version whose folder is given.

        Parameters
        ----------
        path : Path or str
        check : bool
            Compare sizes and checksums of all files with the manifest; those of large files
            once, then again when a file has changed. Without it, call ``verify`` before anything
            is read.
        progress : callable
            Told how far the checksums are.

        Raises
        ------
        IndexStoreError
            Nothing is published there, it has another format, or it cannot be read.
        IndexDamagedError
            A file is missing, has another size or was altered.
        """
        folder = version_folder(Path(path))
        while True:
            try:
                return cls._open_version(folder, check=check, progress=progress)
            except IndexStoreError:
                # Two new versions since CURRENT was read? Then this one was removed meanwhile.
                newer = version_folder(Path(path))
                if newer == folder:
                    check_is_there(folder)
                    raise
                folder = newer

    @classmethod
    def _open_version(
        cls, folder: Path, *, check: bool, progress: Progress, is_base: bool = False
    ) -> Self:
        descriptor = hold(folder / MANIFEST)
        try:
            manifest = load_manifest(folder)
            if check:
                check_files(folder, manifest.files, progress)
            base = None
            if manifest.base is not None:
                if is_base:  # else a version could be its own base, without end
                    what = "has a base, and is the base of another version"
                    raise IndexDamagedError(message(folder / MANIFEST, what, REBUILD))
                below = folder.parent / manifest.base.version
                if not os.path.lexists(below):
                    raise IndexDamagedError(
                        f"{below}: is missing, and {folder.name} holds only changes to it: copy "
                        "it here, or build the index again"
                    )
                base = cls._open_version(below, check=check, progress=progress, is_base=True)
                check_base(base.folder, manifest.base)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(folder, manifest, descriptor, base)

    @property
    def root(self) -> Path:
        """Folder of the index."""
        return self.folder.parent

    @property
    def home(self) -> Path:
        """Folder of the files that a build made: the base's, if there is one."""
        return self.folder if self.base is None else self.base.folder

    @property
    def version(self) -> str:
        """Name of the version, such as "v000001"."""
        return self.folder.name

    def is_at(self, folder: Path) -> bool:
        """Return whether a folder is this version, not another one made in its place."""
        try:
            theirs = (folder / MANIFEST).lstat()
        except OSError:
            return False
        return folder == self.folder and os.path.samestat(theirs, self._manifest)

    def recipe(self) -> IndexRecipe:
        """Return the recipe that the version was built from.

        Raises
        ------
        IndexDamagedError
            It has a key or a value that this program does not know: another one wrote it.
        """
        with reads(self.folder / MANIFEST):
            return IndexRecipe.of_index(self.manifest.recipe)

    def sizes(self) -> dict[str, int]:
        """Return the size in bytes of every file of the build, by name."""
        own = {name: entry.n_bytes for name, entry in self.manifest.files.items()}
        return own if self.base is None else self.base.sizes() | own

    def log(self) -> dict[str, Any] | None:
        """Read ``build_log.json``; None where it is lost or altered.

        It has no checksum, and nothing but what is shown of a build depends on it.
        """
        try:
            log = json.loads(door.read(self.folder / LOG))
        except (OSError, ValueError, RecursionError):
            return None
        return cast("dict[str, Any]", log) if isinstance(log, dict) else None

    def array(self, name: str) -> NDArray[Any]:
        """Open an array of a ".npy" file, mapped read-only.

        Raises
        ------
        IndexDamagedError
            The header cannot be read, or does not fit the file's size.
        IndexStoreError
            The index has no such file, or is closed.
        """
        if self.base is not None and name not in self.manifest.files:
            return self.base.array(name)
        path = self.path_of(name)
        with reads(path), door.opened(path) as file:
            if npy.read_magic(file) != (1, 0):
                raise ValueError("its header has another version")
            shape, in_columns, dtype = npy.read_array_header_1_0(file)
            offset = file.tell()
            # Checked before NumPy maps it: of some shapes its arithmetic ends the process.
            n_bytes = math.prod(shape) * dtype.itemsize
            fits = offset + n_bytes == self.manifest.files[name].n_bytes
            if not fits or min(shape, default=0) < 0 or dtype.hasobject or not dtype.itemsize:
                raise ValueError("its header does not fit its size")
            order = "F" if in_columns else "C"
            return np.memmap(file, dtype, "r", offset=offset, shape=shape, order=order)

    def table(self, name: str) -> "pyarrow.Table":  # pyright: ignore[reportUnknownParameterType]
        """Open a table of an ".arrow" file, over a memory map.

        Raises
        ------
        IndexDamagedError
            Arrow cannot read it.
        IndexStoreError
            The index has no such file, or is closed.
        """
        import pyarrow

        from hippohover.disk.arrow_files import read_arrow  # PyArrow takes long to import

        if self.base is not None and name not in self.manifest.files:
            return self.base.table(name)
        path = self.path_of(name)
        with reads(path, pyarrow.ArrowException):
            mapped = door.mapped(path)
            # A page of each batch is read now; what stands around them is not.
            mapped.madvise(mmap.MADV_RANDOM)
            table = read_arrow(mapped)
            table.validate()
            mapped.madvise(mmap.MADV_NORMAL)
        return table

    def prefetch(self) -> None:
        """Read every file once, so that the system has it in memory before it is mapped.

        By several threads, which a disk serves faster than the one that waits for page after
        page. The largest file comes first: where memory does not hold all, it is the one that
        gives way to those that every claim reads.

        Raises
        ------
        IndexStoreError
            The index is closed, or a file cannot be read.
        IndexDamagedError
            A file is shorter than its manifest says: it was cut off since the index was opened.
        """
        self.check_open()
        if self.base is not None:
            self.base.prefetch()
        own = {name: entry.n_bytes for name, entry in self.manifest.files.items()}
        largest_first = sorted(own.items(), key=lambda file: -file[1])
        parts = [
            (self.folder / name, start, min(start + _PREFETCH_BYTES, n_bytes))
            for name, n_bytes in largest_first
            for start in range(0, n_bytes, _PREFETCH_BYTES)
        ]
        with ThreadPoolExecutor(min(4, available_processors())) as pool:
            for _ in pool.map(_read_through, parts):
                pass

    def verify(self, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Compare every file with the manifest, to the last byte.

        Parameters
        ----------
        progress : callable, optional
            Told after each file how many bytes are done, and how many there are in all.

        Returns
        -------
        list of str
            One line for each file that is missing, altered, or not part of the index; empty
            when all is well. ``build_log.json`` has no checksum and is not looked at.

        Raises
        ------
        IndexStoreError
            The index is closed, or its folder cannot be read.
        """
        self.check_open()
        problems: list[str] = []
        done, total = 0, sum(entry.n_bytes for entry in self.manifest.files.values())
        with _collected(problems):
            load_manifest(self.folder)
        for name, entry in self.manifest.files.items():
            with _collected(problems):
                check_file(self.folder / name, entry, checksum=True)
            done += entry.n_bytes
            if progress is not None:
                progress(done, total)
        of_base = [] if self.base is None else self.base.verify()
        return of_base + problems + self._unlisted()

    def close(self) -> None:
        """Release the version, so that a writer may remove it; harmless when repeated."""
        self._release()
        if self.base is not None:
            self.base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unlisted(self) -> list[str]:
        """Return a line for each file that the manifest does not list."""
        with reads(self.folder):
            names = file_names(self.folder)
        known = self.manifest.files.keys() | OWN_FILES
        extra = [self.folder / name for name in names if name not in known]
        return [message(path, "is not part of the index", "remove it") for path in extra]

    def path_of(self, name: str) -> Path:
        """Return the path of a file of the build."""
        self.check_open()
        if name not in self.manifest.files:
            raise IndexStoreError(message(self.folder, f"has no file {name!r}", REBUILD))
        return self.folder / name

    def check_open(self) -> None:
        """Raise ``IndexStoreError`` after ``close``."""
        if not self._release.alive:
            raise IndexStoreError(message(self.folder, "is closed", "open the index again"))


def _read_through(part: tuple[Path, int, int]) -> None:
    """Read a stretch of a file and drop the bytes."""
    path, start, stop = part
    with reads(path), door.opened(path, buffering=0) as file:
        read_in_pages(file.fileno())
        block = bytearray(2**20)
        file.seek(start)
        while start < stop:
            n_bytes = file.readinto(block)
            if not n_bytes:
                raise ValueError(f"it ends after {start} bytes")
            start += n_bytes


@contextmanager
def _collected(problems: list[str]) -> Generator[None]:
    """Collect an error as a line of a list."""
    try:
        yield
    except IndexStoreError as error:
        problems.append(str(error))
