"""Replies that were paid for once: SQLite, JSON, no pickle; several processes may share one."""

import json
import sqlite3
import threading
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from hippohover.errors import ModelError

_FILE: Final = "responses.sqlite"
_IN_MEMORY: Final = ":memory:"


class ResponseCache:
    """Replies by the hash of their request; safe from several threads and processes.

    Parameters
    ----------
    folder : Path or None
        Made when it is not there; None keeps replies in memory, for this process alone.

    Raises
    ------
    ModelError
        The folder cannot be written, or what it holds is no such cache.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = _IN_MEMORY if folder is None else str(folder / _FILE)
        self._lock = threading.Lock()
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=60, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise self._failure(error) from error
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, reply TEXT)"
                " WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            self._connection.close()
            raise self._failure(error) from error

    def get(self, key: str) -> dict[str, Any] | None:
        """The reply kept under a key; None when there is none, or it was altered."""
        query = "SELECT reply FROM responses WHERE key = ?"
        try:
            with self._lock:
                row = self._connection.execute(query, (key,)).fetchone()
            return None if row is None else _opened(key, row[0])
        except (sqlite3.Error, ValueError) as error:
            raise self._failure(error) from error

    def put(self, key: str, reply: dict[str, Any]) -> None:
        """Keep a reply; it is on the disk when this returns."""
        try:
            with self._lock, self._connection:
                self._connection.execute(
                    "INSERT OR REPLACE INTO responses VALUES (?, ?)",
                    (key, _sealed(key, json.dumps(reply))),
                )
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def close(self) -> None:
        self._connection.close()

    def _failure(self, error: Exception) -> ModelError:
        return ModelError(
            f"{self._path}: the cache of replies failed ({error}): free some room, delete the "
            "file, or name another folder"
        )


def _sealed(key: str, text: str) -> str:
    return f"{blake2b(f'{key}{text}'.encode(), digest_size=8).hexdigest()}{text}"


def _opened(key: str, sealed: str) -> dict[str, Any] | None:
    """The reply, if it is the one that was sealed."""
    text = sealed[16:]
    return json.loads(text) if _sealed(key, text) == sealed else None
