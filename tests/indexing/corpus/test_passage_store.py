"""Passages on disk: in the order of their ids, whatever the runs and the chunks."""

import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.indexing.corpus import passage_store
from hippohover.indexing.corpus.passage_store import PassageStore
from hippohover.indexing.corpus.passage_table import passage_table
from hippohover.records import Passage
from tests.index_samples import limited_files, refused
from tests.indexing.work_samples import nothing, pid

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
PIDS = st.integers(0, 2**64 - 1) | st.integers(0, 20)
PASSAGES = st.lists(
    st.builds(
        Passage,
        pid=PIDS.map(pid),
        title=TEXT,
        text=TEXT,
        part=st.integers(0, 9),
        start=st.integers(0, 2**40),
        links=st.lists(TEXT, max_size=2).map(tuple),
        metadata=st.tuples(st.none() | TEXT, st.none() | TEXT | st.integers(2)),
        path=st.just("") | TEXT,
        page=st.integers(0, 2),
    ),
    max_size=14,
    unique_by=lambda passage: passage.pid,
)
FIELDS = ["lang", "year"]


def stored(
    folder: Path,
    passages: Iterable[Passage],
    *,
    run: int = 1 << 16,
    size: int = 4,
    metadata: list[str] = FIELDS,
) -> PassageStore:
    """A store of these passages in a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passage_store, "_PASSAGES_A_RUN", run)
        return PassageStore.write(
            folder, iter(passages), metadata, passages_a_chunk=size, progress=nothing
        )


def by_pid(passages: Iterable[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: passage.pid)


ANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@ANY
@given(PASSAGES, st.integers(1, 16), st.integers(1, 16))
def test_passages_come_back_by_their_ids(
    memory_folder: Path, passages: list[Passage], run: int, size: int
):
    store = stored(memory_folder / "store", passages, run=run, size=size)
    expected = by_pid(passages)
    assert list(store) == expected
    assert store.n_passages == len(passages)
    assert store.n_chunks == -(-len(passages) // size)
    parts = [expected[start : start + size] for start in range(0, len(expected), size)]
    assert [store.chunk(number) for number in range(store.n_chunks)] == parts
    assert [store.length(number) for number in range(store.n_chunks)] == list(map(len, parts))
    for number, part in enumerate(parts):
        assert store.table(number).equals(passage_table(part, FIELDS))


@ANY
@given(PASSAGES, st.integers(1, 16), st.integers(1, 5), st.randoms(use_true_random=False))
def test_neither_runs_nor_the_order_of_the_corpus_change_the_digest(
    memory_folder: Path, passages: list[Passage], run: int, size: int, rng: random.Random
):
    one = stored(memory_folder / "one", passages, size=size)
    shuffled = rng.sample(passages, len(passages))
    other = stored(memory_folder / "other", shuffled, run=run, size=size)
    assert one.digest() == other.digest()


def some(n: int = 10) -> list[Passage]:
    return [Passage(pid(row), f"T{row}", "x", metadata=(None, "y")) for row in range(n)]


def test_the_digest_tells_other_passages_and_other_chunks(tmp_path: Path):
    changed = [
        some(9),
        [*some(9), Passage(pid(9), "T9", "z", metadata=(None, "y"))],
        [*some(9), Passage(pid(9), "T9", "x", metadata=("y", None))],
        [*some(9), Passage(pid(9), "T9", "x", links=("a",), metadata=(None, "y"))],
        [*some(9), Passage(pid(10), "T9", "x", metadata=(None, "y"))],
    ]
    stores = [stored(tmp_path / str(n), each) for n, each in enumerate([some(), *changed])]
    stores += [stored(tmp_path / "sizes", some(), size=3)]
    plain = [Passage(one.pid, one.title, one.text) for one in some()]
    stores += [stored(tmp_path / "fields", plain, metadata=[])]
    digests = [store.digest() for store in stores]
    assert len(set(digests)) == len(digests)
    assert stored(tmp_path / "again", some()).digest() == digests[0]


def test_an_id_of_the_upper_half_stands_behind_one_of_the_lower(tmp_path: Path):
    ends = [2**64 - 1, 0, 2**63, 2**63 - 1, 10, 9]
    passages = [Passage(pid(one), "", str(one), metadata=(None, None)) for one in ends]
    texts = [int(one.text) for one in stored(tmp_path / "store", passages, run=2)]
    assert texts == sorted(ends)


def test_no_passage_makes_no_chunk(tmp_path: Path):
    store = stored(tmp_path / "store", [])
    assert (store.n_passages, store.n_chunks, list(store)) == (0, 0, [])


def test_runs_are_gone_and_are_read_one_at_a_time(tmp_path: Path):
    most = 0
    read: list[Passage] = []

    def stream() -> Iterable[Passage]:
        nonlocal most
        for one in some(40):
            n_runs = len(list((tmp_path / "store").glob("run-*")))
            most = max(most, len(read) - 5 * n_runs)
            read.append(one)
            yield one

    stored(tmp_path / "store", stream(), run=5)
    assert most <= 5  # what is read is written before the next run
    names = sorted(path.name for path in (tmp_path / "store").iterdir())
    chunks = [f"passages-{number:05d}.arrow" for number in range(10)]
    assert names == [*chunks, "repeats.arrow"]


def test_progress_is_told_often_without_a_total_until_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(passage_store, "_PASSAGES_A_WORD", 4)
    seen: list[tuple[int, int]] = []
    PassageStore.write(
        tmp_path, iter(some()), FIELDS, passages_a_chunk=3,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen == [(4, 0), (8, 0), (10, 0), (10, 10)]


def test_a_store_moves_with_its_folder(tmp_path: Path):
    store = stored(tmp_path / "store", some())
    moved = store.moved_to((tmp_path / "store").rename(tmp_path / "moved"))
    assert list(moved) == some()
    assert (moved.n_passages, moved.n_chunks) == (10, 3)
    with refused(IndexDamagedError, "passages-00000.arrow: is missing"):
        store.chunk(0)
    with refused(IndexDamagedError, "passages-00000.arrow: is missing"):
        store.digest()


def test_a_full_disk_is_said_in_one_line(tmp_path: Path):
    with limited_files(500), refused(IndexStoreError, r"run-00000\.arrow: cannot be written"):
        stored(tmp_path / "store", some())


def test_what_the_stream_raises_is_passed_on(tmp_path: Path):
    def stream() -> Iterable[Passage]:
        yield some()[0]
        raise ValueError("the corpus")

    with pytest.raises(ValueError, match="the corpus"):
        stored(tmp_path / "store", stream())
