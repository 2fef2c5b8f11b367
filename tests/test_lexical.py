"""BM25: the formula by hand, bm25s as a second opinion, and the ties."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from hippohover.lexical import (
    K1,
    NO_TERM,
    B,
    LexicalIndex,
    count_postings,
    fill_postings,
    rough_mean,
    top_rows,
)
from hippohover.spans import spans_of
from tests.index_samples import table_of_keys

ROUNDED = 2.0**-11 + 1e-6
"""What float16 takes from a weight at most, relative to it, and float32 from a sum of a few."""

DOCUMENTS = st.lists(st.lists(st.integers(NO_TERM, 5), max_size=12), max_size=8)


def index_of(documents: Sequence[Sequence[int]], n_terms: int) -> LexicalIndex:
    """Index whose terms are called "t0", "t1", ..."""
    flat = np.array([term for document in documents for term in document], dtype=np.int32)
    lengths = [len(document) for document in documents]
    term_indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    df, n_in_passage = count_postings(flat, term_indptr, n_terms)
    spans, n = spans_of(df), int(df.sum())
    passages, weights = np.empty(n, np.int32), np.empty(n, np.float32)
    fill_postings(
        flat, term_indptr, spans=spans, lengths=n_in_passage, passages=passages, weights=weights
    )
    return LexicalIndex(
        vocabulary=table_of_keys({f"t{n}": n for n in range(n_terms)}),
        spans=spans,
        df=df,
        passages=passages,
        weights=weights.astype(np.float16),
        term_indptr=term_indptr,
        terms=flat,
        title_lengths=np.zeros(len(documents), dtype=np.int32),
        keys=np.arange(len(documents), dtype=np.uint64),
        n_passages=len(documents),
    )


def by_formula(documents: Sequence[Sequence[int]], query: set[int], row: int) -> float:
    """The sum of a passage's weights, each rounded as it is stored."""
    bare = [[term for term in document if term != NO_TERM] for document in documents]
    mean_length = rough_mean(sum(map(len, bare)) / len(bare))
    score = 0.0
    for term in query:
        df = sum(term in document for document in bare)
        tf = bare[row].count(term)
        idf = math.log(1 + (len(bare) - df + 0.5) / (df + 0.5))
        if tf:
            weight = tf / (tf + K1 * (1 - B + B * len(bare[row]) / mean_length))
            score += idf * float(np.float16(np.float32(weight)))
    return score


# --- weights ---------------------------------------------------------------------------------


def test_three_documents_by_hand():
    """Lengths 2, 3, 1 (mean 2): term 0 stands in two of three, twice in the second."""
    index = index_of([[0, 1], [0, 0, 2], [1]], 3)
    idf = math.log(1 + 1.5 / 2.5)
    expected = [idf * 1 / (1 + 0.9 * 1.0), idf * 2 / (2 + 0.9 * (0.6 + 0.4 * 1.5)), 0.0]
    assert index.scores(np.array([0])).tolist() == pytest.approx(expected, rel=ROUNDED)
    rare = math.log(1 + 2.5 / 1.5)
    assert index.scores(np.array([2])).tolist() == pytest.approx(
        [0.0, rare / (1 + 0.9 * (0.6 + 0.4 * 1.5)), 0.0], rel=ROUNDED
    )


@settings(deadline=None)  # the first call may compile
@given(DOCUMENTS.filter(bool), st.sets(st.integers(0, 5)))
def test_scores_are_sums_of_the_formulas_weights_in_float16(
    documents: list[list[int]], query: set[int]
):
    scores = index_of(documents, 6).scores(np.array(sorted(query), dtype=np.int64))
    expected = [by_formula(documents, query, row) for row in range(len(documents))]
    # What is left is the rounding of six terms up to a part in 2**30 of the largest score.
    assert scores.tolist() == pytest.approx(expected, rel=2.0**-21)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_bm25s(seed: int, monkeypatch: pytest.MonkeyPatch):
    """But for the mean length, which is rounded here."""
    monkeypatch.setattr("hippohover.lexical.rough_mean", float)
    rng = np.random.default_rng(seed)
    n_terms = 60
    documents = [
        (rng.zipf(1.5, size=rng.integers(1, 40)).clip(1, n_terms) - 1).tolist() for _ in range(80)
    ]
    oracle = bm25s.BM25(k1=K1, b=B, method="lucene")
    oracle.index((documents, {str(n): n for n in range(n_terms)}), show_progress=False)
    index = index_of(documents, n_terms)
    for _ in range(20):
        query = np.unique(rng.integers(0, n_terms, size=5))
        theirs = oracle.get_scores([str(term) for term in query])
        assert index.scores(query) == pytest.approx(theirs, rel=ROUNDED)


@given(DOCUMENTS)
def test_postings_are_whole_and_in_order(documents: list[list[int]]):
    index = index_of(documents, 6)
    assert (index.spans.dtype, index.passages.dtype) == (np.int64, np.int32)
    assert index.weights.dtype == np.float16
    for term in range(6):
        rows = index.passages[slice(*index.spans[term])].tolist()
        assert rows == [row for row, document in enumerate(documents) if term in document]
    frequencies = index.document_frequency(np.arange(6)).tolist()
    assert frequencies == [sum(term in document for document in documents) for term in range(6)]
    assert bool(np.all(index.weights > 0))


@pytest.mark.parametrize("n_terms", [0, 3])
@pytest.mark.parametrize("documents", [[], [[]], [[NO_TERM, NO_TERM], [NO_TERM]]])
def test_without_a_single_term_there_are_no_postings(documents: list[list[int]], n_terms: int):
    index = index_of(documents, n_terms)
    assert index.spans.tolist() == [[0, 0]] * n_terms
    assert len(index.passages) == len(index.weights) == 0
    assert index.n_passages == len(documents)
    scores = index.scores(np.arange(n_terms))
    assert scores.shape == (len(documents),)
    assert not scores.any()
    assert top_rows(scores, 5, index.keys).tolist() == []


def test_stop_tokens_lengthen_no_passage():
    """Two passages alike but for stop tokens score alike; an empty one stays at 0."""
    index = index_of([[0, 1], [NO_TERM, 0, NO_TERM, 1], [NO_TERM]], 2)
    first, second, third = index.scores(np.array([0])).tolist()
    assert first == second > third == 0.0


def test_a_passage_that_is_gone_is_not_scored():
    """Its postings stay, and weigh nothing; how many hold a term is counted without it."""
    whole = index_of([[0, 1], [0, 0], [0, 1]], 2)
    weights = whole.weights.copy()
    weights[whole.passages == 1] = 0
    left = replace(whole, weights=weights, df=np.array([2, 2], np.int32), n_passages=2)
    assert left.holders(0).tolist() == left.holders(1).tolist() == [0, 2]
    assert left.scores(np.array([0])).tolist()[1] == 0.0
    assert (left.scores(np.array([0])) > 0).tolist() == [True, False, True]
    nobody = replace(left, df=np.array([0, 2], np.int32))
    assert nobody.query_terms(["t0", "t1"]).tolist() == [1]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_scores_do_not_depend_on_the_order_of_terms(order: list[int]):
    rng = np.random.default_rng(0)
    index = index_of([rng.integers(0, 4, 9).tolist() for _ in range(50)], 4)
    assert index.scores(np.array(order)).tobytes() == index.scores(np.arange(4)).tobytes()


def test_a_rough_mean_stays_when_a_passage_comes():
    assert [rough_mean(mean) for mean in (0.0, 1.0, 64.0, 63.0)] == [1.0, 1.0, 64.0, 64.0]
    assert len({rough_mean(mean / 100) for mean in range(6000, 7000)}) == 3


# --- queries ---------------------------------------------------------------------------------


def test_query_terms_are_distinct_ascending_and_known():
    index = index_of([[0, 1, 2]], 3)
    assert index.query_terms(["t2", "t0", "t2", "", "t9"]).tolist() == [0, 2]
    assert index.query_terms(["t9", ""]).dtype == np.int64
    assert index.query_terms([]).tolist() == []


def test_a_query_of_unknown_terms_finds_nothing():
    index = index_of([[0], [1]], 2)
    scores = index.scores(index.query_terms(["t8", "t9"]))
    assert scores.tolist() == [0.0, 0.0]
    assert top_rows(scores, 21, index.keys).tolist() == []


def test_scores_come_from_memory_maps_too(tmp_path: Path):
    index = index_of([[0, 1], [0, 0, 2], [1]], 3)
    opened: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {}
    for name in ("spans", "passages", "weights"):
        np.save(tmp_path / f"{name}.npy", getattr(index, name))
        opened[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    again = LexicalIndex(
        vocabulary=index.vocabulary,
        term_indptr=index.term_indptr,
        terms=index.terms,
        title_lengths=index.title_lengths,
        df=index.df,
        keys=index.keys,
        n_passages=index.n_passages,
        **opened,  # pyright: ignore[reportArgumentType]
    )
    query = np.array([0, 2])
    assert again.scores(query).tolist() == index.scores(query).tolist()


# --- top_rows --------------------------------------------------------------------------------

SCORES = hnp.arrays(
    np.float32, st.integers(0, 30), elements=st.sampled_from([0.0, 0.5, 1.0, 1.5, 1e-20, 7.25])
)


def keys_of(scores: np.ndarray[tuple[int], np.dtype[np.float32]]) -> NDArray[np.uint64]:
    """A key for each row, in another order than theirs."""
    return np.random.default_rng(0).permutation(len(scores)).astype(np.uint64) << np.uint64(40)


@given(SCORES, st.integers(-1, 35))
def test_top_rows_are_those_of_a_full_sort(
    scores: np.ndarray[tuple[int], np.dtype[np.float32]], k: int
):
    keys = keys_of(scores)
    ranked = sorted(
        (-score, int(keys[row]), row) for row, score in enumerate(scores.tolist()) if score > 0
    )
    assert top_rows(scores, k, keys).tolist() == [row for *_, row in ranked][: max(k, 0)]


@given(SCORES, st.integers(0, 30))
def test_fewer_rows_are_the_beginning_of_more(
    scores: np.ndarray[tuple[int], np.dtype[np.float32]], k: int
):
    keys = keys_of(scores)
    assert top_rows(scores, k, keys).tolist() == top_rows(scores, k + 1, keys).tolist()[:k]
