"""Results that are kept by key and version: whole, or not at all."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.errors import BuildError
from hippohover.indexing.workers.stage_cache import StageCache, text_key


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[StageCache]:
    made = StageCache(tmp_path / "folder" / "c.sqlite")
    yield made
    made.close()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(results=st.dictionaries(st.text("abc", min_size=1), st.binary(max_size=40)))
def test_what_was_put_comes_back(cache: StageCache, results: dict[str, bytes]):
    cache.put(results.items(), repr(results))
    assert cache.get([*results, "another"], repr(results)) == results
    assert cache.get(list(results), "another version") == {}
    assert cache.get([], repr(results)) == {}


def test_a_thousand_keys_are_asked_for_at_once(cache: StageCache):
    results = {f"k{n}": bytes([n % 256]) for n in range(1_234)}
    cache.put(results.items(), "1")
    assert cache.get(list(results), "1") == results


def test_another_cache_on_the_file_sees_what_was_put(cache: StageCache, tmp_path: Path):
    cache.put([("k", b"result")], "1")
    cache.put([("k", b"newer")], "1")
    other = StageCache(tmp_path / "folder" / "c.sqlite")
    assert other.get(["k"], "1") == {"k": b"newer"}
    other.close()


@pytest.mark.parametrize("altered", [b"", b"short", b"x" * 100, "text", 7, None])
def test_a_row_that_was_altered_counts_as_none(cache: StageCache, tmp_path: Path, altered: object):
    cache.put([("k", b"result"), ("l", b"other")], "1")
    with sqlite3.connect(tmp_path / "folder" / "c.sqlite") as connection:
        connection.execute("UPDATE results SET result = ? WHERE key = 'k'", (altered,))
    connection.close()
    assert cache.get(["k", "l"], "1") == {"l": b"other"}


def test_a_result_is_sealed_to_its_key_and_version(cache: StageCache, tmp_path: Path):
    cache.put([("k", b"result")], "1")
    with sqlite3.connect(tmp_path / "folder" / "c.sqlite") as connection:
        connection.execute("INSERT INTO results SELECT 'l', version, result FROM results")
        connection.execute("INSERT INTO results SELECT 'k', '2', result FROM results LIMIT 1")
    connection.close()
    assert cache.get(["k", "l"], "1") == {"k": b"result"}
    assert cache.get(["k"], "2") == {}


def test_all_of_a_put_is_kept_or_none(cache: StageCache):
    def results() -> Iterator[tuple[str, bytes]]:
        yield "k", b"result"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.put(results(), "1")
    assert cache.get(["k"], "1") == {}


def test_only_what_is_named_is_kept_and_the_file_shrinks(cache: StageCache, tmp_path: Path):
    file = tmp_path / "folder" / "c.sqlite"
    cache.put([(f"k{n}", bytes(5_000)) for n in range(300)], "1")
    cache.put([("k1", b"old")], "0")
    assert cache.keep((f"k{n}" for n in range(1_000)), ["0", "1"]) == 0
    before = file.stat().st_size
    assert cache.keep(["k1", "k2", "k2", "of another"], ["1"]) == 299
    assert file.stat().st_size < before / 10
    assert set(cache.get([f"k{n}" for n in range(300)], "1")) == {"k1", "k2"}
    assert cache.get(["k1"], "0") == {}
    cache.put([("k3", b"new")], "1")
    assert cache.keep([], []) == 3


@pytest.mark.parametrize("damage", ["folder", "no database"])
def test_a_file_that_is_no_cache_is_named(tmp_path: Path, damage: str):
    path = tmp_path / "c.sqlite"
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"not a database, surely" * 100)
    with pytest.raises(BuildError, match=r"c\.sqlite.*delete the file") as raised:
        StageCache(path)
    assert "\n" not in str(raised.value)


def test_a_table_of_another_form_is_named(tmp_path: Path):
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("CREATE TABLE results (something)")
    connection.close()
    cache = StageCache(tmp_path / "c.sqlite")
    with pytest.raises(BuildError, match=r"c\.sqlite.*delete the file"):
        cache.get(["k"], "1")
    cache.close()


def test_texts_have_keys_of_their_own():
    keys = {text_key(text) for text in ["", "a", "A", "a ", "\udc80", "ä", "a\u0308"]}
    assert len(keys) == 7
    assert all(len(key) == 32 for key in keys)
