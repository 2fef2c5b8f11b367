"""Old versions and unused results go; what is live, held or still of use stays."""

import json
import shutil
from pathlib import Path

import pytest

from hippohover.errors import BuildError, IndexDamagedError, IndexStoreError, UsageError
from hippohover.indexing import build as build_module
from hippohover.indexing import triple_stage
from hippohover.indexing.build import build
from hippohover.indexing.garbage import Collected, collect_garbage
from hippohover.indexing.triples.spacy_rules import SpacyTriples
from hippohover.indexing.update import add, delete
from hippohover.indexing.workers.stage_cache import StageCache
from hippohover.recipe import IndexRecipe
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter
from tests.encoder_samples import length_encoder
from tests.index_samples import flip, seal_manifest, versions
from tests.indexing.triples.triple_samples import EXTRACTOR

ROWS = [
    {"title": f"Town {name}", "text": f"Town {name} is a town near Town {name[::-1]}."}
    for name in ("Abcde", "Edcba", "Fghij", "Jihgf")
]
FAST = IndexRecipe(name="fast", extractor="between", encoder="minilm")


def corpus_of(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def version(root: Path) -> str:
    return (root / "CURRENT").read_text().split()[0]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three versions were made, two are there: the first publishing keeps two."""
    folder = tmp_path_factory.mktemp("garbage")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build_module, "load_encoder", length_encoder)
        made = build(FAST, corpus=corpus_of(folder / "c.jsonl", ROWS[:3]), out=folder / "i")
        delete(made, ["Town Abcde"])
        add(made, corpus_of(folder / "new.jsonl", ROWS[3:]))
    assert version(made) == "v000003"
    return made


@pytest.fixture
def root(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The template, this test's own."""
    monkeypatch.setattr(build_module, "load_encoder", length_encoder)
    return Path(shutil.copytree(template, tmp_path / "i"))


def n_kept(root: Path) -> int:
    cache = StageCache(root / ".cache" / "vectors.sqlite")
    n = cache.keep([], [])
    cache.close()
    return n


def test_old_versions_go_with_what_only_they_needed(root: Path):
    assert collect_garbage(root) == Collected(
        removed=("v000002",), held=(), kept=("v000003",), n_results=1
    )
    with StoredIndex.open(root) as stored:
        assert stored.verify() == []
    assert n_kept(root) == 3


def test_as_many_as_asked_for_stay(root: Path):
    assert collect_garbage(root, keep=2) == Collected(
        removed=(), held=(), kept=("v000002", "v000003"), n_results=1
    )
    assert collect_garbage(root, keep=9).removed == ()
    assert collect_garbage(root).removed == ("v000002",)


def test_what_a_reader_holds_stays_until_it_is_closed(root: Path):
    reader = StoredIndex.open(root / "v000002")
    assert collect_garbage(root) == Collected(
        removed=(), held=("v000002",), kept=("v000003",), n_results=1
    )
    assert reader.verify() == []
    reader.close()
    assert collect_garbage(root).removed == ("v000002",)


def test_the_live_version_stays_though_it_is_not_the_newest(root: Path):
    (root / "CURRENT").write_text("v000002\n")
    assert collect_garbage(root) == Collected(
        removed=(), held=(), kept=("v000002", "v000003"), n_results=1
    )
    with StoredIndex.open(root) as stored:
        assert stored.version == "v000002"


def test_triples_go_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def loaded(_model: str) -> SpacyTriples:
        return EXTRACTOR  # which other tests have loaded: it takes half a second

    monkeypatch.setattr(triple_stage, "SpacyTriples", loaded)
    parsed = FAST.model_copy(update={"extractor": "spacy", "encoder": "none"})
    root = build(parsed, corpus=corpus_of(tmp_path / "c.jsonl", ROWS), out=tmp_path / "i")
    delete(root, ["Town Abcde"])
    assert collect_garbage(root).n_results == 1
    assert collect_garbage(root).n_results == 0


def test_what_a_stopped_build_has_done_goes(root: Path):
    work = root / ".cache" / "work" / "0123" / "found-00000.arrow"
    work.parent.mkdir(parents=True)
    work.write_bytes(b"half")
    collect_garbage(root)
    assert not (root / ".cache" / "work").exists()
    assert version(root) == "v000003"


def test_a_cache_of_no_use_at_all_is_emptied(root: Path):
    cache = StageCache(root / ".cache" / "vectors.sqlite")
    cache.put([("a", b"b")], "another encoder")
    cache.close()
    assert collect_garbage(root).n_results == 2


def test_a_broken_cache_is_named(root: Path):
    (root / ".cache" / "vectors.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(BuildError, match=r"vectors\.sqlite.*delete the file"):
        collect_garbage(root)


def test_nothing_goes_where_the_live_version_is_damaged_or_of_the_future(root: Path):
    flip(root / "v000003" / "facts.npy", -1)
    with pytest.raises(IndexDamagedError, match=r"facts\.npy"):
        collect_garbage(root)
    seal_manifest(root / "v000003", b'{"format_version": 99}')
    with pytest.raises(IndexStoreError, match="upgrade hippohover"):
        collect_garbage(root)
    assert versions(root) == ["v000002", "v000003"]


@pytest.mark.parametrize("keep", [0, -1])
def test_something_must_stay(root: Path, keep: int):
    with pytest.raises(UsageError, match="keep"):
        collect_garbage(root, keep=keep)
    assert version(root) == "v000003"


def test_it_waits_for_no_writer(root: Path):
    with IndexWriter(root), pytest.raises(IndexStoreError, match="is being written by process"):
        collect_garbage(root)


def test_where_no_index_is_nothing_is_made(tmp_path: Path):
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(IndexStoreError, match="index"):
            collect_garbage(place)
    assert list(tmp_path.iterdir()) == []


def test_a_version_is_no_index_to_collect_from(root: Path):
    folder = root / version(root)
    with pytest.raises(IndexStoreError, match="is one version of an index: name the index itself"):
        collect_garbage(folder)
    assert not (folder / ".lock").exists()
