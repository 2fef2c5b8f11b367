"""Replies on disk: kept as ``SealedCache`` keeps results."""

import sqlite3
from pathlib import Path

import pytest

from hippohover.errors import ModelError
from hippohover.language_model.response_cache import ResponseCache


def test_what_is_kept_is_found_again(tmp_path: Path):
    one = ResponseCache(tmp_path / "replies")
    assert one.get("k") is None
    one.put("k", {"text": "霧", "finish_reason": "stop"})
    one.put("k", {"text": "later", "finish_reason": "stop"})
    other = ResponseCache(tmp_path / "replies")
    assert other.get("k") == {"text": "later", "finish_reason": "stop"}
    one.close()
    other.close()


def test_a_table_of_another_time_is_left_alone(tmp_path: Path):
    with sqlite3.connect(tmp_path / "responses.sqlite") as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID"
        )
    connection.close()
    cache = ResponseCache(tmp_path)
    cache.put("k", {"text": "yes"})
    assert cache.get("k") == {"text": "yes"}
    cache.close()


def test_a_file_that_is_no_cache_is_named(tmp_path: Path):
    (tmp_path / "responses.sqlite").write_bytes(b"not a database, but long enough to be read" * 9)
    with pytest.raises(ModelError, match=r"responses\.sqlite: the cache of replies failed"):
        ResponseCache(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelError, match="name another folder"):
        ResponseCache(tmp_path / "file" / "replies")
