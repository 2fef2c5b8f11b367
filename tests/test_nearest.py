"""Nearest rows: exact against a full sort, FAISS against exact, and everything that can be odd."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover import nearest
from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError
from hippohover.nearest import NearestIndex, NearestKind, Vectors, top_k
from hippohover.unit_vectors import UnitVectors

Half = NDArray[np.float16]
Floats = NDArray[np.float32]
KINDS: list[NearestKind] = ["exact", "flat", "ivf"]
FAISS_KINDS: list[NearestKind] = ["flat", "ivf"]
FORMS = ["float16", "float32", "one byte"]


def unit_rows(n: int, dim: int = 16, *, seed: int = 0) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def clustered_rows(n: int, dim: int = 16, *, seed: int = 0) -> Floats:
    """Rows around 50 centres, as texts lie around topics."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((50, dim))
    rows = centres[rng.integers(0, 50, n)] + 0.5 * rng.standard_normal((n, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def stored_as(form: str, rows: Floats) -> Vectors:
    return UnitVectors.of(rows) if form == "one byte" else rows.astype(form)


def by_full_sort(
    vectors: Vectors, queries: Floats, k: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The oracle: all similarities in float64, rounded, and a stable sort."""
    similarities = (queries.astype(np.float64)[:, None] * vectors[:].astype(np.float64)).sum(axis=2)
    rounded = similarities.astype(np.float32)
    rows = np.argsort(-rounded, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(rounded, rows, axis=1), rows


def assert_same(found: tuple[Any, Any], expected: tuple[Any, Any]) -> None:
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
    assert (found[0].dtype, found[1].dtype) == (np.float32, np.int64)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_queries", [1, 8, 9, 40])
def test_exact_is_a_full_sort(form: str, n_queries: int):
    vectors = stored_as(form, unit_rows(5000))  # three blocks, the last one short
    queries = unit_rows(n_queries, seed=1)
    assert_same(top_k(vectors, queries, 21), by_full_sort(vectors, queries, 21))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    k=st.integers(1, 70),
    n_distinct=st.integers(1, 8),
    block=st.integers(1, 17),
    form=st.sampled_from(FORMS),
)
def test_ties_go_to_the_lower_row_whatever_the_blocks(  # noqa: PLR0917
    seed: int, n: int, k: int, n_distinct: int, block: int, form: str
):
    few = np.vstack([np.zeros((1, 16), np.float32), unit_rows(n_distinct, seed=seed)])
    vectors = stored_as(form, few[np.random.default_rng(seed).integers(0, len(few), n)])
    queries = np.vstack([few, unit_rows(2, seed=seed + 1)])
    whole = top_k(vectors, queries, k)
    assert whole[0].shape == (len(queries), min(k, n))
    assert_same(whole, by_full_sort(vectors, queries, k))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_N_ROWS_A_BLOCK", block)
        patch.setattr(nearest, "_N_CODES_A_BLOCK", block)
        ends: list[int] = []
        assert_same(top_k(vectors, queries, k, on_block=lambda: ends.append(1)), whole)
        assert len(ends) == -(-n // block)


@pytest.mark.parametrize("form", FORMS)
def test_without_a_query_there_is_no_answer(form: str):
    found = top_k(stored_as(form, unit_rows(9)), np.zeros((0, 16), np.float32), 5)
    assert [part.shape for part in found] == [(0, 5), (0, 5)]


def test_a_query_does_not_depend_on_the_others():
    vectors, queries = unit_rows(3000).astype(np.float16), unit_rows(30, seed=1)
    together = top_k(vectors, queries, 9)
    for i in range(30):
        alone = top_k(vectors, queries[i : i + 1], 9)
        assert_same(alone, (together[0][i : i + 1], together[1][i : i + 1]))


def test_a_shorter_answer_is_the_start_of_a_longer_one():
    vectors, queries = unit_rows(3000).astype(np.float16), unit_rows(4, seed=1)
    long = top_k(vectors, queries, 200)
    for k in (1, 2, 21, 199):
        assert_same(top_k(vectors, queries, k), (long[0][:, :k], long[1][:, :k]))


def test_memory_maps_and_views_are_read(tmp_path: Path):
    vectors, queries = unit_rows(3000).astype(np.float16), unit_rows(2, seed=1)
    expected = top_k(vectors, queries, 5)
    np.save(tmp_path / "v.npy", vectors)
    assert_same(top_k(np.load(tmp_path / "v.npy", mmap_mode="r"), queries, 5), expected)
    assert_same(top_k(np.asfortranarray(vectors), queries, 5), expected)
    assert_same(top_k(np.repeat(vectors, 2, axis=0)[::2], queries, 5), expected)
    assert_same(top_k(np.repeat(vectors, 2, axis=1)[:, ::2], queries, 5), expected)


def test_float64_and_float16_queries_are_read():
    vectors, queries = unit_rows(300), unit_rows(2, seed=1).astype(np.float16)
    assert_same(top_k(vectors, queries, 5), top_k(vectors, queries.astype(np.float64), 5))


def test_every_finite_half_is_widened_as_numpy_does():
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16).reshape(-1, 64)
    out = np.empty(halves.shape, np.float32)
    nearest._widen(halves, out)  # pyright: ignore[reportPrivateUsage]
    finite = np.isfinite(halves)
    np.testing.assert_array_equal(out[finite], halves.astype(np.float32)[finite])
    assert np.abs(out[~finite]).min() >= 65536


@pytest.mark.parametrize("kind", KINDS)
def test_no_vectors_give_no_rows(kind: NearestKind, tmp_path: Path):
    vectors = np.zeros((0, 16), np.float16)
    index = NearestIndex.build(vectors, kind)
    index.save(tmp_path / "index")
    for each in (index, NearestIndex.open(tmp_path / "index", vectors)):
        similarities, rows = each.search(unit_rows(3), 5)
        assert similarities.shape == rows.shape == (3, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_one_row(kind: NearestKind, capfd: pytest.CaptureFixture[str]):
    vectors = unit_rows(1)
    similarities, rows = NearestIndex.build(vectors, kind).search(np.vstack([vectors, -vectors]), 5)
    assert rows.tolist() == [[0], [0]]
    np.testing.assert_allclose(similarities, [[1], [-1]], atol=1e-6)
    assert capfd.readouterr() == ("", "")  # FAISS warns of few training points


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2, 5, 300])
def test_more_rows_asked_for_than_there_are(kind: NearestKind, n: int):
    vectors, queries = unit_rows(n).astype(np.float16), unit_rows(3, seed=1)
    found = NearestIndex.build(vectors, kind).search(queries, n + 7)
    assert_same(found, by_full_sort(vectors, queries, n))


@pytest.mark.parametrize("kind", KINDS)
def test_equal_rows_come_in_order(kind: NearestKind):
    one, other = unit_rows(2)
    vectors = np.vstack([np.tile(other, (400, 1)), np.tile(one, (400, 1))]).astype(np.float16)
    similarities, rows = NearestIndex.build(vectors, kind).search(one[None], 21)
    assert similarities[0, 0] == similarities[0, -1] == pytest.approx(1, abs=1e-3)
    if kind == "ivf":  # the candidates may be any of the equal rows
        assert (rows >= 400).all()
        assert (np.diff(rows) > 0).all()
    else:
        assert rows[0].tolist() == list(range(400, 421))


@pytest.mark.parametrize("kind", KINDS)
def test_zero_rows_are_never_near_and_zero_queries_near_to_none(kind: NearestKind):
    vectors = unit_rows(600).astype(np.float16)
    vectors[::3] = 0
    index = NearestIndex.build(vectors, kind)
    similarities, rows = index.search(vectors[[1, 2, 4]].astype(np.float32), 3)
    assert rows[:, 0].tolist() == [1, 2, 4]
    assert (rows % 3 != 0).all()
    similarities, rows = index.search(np.zeros((1, 16), np.float32), 4)
    assert similarities.tolist() == [[0, 0, 0, 0]]
    assert len(set(rows[0].tolist())) == 4
    if kind != "ivf":
        assert rows.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [1, 5, 100])
def test_flat_finds_the_same_rows_as_exact(form: str, k: int, tmp_path: Path):
    vectors = stored_as(form, unit_rows(4000, 24))
    queries = np.vstack([unit_rows(40, 24, seed=1), vectors[:5].astype(np.float32)])
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    expected = top_k(vectors, queries, k)
    index = NearestIndex.build(vectors, "flat")
    assert_same(index.search(queries, k), expected)
    index.save(tmp_path / "flat")
    assert_same(NearestIndex.open(tmp_path / "flat", vectors).search(queries, k), expected)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), n_distinct=st.integers(1, 30), k=st.integers(1, 30))
def test_flat_finds_the_same_rows_as_exact_among_equals(seed: int, n_distinct: int, k: int):
    few = unit_rows(n_distinct, seed=seed)
    vectors = few[np.random.default_rng(seed).integers(0, n_distinct, 500)].astype(np.float16)
    queries = np.vstack([few[:3], unit_rows(3, seed=seed + 1)])
    assert_same(NearestIndex.build(vectors, "flat").search(queries, k), top_k(vectors, queries, k))


def test_rows_closer_together_than_float32_sums_can_tell():
    """Only the float64 sums order them, and there are more of them than FAISS is asked for."""
    (one,) = unit_rows(1, 64)
    noise = np.random.default_rng(3).integers(-4, 5, (9000, 64))
    vectors = one + (noise * 2.0**-26).astype(np.float32)
    expected = by_full_sort(vectors, one[None], 21)
    assert_same(top_k(vectors, one[None], 21), expected)
    assert_same(NearestIndex.build(vectors, "flat").search(one[None], 21), expected)


def test_flat_is_not_exact_search_in_disguise(monkeypatch: pytest.MonkeyPatch):
    index = NearestIndex.build(unit_rows(4000).astype(np.float16), "flat")

    def called(*_: object) -> None:
        raise AssertionError("all rows were compared in NumPy")

    monkeypatch.setattr(nearest, "top_k", called)
    assert index.search(unit_rows(3, seed=1), 5)[1].shape == (3, 5)


@pytest.mark.parametrize("form", ["float16", "one byte"])
@pytest.mark.parametrize(("k", "least"), [(5, 0.95), (100, 0.95)])
def test_ivf_finds_nearly_the_same_rows_as_exact(k: int, least: float, form: str):
    vectors = stored_as(form, clustered_rows(20_000))
    queries = clustered_rows(60, seed=0)
    exact_similarities, exact_rows = top_k(vectors, queries, k)
    similarities, rows = NearestIndex.build(vectors, "ivf").search(queries, k)
    shared = [len(set(a) & set(b)) / k for a, b in zip(rows, exact_rows, strict=True)]
    assert least <= np.mean(shared) <= 1
    for i, row in enumerate(rows):  # what it finds has the exact similarity and place
        known = dict(zip(exact_rows[i], exact_similarities[i], strict=True))
        assert all(similarities[i, j] == known[r] for j, r in enumerate(row) if r in known)
        assert list(zip(-similarities[i], row, strict=True)) == sorted(
            zip(-similarities[i], row, strict=True)
        )


def test_ivf_returns_k_rows_even_where_its_lists_hold_fewer():
    vectors = clustered_rows(4000).astype(np.float16)
    queries = clustered_rows(3)
    found = NearestIndex.build(vectors, "ivf").search(queries, 3500)
    assert_same(found, top_k(vectors, queries, 3500))


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAISS_KINDS)
def test_the_same_bytes_whatever_the_threads(kind: NearestKind, tmp_path: Path):
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from hippohover.nearest import NearestIndex\n"
        "index = NearestIndex.build(np.load(sys.argv[1]), sys.argv[2])\n"
        "index.save(Path(sys.argv[3]))"
    )
    np.save(tmp_path / "v.npy", clustered_rows(6000).astype(np.float16))
    hashes: set[str] = set()
    for n_threads in ("1", "2", "3"):
        out = tmp_path / n_threads
        command = [sys.executable, "-c", code, str(tmp_path / "v.npy"), kind, str(out)]
        path = os.pathsep.join(sys.path)
        environment = {**os.environ, "OMP_NUM_THREADS": n_threads, "PYTHONPATH": path}
        subprocess.run(command, env=environment, check=True)  # noqa: S603
        hashes.add(hashlib.sha256(out.read_bytes()).hexdigest())
    assert len(hashes) == 1


@pytest.mark.parametrize("form", ["float16", "one byte"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_saved_opens_and_answers_the_same(kind: NearestKind, form: str, tmp_path: Path):
    vectors, queries = stored_as(form, clustered_rows(3000)), clustered_rows(9, seed=1)
    index = NearestIndex.build(vectors, kind)
    index.save(tmp_path / "index")
    again = NearestIndex.open(tmp_path / "index", vectors)
    assert again.kind == index.kind == kind
    assert_same(again.search(queries, 21), index.search(queries, 21))
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "index").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_several_threads_search_at_once(kind: NearestKind):
    vectors = clustered_rows(3000).astype(np.float16)
    index = NearestIndex.build(vectors, kind)
    queries = [clustered_rows(2, seed=i) for i in range(24)]
    expected = [index.search(query, 9) for query in queries]

    def search(query: Floats) -> nearest.TopK:
        return index.search(query, 9)

    with ThreadPoolExecutor(6) as pool:
        for found, wanted in zip(pool.map(search, queries), expected, strict=True):
            assert_same(found, wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keep", [0, 3, 4, 20, 0.3, 0.9, 0.9999])
def test_a_short_file_is_damage(kind: NearestKind, keep: float, tmp_path: Path):
    vectors = clustered_rows(1000).astype(np.float16)
    path = tmp_path / "index"
    NearestIndex.build(vectors, kind).save(path)
    content = path.read_bytes()
    path.write_bytes(content[: keep if isinstance(keep, int) else int(keep * len(content))])
    with pytest.raises(IndexDamagedError, match="build the index again") as caught:
        NearestIndex.open(path, vectors)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"\0" * 400, b"IwSq" + b"\xff" * 400, b'{"kind": 3}', b"IxFI"])
def test_a_file_of_something_else_is_damage(content: bytes, tmp_path: Path):
    (tmp_path / "index").write_bytes(content)
    with pytest.raises(IndexDamagedError):
        NearestIndex.open(tmp_path / "index", unit_rows(5))


@pytest.mark.parametrize("shape", ["5", "null", '"2 4"', "[4]", "[2, true]", "[[], 4]", "{}"])
def test_a_shape_that_is_none_is_damage(shape: str, tmp_path: Path):
    path = tmp_path / "near"
    path.write_text(f'{{"kind": "exact", "shape": {shape}}}')
    with pytest.raises(IndexDamagedError, match="no shape of two numbers"):
        NearestIndex.open(path, unit_rows(2))


def test_a_missing_file_is_damage(tmp_path: Path):
    with pytest.raises(IndexDamagedError, match="cannot be read"):
        NearestIndex.open(tmp_path / "nothing", unit_rows(5))


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_of_other_vectors_is_damage(kind: NearestKind, tmp_path: Path):
    NearestIndex.build(unit_rows(500), kind).save(tmp_path / "index")
    for other in (unit_rows(499), unit_rows(500, 17)):
        with pytest.raises(IndexDamagedError, match=r"made of \(500, 16\) vectors"):
            NearestIndex.open(tmp_path / "index", other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_cannot_be_written(kind: NearestKind, tmp_path: Path):
    index = NearestIndex.build(unit_rows(200), kind)
    with pytest.raises(IndexStoreError, match="cannot be written") as caught:
        index.save(tmp_path / "no" / "such" / "folder")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_fit_is_refused(kind: NearestKind):
    index = NearestIndex.build(unit_rows(300), kind)
    bad: list[tuple[NDArray[Any], int, str]] = [
        (unit_rows(2, 15), 5, "do not fit vectors of 16 dimensions"),
        (unit_rows(2)[0], 5, "do not fit"),
        (unit_rows(2), 0, "k = 0"),
        (unit_rows(2), -3, "k = -3"),
        (3 * unit_rows(2), 5, "not of length 1"),
        (np.full((1, 16), np.nan, np.float32), 5, "not of length 1"),
    ]
    for queries, k, message in bad:
        with pytest.raises(UsageError, match=message):
            index.search(queries, k)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 7.0])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_vectors_that_are_not_unit_rows_are_named(bad: float, dtype: type):
    vectors = unit_rows(5000).astype(dtype)
    vectors[2500] = bad
    with pytest.raises(UsageError, match="vectors 2048 to 4095 are not all of length 1"):
        top_k(vectors, np.full((1, 16), 0.25, np.float32), 5)


def test_vectors_of_another_kind_are_refused():
    for vectors in (unit_rows(5).astype(np.float64), unit_rows(5)[0], np.zeros((4, 16), np.int8)):
        with pytest.raises(UsageError, match="float16 or float32"):
            top_k(vectors, unit_rows(1), 1)  # pyright: ignore[reportArgumentType]
        with pytest.raises(UsageError, match="float16 or float32"):
            NearestIndex.build(vectors, "flat")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="kind 'hnsw' is unknown"):
        NearestIndex.build(unit_rows(5), "hnsw")  # pyright: ignore[reportArgumentType]


def test_faiss_keeps_its_number_of_threads():
    import faiss

    n: int = faiss.omp_get_max_threads()
    vectors = clustered_rows(1000)
    for kind in FAISS_KINDS:
        NearestIndex.build(vectors, kind).search(vectors[:3], 5)
    assert faiss.omp_get_max_threads() == n


@pytest.mark.parametrize("kind", FAISS_KINDS)
def test_a_row_that_does_not_exist_is_damage(kind: NearestKind):
    """A damaged list can hold any number; here the vectors are fewer than the index knows."""
    vectors = clustered_rows(1000)
    index = NearestIndex.build(vectors, kind)
    index.vectors = vectors[:10]
    with pytest.raises(IndexDamagedError, match="does not exist"):
        index.search(vectors[:3], 5)
