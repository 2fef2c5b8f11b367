"""The retrievers by name: what each ranks by, and what every one of them refuses."""

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.recipe import CorpusSettings, QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import RETRIEVERS
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.where import Condition
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from tests.indexing.update_samples import FAST, Row, built
from tests.retrieval.toy_samples import (
    TOY_CLAIMS,
    UNKNOWN_WORDS,
    WALK,
    WordEncoder,
    retrievers_over,
)


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


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RETRIEVERS)
@pytest.mark.parametrize("claim", ["  ", "x" * 10_001])
def test_every_retriever_refuses_the_same_claims(plain: Retrievers, name: str, claim: str):
    with pytest.raises(UsageError, match="the claim"):
        plain(name, claim, 5)


@pytest.mark.parametrize("name", ["dense", "hybrid"])
def test_without_vectors_there_is_no_dense_ranking(plain: Retrievers, name: str):
    with pytest.raises(UsageError, match="no vectors: build it with an encoder"):
        plain(name, TOY_CLAIMS[0], 5)


# --- places of documents -----------------------------------------------------------------------

CLAIM = "The weir of Tolluna is old"


@pytest.fixture(scope="module")
def long_document(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    """One document of 300 passages that hold every word of the claim, and 30 that hold two."""
    rows: list[Row] = [
        {"id": "all", "title": "Tolluna", "text": "The old weir of Tolluna is an old weir. " * 300},
        *({"id": f"n-{n}", "title": f"Note {n}", "text": f"Weir {n} of Tolluna. " + "It is. " * n}
          for n in range(30)),
    ]  # fmt: skip
    recipe = FAST.model_copy(update={"corpus": CorpusSettings(max_words=9)})
    root = built(rows, tmp_path_factory.mktemp("long") / "i", recipe)
    return IndexTables.open(StoredIndex.open(root))


def retrievers_of(tables: IndexTables, **changes: object) -> Retrievers:
    settings = QuerySettings.model_validate({**WALK.model_dump(), **changes})
    return retrievers_over(tables, settings)


@pytest.mark.parametrize("name", ["bm25", "ppr"])
def test_there_are_as_many_documents_as_asked_for_though_one_fills_the_first_hundreds(
    long_document: IndexTables, name: str
):
    apart = retrievers_of(long_document, one_per_document=False)(name, CLAIM, 21)
    assert len(set(long_document.arrays.documents[apart.rows].tolist())) < 3
    found = retrievers_of(long_document)(name, CLAIM, 21)
    documents = long_document.arrays.documents[found.rows]
    assert len(set(documents.tolist())) == len(documents) == 21
    assert found.rows[0] == apart.rows[0]
    assert len(found.others[0].rows) > 200
    assert bool(np.all(np.diff(found.scores) <= 0))


def test_every_document_has_a_place_before_any_has_a_second(long_document: IndexTables):
    found = retrievers_of(long_document)("bm25", CLAIM, 100)
    documents = long_document.arrays.documents[found.rows]
    assert len(set(documents.tolist())) == len(set(documents[:31].tolist())) == 31
    assert len(found.rows) == len(set(found.rows.tolist())) == 100
    assert bool(np.all(np.diff(found.scores) <= 0))
    assert sum(len(others.rows) for others in found.others) + 100 == np.count_nonzero(
        retrievers_of(long_document).named("bm25")(CLAIM, 10_000).scores
    )


def test_conditions_choose_among_the_documents(long_document: IndexTables):
    titles = [f"Note {n}" for n in range(25)]
    conditions = (Condition("title", frozenset((*titles, "Tolluna"))),)
    found = retrievers_of(long_document)("bm25", CLAIM, 26, conditions)
    at = [str(long_document.passages.column("title")[row]) for row in found.rows.tolist()]
    assert sorted(at) == sorted([*titles, "Tolluna"])


def test_a_document_is_a_place_in_every_ranking_whose_documents_are_its_passages(
    toy_engine: HippoHover,
):
    tables = toy_engine.tables
    assert len(set(tables.arrays.documents.tolist())) == tables.arrays.n_passages
    for claim in TOY_CLAIMS[::20]:
        together, apart = (
            retrievers_of(tables, one_per_document=on)("ppr", claim, 21) for on in (True, False)
        )
        assert together.rows.tolist() == apart.rows.tolist()
        assert together.scores.tolist() == apart.scores.tolist()
        assert together.others == ()


# --- near-copies -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copied_world(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    """Two documents in 61 versions each, and 25 others."""
    texts = {
        "Pale Weir": "Pale Weir is a long weir of stone and iron on a slow brown river, which Ada "
        "Finch built.",
        "Ada Finch": "Ada Finch was born in Tolluna in summer, built locks, and got a heron medal.",
    }
    rows: list[Row] = [{"title": title, "text": text} for title, text in texts.items()]
    rows += [
        {"title": f"{title} (copy {n})", "text": f"{text} Revision {n}."}
        for title, text in texts.items()
        for n in range(60)
    ]
    rows += [{"title": f"Note {n}", "text": f"A note of Ada Finch, number {n}."} for n in range(25)]
    recipe = FAST.model_copy(update={"corpus": CorpusSettings(max_words=0)})
    root = built(rows, tmp_path_factory.mktemp("copies") / "i", recipe)
    return IndexTables.open(StoredIndex.open(root))


QUESTION = "Where was the builder of Pale Weir born?"


def titles_of(tables: IndexTables, rows: NDArray[np.int64]) -> list[str]:
    return tables.passages.column("title").take(rows).to_pylist()


@pytest.mark.parametrize("name", ["bm25", "ppr"])
def test_near_copies_take_one_place_and_it_is_the_originals(copied_world: IndexTables, name: str):
    found = retrievers_of(copied_world, near_copies="grouped")(name, QUESTION, 21)
    titles = titles_of(copied_world, found.rows)
    assert titles[:1] == ["Pale Weir"]
    assert sum("(copy" in title for title in titles) == 0
    assert {
        title.partition(" (")[0] for title in titles_of(copied_world, found.others[0].rows)
    } == {"Pale Weir"}
    assert bool(np.all(np.diff(found.scores) <= 0))
    apart = retrievers_of(copied_world)(name, QUESTION, 21)
    assert sum("(copy" in title for title in titles_of(copied_world, apart.rows)) >= 19
    if name == "ppr":
        assert titles[:2] == ["Pale Weir", "Ada Finch"]


def test_near_copies_and_documents_are_settings_of_their_own(copied_world: IndexTables):
    settings = {"one_per_document": False}
    found = retrievers_of(copied_world, **settings, near_copies="grouped")("bm25", QUESTION, 21)
    assert titles_of(copied_world, found.rows)[0] == "Pale Weir"
    both = retrievers_of(copied_world, **settings)("bm25", QUESTION, 21)
    assert both.others == ()
