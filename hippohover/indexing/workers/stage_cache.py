"""A cache of a stage's results per passage or text, so that expensive work runs once.

A stopped build continues where it was, and an update only processes what is new.
"""

from hashlib import blake2b
from pathlib import Path

from hippohover.disk.sealed_cache import SealedCache
from hippohover.errors import BuildError


class StageCache(SealedCache):
    """Results of one stage on disk, by passage or text and version of the reader.

    Parameters
    ----------
    path : Path
        SQLite file; made when it is not there.

    Raises
    ------
    BuildError
        The file cannot be written, or is not such a cache: here and in every method.
    """

    def __init__(self, path: Path) -> None:
        def failure(error: Exception) -> BuildError:
            return BuildError(
                f"{path}: the cache failed ({error}): free some room or delete the file, "
                "then build again"
            )

        super().__init__(path, failure, synchronous="NORMAL")  # a lost result is made again


def text_key(text: str) -> str:
    """Return a text's key in the cache: 128 bits of its BLAKE2b."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
