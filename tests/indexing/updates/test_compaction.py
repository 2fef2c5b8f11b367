"""A new base in the place of an old one and its segments: what is answered, and who waits."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import hippohover
from hippohover.errors import IndexStoreError
from hippohover.indexing.build import build
from hippohover.indexing.updates import compaction, small_change
from hippohover.indexing.updates.compaction import due, is_overdue, merge_segments
from hippohover.retrieval.engine import HippoHover
from hippohover.store import tables as tables_module
from hippohover.store.layout import COMPACTING
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from hippohover.store.version_files import VersionFiles
from hippohover.store.versions import version_folder
from hippohover.store.writer import CompactedElsewhereError, IndexWriter, compacting
from tests.changing_world import RECIPE, Record, records, write_records
from tests.index_content import content_of, differences
from tests.index_samples import hidden
from tests.indexing.update_samples import checksums


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows to spare in small indexes too, and segments that are closed when they are small."""
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)
    for module in (small_change, compaction):
        monkeypatch.setattr(module, "CLOSED", 4)
    monkeypatch.setattr(compaction, "DUE", 4)


def titled(n: int) -> list[Record]:
    some = {one["title"]: one for one in records(n, 0) if one["title"] and "id" not in one}
    return list(some.values())


class Corpus:
    """Records of an index, which are added one by one or in groups."""

    def __init__(self, folder: Path, n: int = 84) -> None:
        self.folder, self.some, self.n = folder, titled(600), n
        self.root = self.built(folder / "i")

    def built(self, out: Path) -> Path:
        corpus = write_records(out.with_suffix(".jsonl"), self.some[: self.n])
        return build(RECIPE, corpus=corpus, out=out, workers=1)

    def add(self, n: int) -> str:
        """Add so many; why the index was built, if it was."""
        self.n += n
        new = write_records(self.folder / "new.jsonl", self.some[self.n - n : self.n])
        return hippohover.add(self.root, new, workers=1).built

    def check(self) -> None:
        """The index is whole, and holds what a build of its records does."""
        fresh = self.folder / f"fresh-{self.n}"
        if not fresh.exists():
            self.built(fresh)
        with StoredIndex.open(self.root) as one, StoredIndex.open(fresh) as other:
            assert one.verify() == []
            contents = [content_of(opened_tables(stored)) for stored in (one, other)]
        assert differences(contents[0], contents[1]) == []
        assert hidden(self.root) == []


def sizes(root: Path) -> list[int]:
    with StoredIndex.open(root) as stored:
        return stored.manifest.base.sizes if stored.manifest.base else []


def test_all_segments_become_a_base(tmp_path: Path):
    corpus = Corpus(tmp_path)
    assert not merge_segments(corpus.root)
    corpus.add(3)
    corpus.add(1)
    assert merge_segments(corpus.root)
    assert sizes(corpus.root) == []
    corpus.check()
    with StoredIndex.open(corpus.root) as stored:
        counts, log = stored.manifest.counts, stored.log()
    with StoredIndex.open(tmp_path / "fresh-88") as stored:
        fresh = stored.manifest.counts
    assert log is not None
    assert log["made_of"]
    same = [name for name in fresh if name.endswith(("_edges", "_passages", "_rows", "_documents"))]
    assert {name: counts[name] for name in same} == {name: fresh[name] for name in same}
    corpus.add(2)
    corpus.check()


def test_a_rebuild_has_the_bytes_of_a_build(tmp_path: Path):
    corpus = Corpus(tmp_path)
    corpus.add(3)
    assert hippohover.compact(corpus.root)
    assert not hippohover.compact(corpus.root)
    assert hippohover.compact(corpus.root, rebuild=True, workers=1)
    assert checksums(corpus.root) == checksums(corpus.built(tmp_path / "fresh"))
    with pytest.raises(hippohover.UsageError, match="rebuild and beside are both True"):
        hippohover.compact(corpus.root, rebuild=True, beside=True)


def test_spare_rows_are_there_again(tmp_path: Path):
    corpus = Corpus(tmp_path)
    corpus.add(6)
    titles = [one["title"] for one in corpus.some[20:22]]
    assert hippohover.delete(corpus.root, titles, workers=1).built == ""
    assert merge_segments(corpus.root)
    with StoredIndex.open(corpus.root) as stored:
        counts = stored.manifest.counts
        tables = opened_tables(stored)
    assert counts["n_rows"] == 2 * counts["n_passages"] == 2 * tables.passages.num_rows
    assert (tables.arrays.term_df > 0).all()
    assert (tables.arrays.fact_df > 0).all()


def beside(root: Path, meanwhile: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Merge beside others, who do something once the new base is sealed."""
    seal = VersionFiles.seal

    def sealed(files: VersionFiles, *arguments: object) -> None:
        seal(files, *arguments)  # pyright: ignore[reportArgumentType]
        if files.folder.name == COMPACTING:
            with monkeypatch.context() as patch:
                patch.setattr(VersionFiles, "seal", seal)
                meanwhile()

    with monkeypatch.context() as patch:
        patch.setattr(VersionFiles, "seal", sealed)
        return merge_segments(root, beside=True)


def test_updates_go_on_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    corpus = Corpus(tmp_path)
    corpus.add(6)
    [closed] = sizes(corpus.root)
    assert due(corpus.root) == "compact"
    before = HippoHover.open(corpus.root)
    assert beside(corpus.root, lambda: (corpus.add(1), corpus.add(2)), monkeypatch)
    assert 0 < sum(sizes(corpus.root)) < closed + 120
    corpus.check()
    assert before.search("Mira Oldane", 5, "bm25").passages  # of the base that was
    before.close()
    corpus.add(1)
    corpus.check()
    with StoredIndex.open(corpus.root) as stored:
        assert stored.manifest.base is not None
        assert stored.manifest.base.version != "v000001"


def test_a_base_that_came_between_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    corpus = Corpus(tmp_path)
    corpus.add(6)

    def rebuild() -> None:
        hippohover.compact(corpus.root, rebuild=True, workers=1)

    assert not beside(corpus.root, rebuild, monkeypatch)
    assert checksums(corpus.root) == checksums(corpus.built(tmp_path / "fresh"))
    assert hidden(corpus.root) == []


def test_what_is_small_stays_beside(tmp_path: Path):
    corpus = Corpus(tmp_path)
    corpus.add(1)
    if max(sizes(corpus.root)) < 4:
        assert due(corpus.root) == ""
        (corpus.root / ".removing-v000009").mkdir()
        assert not merge_segments(corpus.root, beside=True)
    corpus.check()


def test_an_update_makes_a_base_first_where_much_stands_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(compaction, "MOST_BESIDE", 6)
    corpus = Corpus(tmp_path)
    assert corpus.add(6) == ""
    assert is_overdue(corpus.root)
    with compacting(corpus.root):  # another process is about to
        with monkeypatch.context() as patch:  # what this one has in memory, it need not open again
            patch.setattr(small_change, "opened_revision", pytest.fail)
            assert corpus.add(1) == ""
        assert len(sizes(corpus.root)) >= 1
    before = sum(sizes(corpus.root))
    assert corpus.add(1) == ""
    assert 0 < sum(sizes(corpus.root)) < before
    corpus.check()


def test_an_update_that_brings_nothing_makes_no_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(compaction, "MOST_BESIDE", 6)
    corpus = Corpus(tmp_path)
    corpus.add(6)
    assert is_overdue(corpus.root)
    before = version_folder(corpus.root)
    done = hippohover.add(corpus.root, tmp_path / "new.jsonl", workers=1)
    assert (done.n_added, done.n_removed) == (0, 0)
    assert version_folder(corpus.root) == before


def test_one_compacts_at_a_time(tmp_path: Path):
    corpus = Corpus(tmp_path)
    corpus.add(6)
    with compacting(corpus.root):
        with pytest.raises(CompactedElsewhereError, match="is being compacted or encoded"):
            merge_segments(corpus.root)
        assert not merge_segments(corpus.root, beside=True)
        assert not hippohover.compact(corpus.root, beside=True)
        corpus.add(1)  # a writer leaves it alone
        assert (corpus.root / COMPACTING).exists()
    assert hidden(corpus.root) == []


def test_what_a_dead_one_left_is_removed(tmp_path: Path):
    corpus = Corpus(tmp_path)
    (corpus.root / COMPACTING / "segments").mkdir(parents=True)
    (corpus.root / COMPACTING / "facts.npy").write_bytes(b"half")
    corpus.add(6)
    assert hidden(corpus.root) == []
    (corpus.root / COMPACTING / "segments").mkdir(parents=True)
    (corpus.root / COMPACTING / "facts.npy").write_bytes(b"half")
    assert merge_segments(corpus.root)
    corpus.check()


def test_it_waits_for_a_writer_and_a_writer_for_it(tmp_path: Path):
    corpus = Corpus(tmp_path)
    corpus.add(6)
    done: list[bool] = []
    with IndexWriter(corpus.root):
        with pytest.raises(IndexStoreError, match="is being written by process"):
            merge_segments(corpus.root)
        thread = threading.Thread(
            target=lambda: done.append(merge_segments(corpus.root, beside=True))
        )
        thread.start()
        thread.join(1.0)
        assert thread.is_alive()
    thread.join(60)
    assert done == [True]
    corpus.check()
    with IndexWriter(corpus.root, for_a_moment=True) as writer:
        late = threading.Thread(target=lambda: done.append(bool(corpus.add(1))))
        late.start()
        late.join(0.5)
        assert late.is_alive()
        assert writer.folder.is_dir()
    late.join(60)
    assert done == [True, False]
    corpus.check()


def test_a_failure_leaves_the_index_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    corpus = Corpus(tmp_path)
    corpus.add(6)
    with StoredIndex.open(corpus.root) as stored:
        version = stored.version

    def broken(*_: object) -> None:
        raise IndexStoreError("no room")

    for name in ("link_others", "counts_of", "_publish"):
        with monkeypatch.context() as patch:
            patch.setattr(compaction, name, broken)
            for is_beside in (False, True):
                with pytest.raises(IndexStoreError, match="no room"):
                    merge_segments(corpus.root, beside=is_beside)
        with StoredIndex.open(corpus.root) as stored:
            assert stored.version == version
        corpus.check()
