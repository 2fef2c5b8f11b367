"""An index is let go of, page by page, and answers as before."""

import mmap
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest

from hippohover.retrieval import mapped_memory
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.mapped_memory import MappedMemory
from hippohover.store.segments.private_maps import map_of
from tests.retrieval.toy_samples import TOY_CLAIMS


def mapped_kib(folder: Path) -> int:
    """Pages of a version's arrays that are mapped into this process, in KiB."""
    total = 0
    is_array = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            is_array = line.endswith(".npy") and str(folder) in line
        elif is_array and line.startswith("Rss:"):
            total += int(line.split()[1])
    return total


def nothing_may_be_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEAST_MAPPED_BYTES", "MOST_RESIDENT_BYTES"):
        monkeypatch.setattr(mapped_memory, name, 0)


@pytest.fixture
def engine(toy_index: Path, tmp_path: Path) -> HippoHover:
    """Of an index that no other engine of this process has open."""
    return HippoHover.open(shutil.copytree(toy_index, tmp_path / "copy"))


@pytest.fixture
def memory(engine: HippoHover) -> MappedMemory:
    """Of the same arrays, and let go of by the test alone."""
    arrays = engine.tables.arrays
    return MappedMemory(getattr(arrays, one.name) for one in fields(arrays))


def watchers() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "hippohover-maps"]


def test_what_is_let_go_of_is_read_again(
    engine: HippoHover, memory: MappedMemory, monkeypatch: pytest.MonkeyPatch
):
    before = engine.retrieve(TOY_CLAIMS[0]).passages
    assert mapped_kib(engine.stored.folder) > 0
    nothing_may_be_mapped(monkeypatch)
    memory.release()
    assert mapped_kib(engine.stored.folder) == 0
    assert engine.retrieve(TOY_CLAIMS[0]).passages == before


@pytest.mark.slow
def test_a_large_index_is_watched_while_it_is_open(
    toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = Path(shutil.copytree(toy_index, tmp_path / "copy"))
    assert HippoHover.open(root).n_passages
    assert not watchers()  # it is small
    nothing_may_be_mapped(monkeypatch)
    engine = HippoHover.open(root)
    (watcher,) = watchers()
    before = engine.retrieve(TOY_CLAIMS[0]).passages
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(engine.retrieve, TOY_CLAIMS[0]) for _ in range(200)]
    assert all(one.result().passages == before for one in asked)
    end = time.monotonic() + 60
    while mapped_kib(engine.stored.folder):
        assert time.monotonic() < end
        time.sleep(0.01)
    engine.close()
    del engine
    watcher.join(60)
    assert not watcher.is_alive()


def test_what_compares_all_vectors_lets_go_of_them_by_itself(
    encoded_toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    engine = HippoHover.open(shutil.copytree(encoded_toy_index, tmp_path / "copy"))
    engine.retrieve(TOY_CLAIMS[0], retriever="dense")
    codes = engine.stored.folder / "passage_codes.npy"
    assert mapped_kib(codes) > 0
    assert not watchers()
    nothing_may_be_mapped(monkeypatch)
    engine.retrieve(TOY_CLAIMS[0], retriever="dense")
    assert mapped_kib(codes) == 0


def test_much_is_let_go_of_part_by_part(
    engine: HippoHover, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    monkeypatch.setattr(mapped_memory, "_PART_BYTES", mmap.PAGESIZE)
    memory: MappedMemory = request.getfixturevalue("memory")
    arrays = engine.tables.arrays
    for one in fields(arrays):
        if (source := map_of(getattr(arrays, one.name))) is not None:
            assert isinstance(source.base, mmap.mmap)
            assert bytes(source.base)  # every page is read, and so mapped
    folder = engine.stored.folder
    whole = mapped_kib(folder)
    for n_gone in (17, 34, 51):
        looks = iter([True] * 17 + [False])  # too much, until so many pages are gone
        monkeypatch.setattr(mapped_memory, "_is_too_much", lambda looks=looks: next(looks))
        memory.release()
        assert whole - mapped_kib(folder) == n_gone * mmap.PAGESIZE // 1024


def test_little_is_kept(engine: HippoHover, memory: MappedMemory):
    engine.retrieve(TOY_CLAIMS[0])
    memory.release()
    assert mapped_kib(engine.stored.folder) > 0


def test_where_the_system_does_not_say_nothing_is_let_go_of(
    engine: HippoHover, memory: MappedMemory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    nothing_may_be_mapped(monkeypatch)
    monkeypatch.setattr(mapped_memory, "_STATM", tmp_path / "statm")
    engine.retrieve(TOY_CLAIMS[0])
    memory.release()
    assert mapped_kib(engine.stored.folder) > 0


@pytest.mark.parametrize(
    ("resident", "mapped", "released"),
    [(2.4, 2.3, False), (2.6, 2.3, True), (9.0, 0.9, False), (9.0, 1.1, True)],
)
def test_files_may_take_what_the_process_leaves_and_a_gibibyte_in_any_case(
    engine: HippoHover, memory: MappedMemory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    resident: float, mapped: float, released: bool,
):  # fmt: skip
    engine.retrieve(TOY_CLAIMS[0])
    pages = [int(gib * 2**30 / mmap.PAGESIZE) for gib in (resident, mapped)]
    (tmp_path / "statm").write_text(f"99999999 {pages[0]} {pages[1]} 1 0 2 0\n", encoding="ascii")
    monkeypatch.setattr(mapped_memory, "_STATM", tmp_path / "statm")
    memory.release()
    assert (mapped_kib(engine.stored.folder) == 0) == released
