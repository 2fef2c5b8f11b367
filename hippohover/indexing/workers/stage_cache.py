"""What a stage of a build makes of one passage or text is kept: nothing dear is done twice.

SQLite in WAL mode; a row is (key of the passage or text, version of what read it, checksum and
bytes). A stopped build goes on where it was, and an update does what is new alone. A row that was
altered counts as none.
"""

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from hippohover.columns import chunks
from hippohover.errors import BuildError

_KEYS_A_QUERY = 500
_SEAL_BYTES = 8


class StageCache:
    """Results of one stage on disk, by key and version.

    Parameters
    ----------
    path : Path
        SQLite file; made when it is not there.

    Raises
    ------
    BuildError
        The file cannot be written, or is no such cache: here and in every method.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._named():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path)
        try:
            with self._named():
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute("PRAGMA synchronous=NORMAL")
                self._connection.execute(
                    "CREATE TABLE IF NOT EXISTS results (key TEXT, version TEXT, result BLOB,"
                    " PRIMARY KEY (key, version)) WITHOUT ROWID"
                )
        except BuildError:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    def get(self, keys: Sequence[str], version: str) -> dict[str, bytes]:
        """Results of those keys that are there, each as it was put."""
        found: dict[str, bytes] = {}
        for some in chunks(keys, _KEYS_A_QUERY):
            marks = ",".join("?" * len(some))
            query = f"SELECT key, result FROM results WHERE version = ? AND key IN ({marks})"  # noqa: S608
            with self._named():
                for key, sealed in self._connection.execute(query, (version, *some)):
                    if (result := _opened(key, version, sealed)) is not None:
                        found[key] = result
        return found

    def put(self, found: Iterable[tuple[str, bytes]], version: str) -> None:
        """Keep results by key, all or none of them."""
        rows = [(key, version, _seal(key, version, result) + result) for key, result in found]
        with self._named(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    def keep(self, keys: Iterable[str], versions: Sequence[str]) -> int:
        """Remove all but the results of these keys by these versions; how many were removed.

        The file is made smaller, for which the disk must have room for a second one.
        """
        marks = ",".join("?" * len(versions))
        with self._named():
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

    @contextmanager
    def _named(self) -> Generator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise BuildError(
                f"{self._path}: the cache failed ({error}): free some room or delete the file, "
                "then build again"
            ) from error


def text_key(text: str) -> str:
    """What a text's result stands under: 128 bits of its BLAKE2b."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _seal(key: str, version: str, result: bytes) -> bytes:
    return blake2b(f"{key}\0{version}\0".encode() + result, digest_size=_SEAL_BYTES).digest()


def _opened(key: str, version: str, sealed: object) -> bytes | None:
    """The result, if it is the one that was sealed."""
    if not isinstance(sealed, bytes):
        return None
    seal, result = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    return result if _seal(key, version, result) == seal else None
