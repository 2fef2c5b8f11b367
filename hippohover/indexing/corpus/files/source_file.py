"""A file of a corpus, in a folder, in an archive, or on standard input."""

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hippohover.disk.decoding import decoded
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES, too_long


@dataclass(slots=True)
class SourceFile:
    """A file as a reader gets it.

    Attributes
    ----------
    place : str
        Its path below the corpus, with "/" between folders; what an archive holds is below the
        archive: "notes/sync.md", "old.zip/notes/sync.md".
    opened : callable
        Opens its bytes, unpacked when they begin as gzip or bzip2 does; they can be read once an
        opening, from the first byte on, and not be sought in.
    on_disk : Path, optional
        Where the bytes are as a file of its own, for what has to seek; it may be packed.
    encoding : str
        What its text was decoded from, once it was, where that is not UTF-8; else empty.
    """

    place: str
    opened: Callable[[], AbstractContextManager[io.BufferedReader]]
    on_disk: Path | None = None
    encoding: str = ""

    @property
    def stem(self) -> str:
        """Name without the last suffix."""
        return PurePosixPath(self.place).stem

    @property
    def suffix(self) -> str:
        """Last suffix, in lower case and with its dot; "" without one."""
        return suffix_of(self.place)

    @property
    def folder(self) -> str:
        """Folder of the file; "" for the corpus itself."""
        parent = PurePosixPath(self.place).parent.as_posix()
        return "" if parent == "." else parent

    def content(self) -> bytes:
        """Return all bytes.

        Raises
        ------
        CorpusError
            They are more than ``MAX_RECORD_BYTES``.
        """
        with self.opened() as stream:
            content = stream.read(MAX_RECORD_BYTES + 1)
        if len(content) > MAX_RECORD_BYTES:
            raise too_long(self.place)
        return content

    def text(self, declared: str = "") -> str:
        r"""Return the text, with ``"\n"`` for each end of a line.

        Parameters
        ----------
        declared : str
            The encoding that the file itself says it is in.

        Raises
        ------
        CorpusError
            It is longer than ``MAX_RECORD_BYTES``.
        UnicodeError
            It is no text in any encoding.
        """
        text, self.encoding = decoded(self.content(), declared)
        return text


def suffix_of(place: str) -> str:
    """Return the last suffix, in lower case and with its dot; "" without one."""
    suffix = PurePosixPath(place).suffix.lower()
    return "" if suffix == "." else suffix  # since Python 3.14, "7." has the suffix "."


class Attached(NamedTuple):
    """A file attached to a document, and the id of that document."""

    file: SourceFile
    to: str
