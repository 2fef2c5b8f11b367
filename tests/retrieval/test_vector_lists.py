"""The passages that lists find, after updates too, and what is kept of the lists."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import NotInIndexError
from hippohover.indexing.garbage import collect_garbage
from hippohover.recipe import QuerySettings
from hippohover.retrieval import vector_lists
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.vector_lists import PassageLists, VectorLists
from hippohover.store.layout import CACHE, LISTS
from hippohover.store.tables import IndexTables
from hippohover.testing.indexes import TOY_RECIPE, build_toy
from hippohover.vectors.faiss_index import NearestIndex
from hippohover.vectors.nearest import top_k
from hippohover.vectors.unit_vectors import UnitVectors
from tests.retrieval.toy_samples import TOY_CLAIMS

N, DIM = 3_000, 16


def units(seed: int, n: int) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(n, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


BUILT = UnitVectors.of(units(1, N))
KEYS = np.random.default_rng(2).permutation(N).astype(np.uint64)
QUERIES = units(3, 20)


def tables_of(
    toy: IndexTables, vectors: UnitVectors, keys: NDArray[np.uint64], *, gone: list[int]
) -> IndexTables:
    """Tables with these vectors, of which some rows hold no passage any more."""
    documents = np.zeros(len(keys), np.int32)
    documents[gone] = -1
    return replace(
        toy,
        arrays=replace(
            toy.arrays,
            passage_codes=vectors.codes,
            passage_scales=vectors.scales,
            passage_keys=keys,
            documents=documents,
        ),
    )


@pytest.fixture
def toy(toy_engine: HippoHover) -> IndexTables:
    return toy_engine.tables


def exactly(tables: IndexTables, query: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    arrays = tables.arrays
    return top_k(
        arrays.passage_vectors, query, k, keys=arrays.passage_keys, spare=arrays.documents < 0
    )[1]


def share_found(lists: PassageLists, tables: IndexTables, k: int = 10) -> float:
    found = [set(lists.nearest(query, k)[1]) & set(exactly(tables, query, k)) for query in QUERIES]
    return sum(map(len, found)) / (k * len(QUERIES))


def test_nearly_the_same_passages_come_with_the_same_similarities(toy: IndexTables, tmp_path: Path):
    tables = tables_of(toy, BUILT, KEYS, gone=[])
    lists = PassageLists(tables, VectorLists(BUILT, tmp_path / "a.faiss"), KEYS)
    assert share_found(lists, tables) > 0.8
    similarities, rows = lists.nearest(QUERIES[0], 10)
    exact, all_rows = top_k(BUILT, QUERIES[0], N)
    of_row = dict(zip(all_rows.tolist(), exact.tolist(), strict=True))
    assert similarities.tolist() == [of_row[row] for row in rows.tolist()]
    assert similarities.shape == rows.shape == (10,)


def test_what_came_since_the_build_is_compared_and_what_went_is_not_found(
    toy: IndexTables, tmp_path: Path
):
    query = QUERIES[0]
    best = exactly(tables_of(toy, BUILT, KEYS, gone=[]), query, 3).tolist()
    newer = UnitVectors.of(np.concatenate([units(1, N), query[None]]))
    keys = np.append(KEYS, np.uint64(N))
    keys[best[1]] = np.uint64(N + 1)  # another passage stands there now
    tables = tables_of(toy, newer, keys, gone=[best[0]])
    lists = PassageLists(tables, VectorLists(BUILT, tmp_path / "a.faiss"), KEYS)
    found = lists.nearest(query, 5)[1].tolist()
    assert found[0] == N
    assert best[0] not in found
    assert best[1] in found
    assert share_found(lists, tables) > 0.8


def test_as_many_come_as_there_are_where_nearly_all_are_gone(toy: IndexTables, tmp_path: Path):
    tables = tables_of(toy, BUILT, KEYS, gone=list(range(7, N)))
    lists = PassageLists(tables, VectorLists(BUILT, tmp_path / "a.faiss"), KEYS)
    assert sorted(lists.nearest(QUERIES[0], 10)[1].tolist()) == list(range(7))


def test_equal_vectors_come_in_the_order_of_their_keys(toy: IndexTables, tmp_path: Path):
    same = UnitVectors.of(np.repeat(units(5, 1), 50, axis=0))
    keys = KEYS[:50]
    tables = tables_of(toy, same, keys, gone=[])
    lists = PassageLists(tables, VectorLists(same, tmp_path / "a.faiss"), keys)
    rows = lists.nearest(units(5, 1)[0], 50)[1]
    assert keys[rows].tolist() == sorted(keys.tolist())


def test_lists_are_made_once_and_kept(
    toy: IndexTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tables = tables_of(toy, BUILT, KEYS, gone=[])
    file = tmp_path / "cache" / "a.faiss"
    told: list[tuple[str, int, int]] = []
    one = PassageLists(tables, VectorLists(BUILT, file), KEYS)
    one.prepare(lambda stage, done, total: told.append((stage, done, total)))
    one.prepare(lambda stage, done, total: told.append((stage, done, total)))
    assert told == [("lists", 0, 1), ("lists", 1, 1)]
    assert one.are_made
    assert sorted(path.name for path in file.parent.iterdir()) == ["a.faiss", "a.sha256"]
    monkeypatch.setattr(NearestIndex, "build", None)  # nothing is made again
    other = PassageLists(tables, VectorLists(BUILT, file), KEYS)
    assert other.nearest(QUERIES[0], 5)[1].tolist() == one.nearest(QUERIES[0], 5)[1].tolist()


def test_lists_that_were_altered_are_made_again(toy: IndexTables, tmp_path: Path):
    tables = tables_of(toy, BUILT, KEYS, gone=[])
    file = tmp_path / "a.faiss"
    expected = (
        PassageLists(tables, VectorLists(BUILT, file), KEYS).nearest(QUERIES[0], 5)[1].tolist()
    )
    whole = file.read_bytes()
    for damaged in (whole[:-100], whole[:500] + b"x" + whole[501:], b""):
        file.unlink()  # it is mapped: what is written into it would end the process
        file.write_bytes(damaged)
        lists = PassageLists(tables, VectorLists(BUILT, file), KEYS)
        assert lists.nearest(QUERIES[0], 5)[1].tolist() == expected
        assert file.read_bytes() == whole


def test_lists_that_another_user_made_are_made_again(
    toy: IndexTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tables = tables_of(toy, BUILT, KEYS, gone=[])
    file = tmp_path / "a.faiss"
    PassageLists(tables, VectorLists(BUILT, file), KEYS).prepare()
    kept = file.with_suffix(".sha256").read_text()
    monkeypatch.setattr(vector_lists, "own_key", lambda: b"another key")
    PassageLists(tables, VectorLists(BUILT, file), KEYS).prepare()
    assert file.with_suffix(".sha256").read_text() != kept


def test_where_nothing_can_be_written_the_lists_are_in_memory(toy: IndexTables, tmp_path: Path):
    (tmp_path / "file").write_text("no folder")
    tables = tables_of(toy, BUILT, KEYS, gone=[])
    lists = PassageLists(tables, VectorLists(BUILT, tmp_path / "file" / "a.faiss"), KEYS)
    assert share_found(lists, tables) > 0.8


# --- in an engine


@pytest.fixture
def root(encoded_toy_index: Path, tmp_path: Path) -> Path:
    return shutil.copytree(encoded_toy_index, tmp_path / "index")


def test_dense_and_hybrid_use_them_where_the_settings_say(root: Path):
    exact = HippoHover.open(root)
    faiss = HippoHover.open(root, settings=QuerySettings(vectors="faiss"))
    assert not (root / CACHE / LISTS).exists()
    for name in ("dense", "hybrid"):
        for claim in TOY_CLAIMS[:3]:
            one, other = exact.retrieve(claim, 5, name), faiss.retrieve(claim, 5, name)
            assert one.passages[0].pid == other.passages[0].pid
    assert len(list((root / CACHE / LISTS).iterdir())) == 2
    exact.close()
    faiss.close()


def test_warming_up_makes_them(root: Path):
    engine = HippoHover.open(root, settings=QuerySettings(vectors="faiss"))
    engine.warm_up()
    assert engine.retrievers.is_ready("dense")
    engine.close()


def test_an_index_without_vectors_has_none(toy_index: Path):
    engine = HippoHover.open(toy_index, settings=QuerySettings(vectors="faiss"))
    assert engine.retrievers.vectors.lists == (None, None)
    engine.close()


@pytest.fixture
def with_facts(tmp_path: Path) -> Path:
    """Folder of a toy index that stores vectors of its facts."""
    recipe = TOY_RECIPE.model_copy(update={"encoder": "minilm-static", "fact_vectors": True})
    return build_toy(recipe, tmp_path / "index")


def test_facts_have_lists_of_their_own_and_the_reference_asks_them(with_facts: Path):
    exact = HippoHover.open(with_facts, settings=QuerySettings(vectors="exact"))
    faiss = HippoHover.open(with_facts, settings=QuerySettings(vectors="faiss"))
    for claim in TOY_CLAIMS[:3]:
        one, other = exact.retrieve(claim, 5, "hipporag2"), faiss.retrieve(claim, 5, "hipporag2")
        assert one.trace.facts == other.trace.facts
        assert [p.pid for p in one.passages] == [p.pid for p in other.passages]
        assert [p.score for p in one.passages] == pytest.approx([p.score for p in other.passages])
    assert faiss.retrievers.vectors.lists.facts is not None
    assert faiss.retrievers.vectors.lists.facts.are_made
    exact.close()
    faiss.close()


def test_the_closest_facts_of_all_seed_the_walk_where_asked(with_facts: Path):
    claim = TOY_CLAIMS[0]
    found: list[tuple[object, ...]] = []
    for kind in ("exact", "faiss"):
        settings = QuerySettings(vectors=kind, fact_pool="all", fact_mass=1.0, n_facts=3)
        with HippoHover.open(with_facts, settings=settings) as engine:
            vectors = engine.retrievers.vectors
            similar, rows = vectors.nearest_facts(vectors.of_text(claim), 3)
            stored = engine.tables.arrays.fact_vectors.astype(np.float32)
            every = stored @ vectors.of_text(claim)
            assert similar == pytest.approx(np.sort(every)[::-1][:3], abs=1e-5)
            facts = engine.retrieve(claim, 5).trace.facts
            assert set(facts) == set(engine.tables.triples(rows))
            found.append(facts)
    assert found[0] == found[1]


def test_facts_of_all_need_their_vectors(root: Path):
    settings = QuerySettings(fact_pool="all", fact_mass=1.0)
    with (
        HippoHover.open(root, settings=settings) as engine,
        pytest.raises(NotInIndexError, match=r"no vectors of facts.*fact_vectors = true"),
    ):
        engine.retrieve(TOY_CLAIMS[0], 5)


def test_auto_takes_lists_from_a_size_on(root: Path, monkeypatch: pytest.MonkeyPatch):
    auto = QuerySettings(vectors="auto", max_compared=2)
    with HippoHover.open(root, settings=auto) as small:
        assert small.retrievers.vectors.lists.passages is None
    monkeypatch.setattr(vector_lists, "FEWEST", 3)
    with HippoHover.open(root, settings=auto) as large:
        assert large.retrievers.vectors.lists.passages is not None
        large.warm_up()  # a walk needs none
        assert not large.retrievers.is_ready("dense")

    def nothing_is_installed(name: str) -> None:
        """Find no package, whatever its name."""

    monkeypatch.setattr(vector_lists, "find_spec", nothing_is_installed)
    with HippoHover.open(root, settings=auto) as without_faiss:
        assert without_faiss.retrievers.vectors.lists.passages is None


def test_lists_of_vectors_that_no_version_has_are_collected(root: Path):
    with_lists = HippoHover.open(root, settings=QuerySettings(vectors="faiss"))
    with_lists.warm_up()
    with_lists.close()
    folder = root / CACHE / LISTS
    kept = sorted(path.name for path in folder.iterdir())
    for name in ("0" * 64 + ".faiss", "0" * 64 + ".sha256", f".{'1' * 64}.faiss.123"):
        (folder / name).write_text("older")
    collect_garbage(root)
    assert sorted(path.name for path in folder.iterdir()) == kept
