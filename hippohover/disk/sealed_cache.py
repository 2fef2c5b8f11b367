"""A cache on disk of expensive results: bytes by key and version, each sealed to both.

It is SQLite in WAL mode, so several processes may share a file. A row is (key, version of what made
it, checksum and bytes); an altered row is ignored.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from hippohover.disk import door
from hippohover.errors import HippoHoverError, IndexStoreError

_KEYS_A_QUERY: Final = 500
_MOST_STEPS: Final = 100_000
_SEAL_BYTES: Final = 8
_TABLE: Final = (
    "results (key TEXT, version TEXT, result BLOB, PRIMARY KEY (key, version)) WITHOUT ROWID"
)
_MOST_BYTES_A_VALUE: Final = 2**26  # a reply of a model, the longest, has a thousandth of it
_JOURNAL: Final = "-journal"
_SUFFIXES: Final = ("-wal", "-shm", _JOURNAL)
_NAMES_ANOTHER: Final = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names another one, of whatever path, which SQLite removes once it has
restored the file; no cache has such a journal (https://sqlite.org/fileformat2.html, 3.0)."""
_WAIT_SECONDS: Final = 60
"""How long another process may write before this one gives up."""


class SealedCache:
    """Results by key and version; safe from several threads and processes.

    Parameters
    ----------
    path : Path or None
        SQLite file, made when it is not there; None keeps results in memory.
    failure : callable
        Makes the error to raise, here and in every method, of an OSError or one of SQLite's: the
        file cannot be written, or is no such cache.
    synchronous : {"FULL", "NORMAL"}
        Whether what was put is on the disk when ``put`` returns, or may be lost with the power.
    others : collection of str
        Other tables that the file may have, as ``CREATE TABLE`` names them.
    """

    def __init__(
        self,
        path: Path | None,
        failure: Callable[[Exception], HippoHoverError],
        *,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        others: Collection[str] = (),
    ) -> None:
        self._failure = failure
        self._lock = threading.Lock()
        with self._named():
            if path is not None:
                _check_files(path)
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=_WAIT_SECONDS, check_same_thread=False
            )
        try:
            with self._named():
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute(f"PRAGMA synchronous={synchronous}")
                self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES_A_VALUE)
                self._connection.set_progress_handler(_stop, _MOST_STEPS)  # the list may be endless
                self._check_tables(others)
                self._connection.set_progress_handler(None, 0)
                self._connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        except HippoHoverError:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    def get(self, keys: Sequence[str], version: str) -> dict[str, bytes]:
        """Return the results of the keys that are cached."""
        results: dict[str, bytes] = {}
        for start in range(0, len(keys), _KEYS_A_QUERY):
            some = keys[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, result FROM results WHERE version = ? AND key IN ({marks})"  # noqa: S608
            with self._named(), self._lock:
                for key, sealed in self._connection.execute(query, (version, *some)):
                    if (result := _opened(key, version, sealed)) is not None:
                        results[key] = result
        return results

    def put(self, results: Iterable[tuple[str, bytes]], version: str) -> None:
        """Keep results by key, all or none of them."""
        rows = [(key, version, _seal(key, version, result) + result) for key, result in results]
        with self._named(), self._lock, self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    def keep(self, keys: Iterable[str], versions: Sequence[str]) -> int:
        """Remove all other keys and versions; return how many were removed.

        The file is made smaller, for which the disk must have room for a second one.
        """
        marks = ",".join("?" * len(versions))
        with self._named(), self._lock:
            with self._connection:
                self._connection.execute("CREATE TEMP TABLE kept (key TEXT PRIMARY KEY)")
                self._connection.executemany(
                    "INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keys)
                )
                removed = self._connection.execute(
                    f"DELETE FROM results WHERE version NOT IN ({marks})"  # noqa: S608
                    " OR key NOT IN (SELECT key FROM kept)",
                    versions,
                ).rowcount
                self._connection.execute("DROP TABLE kept")
            if removed:
                self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def _check_tables(self, others: Collection[str]) -> None:
        """Refuse a file with views, triggers or columns that SQLite would compute."""
        known = {f"CREATE TABLE {table}" for table in (_TABLE, *others)}
        query = "SELECT sql FROM sqlite_schema LIMIT ?"
        found = {sql for (sql,) in self._connection.execute(query, (len(known) + 1,))}
        if not found <= known:
            raise sqlite3.DatabaseError("it holds something else than results")

    @contextmanager
    def _named(self) -> Generator[None]:
        """Turn an error of the disk or of SQLite into one that names the file."""
        try:
            yield
        except (OSError, sqlite3.Error, IndexStoreError) as error:
            raise self._failure(error) from error


def _check_files(path: Path) -> None:
    """Check that SQLite will find plain files alone, and names no other one to be removed."""
    door.make_private(path)  # SQLite gives the others its mode
    for suffix in _SUFFIXES:
        door.status(path.with_name(path.name + suffix), has_one_name=True)
    journal = path.with_name(f"{path.name}{_JOURNAL}")
    if door.status(journal) is not None:
        with door.opened(journal) as file:
            file.seek(max(file.seek(0, os.SEEK_END) - len(_NAMES_ANOTHER), 0))
            if file.read() == _NAMES_ANOTHER:
                raise sqlite3.DatabaseError("its journal names another file")


def _stop() -> int:
    """Interrupt SQLite: reading what tables there are takes some hundred of its steps."""
    return 1


def _seal(key: str, version: str, result: bytes) -> bytes:
    return blake2b(f"{key}\0{version}\0".encode() + result, digest_size=_SEAL_BYTES).digest()


def _opened(key: str, version: str, sealed: object) -> bytes | None:
    """Return the result if its seal is valid."""
    if not isinstance(sealed, bytes):
        return None
    seal, result = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    return result if _seal(key, version, result) == seal else None
