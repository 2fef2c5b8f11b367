"""Versions of one document in a corpus: of records with one id, only the newest is read.

The newest has the latest date, in the field ``date``; among those of one date, and among those
without any, which are older than all others, it is the one that is read last. Files of one name
that differ in their suffix share an id, for links go by it, and are no versions of one another.
"""

from array import array
from collections.abc import Callable
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hippohover.indexing.corpus.markup import without_suffix
from hippohover.indexing.corpus.records import Document
from hippohover.language.written_dates import seconds_of
from hippohover.records import passage_id

Made = TypeVar("Made")


class DocumentNames:
    """The names of a reading's documents: id and path, or the title of those without an id.

    Parameters
    ----------
    by_path : bool
        Whether records of one id in two files are two documents, as in a folder. Where one file is
        read, whatever its name, they are one; those that a file itself names are told apart always.

    Attributes
    ----------
    ids, titles : set of str
    """

    def __init__(self, *, by_path: bool = True) -> None:
        self.ids: set[str] = set()
        self.titles: set[str] = set()
        self._by_path = by_path
        self._in_files: set[tuple[str, str]] = set()

    def add(self, document: Document) -> None:
        """Add a document."""
        if not document.id:
            self.titles.add(document.title)
            return
        self.ids.add(document.id)
        own = own_name(document.id, document.path)
        is_placed = self._by_path or own
        if own:
            self.ids.add(own)  # as which an index that hides titles has it
        self._in_files.add((document.id, document.path if is_placed else ""))

    def hold(self, identifier: str, title: str, path: str) -> bool:
        """Return whether a document is one of them; without a path, its id decides."""
        if not identifier:
            return title in self.titles
        if path:
            return not self._in_files.isdisjoint([(identifier, path), (identifier, "")])
        return identifier in self.ids


def own_name(identifier: str, path: str) -> str:
    """Return the path of a document whose id is its file's, and its number there; else ""."""
    stem = without_suffix(path)
    number = identifier[len(stem) :]
    is_own = bool(path) and identifier.startswith(stem) and number[:1] in {"", "#"}
    return path + number if is_own else ""


class Versions:
    """The documents of one reading with ids, and which are older than another.

    Parameters
    ----------
    names : DocumentNames, optional
        Filled with what names each document that is read.

    Attributes
    ----------
    older : frozenset of int
        Numbers of the records that are to be left out; none before ``settle``.
    n_records : int
        Records of the reading that ``settle`` ended; 0 before.
    """

    def __init__(self, names: DocumentNames | None = None) -> None:
        self.older: frozenset[int] = frozenset()
        self.n_records = 0
        self._names = names
        self._columns = array("Q"), array("d"), array("q")

    def add(self, number: int, document: Document) -> None:
        """Add a document with text, by the number of its record."""
        if self._names is not None:
            self._names.add(document)
        if not document.id or _names_its_text(document):
            return
        name = f"{document.id}\0{document.path}".encode("utf-8", "surrogatepass")
        ids, dates, numbers = self._columns
        ids.append(int.from_bytes(blake2b(name, digest_size=8).digest(), "little"))
        dates.append(seconds_of(document.fields.get("date")))
        numbers.append(number)

    def columns(self) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]:
        """Return hashes of id, date and record of each document with an id, for ``older_among``."""
        ids, dates, numbers = self._columns
        return np.array(ids, np.uint64), np.array(dates), np.array(numbers, np.int64)

    def settle(self, n_records: int) -> None:
        """End a reading: from here on ``older`` says which of its records are to be left out."""
        self.older |= frozenset(older_among(*self.columns()).tolist())
        self.n_records = n_records
        self._columns = array("Q"), array("d"), array("q")


def _names_its_text(document: Document) -> bool:
    """Return whether the id names this very text: another one of that id is the same."""
    name = document.id
    return len(name) == 16 and name == passage_id(document.title, document.text.strip(), 0)


def without_older(read: Callable[[Versions], Made], versions: Versions) -> Made:
    """Read a corpus, and read it again where some of it turns out to be old.

    ``read`` hands the versions to ``read_corpus``, and begins again each time that it is called.
    """
    made = read(versions)
    return read(versions) if versions.older else made


def older_among(
    ids: NDArray[np.uint64], dates: NDArray[np.float64], numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return numbers of the records with a newer one of the same id, ascending.

    Parameters
    ----------
    ids, dates, numbers : ndarray, shape (n_documents,)
        No two numbers are the same; dates are as of ``seconds_of``.
    """
    order = np.lexsort((numbers, dates, ids))
    in_order = ids[order]
    return np.sort(numbers[order[:-1][in_order[1:] == in_order[:-1]]])
