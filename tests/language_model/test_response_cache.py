"""Replies on disk: kept as ``SealedCache`` keeps results, those of an earlier version too."""

import json
import sqlite3
from hashlib import blake2b
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


OLD_TABLE = "CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID"


def by_an_earlier_version(file: Path, replies: dict[str, dict[str, str]]) -> None:
    """Keep replies by the SQL, and the seal, of a version that had a table of its own for them."""
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(OLD_TABLE)
        for key, reply in replies.items():
            text = json.dumps(reply)
            seal = blake2b(f"{key}{text}".encode(), digest_size=8).hexdigest()
            connection.execute("INSERT OR REPLACE INTO responses VALUES (?, ?)", (key, seal + text))
    connection.close()


def test_replies_of_an_earlier_version_are_moved(tmp_path: Path):
    file = tmp_path / "responses.sqlite"
    replies = {f"{n:032x}": {"text": f"霧 {n}", "finish_reason": "stop"} for n in range(2_345)}
    by_an_earlier_version(file, replies)
    for _ in range(2):
        cache = ResponseCache(tmp_path)
        assert {key: cache.get(key) for key in replies} == replies
        cache.close()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM responses").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM results").fetchone() == (2_345,)
    connection.close()


def test_an_earlier_version_may_go_on_beside(tmp_path: Path):
    file = tmp_path / "responses.sqlite"
    by_an_earlier_version(file, {"a": {"text": "first"}, "b": {"text": "kept"}})
    ResponseCache(tmp_path).close()
    by_an_earlier_version(file, {"a": {"text": "later"}, "c": {"text": "new"}})
    cache = ResponseCache(tmp_path)
    texts = [cache.get(key) for key in "abc"]
    assert texts == [{"text": "later"}, {"text": "kept"}, {"text": "new"}]
    cache.close()


def test_of_an_earlier_version_what_was_altered_is_left_out(tmp_path: Path):
    file = tmp_path / "responses.sqlite"
    by_an_earlier_version(file, {"a": {"text": "true"}, "b": {"text": "yes"}, "c": {"text": "no"}})
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE responses SET reply = replace(reply, 'true', 'trve')")
        connection.execute("UPDATE responses SET reply = x'07' WHERE key = 'b'")
        connection.execute("INSERT INTO responses SELECT 'd', reply FROM responses WHERE key = 'c'")
    connection.close()
    cache = ResponseCache(tmp_path)
    assert [cache.get(key) for key in "abcd"] == [None, None, {"text": "no"}, None]
    cache.close()


def test_a_move_that_fails_is_named_and_loses_nothing(tmp_path: Path):
    """As on a full disk: what was not moved is moved by the next that opens the file."""
    file = tmp_path / "responses.sqlite"
    by_an_earlier_version(file, {"a": {"text": "yes"}})
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE results (something)")
    connection.close()
    with pytest.raises(ModelError, match=r"responses\.sqlite: the cache of replies failed"):
        ResponseCache(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE results")
    connection.close()
    cache = ResponseCache(tmp_path)
    assert cache.get("a") == {"text": "yes"}
    cache.close()


def test_a_file_that_is_no_cache_is_named(tmp_path: Path):
    (tmp_path / "responses.sqlite").write_bytes(b"not a database, but long enough to be read" * 9)
    with pytest.raises(ModelError, match=r"responses\.sqlite: the cache of replies failed"):
        ResponseCache(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelError, match="name another folder"):
        ResponseCache(tmp_path / "file" / "replies")
