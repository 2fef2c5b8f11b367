"""The folder where a build keeps its stages' work until its index is published."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from hippohover.disk import door
from hippohover.disk.errors import writes
from hippohover.errors import IndexStoreError
from hippohover.indexing.corpus.passage_store import PassageStore
from hippohover.store.layout import CACHE
from hippohover.user_cache import own_key

VECTORS: Final = "vectors.sqlite"
"""Vectors that were made once, in the folder of ``cache_of``."""

WORK: Final = "work"
"""Folder of a build's stages, in the folder of its cache."""

_READING: Final = "reading"
# Count it up when a stage would find something else in the same passages.
_STAGES: Final = "2"


@dataclass(frozen=True)
class WorkFolder:
    """Files of one build's stages, by the number of the chunk.

    Attributes
    ----------
    folder : Path
        Named for everything that decides what the files hold.
    passages : PassageStore
    """

    folder: Path
    passages: PassageStore

    @classmethod
    def of(
        cls,
        cache: Path,
        write: Callable[[Path], PassageStore],
        *,
        made_by: Sequence[str],
    ) -> "WorkFolder":
        """Read the passages, and find the work of a stopped build of the same ones.

        ``write`` puts them into an empty folder. ``made_by`` says what else, besides the passages,
        decides what the stages find. What other stopped builds have left is removed.
        """
        root = cache / WORK
        reading = root / _READING
        with writes(reading):
            door.remove(reading)
            door.make_folder(reading, 0o700)  # passages, and what a model said of them
        try:
            store = write(reading)
        except BaseException:
            with suppress(IndexStoreError):
                door.remove(reading)  # the next build reads again
            for folder in (root, root.parent):
                with suppress(OSError):  # others' work is in it
                    folder.rmdir()
            raise
        # Its files are not checked: of an index from elsewhere none has this name.
        secret = own_key().hex()
        key = sha256("\0".join([secret, _STAGES, store.digest(), *made_by]).encode()).hexdigest()
        folder = root / key[:32]
        with writes(folder):
            if door.is_folder(folder):
                for path in reading.iterdir():  # what was just read is sure to be whole
                    door.replace(path, folder / path.name)
                reading.rmdir()
            else:
                door.replace(reading, folder)
            for other in root.iterdir():
                if other != folder:
                    door.remove(other)
        return cls(folder, store.moved_to(folder))

    def names(self) -> Path:
        """Return the file of the known names."""
        return self.folder / "names.arrow"

    def forms(self) -> Path:
        """Return the file by which other forms of the known names are found."""
        return self.folder / "forms.arrow"

    def triples(self, number: int) -> Path:
        """Return the file of a parser's or language model's triples of a chunk."""
        return self.folder / f"triples-{number:05d}.arrow"

    def found(self, number: int) -> Path:
        """Return the file of the scan of a chunk."""
        return self.folder / f"found-{number:05d}.arrow"

    def encoder(self) -> Path:
        """Return the folder of the encoder, for processes that do not have it."""
        return self.folder / "encoder"

    def vectors(self, number: int, fingerprint: str) -> Path:
        """Return the file of an encoder's vectors of a chunk's passages."""
        return self.folder / f"vectors-{fingerprint[:16]}-{number:05d}.arrow"

    def remove(self) -> None:
        """Remove the folder after the build; the next build removes what is left."""
        with suppress(IndexStoreError):
            door.remove(self.folder.parent)


def cache_of(root: Path) -> Path:
    """Return the folder beside an index's versions that caches work for later builds.

    Raises
    ------
    IndexDamagedError
        Something else is in its place.
    """
    cache = door.resolved(root) / CACHE
    door.is_folder(cache)
    return cache
