"""A cache of paid replies, as JSON; several processes may share it."""

import json
from pathlib import Path
from typing import Any, Final

from hippohover.disk.sealed_cache import SealedCache
from hippohover.errors import ModelError

_FILE: Final = "responses.sqlite"
_VERSION: Final = "1"
"""What replies stand under in their cache: the hash of a request says all else."""

_OTHER_TABLE: Final = "responses (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID"
"""A table that caches have which were made before replies were sealed; nothing reads it."""


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
        self._kept = SealedCache(self._path, self._failure, others=[_OTHER_TABLE])

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the reply under a key; None when it is missing or altered."""
        reply = self._kept.get([key], _VERSION).get(key)
        return None if reply is None else json.loads(reply)

    def put(self, key: str, reply: dict[str, Any]) -> None:
        """Store a reply; it is on disk when this returns."""
        self._kept.put([(key, json.dumps(reply).encode())], _VERSION)

    def close(self) -> None:
        self._kept.close()

    def _failure(self, error: Exception) -> ModelError:
        return ModelError(
            f"{self._path or 'memory'}: the cache of replies failed ({error}): free some room, "
            "delete the file, or name another folder"
        )
