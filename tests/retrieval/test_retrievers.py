"""The retrievers by name: what each ranks by, and what every one of them refuses."""

import numpy as np
import pytest

from hippohover.errors import UsageError
from hippohover.retrieval.retrievers import RETRIEVERS, Retrievers
from tests.retrieval.toy_samples import TOY_CLAIMS, UNKNOWN_WORDS, WordEncoder


def test_bm25_ranks_by_its_scores(plain: Retrievers):
    claim = plain.read_claim(TOY_CLAIMS[1])
    scores = plain.arrays.lexical.scores(claim.terms)
    found = plain("bm25", TOY_CLAIMS[1], 10)
    assert found.rows.tolist() == np.lexsort((np.arange(len(scores)), -scores))[:10].tolist()
    assert found.scores.tolist() == scores[found.rows].tolist()
    assert found.n_candidates == np.count_nonzero(scores) > 10


def test_dense_ranks_by_cosine(encoded: tuple[Retrievers, WordEncoder]):
    retrievers, encoder = encoded
    vectors = retrievers.arrays.passage_vectors[:].astype(np.float64)
    cosines = vectors @ encoder.encode([TOY_CLAIMS[1]])[0]
    found = retrievers("dense", TOY_CLAIMS[1], 10)
    assert found.rows.tolist() == np.argsort(-cosines, kind="stable")[:10].tolist()
    assert found.scores == pytest.approx(cosines[found.rows], abs=1e-6)
    assert found.n_candidates == len(vectors)


def test_hybrid_fuses_the_two(encoded: tuple[Retrievers, WordEncoder]):
    retrievers, _ = encoded
    lists = [retrievers(name, TOY_CLAIMS[1], 1000).rows.tolist() for name in ("bm25", "dense")]
    gains: dict[int, float] = {}
    for rows in lists:
        for rank, row in enumerate(rows, 1):
            gains[row] = gains.get(row, 0.0) + 1 / (60 + rank)
    found = retrievers("hybrid", TOY_CLAIMS[1], 21)
    assert found.rows.tolist() == sorted(gains, key=lambda row: (-gains[row], row))[:21]
    assert found.n_candidates == len(gains)


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_claim_of_unknown_words_finds_nothing(encoded: tuple[Retrievers, WordEncoder], name: str):
    found = encoded[0](name, UNKNOWN_WORDS, 21)
    assert (len(found.rows), len(found.scores), found.seeds) == (0, 0, ())


@pytest.mark.parametrize("name", RETRIEVERS)
@pytest.mark.parametrize("claim", TOY_CLAIMS[::25])
def test_fewer_is_a_prefix_of_more(encoded: tuple[Retrievers, WordEncoder], name: str, claim: str):
    retrievers, _ = encoded
    deep = retrievers(name, claim, 1000)
    assert bool(np.all(np.diff(deep.scores) <= 0))
    assert len(set(deep.rows.tolist())) == len(deep.rows) > 21
    for depth in (1, 5, 21, 150):
        found = retrievers(name, claim, depth)
        assert found.rows.tolist() == deep.rows[:depth].tolist()
        assert found.scores.tolist() == deep.scores[:depth].tolist()


# --- refusals --------------------------------------------------------------------------------


def test_an_unknown_retriever_is_named(plain: Retrievers):
    with pytest.raises(UsageError, match=r"'pagerank' is unknown: name one of ppr, bm25"):
        plain("pagerank", TOY_CLAIMS[0], 5)


@pytest.mark.parametrize("name", RETRIEVERS)
@pytest.mark.parametrize("claim", ["  ", "x" * 10_001])
def test_every_retriever_refuses_the_same_claims(plain: Retrievers, name: str, claim: str):
    with pytest.raises(UsageError, match="the claim"):
        plain(name, claim, 5)


@pytest.mark.parametrize("name", ["dense", "hybrid"])
def test_without_vectors_there_is_no_dense_ranking(plain: Retrievers, name: str):
    with pytest.raises(UsageError, match="no vectors: build it with an encoder"):
        plain(name, TOY_CLAIMS[0], 5)
