"""Replies on disk: kept, found again by another process's connection, damage named."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
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


def test_a_reply_that_was_altered_counts_as_none(tmp_path: Path):
    cache = ResponseCache(tmp_path)
    cache.put("k", {"text": "true"})
    cache.close()
    with sqlite3.connect(tmp_path / "responses.sqlite") as connection:
        connection.execute("UPDATE responses SET reply = replace(reply, 'true', 'trve')")
    connection.close()
    cache = ResponseCache(tmp_path)
    assert cache.get("k") is None
    cache.put("k", {"text": "again"})
    assert cache.get("k") == {"text": "again"}
    cache.close()


def test_in_memory_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    cache = ResponseCache(None)
    cache.put("k", {"text": "a"})
    assert cache.get("k") == {"text": "a"}
    cache.close()
    assert list(tmp_path.iterdir()) == []


def test_several_threads_share_one(tmp_path: Path):
    cache = ResponseCache(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        keys = [str(i % 5) for i in range(100)]
        replies = [{"text": key} for key in keys]
        list(pool.map(cache.put, keys, replies))
        found = list(pool.map(cache.get, keys))
    assert found == replies
    cache.close()


def test_a_file_that_is_no_cache_is_named(tmp_path: Path):
    (tmp_path / "responses.sqlite").write_bytes(b"not a database, but long enough to be read" * 9)
    with pytest.raises(ModelError, match=r"responses\.sqlite: the cache of replies failed"):
        ResponseCache(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelError, match="name another folder"):
        ResponseCache(tmp_path / "file" / "replies")
