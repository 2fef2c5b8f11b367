"""A stage's results: those of earlier versions are read, a failure is told, texts have keys."""

import sqlite3
from hashlib import blake2b
from pathlib import Path

import pytest

from hippohover.errors import BuildError
from hippohover.indexing.workers.stage_cache import StageCache, text_key


def test_a_file_of_an_earlier_version_is_read(tmp_path: Path):
    """Made by the SQL, and sealed by the formula, of the first release."""
    seal = blake2b(b"k\0v 1\0result", digest_size=8).digest()
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS results (key TEXT, version TEXT, result BLOB,"
            " PRIMARY KEY (key, version)) WITHOUT ROWID"
        )
        connection.execute("INSERT INTO results VALUES ('k', 'v 1', ?)", (seal + b"result",))
    connection.close()
    cache = StageCache(tmp_path / "c.sqlite")
    assert cache.get(["k"], "v 1") == {"k": b"result"}
    cache.close()


@pytest.mark.parametrize("damage", ["folder", "no database"])
def test_a_file_that_is_no_cache_is_named(tmp_path: Path, damage: str):
    path = tmp_path / "c.sqlite"
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"not a database, surely" * 100)
    with pytest.raises(BuildError, match=r"c\.sqlite: the cache failed.*delete the file") as raised:
        StageCache(path)
    assert "\n" not in str(raised.value)


def test_texts_have_keys_of_their_own():
    keys = {text_key(text) for text in ["", "a", "A", "a ", "\udc80", "ä", "a\u0308"]}
    assert len(keys) == 7
    assert all(len(key) == 32 for key in keys)
