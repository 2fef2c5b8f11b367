"""Layout of an index on disk, and the one way to write it and to read it.

::

    <root>/CURRENT            name of the live version, "v000002"
    <root>/.lock              locked by the one process that writes, whose pid it holds
    <root>/v000002/           a version: complete, and never changed, once it has this name
        manifest.json         what it is made of; sha256 and size of every file of the build
        manifest.sha256       the manifest's own checksum, as the program sha256sum writes it
        build_log.json        time, host and the like: the one file without a checksum
        ...                   the files of the build

Whoever reads a version holds a shared lock on its manifest, so that no writer removes it.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
import weakref
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, NoReturn, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError

if TYPE_CHECKING:
    import pyarrow

FORMAT_VERSION: Final = 1
"""Version of this layout: an index of another one is refused."""

KEPT_VERSIONS: Final = 2
"""Newest versions that stay when a new one is published."""

SMALL_FILE_BYTES: Final = 2**20
"""Files up to this size have their checksum compared when an index is opened."""

_CURRENT, _LOCK = "CURRENT", ".lock"
_MANIFEST, _MANIFEST_SUM, _LOG = "manifest.json", "manifest.sha256", "build_log.json"
_OWN_FILES: Final = frozenset({_MANIFEST, _MANIFEST_SUM, _LOG})
_BUILDING, _REMOVING, _NEW_CURRENT = ".building-", ".removing-", ".CURRENT-new"
_VERSION = re.compile(r"v[0-9]{6,9}")
_TABLE_ROWS: Final = 2**16
_REBUILD: Final = "build the index again"

_SPACE, _ACCESS = "free space on that disk", "make it writable, or choose another folder"
_FIXES: Final = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: "raise the limit on file sizes (ulimit -f)",
    errno.EACCES: _ACCESS,
    errno.EPERM: _ACCESS,
    errno.EROFS: _ACCESS,
    errno.EEXIST: "move away the file that stands there",
    errno.ENOTDIR: "move away the file that stands where a folder should be",
    errno.ENOLCK: "choose a folder on a local disk",
}
# What numpy, pydantic and json raise on bytes that are not what they should be.
_GARBAGE = (ValueError, TypeError, SyntaxError, ArithmeticError, RecursionError, TokenError)


def _line(place: object, what: str, fix: str) -> str:
    """A message on one printable line: the thing, what is wrong with it, what to do."""
    plain = " ".join(what.split())
    short = plain if len(plain) <= 200 else f"{plain[:200]}…"
    return "".join(c if c.isprintable() else "?" for c in f"{place}: {short}: {fix}")


@contextmanager
def _writes(path: Path) -> Generator[None]:
    """Turn a write that the system refuses into an ``IndexStoreError`` that names the file."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written ({error.strerror or error})"
        fix = _FIXES.get(error.errno or 0, "check the disk")
        raise IndexStoreError(_line(path, what, fix)) from error


@contextmanager
def _reads(path: Path, *garbage: type[Exception]) -> Generator[None]:
    """Turn whatever a missing, unreadable or altered file raises into an error that names it."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise IndexDamagedError(_line(path, "is missing", _REBUILD)) from error
    except (OSError, *_GARBAGE, *garbage) as error:
        # An OSError without a number is no answer of the system: Arrow found garbage.
        if isinstance(error, OSError) and error.errno is not None:
            what = f"cannot be read ({error.strerror})"
            raise IndexStoreError(_line(path, what, "make it readable")) from error
        what = f"is damaged ({_reason(error)})"
        raise IndexDamagedError(_line(path, what, _REBUILD)) from error


def _reason(error: Exception) -> str:
    """What an exception says of a file; of pydantic's many findings, the first."""
    if not isinstance(error, ValidationError):
        return str(error) or type(error).__name__
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ": ".join([*map(str, first["loc"]), first["msg"]])


def _file_name(name: str) -> str:
    """The name itself, if it is a path inside a version and not a file of the store's own.

    Raises
    ------
    UsageError
        It is absolute, has "..", is not in its simplest form, or is taken.
    """
    path = PurePosixPath(name)
    simplest = name == str(path) and name != "." and name.isprintable()
    if not simplest or path.is_absolute() or ".." in path.parts or name in _OWN_FILES:
        fix = 'give a relative path, such as "graph/indptr.npy"'
        raise UsageError(_line(repr(name), "cannot name a file of an index", fix))
    return name


Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}\z")]
Count = Annotated[int, Field(ge=0, lt=2**63)]
FileName = Annotated[str, AfterValidator(_file_name)]


class _Frozen(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class FileEntry(_Frozen):
    """Checksum and size of one file."""

    sha256: Sha256
    n_bytes: Count


class ManifestFields(_Frozen):
    """What a build says of the index it made: no time, path or host, which go to the log.

    Attributes
    ----------
    recipe : dict
        The recipe with every default filled in, as plain JSON values.
    recipe_sha256 : str
        Its hash, 64 lower-case hexadecimal digits.
    models : dict
        What is known of each model (name, hash of its weights), by its part in the build.
    counts, dimensions : dict
        Sizes of the index and lengths of its vectors, by name.
    failures : list of str
        What failed and was left out, one line each; it may be cut short.
    n_failures : int
        How many failed: ``len(failures)`` or more.
    """

    recipe: dict[str, JsonValue]
    recipe_sha256: Sha256
    models: dict[str, dict[str, str]]
    counts: dict[str, Count]
    dimensions: dict[str, Count]
    failures: list[str]
    n_failures: Count


class Manifest(ManifestFields):
    """Content of ``manifest.json``: the build's fields, the format and the files."""

    format_version: int = FORMAT_VERSION
    files: dict[FileName, FileEntry]


class _AnyManifest(BaseModel):
    """What the manifests of all formats have in common."""

    format_version: Annotated[int, Field(strict=True, ge=0, lt=2**31)]


# A lock lives until every copy of its descriptor is closed, and a forked worker has a copy: it
# would keep the lock of a writer that was killed.
_lock_descriptors: set[int] = set()


def _close_inherited_locks() -> None:
    while _lock_descriptors:
        os.close(_lock_descriptors.pop())


os.register_at_fork(after_in_child=_close_inherited_locks)


class IndexWriter:
    """Writes one version of an index and publishes it in one step: ``with IndexWriter(root)``.

    A block that ends without ``publish``, by an exception or not, leaves no trace and the old
    version live. What a killed writer leaves is hidden, and the next writer removes it.

    Attributes
    ----------
    root, folder : Path
        Folder of all versions, and the hidden one to write into. A file that is written there
        directly is published like the rest; ``writing`` gives its errors a name.
    log : dict
        Saved as ``build_log.json``, the place for what differs between two equal builds.

    Raises
    ------
    IndexStoreError
        On entry: another process writes here, or the folder cannot be written to.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root).absolute()
        self.folder = self.root / f"{_BUILDING}{os.getpid()}"
        self.log: dict[str, Any] = {}
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        with _writes(self.root), ExitStack() as stack:
            self.root.mkdir(parents=True, exist_ok=True)
            stack.enter_context(_exclusive(self.root / _LOCK))
            _remove_left_overs(self.root)
            stack.callback(_tidy_up, self.root)
            self.folder.mkdir()
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    @contextmanager
    def writing(self, name: str) -> Generator[Path]:
        """Path to write one file to, its folder made; a refused write names the file.

        Raises
        ------
        UsageError
            The name leaves the folder or is taken, or the writer is not open.
        IndexStoreError
            The disk is full, the folder is read-only, a limit is reached: any ``OSError``.
        """
        self._check_open()
        path = self.folder / _file_name(name)
        with _writes(path):
            path.parent.mkdir(parents=True, exist_ok=True)
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
            raise UsageError(_line(name, "is an array of objects", "give numbers or fixed text"))
        ordered = np.asarray(array, order="C")
        with self._file(name, ".npy") as file:
            # Not np.save: where the disk is full, its error does not say so.
            npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(ordered))
            file.write(ordered.reshape(-1).view(np.uint8).data)

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

    def save_json(self, name: str, value: object) -> None:
        """Write a value as ``name``, which ends in ".json": UTF-8, keys sorted, no blanks.

        Raises
        ------
        UsageError
            JSON has no form for the value (NaN, a set, a lone surrogate), or as ``writing``.
        IndexStoreError
            As ``writing``.
        """
        data = _json_bytes(name, value)
        with self._file(name, ".json") as file:
            file.write(data)

    def publish(self, fields: ManifestFields) -> Path:
        """Make what was written the live version, and remove versions that nobody needs.

        Every file is on the disk before the version has its name, and the version is before
        ``CURRENT`` names it. The newest ``KEPT_VERSIONS`` stay, and those that a reader holds.

        Returns
        -------
        Path
            Folder of the new version.

        Raises
        ------
        UsageError
            The log or the recipe has no form in JSON, or the writer is not open.
        IndexStoreError
            Something cannot be written; the old version stays live.
        """
        self._check_open()
        self._seal(fields)
        newest = [int(path.name[1:]) for path in _versions(self.root)[-1:]] or [0]
        version = f"v{newest[0] + 1:06d}"
        target, pointer = self.root / version, self.root / _NEW_CURRENT
        # Written first: once the version has its name, nothing is left that needs space.
        _write_synced(pointer, f"{version}\n".encode())
        with _writes(target):
            self.folder.rename(target)
            _sync(self.root)
        with _writes(self.root / _CURRENT):
            pointer.replace(self.root / _CURRENT)
            _sync(self.root)
        _remove_old(self.root)
        return target

    def _seal(self, fields: ManifestFields) -> None:
        """Describe the files in the manifest, and bring all of them to the disk."""
        with _writes(self.folder):
            names = [name for name in _file_names(self.folder) if name not in _OWN_FILES]
        files = {_file_name(name): _sealed_entry(self.folder / name) for name in names}
        manifest = Manifest(**dict(fields), files=files).model_dump()
        data = _json_bytes(_MANIFEST, manifest, indent=2)
        _write_synced(self.folder / _LOG, _json_bytes(_LOG, self.log, indent=2))
        _write_synced(self.folder / _MANIFEST, data)
        _write_synced(self.folder / _MANIFEST_SUM, _sum_line(data))
        with _writes(self.folder):
            for folder, _, _ in os.walk(self.folder, topdown=False, onerror=_refuse):
                _sync(Path(folder))

    @contextmanager
    def _file(self, name: str, suffix: str) -> Generator[IO[bytes]]:
        """A new file, open to write."""
        if not name.endswith(suffix):
            raise UsageError(_line(name, f"does not end in {suffix}", f"name it {name}{suffix}"))
        with self.writing(name) as path, path.open("wb") as file:
            yield file

    def _check_open(self) -> None:
        if not self.folder.is_dir():
            fix = "write in the with-block, before publish"
            raise UsageError(_line(self.root, "is not open to write", fix))


class StoredIndex:
    """One version of an index, open to read; files are mapped into memory, not loaded.

    The version stays on disk until ``close``, the end of a with-block, or the end of this
    object. Arrays and tables that were taken from it stay valid after that.

    Attributes
    ----------
    folder : Path
        Folder of the version.
    manifest : Manifest
    """

    def __init__(self, folder: Path, manifest: Manifest, descriptor: int) -> None:
        self.folder: Final = folder
        self.manifest: Final = manifest
        self._release = weakref.finalize(self, os.close, descriptor)

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open the live version under a root, or the version whose folder is given.

        Sizes of all files are compared with the manifest, and checksums of those up to
        ``SMALL_FILE_BYTES``; ``verify`` compares the rest.

        Raises
        ------
        IndexStoreError
            Nothing is published there, it has another format, or it cannot be read.
        IndexDamagedError
            A file is missing, has another size or was altered.
        """
        folder = _version_folder(Path(path))
        while True:
            try:
                return cls._open_version(folder)
            except IndexStoreError:
                # Two new versions since CURRENT was read? Then this one was removed meanwhile.
                newer = _version_folder(Path(path))
                if newer == folder:
                    raise
                folder = newer

    @classmethod
    def _open_version(cls, folder: Path) -> Self:
        descriptor = _hold(folder / _MANIFEST)
        try:
            manifest = _load_manifest(folder)
            for name, entry in manifest.files.items():
                _check(folder / name, entry, checksum=entry.n_bytes <= SMALL_FILE_BYTES)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(folder, manifest, descriptor)

    @property
    def version(self) -> str:
        """Name of the version, such as "v000001"."""
        return self.folder.name

    def sizes(self) -> dict[str, int]:
        """Size in bytes of every file of the build, by name."""
        return {name: entry.n_bytes for name, entry in self.manifest.files.items()}

    def array(self, name: str) -> NDArray[Any]:
        """Array of a ".npy" file, mapped read-only.

        Raises
        ------
        IndexDamagedError
            The header cannot be read, or does not fit the file's size.
        IndexStoreError
            The index has no such file, or is closed.
        """
        path = self._path(name)
        # A header whose sizes overflow would wrap around, with no more than a warning.
        with _reads(path), np.errstate(over="raise"):
            array = npy.open_memmap(path, mode="r")
            if array.offset + array.nbytes != self.manifest.files[name].n_bytes:
                raise ValueError("its header does not fit its size")
        return array

    def table(self, name: str) -> "pyarrow.Table":  # pyright: ignore[reportUnknownParameterType]
        """Table of an ".arrow" file, over a memory map.

        Raises
        ------
        IndexDamagedError
            Arrow cannot read it.
        IndexStoreError
            The index has no such file, or is closed.
        """
        import pyarrow

        path = self._path(name)
        with _reads(path, pyarrow.ArrowException), pyarrow.memory_map(str(path)) as source:
            table = pyarrow.ipc.open_file(source).read_all()
            table.validate()
        return table

    def json(self, name: str) -> Any:  # noqa: ANN401
        """Value of a ".json" file; as it is read whole, its checksum is compared.

        Raises
        ------
        IndexDamagedError
            It was altered, or is not JSON.
        IndexStoreError
            The index has no such file, or is closed.
        """
        path = self._path(name)
        with _reads(path):
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != self.manifest.files[name].sha256:
                raise ValueError("its checksum differs")
            return json.loads(data)

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
        self._check_open()
        problems: list[str] = []
        done, total = 0, sum(self.sizes().values())
        with _collected(problems):
            _load_manifest(self.folder)
        for name, entry in self.manifest.files.items():
            with _collected(problems):
                _check(self.folder / name, entry, checksum=True)
            done += entry.n_bytes
            if progress is not None:
                progress(done, total)
        return problems + self._unlisted()

    def close(self) -> None:
        """Let go of the version, so that a writer may remove it; harmless when repeated."""
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unlisted(self) -> list[str]:
        """A line for each file that the manifest does not know."""
        with _reads(self.folder):
            names = _file_names(self.folder)
        known = self.manifest.files.keys() | _OWN_FILES
        extra = [self.folder / name for name in names if name not in known]
        return [_line(path, "is not part of the index", "remove it") for path in extra]

    def _path(self, name: str) -> Path:
        """Path of a file of the build."""
        self._check_open()
        if name not in self.manifest.files:
            raise IndexStoreError(_line(self.folder, f"has no file {name!r}", _REBUILD))
        return self.folder / name

    def _check_open(self) -> None:
        if not self._release.alive:
            raise IndexStoreError(_line(self.folder, "is closed", "open the index again"))


def _versions(root: Path) -> list[Path]:
    """Everything under a root that has a version's name, oldest first."""
    with _writes(root):
        found = [path for path in root.iterdir() if _VERSION.fullmatch(path.name)]
    return sorted(found, key=lambda path: int(path.name[1:]))


def _version_folder(path: Path) -> Path:
    """Folder that ``StoredIndex.open`` is asked for: the given one, or the one CURRENT names."""
    with _reads(path / _CURRENT):
        path = Path(os.path.realpath(path))
        try:
            with (path / _CURRENT).open("rb") as file:
                named = file.read(64).strip().decode("ascii", "backslashreplace")
        except (FileNotFoundError, NotADirectoryError) as error:
            if _VERSION.fullmatch(path.name) and path.is_dir():
                return path
            what = "holds no published index" if path.is_dir() else "is no folder"
            fix = "build the index, or check the path"
            raise IndexStoreError(_line(path, what, fix)) from error
    if not _VERSION.fullmatch(named):
        fix = "write the name of a version into it, such as v000001"
        raise IndexDamagedError(_line(path / _CURRENT, f"names no version ({named!r})", fix))
    return path / named


def _hold(manifest: Path) -> int:
    """Descriptor that keeps a version on disk: a shared lock on its manifest.

    If the version was removed before the lock was had, its manifest cannot be read by name.
    """
    with _reads(manifest):
        descriptor = os.open(manifest, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor


def _load_manifest(folder: Path) -> Manifest:
    """Manifest of a version, checked against its checksum.

    The format comes first: the manifest of another one may be checked in another way.
    """
    path = folder / _MANIFEST
    with _reads(path):
        data = path.read_bytes()
        found = _AnyManifest.model_validate_json(data).format_version
    if found != FORMAT_VERSION:
        newer = found > FORMAT_VERSION
        age, fix = ("newer", "upgrade hippohover") if newer else ("older", _REBUILD)
        what = f"has format {found}, {age} than {FORMAT_VERSION}, which this program reads"
        raise IndexStoreError(_line(path, what, fix))
    with _reads(folder / _MANIFEST_SUM):
        expected = (folder / _MANIFEST_SUM).read_bytes()
    with _reads(path):
        if _sum_line(data) != expected:
            raise ValueError(f"its checksum is not the one in {_MANIFEST_SUM}")
        return Manifest.model_validate_json(data)


def _check(path: Path, entry: FileEntry, *, checksum: bool) -> None:
    """Raise ``IndexDamagedError`` unless the file is there, as the manifest describes it."""
    with _reads(path):
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a plain file")
        if status.st_size != entry.n_bytes:
            raise ValueError(f"it has {status.st_size} bytes and should have {entry.n_bytes}")
        if checksum and _sha256(path) != entry.sha256:
            raise ValueError("its checksum differs")


@contextmanager
def _collected(problems: list[str]) -> Generator[None]:
    """Turn an error into a line of a list."""
    try:
        yield
    except IndexStoreError as error:
        problems.append(str(error))


@contextmanager
def _exclusive(path: Path) -> Generator[None]:
    """The writer's lock: it ends with the process that holds it, however that ends."""
    with _writes(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    _lock_descriptors.add(descriptor)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            what = f"is being written by process {pid or 'of unknown number'}"
            fix = "wait until it ends, or stop it"
            raise IndexStoreError(_line(path.parent, what, fix)) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        if descriptor in _lock_descriptors:
            _lock_descriptors.remove(descriptor)
            os.close(descriptor)


def _remove_left_overs(root: Path) -> None:
    """Remove what is hidden and unfinished; who holds the lock knows that nobody works on it."""
    for path in root.iterdir():
        if path.name.startswith((_BUILDING, _REMOVING, _NEW_CURRENT)):
            with _writes(path):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def _tidy_up(root: Path) -> None:
    """Remove what is unfinished, if it can be; the next writer would, and must."""
    with suppress(OSError, IndexStoreError):
        _remove_left_overs(root)


def _remove_old(root: Path) -> None:
    """Remove all but the newest versions, save those that a reader holds."""
    for folder in _versions(root)[:-KEPT_VERSIONS]:
        # The new version is live already. What stays, held or not removable, is tried again
        # by the next writer.
        with suppress(OSError):
            hidden = root / f"{_REMOVING}{folder.name}"
            with (folder / _MANIFEST).open("rb+") as manifest:
                fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB)
                folder.rename(hidden)
            shutil.rmtree(hidden)


def _refuse(error: OSError) -> NoReturn:
    raise error


def _file_names(folder: Path) -> list[str]:
    """Names, relative to a folder, of all that is in it and no folder itself; sorted."""
    names: list[str] = []
    for parent, folders, files in os.walk(folder, onerror=_refuse):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        names += [Path(parent, name).relative_to(folder).as_posix() for name in files + links]
    return sorted(names)


def _sealed_entry(path: Path) -> FileEntry:
    """Checksum and size of a file that the build wrote, once it is on the disk."""
    with _writes(path):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise UsageError(_line(path, "is not a plain file", "copy its content into the index"))
        _sync(path)
        return FileEntry(sha256=_sha256(path), n_bytes=path.stat().st_size)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _json_bytes(name: str, value: object, *, indent: int | None = None) -> bytes:
    """Bytes of a value that depend on nothing but the value."""
    form: dict[str, Any] = {"indent": indent} if indent else {"separators": (",", ":")}
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, **form)
        return f"{text}\n".encode()
    except (TypeError, ValueError, RecursionError) as error:
        what = f"has no form in JSON ({error})"
        raise UsageError(_line(name, what, "give text, finite numbers, lists and dicts")) from error


def _sum_line(data: bytes) -> bytes:
    return f"{hashlib.sha256(data).hexdigest()}  {_MANIFEST}\n".encode()


def _write_synced(path: Path, data: bytes) -> None:
    with _writes(path):
        path.write_bytes(data)
        _sync(path)


def _sync(path: Path) -> None:
    """Bring a file's bytes, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
