"""Results that are kept by key and version: whole, or not at all."""

import os
import sqlite3
import stat
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.disk.sealed_cache import SealedCache
from hippohover.errors import HippoHoverError


class FailedError(HippoHoverError):
    """What the cache was told to raise."""


def opened(path: Path | None) -> SealedCache:
    return SealedCache(path, lambda error: FailedError(f"{path} failed: {error}"))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[SealedCache]:
    made = opened(tmp_path / "folder" / "c.sqlite")
    yield made
    made.close()


@pytest.mark.parametrize(("before", "after"), [(None, 0o600), (0o644, 0o600), (0o664, 0o664)])
def test_nobody_else_reads_it_unless_somebody_shares_it(
    tmp_path: Path, before: int | None, after: int
):
    path = tmp_path / "of" / "mine" / "c.sqlite"
    if before is not None:
        path.parent.mkdir(parents=True)
        path.touch()
        path.chmod(before)
    with closing(opened(path)) as cache:
        cache.put([("k", b"what a model said")], "1")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        assert modes == {f"c.sqlite{suffix}": after for suffix in ("", "-wal", "-shm")}
    if before is None:
        assert {stat.S_IMODE(above.stat().st_mode) for above in path.parents[:2]} == {0o700}


@settings(
    max_examples=min(25, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(results=st.dictionaries(st.text("abc", min_size=1), st.binary(max_size=40)))
def test_what_was_put_comes_back(cache: SealedCache, results: dict[str, bytes]):
    cache.put(results.items(), repr(results))
    assert cache.get([*results, "another"], repr(results)) == results
    assert cache.get(list(results), "another version") == {}
    assert cache.get([], repr(results)) == {}


def test_a_thousand_keys_are_asked_for_at_once(cache: SealedCache):
    results = {f"k{n}": bytes([n % 256]) for n in range(1_234)}
    cache.put(results.items(), "1")
    assert cache.get(list(results), "1") == results


def test_another_cache_on_the_file_sees_what_was_put(cache: SealedCache, tmp_path: Path):
    cache.put([("k", b"result")], "1")
    cache.put([("k", b"newer")], "1")
    other = opened(tmp_path / "folder" / "c.sqlite")
    assert other.get(["k"], "1") == {"k": b"newer"}
    other.close()


@pytest.mark.parametrize("altered", [b"", b"short", b"x" * 100, "text", 7, None])
def test_a_row_that_was_altered_counts_as_none(cache: SealedCache, tmp_path: Path, altered: object):
    cache.put([("k", b"result"), ("l", b"other")], "1")
    with sqlite3.connect(tmp_path / "folder" / "c.sqlite") as connection:
        connection.execute("UPDATE results SET result = ? WHERE key = 'k'", (altered,))
    connection.close()
    assert cache.get(["k", "l"], "1") == {"l": b"other"}


def test_a_result_is_sealed_to_its_key_and_version(cache: SealedCache, tmp_path: Path):
    cache.put([("k", b"result")], "1")
    with sqlite3.connect(tmp_path / "folder" / "c.sqlite") as connection:
        connection.execute("INSERT INTO results SELECT 'l', version, result FROM results")
        connection.execute("INSERT INTO results SELECT 'k', '2', result FROM results LIMIT 1")
    connection.close()
    assert cache.get(["k", "l"], "1") == {"k": b"result"}
    assert cache.get(["k"], "2") == {}


def test_all_of_a_put_is_kept_or_none(cache: SealedCache):
    def results() -> Iterator[tuple[str, bytes]]:
        yield "k", b"result"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.put(results(), "1")
    assert cache.get(["k"], "1") == {}


def test_only_what_is_named_is_kept_and_the_file_shrinks(cache: SealedCache, tmp_path: Path):
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
    with pytest.raises(FailedError, match=r"c\.sqlite failed: "):
        opened(path)


_ENDLESS = (
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"
    " SELECT x AS key, '' AS version, x'00' AS result FROM r"
)
_OWN = "results (key TEXT, version TEXT, result BLOB, PRIMARY KEY (key, version)) WITHOUT ROWID"


@pytest.mark.parametrize(
    "made",
    [
        ["CREATE TABLE results (something)"],
        [f"CREATE VIEW results AS {_ENDLESS}"],
        [f"CREATE TABLE {_OWN}", f"CREATE VIEW more AS {_ENDLESS}"],
        [
            f"CREATE TABLE {_OWN}",
            "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",
        ],
        [
            f"CREATE TABLE {_OWN}",
            "CREATE INDEX i ON results (zeroblob(length(key) << 26))",
        ],
        ["CREATE TABLE results (key TEXT, version TEXT, result BLOB AS (zeroblob(9 << 26)))"],
    ],
)
def test_a_file_with_something_else_than_results_is_named(tmp_path: Path, made: list[str]):
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        for statement in made:
            connection.execute(statement)
    connection.close()
    with pytest.raises(FailedError, match=r"c\.sqlite failed: it holds something else"):
        opened(tmp_path / "c.sqlite")


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path, suffix: str):
    (tmp_path / "victim").write_bytes(b"")
    for make in (Path.symlink_to, Path.hardlink_to):
        make(tmp_path / f"c.sqlite{suffix}", tmp_path / "victim")
        with pytest.raises(FailedError, match=r"c\.sqlite.*(is a link|has a second name)"):
            opened(tmp_path / "c.sqlite")
        (tmp_path / f"c.sqlite{suffix}").unlink()
    assert (tmp_path / "victim").read_bytes() == b""


def test_a_journal_removes_no_other_file(tmp_path: Path):
    """SQLite removes the file that the end of a journal names, wherever that is."""
    victim = tmp_path / "thesis.txt"
    victim.write_bytes(b"chapter 1")
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    page = (tmp_path / "c.sqlite").read_bytes()[:4096]
    magic = bytes.fromhex("d9d505f920a163d7")
    header = struct.pack(">8siiiii", magic, 0, 7, 2, 512, 4096).ljust(512, b"\0")
    name = os.fsencode(victim)
    end = struct.pack(">i", 262145) + name + struct.pack(">ii8s", len(name), sum(name), magic)
    for journal in (header + end, header + page + end):
        (tmp_path / "c.sqlite-journal").write_bytes(journal)
        with pytest.raises(FailedError, match="its journal names another file"):
            opened(tmp_path / "c.sqlite")
        assert victim.read_bytes() == b"chapter 1"


def test_what_is_there_is_not_opened_beside_sqlite(
    cache: SealedCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Closing it would end the locks that SQLite has on it in this process."""
    cache.put([("k", b"a")], "1")
    names: list[str] = []
    system_open = os.open

    def noted(path: str, *rest: int, **more: int) -> int:
        descriptor = system_open(path, *rest, **more)
        names.append(path)
        return descriptor

    monkeypatch.setattr(os, "open", noted)
    opened(tmp_path / "folder" / "c.sqlite").close()
    assert "folder" in names
    assert "c.sqlite" not in names


def test_a_row_of_a_gigabyte_is_not_read(cache: SealedCache, tmp_path: Path):
    with sqlite3.connect(tmp_path / "folder" / "c.sqlite") as connection:
        connection.execute("INSERT INTO results VALUES ('k', '1', zeroblob(?))", (2**27,))
    connection.close()
    with pytest.raises(FailedError, match="too big"):
        cache.get(["k"], "1")


def test_in_memory_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    cache = opened(None)
    cache.put([("k", b"a")], "1")
    assert cache.get(["k"], "1") == {"k": b"a"}
    cache.close()
    assert list(tmp_path.iterdir()) == []


def test_several_threads_share_one(cache: SealedCache):
    def put_and_get(key: str) -> dict[str, bytes]:
        cache.put([(key, key.encode())], "1")
        return cache.get([key], "1")

    keys = [str(i % 5) for i in range(100)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(put_and_get, keys))
    assert results == [{key: key.encode()} for key in keys]
