"""LinearRAG on worlds of a few sentences, by hand; and its tagger's part by the real one."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.language.spacy_models import NamedSpan
from hippohover.retrieval import linearrag
from hippohover.retrieval.linearrag import Activation, LinearRag, TriGraph, scaled, tri_graph
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from hippohover.testing.indexes import TOY_RECIPE, built

ROWS = [
    {"title": "Ann", "text": "Ann lives in Bor. Ann met Cy."},
    {"title": "Bor", "text": "Bor lies by Dun. Bor is old."},
    {"title": "Dun", "text": "Dun is a river."},
]
NAMES = ("Ann", "Bor", "Cy", "Dun")
UNIT = np.eye(8, dtype=np.float32)


def tag(texts: Iterable[str]) -> Iterator[list[NamedSpan]]:
    """Finds the names of this world, and no others."""
    for text in texts:
        places = [(text.find(name, at), name) for name in NAMES for at in range(len(text))]
        yield [NamedSpan(at, at + len(name)) for at, name in sorted(set(places)) if at >= 0]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    root = built(ROWS, tmp_path_factory.mktemp("linear") / "index", TOY_RECIPE)
    return IndexTables.open(StoredIndex.open(root))


@pytest.fixture(scope="module")
def graph(tables: IndexTables) -> TriGraph:
    return tri_graph(tables, tag, silent)


def silent(_done: int, _total: int) -> None:
    pass


def row_of(tables: IndexTables, title: str) -> int:
    return tables.passages.column("title").to_pylist().index(title)


def vectors_of(graph: TriGraph, close: dict[str, float]) -> NDArray[np.float32]:
    """Vectors of the sentences: those named are that similar to the claim, which is UNIT[0]."""
    vectors = np.zeros((len(graph.sentences), 8), np.float32)
    vectors[:, 1] = 1.0
    for words, similarity in close.items():
        at = [words in sentence for sentence in graph.sentences].index(True)
        vectors[at, :2] = similarity, math.sqrt(1 - similarity**2)
    return vectors


def method(graph: TriGraph, close: dict[str, float]) -> LinearRag:
    """Names have the vectors of UNIT from the third on, in the order of ``NAMES``."""
    places = [NAMES.index(name.capitalize()) for name in graph.names]
    return LinearRag(graph, tag, sentences=vectors_of(graph, close), entities=UNIT[2:][places])


def named(graph: TriGraph, active: Activation) -> dict[str, tuple[float, int]]:
    found = zip(active.entities, active.strengths, active.levels, strict=True)
    return {graph.names[entity]: (round(strength, 6), level) for entity, strength, level in found}


# --- the graph


def test_sentences_and_passages_name_what_the_tagger_finds(tables: IndexTables, graph: TriGraph):
    assert set(graph.names) == {"ann", "bor", "cy", "dun"}
    told = {
        sentence: {graph.names[at] for at in graph.named[[row]].indices}
        for row, sentence in enumerate(graph.sentences)
    }
    assert told["Ann met Cy."] == {"ann", "cy"}
    assert told["Bor is old."] == {"bor"}
    held = graph.held[[row_of(tables, "Ann")]]
    assert {graph.names[at]: n for at, n in zip(held.indices, held.data, strict=True)} == {
        "ann": 3.0,  # the title, and twice in the text
        "bor": 1.0,
        "cy": 1.0,
    }


def test_progress_is_told_passage_by_passage(tables: IndexTables):
    told: list[tuple[int, int]] = []
    tri_graph(tables, tag, lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (1, 3), (2, 3)]


def test_a_corpus_that_names_nothing_has_passages_alone(tables: IndexTables):
    graph = tri_graph(tables, lambda texts: ([] for _ in texts), silent)
    assert graph.names == []
    empty = LinearRag(
        graph, tag, sentences=vectors_of(graph, {}), entities=np.zeros((0, 8), np.float32)
    )
    active = empty.activate(UNIT[2:3], UNIT[0])
    assert len(active.entities) == 0
    scores, _ = empty.scores(active, np.array([0.0, 0.25, 0.75]))
    assert scores.argmax() == 2


# --- activation


def test_a_claim_activates_the_entity_of_the_closest_vector(graph: TriGraph):
    claimed = np.zeros(8, np.float32)
    claimed[[2, 3]] = 0.8, 0.6  # nearer to Ann than to Bor
    active = method(graph, {}).activate(claimed[None], UNIT[0])
    assert named(graph, active) == {"ann": (0.8, 1)}


def test_an_entity_goes_on_through_the_sentence_closest_to_the_claim(graph: TriGraph):
    close = {"lives in Bor": 0.9, "met Cy": 0.7}
    active = method(graph, close).activate(UNIT[2:3], UNIT[0])
    assert named(graph, active) == {"ann": (1.0, 1), "bor": (0.9, 2)}  # by one sentence, not two


def test_activation_is_multiplied_step_by_step_and_counts_its_level(graph: TriGraph):
    close = {"lives in Bor": 0.8, "lies by Dun": 0.9}
    active = method(graph, close).activate(UNIT[2:3], UNIT[0])
    assert named(graph, active) == {
        "ann": (1.0, 1),
        "bor": (0.8, 2),
        "dun": (0.72, 3),
    }


def test_what_is_little_activates_nothing(graph: TriGraph):
    below = linearrag.LEAST_ACTIVATION - 0.01
    active = method(graph, {"lives in Bor": below}).activate(UNIT[2:3], UNIT[0])
    assert named(graph, active) == {"ann": (1.0, 1)}


def test_a_name_that_nothing_is_like_activates_nothing(graph: TriGraph):
    active = method(graph, {"lives in Bor": 0.9}).activate(UNIT[7:8], UNIT[0])
    assert len(active.entities) == 0


# --- the walk


def test_weights_of_passages_are_the_formula(tables: IndexTables, graph: TriGraph):
    similarities = np.zeros(tables.arrays.n_rows)
    similarities[row_of(tables, "Dun")] = 0.5
    bor = graph.names.index("bor")
    active = Activation(entities=np.array([bor]), strengths=np.array([0.8]), levels=np.array([2]))
    weights = method(graph, {}).passage_weights(active, similarities)
    # Bor is named once by Ann's passage, three times by its own, and never by Dun's.
    expected = {
        "Ann": math.log1p(0.8 * math.log1p(1) / 2),
        "Bor": math.log1p(0.8 * math.log1p(3) / 2),
        "Dun": linearrag.SIMILARITY_WEIGHT * 0.5,
    }
    for title, value in expected.items():
        assert math.isclose(
            weights[row_of(tables, title)], linearrag.PASSAGE_WEIGHT * value, rel_tol=1e-9
        )


def test_scores_are_a_pagerank_from_the_reset(tables: IndexTables, graph: TriGraph):
    walker = method(graph, {"lives in Bor": 0.9})
    active = walker.activate(UNIT[2:3], UNIT[0])
    scores, reset = walker.scores(active, np.zeros(tables.arrays.n_rows))
    assert math.isclose(reset.sum(), 1.0)
    held = graph.held.toarray()
    shares = held / held.sum(axis=1, keepdims=True)
    zeros = np.zeros
    n, m = shares.shape
    matrix = np.block([[zeros((n, n)), shares], [shares.T, zeros((m, m))]])
    walk = (matrix / matrix.sum(axis=0)) * linearrag.DAMPING
    expected = np.linalg.solve(np.eye(n + m) - walk, (1 - linearrag.DAMPING) * reset)
    assert np.allclose(scores, expected[:n], atol=1e-6)


def test_a_hop_brings_the_passage_that_shares_no_word(tables: IndexTables, graph: TriGraph):
    close = {"lives in Bor": 0.9, "lies by Dun": 0.9}
    walker = method(graph, close)
    flat = np.zeros(tables.arrays.n_rows)
    with_hops, _ = walker.scores(walker.activate(UNIT[2:3], UNIT[0]), flat)
    alone = method(graph, {})
    without, _ = alone.scores(alone.activate(UNIT[2:3], UNIT[0]), flat)
    row = row_of(tables, "Dun")
    assert with_hops[row] > without[row]


def test_names_of_a_claim_come_once_in_lower_case(graph: TriGraph):
    assert method(graph, {}).names_in("Ann and Bor met Ann") == ["ann", "bor"]


def test_similarities_are_scaled_among_the_rows_that_are_there():
    told = scaled(np.array([0.2, 0.6, 0.4], np.float32), np.array([0, 2, 3]), 5)
    assert np.allclose(told, [0, 0, 1, 0.5, 0])


def test_answers_do_not_depend_on_the_order_of_the_records(tmp_path: Path):
    one, other = (
        tri_graph(
            IndexTables.open(StoredIndex.open(built(rows, tmp_path / name / "i", TOY_RECIPE))),
            tag,
            silent,
        )
        for name, rows in (("a", ROWS), ("b", ROWS[::-1]))
    )
    assert one.names == other.names
    assert one.sentences == other.sentences
    assert np.array_equal(one.named.toarray(), other.named.toarray())
