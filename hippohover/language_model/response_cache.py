"""A cache of paid replies, as JSON; several processes may share it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from hippohover.disk.sealed_cache import SealedCache
from hippohover.errors import ModelError

_FILE: Final = "responses.sqlite"
_VERSION: Final = "1"
"""What replies stand under in their cache: the hash of a request says all else."""

_OLD_TABLE: Final = "responses (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID"
_OLD_SEAL: Final = 16
"""Hexadecimal digits before a reply in the table that replies once had."""


class ResponseCache:
    """Replies by the hash of their request; safe from several threads and processes.

    Parameters
    ----------
    folder : Path or None
        Made if it does not exist; None keeps replies in memory, only for this process.

    Raises
    ------
    ModelError
        The folder cannot be written, or its file is not such a cache.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _FILE
        self._kept = SealedCache(self._path, self._failure, others=[_OLD_TABLE])
        try:
            with self._kept.named():
                self._take_over()
        except ModelError:
            self._kept.close()
            raise

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the reply under a key; None when it is missing or altered."""
        reply = self._kept.get([key], _VERSION).get(key)
        return None if reply is None else json.loads(reply)

    def put(self, key: str, reply: dict[str, Any]) -> None:
        """Store a reply; it is on disk when this returns."""
        self._kept.put([(key, json.dumps(reply).encode())], _VERSION)

    def close(self) -> None:
        self._kept.close()

    def _take_over(self) -> None:
        """Move replies from an earlier version's table to this one.

        The table stays, empty, for a process of that version which may be running.
        """
        if self._path is None:
            return
        with closing(sqlite3.connect(self._path, timeout=60)) as connection:
            query = "SELECT 1 FROM sqlite_master WHERE name = 'responses'"
            if connection.execute(query).fetchone() is None:
                return
            query = "SELECT key, reply FROM responses LIMIT 1000"
            while rows := connection.execute(query).fetchall():
                self._kept.put(_old_replies(rows), _VERSION)
                with connection:
                    moved = ((key,) for key, _ in rows)
                    connection.executemany("DELETE FROM responses WHERE key = ?", moved)

    def _failure(self, error: Exception) -> ModelError:
        return ModelError(
            f"{self._path or 'memory'}: the cache of replies failed ({error}): free some room, "
            "delete the file, or name another folder"
        )


def _old_replies(rows: list[tuple[str, object]]) -> Iterator[tuple[str, bytes]]:
    """Yield replies with a valid earlier seal, by key."""
    for key, sealed in rows:
        if isinstance(sealed, str):
            seal, text = sealed[:_OLD_SEAL], sealed[_OLD_SEAL:]
            if blake2b(f"{key}{text}".encode(), digest_size=8).hexdigest() == seal:
                yield key, text.encode()
