"""The one way to write an index: a hidden folder, published in one step."""

import fcntl
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from hippohover.disk import door
from hippohover.disk.errors import message, writes
from hippohover.errors import IndexStoreError
from hippohover.store.layout import BUILDING, COMPACTING, CURRENT, LOCK, NEW_CURRENT, VERSION
from hippohover.store.locks import exclusive
from hippohover.store.manifest import ManifestFields
from hippohover.store.version_files import VersionFiles, write_synced
from hippohover.store.versions import (
    check_names,
    pointer_line,
    refuse_foreign,
    remove_if_unused,
    remove_left_overs,
    remove_old,
    tidy_up,
    versions,
)


class CompactedElsewhereError(IndexStoreError):
    """Another process is making a new base of the index."""


class IndexWriter(VersionFiles):
    """Writes a version and publishes it in one step: ``with IndexWriter(root)``.

    If a block ends without ``publish``, by an exception or not, it leaves no trace, and the old
    version stays live. What a killed writer leaves is hidden, and the next writer removes it.

    Parameters
    ----------
    root : Path or str
    for_a_moment : bool
        It waits for other writers, and they wait for it: all is ready to be published.

    Attributes
    ----------
    root, folder : Path
        Folder of all versions, and the hidden one to write into.

    Raises
    ------
    IndexStoreError
        On entry: another process writes here, the folder cannot be written to, or it is neither an
        index nor empty.
    """

    def __init__(self, root: Path | str, *, for_a_moment: bool = False) -> None:
        self.root = door.resolved(root)
        super().__init__(self.root / f"{BUILDING}{os.getpid()}")
        self._for_a_moment = for_a_moment
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        with writes(self.root), ExitStack() as stack:
            self.root.mkdir(parents=True, exist_ok=True)
            check_names(self.root)
            refuse_foreign(self.root)
            stack.callback(remove_if_unused, self.root)
            stack.enter_context(exclusive(self.root / LOCK, for_a_moment=self._for_a_moment))
            remove_left_overs(self.root)
            stack.callback(tidy_up, self.root)
            door.make_folder(self.folder)
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def publish(
        self, fields: ManifestFields, on_done: Callable[[int, int], None] | None = None
    ) -> Path:
        """Make what was written the live version, and remove unneeded versions.

        Every file is on the disk before the version has its name, and the version is before
        ``CURRENT`` names it. The newest ``KEPT_VERSIONS`` stay, and those that a reader holds.
        ``on_done`` is told how many files are on the disk, and how many there are.

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
        self.seal(fields, on_done or (lambda _, __: None))
        return self.publish_sealed([self.folder])

    def next_version(self) -> str:
        """Return the name of the next folder to be published."""
        return self._version(1)

    def publish_sealed(self, folders: Sequence[Path]) -> Path:
        """Publish folders that ``seal`` closed; the last one becomes the live version.

        The others are what it is made of.

        Raises
        ------
        IndexStoreError
            As ``publish``.
        """
        targets = [self.root / self._version(at) for at in range(1, len(folders) + 1)]
        pointer = self.root / NEW_CURRENT
        # Written first: once a version has its name, nothing is left that needs space.
        write_synced(pointer, pointer_line(targets[-1].name))
        for folder, target in zip(folders, targets, strict=True):
            with writes(target):
                door.replace(folder, target)
                door.sync(self.root)
        with writes(self.root / CURRENT):
            door.replace(pointer, self.root / CURRENT)
            door.sync(self.root)
        remove_old(self.root)
        return targets[-1]

    def _version(self, ahead: int) -> str:
        newest = [int(path.name[1:]) for path in versions(self.root)[-1:]] or [0]
        name = f"v{newest[0] + ahead:06d}"
        if not VERSION.fullmatch(name):
            what = f"holds version {newest[0]}, after which no number is left"
            raise IndexStoreError(message(self.root, what, "rename its folder"))
        return name


@contextmanager
def compacting(root: Path) -> Generator[VersionFiles]:
    """Yield the files of a version that nobody waits for: other writers publish meanwhile.

    They are in a hidden folder that is locked, so that no writer takes it for one that was left.

    Raises
    ------
    CompactedElsewhereError
        Another process does the same.
    IndexStoreError
        The index cannot be written to.
    """
    folder = door.resolved(root) / COMPACTING
    with writes(folder):
        check_names(folder.parent)
        descriptor = _locked(folder)
        try:
            for path in folder.iterdir():
                door.remove(path)
            yield VersionFiles(folder)
        finally:
            if _is_at(descriptor, folder):  # it was not published
                with suppress(IndexStoreError):
                    door.remove(folder)
            os.close(descriptor)


def _locked(folder: Path) -> int:
    """Make a folder, and return the descriptor that locks it."""
    while True:
        door.make_folder(folder)
        descriptor = door.descriptor(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            what, fix = "is being compacted or encoded by another process", "wait until it ends"
            raise CompactedElsewhereError(message(folder.parent, what, fix)) from error
        if _is_at(descriptor, folder):
            return descriptor
        os.close(descriptor)  # it was taken for one that was left before the lock was had


def _is_at(descriptor: int, folder: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), folder.lstat())
    return False
