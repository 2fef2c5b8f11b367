"""The reference method: its graph, its seeds, its walk, and the whole against plain code."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import igraph
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from hippohover.entity_graph import EdgeType
from hippohover.errors import HippoHoverError, UsageError
from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe, QuerySettings
from hippohover.retrieval import hipporag2
from hippohover.retrieval.facts.pool import NO_FACTS, CandidateFacts, FactChoice
from hippohover.retrieval.hipporag2 import (
    ENTITY_EDGE_WEIGHT,
    HippoRag2,
    ReferenceAnswer,
    min_max_scaled,
    reference_graph,
)
from hippohover.retrieval.ranking import Ranking
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.walk.chebyshev import chebyshev_pagerank
from hippohover.spans import spans_of
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexArrays, IndexTables
from tests.graph_samples import graph_of_edges
from tests.retrieval.toy_samples import WordEncoder, passage_fields, retrievers_over, use_encoder

DIM = 8


def make_arrays(
    stated: list[list[int]],
    facts: list[tuple[int, int, int]],
    *,
    synonyms: dict[tuple[int, int], float] | None = None,
    n_linked: int = 0,
    passage_vectors: NDArray[np.float16] | None = None,
    fact_vectors: NDArray[np.float16] | None = None,
) -> IndexArrays:
    """Arrays that hold facts, what each passage states of them, and synonyms; the rest is empty."""
    n = len(stated)
    pairs = synonyms or {}
    graph = graph_of_edges(
        n,
        n_linked,
        ends=np.array(list(pairs), np.int32).reshape(-1, 2) + np.int32(n),
        weights=np.array(list(pairs.values()), np.float32),
        types=np.full(len(pairs), EdgeType.SYNONYMY, np.uint8),
    )
    empty = np.zeros(0, np.int32)
    arrays: dict[str, Any] = dict.fromkeys((field.name for field in fields(IndexArrays)), empty)
    arrays.update(
        title_entities=np.zeros((n, 3), np.int32),
        entity_df=np.zeros(n_linked, np.int32),
        graph_spans=graph.spans,
        graph_neighbours=graph.neighbours,
        graph_weights=graph.weights,
        graph_types=graph.types,
        facts=np.array(facts, np.int32).reshape(-1, 3),
        fact_spans=spans_of(np.array([len(one) for one in stated], np.int64)),
        documents=np.arange(n, dtype=np.int32),
        passage_keys=np.arange(n, dtype=np.uint64),
        passage_facts=np.array([(f, 0) for one in stated for f in one], np.int32).reshape(-1, 2),
        **passage_fields(unit_rows(n, 1) if passage_vectors is None else passage_vectors),
        fact_vectors=unit_rows(len(facts), 2) if fact_vectors is None else fact_vectors,
    )
    return IndexArrays(**arrays)


def unit_rows(n: int, seed: int, dim: int = DIM) -> NDArray[np.float16]:
    rows = np.random.default_rng(seed).standard_normal((n, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def claims(n: int, seed: int = 3) -> NDArray[np.float32]:
    return unit_rows(n, seed).astype(np.float32)


def random_arrays(seed: int, *, n_facts: int = 40, n_passages: int = 15) -> IndexArrays:
    """An index with entities of one fact, passages without facts, and a few synonyms."""
    rng = np.random.default_rng(seed)
    n_entities = n_facts // 2 + 3
    found = {tuple(rng.integers(0, (n_entities, 3, n_entities)).tolist()) for _ in range(n_facts)}
    facts = sorted((s, p, o) for s, p, o in found if s != o)
    stated: list[set[int]] = [set() for _ in range(n_passages)]
    for fact in range(len(facts)):  # every fact is stated somewhere; the last passage states none
        for passage in rng.integers(0, n_passages - 1, rng.integers(1, 4)).tolist():
            stated[passage].add(fact)
    synonyms = {(0, 1): 1.0, (1, 4): 1.0, (2, 3): 0.5}
    return make_arrays([sorted(s) for s in stated], facts, synonyms=synonyms, n_linked=6)


def plain_scores(arrays: IndexArrays, claim: NDArray[np.float32]) -> NDArray[np.float64]:
    """The method once more, with dictionaries, dense matrices and a linear solve."""
    n = arrays.n_passages
    facts = arrays.facts.tolist()
    n_nodes = n + max(len(arrays.entity_df), max(max(s, o) for s, _, o in facts) + 1)
    weights = np.zeros((n_nodes, n_nodes))
    stating: dict[int, set[int]] = {}
    for passage in range(n):
        for at in range(*arrays.fact_spans[passage]):
            s, _, o = facts[arrays.passage_facts[at, 0]]
            weights[n + s, n + o] += ENTITY_EDGE_WEIGHT
            weights[n + o, n + s] += ENTITY_EDGE_WEIGHT
            for entity in (s, o):
                stating.setdefault(entity, set()).add(passage)
                weights[passage, n + entity] = weights[n + entity, passage] = 1
    in_facts = {n + end for s, _, o in facts for end in (s, o)}
    graph = arrays.graph
    for node in range(graph.n_nodes):
        for at in range(*graph.spans[node]):
            synonym = graph.types[at] == EdgeType.SYNONYMY
            if synonym and {node, int(graph.neighbours[at])} <= in_facts:
                weights[node, graph.neighbours[at]] += ENTITY_EDGE_WEIGHT * graph.weights[at]
    similarity = arrays.fact_vectors.astype(np.float32) @ claim
    scores = (similarity - similarity.min()) / (similarity.max() - similarity.min())
    stated = arrays.passage_facts[:, 0].tolist()
    ends = [end for fact in stated for end in (facts[fact][0], facts[fact][2])]
    shares: dict[int, list[float]] = {}
    for fact in sorted(range(len(facts)), key=lambda f: (-scores[f], stated.index(f)))[:5]:
        for entity in (facts[fact][0], facts[fact][2]):
            shares.setdefault(entity, []).append(scores[fact] / len(stating[entity]))
    means = {entity: float(np.mean(share)) for entity, share in shares.items()}
    reset = np.zeros(n_nodes)
    for entity in sorted(means, key=lambda e: (-means[e], ends.index(e)))[:5]:
        reset[n + entity] = means[entity]
    dense = arrays.passage_vectors[:] @ claim
    reset[:n] = 0.05 * (dense - dense.min()) / (dense.max() - dense.min())
    reset /= reset.sum()
    degrees = weights.sum(axis=1)
    steps = np.where(degrees[:, None] > 0, weights / np.where(degrees, degrees, 1)[:, None], reset)
    return np.linalg.solve(np.eye(n_nodes) - 0.5 * steps.T, 0.5 * reset)[:n]


def by_igraph(
    adjacency: sparse.csr_array, reset: NDArray[np.float64], damping: float
) -> NDArray[np.float64]:
    upper = sparse.triu(adjacency).tocoo()
    graph = igraph.Graph(n=len(reset), edges=np.column_stack([upper.row, upper.col]).tolist())
    scores = graph.personalized_pagerank(
        directed=False,
        damping=damping,
        weights=upper.data.tolist(),
        reset=reset.tolist(),
        implementation="prpack",
    )
    return np.array(scores)


def random_adjacency(seed: int, n: int, n_edges: int) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    dense = np.zeros((n, n))
    for a, b in rng.integers(0, n, (n_edges, 2)).tolist():
        if a != b:
            dense[a, b] = dense[b, a] = rng.uniform(0.1, 9.0)
    return sparse.csr_array(dense)


# ---- the walk ------------------------------------------------------------------------------


def test_walk_on_a_path_by_hand():
    # 0 -2- 1 -1- 2, reset to 1: x1 = 1/2 + (x0 + x2) / 2, x0 = x1 / 3, x2 = x1 / 6.
    path = sparse.csr_array(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]], float))
    found = chebyshev_pagerank(path, np.array([[0.0], [1.0], [0.0]]), damping=0.5, tolerance=1e-12)
    assert found[:, 0] == pytest.approx([2 / 9, 6 / 9, 1 / 9], abs=1e-9)


def test_walk_begins_anew_on_nodes_without_edges_as_igraph_does():
    # 0 - 1, and 2 and 3 alone; without the return x = (1/6, 1/12, 1/8, 1/4), of sum 5/8.
    graph = sparse.csr_array(np.pad(np.array([[0.0, 1.0], [1.0, 0.0]]), (0, 2)))
    reset = np.array([1.0, 0.0, 1.0, 2.0])
    found = chebyshev_pagerank(graph, reset[:, None], damping=0.5, tolerance=1e-12)[:, 0]
    assert found == pytest.approx([4 / 15, 2 / 15, 3 / 15, 6 / 15], abs=1e-9)
    assert found == pytest.approx(by_igraph(graph, reset, 0.5), abs=1e-9)


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 40),
    n_edges=st.integers(0, 90),
    damping=st.sampled_from([0.1, 0.5, 0.85, 0.95]),
)
def test_walk_equals_prpack(seed: int, n: int, n_edges: int, damping: float):
    adjacency = random_adjacency(seed, n, n_edges)
    reset = np.random.default_rng(seed).random(n) * (
        np.random.default_rng(seed + 1).random(n) < 0.5
    )
    reset[seed % n] = 1.0
    found = chebyshev_pagerank(adjacency, reset[:, None], damping=damping)[:, 0]
    assert np.abs(found - by_igraph(adjacency, reset, damping)).sum() < 1e-6
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert found.min() >= 0


def test_walk_keeps_its_stated_error():
    adjacency = random_adjacency(7, 30, 60)
    reset = np.zeros((30, 1))
    reset[3] = 1.0
    near = chebyshev_pagerank(adjacency, reset, damping=0.85, tolerance=1e-3)
    best = chebyshev_pagerank(adjacency, reset, damping=0.85, tolerance=1e-15)
    assert 1e-9 < np.abs(near - best).sum() <= 2e-3 / 0.15


def test_walk_of_a_column_does_not_depend_on_the_others():
    adjacency = random_adjacency(5, 60, 140)
    resets = np.random.default_rng(0).random((60, 3)) ** 8
    resets[:, 1] = np.eye(60)[4]  # takes another number of steps
    together = chebyshev_pagerank(adjacency, resets, damping=0.5)
    for at in range(3):
        alone = chebyshev_pagerank(adjacency, resets[:, [at]], damping=0.5)
        assert together[:, at] == pytest.approx(alone[:, 0], rel=0, abs=1e-15)


def test_walk_takes_half_the_steps_of_the_power_method():
    # The power method's error halves in a step: 1e-12 takes it 40.
    adjacency = random_adjacency(5, 60, 140)
    reset = np.eye(60)[:, :1]
    chebyshev_pagerank(adjacency, reset, damping=0.5, tolerance=1e-12, max_steps=24)


def test_walk_that_does_not_converge_says_after_how_many_steps():
    adjacency = random_adjacency(5, 60, 140)
    with pytest.raises(HippoHoverError, match=r"did not converge in 3 steps \(error \d"):
        chebyshev_pagerank(adjacency, np.ones((60, 1)) * np.eye(60)[:, :1] + 1e-9,
                           damping=0.9, max_steps=3)  # fmt: skip


def test_walk_over_a_weight_that_is_no_number_is_an_error():
    adjacency = sparse.csr_array(np.array([[0, np.nan], [np.nan, 0]]))
    with pytest.raises(HippoHoverError, match="did not converge"):
        chebyshev_pagerank(adjacency, np.ones((2, 1)), damping=0.5)


@pytest.mark.parametrize(
    ("resets", "damping", "message"),
    [
        (np.ones((3, 1)), 0.5, r"shape \(3, 1\)"),
        (np.ones(2), 0.5, r"shape \(2,\)"),
        (np.zeros((2, 1)), 0.5, "above 0"),
        (np.array([[1.0], [-1.0]]), 0.5, "0 or more"),
        (np.array([[1.0], [np.nan]]), 0.5, "0 or more"),
        (np.array([[1.0], [np.inf]]), 0.5, "0 or more"),
        (np.ones((2, 1)), 1.0, "damping 1.0"),
        (np.ones((2, 1)), -0.1, "damping -0.1"),
    ],
)
def test_walk_refuses(resets: NDArray[np.float64], damping: float, message: str):
    with pytest.raises(UsageError, match=message):
        chebyshev_pagerank(random_adjacency(1, 2, 3), resets, damping=damping)


# ---- the graph -----------------------------------------------------------------------------


def test_graph_by_hand():
    # Facts: 0 (a b), 1 (b a, another predicate), 2 (b c). Passage 0 states 0 and 1, passage 1
    # states 0 and 2, passage 2 nothing. Entity d (3) stands in no fact.
    arrays = make_arrays(
        [[0, 1], [0, 2], []],
        [(0, 0, 1), (1, 1, 0), (1, 0, 2)],
        synonyms={(0, 2): 0.5, (0, 3): 1.0},
        n_linked=4,
    )
    expected = np.zeros((7, 7))
    expected[0, [3, 4]] = 1  # each pair once, though two facts state it
    expected[1, [3, 4, 5]] = 1
    expected[3, 4] = 6  # fact 0 from two passages, fact 1 from one; each once a direction
    expected[4, 5] = 2
    expected[3, 5] = 1  # synonyms of weight 0.5; d is left out
    assert reference_graph(arrays).toarray().tolist() == (expected + expected.T).tolist()


def test_graph_holds_entities_that_have_no_edges_in_the_entity_graph():
    arrays = make_arrays([[0], [1]], [(0, 0, 5), (5, 0, 6)], n_linked=1)
    found = reference_graph(arrays).toarray()
    assert found.shape == (2 + 7, 2 + 7)
    assert found[2 + 5].tolist() == [1, 1, 2, 0, 0, 0, 0, 0, 2]


def test_only_synonymy_is_taken_from_the_entity_graph():
    arrays = make_arrays([[0]], [(0, 0, 1)], synonyms={(0, 1): 1.0}, n_linked=2)
    others = replace(arrays, graph_types=np.full(2, EdgeType.FACT, np.uint8))
    assert reference_graph(others).toarray()[1, 2] == 2


# ---- the seeds -----------------------------------------------------------------------------


def basis(*values: float) -> NDArray[np.float16]:
    """Rows whose similarity to the first basis vector is that value."""
    rows = np.zeros((len(values), DIM), np.float16)
    rows[:, 0] = values
    return rows


FIRST = np.eye(1, DIM, dtype=np.float32)


def test_seeds_by_hand():
    # Similarities 0.75, 0.5, 0.25 scale to 1, 0.5, 0; a is stated by two passages, b and c by one.
    arrays = make_arrays(
        [[0], [1, 2], []],
        [(0, 0, 1), (0, 0, 2), (2, 1, 3)],
        fact_vectors=basis(0.75, 0.5, 0.25),
        passage_vectors=basis(0.5, 0.25, 0.0),
    )
    answer = HippoRag2(arrays)(FIRST[0])
    assert answer.facts.rows.tolist() == [0, 1, 2]
    assert answer.facts.similarities.tolist() == [0.75, 0.5, 0.25]
    a, b, c = (1.0 / 2 + 0.5 / 2) / 2, 1.0, (0.5 + 0.0) / 2
    masses = np.array([0.05, 0.025, a, b, c])
    assert answer.seeds.nodes.tolist() == [0, 1, 3, 4, 5]
    assert answer.seeds.mass == pytest.approx(masses / masses.sum(), rel=1e-12)


def test_five_facts_and_five_entities_are_linked_and_ties_go_to_the_lower_row():
    facts = [(2 * i, 0, 2 * i + 1) for i in range(8)]
    arrays = make_arrays(
        [[0, 1, 2, 3, 4, 5, 6, 7]],
        facts,
        fact_vectors=basis(0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9),
    )
    answer = HippoRag2(arrays)(FIRST[0])
    assert answer.facts.rows.tolist() == [7, 1, 2, 3, 4]
    entities = answer.seeds.nodes[1:] - 1
    assert entities.tolist() == [2, 3, 4, 14, 15]  # both ends of 7 and 1, one end of 2


def test_one_fact_and_one_passage_score_as_the_best():
    arrays = make_arrays([[0]], [(0, 0, 1)])
    answer = HippoRag2(arrays)(FIRST[0])
    assert answer.seeds.mass == pytest.approx(np.array([0.05, 1, 1]) / 2.05, rel=1e-12)


def test_min_max_scaling():
    assert min_max_scaled(np.array([-1, 1, 0], np.float32)).tolist() == [0, 1, 0.5]
    assert min_max_scaled(np.array([0.25, 0.25], np.float32)).tolist() == [1, 1]
    assert min_max_scaled(np.zeros(0, np.float32)).tolist() == []


def test_similarities_read_every_finite_float16_as_numpy_does():
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)][:, None]
    one = np.ones(1, np.float32)
    found = hipporag2._similarities(finite, one)  # pyright: ignore[reportPrivateUsage]
    assert np.array_equal(found, finite[:, 0].astype(np.float32))


# ---- the whole -----------------------------------------------------------------------------


@settings(max_examples=min(40, settings().max_examples), deadline=None)
@given(seed=st.integers(0, 10_000))
def test_whole_method_equals_plain_code(seed: int):
    arrays = random_arrays(seed)
    vectors = claims(3, seed + 1)
    method = HippoRag2(arrays)
    for claim in vectors:
        assert method(claim).scores == pytest.approx(plain_scores(arrays, claim), rel=0, abs=1e-6)


def test_whole_method_equals_plain_code_over_several_blocks():
    arrays = random_arrays(1, n_facts=2600, n_passages=60)
    assert len(arrays.facts) > 2 * 1024
    [claim] = claims(1)
    # float32 sums in another order move the least similarities' scores by some 1e-7
    answer = HippoRag2(arrays)(claim)
    assert answer.scores == pytest.approx(plain_scores(arrays, claim), rel=0, abs=1e-6)


def test_whole_method_equals_prpack():
    arrays = random_arrays(11, n_facts=300, n_passages=80)
    answer = HippoRag2(arrays)(claims(1)[0])
    adjacency = reference_graph(arrays)
    reset = np.zeros(len(adjacency.indptr) - 1)
    reset[answer.seeds.nodes] = answer.seeds.mass
    expected = by_igraph(adjacency, reset, 0.5)[: arrays.n_passages]
    assert np.abs(answer.scores - expected).sum() < 1e-6
    assert np.argsort(-answer.scores)[:21].tolist() == np.argsort(-expected)[:21].tolist()


def test_same_answer_again_and_from_several_threads():
    arrays = random_arrays(2, n_facts=400, n_passages=50)
    method = HippoRag2(arrays)
    vectors = claims(9)
    alone = [method(vector).scores for vector in vectors]
    again = [HippoRag2(arrays)(vector).scores for vector in vectors]

    def scores(vector: NDArray[np.float32]) -> NDArray[np.float64]:
        return method(vector).scores

    with ThreadPoolExecutor(4) as pool:
        threads = list(pool.map(scores, np.tile(vectors, (3, 1))))
    for first, second in zip(alone + alone * 3, again + threads, strict=True):
        assert np.array_equal(first, second)


@pytest.mark.parametrize("shape", [(1, DIM), (DIM + 1,)])
def test_claim_vectors_of_another_shape_are_refused(shape: tuple[int, ...]):
    with pytest.raises(UsageError, match="claim vector of shape"):
        HippoRag2(random_arrays(3))(np.zeros(shape, np.float32))


def test_what_an_index_lacks_is_named():
    arrays = random_arrays(3)
    none = np.zeros((0, 0), np.float16)
    with pytest.raises(UsageError, match="no facts"):
        HippoRag2(make_arrays([[]], []))
    with pytest.raises(UsageError, match="no vectors"):
        HippoRag2(replace(arrays, **passage_fields(none)))
    with pytest.raises(UsageError, match="no fact vectors: encode"):
        HippoRag2(replace(arrays, fact_vectors=none))


# ---- with a choice among the facts -----------------------------------------------------------


def test_chosen_facts_alone_give_their_entities_weight():
    arrays = random_arrays(3)
    method = HippoRag2(arrays)
    plain = method(claims(1)[0])

    def keep_two(facts: CandidateFacts) -> FactChoice:
        assert facts.rows.tolist() == plain.facts.rows.tolist()
        chosen = CandidateFacts(facts.rows[[3, 1]], facts.similarities[[3, 1]])
        return FactChoice(chosen, "filtered", facts)

    chosen = method(claims(1)[0], keep_two)
    assert chosen.facts.rows.tolist() == plain.facts.rows[[3, 1]].tolist()
    n = arrays.n_passages
    ends = set((arrays.facts[chosen.facts.rows][:, [0, 2]] + n).ravel().tolist())
    assert {node for node in chosen.seeds.nodes.tolist() if node >= n} <= ends
    assert chosen.scores.tolist() != plain.scores.tolist()
    assert chosen.choice.route == "filtered"

    def keep_all(facts: CandidateFacts) -> FactChoice:
        return FactChoice(facts, "filtered", facts)

    same = method(claims(1)[0], keep_all)
    assert same.scores.tolist() == plain.scores.tolist()


def test_where_no_fact_is_kept_passages_are_ranked_by_similarity():
    arrays = random_arrays(3)

    def keep_none(facts: CandidateFacts) -> FactChoice:
        return FactChoice(NO_FACTS, "filter-empty", facts)

    [claim] = claims(1)
    found = HippoRag2(arrays)(claim, keep_none)
    similarity = arrays.passage_vectors[:] @ claim
    assert found.scores == pytest.approx(min_max_scaled(similarity), abs=1e-6)
    assert len(found.seeds) == 0
    assert len(HippoRag2(arrays)(claim).seeds) > 0


# ---- among the retrievers ------------------------------------------------------------------

CORPUS = """\
{"title": "Orla Venn", "text": "Orla Venn painted the Blue Gate in Tarn Hollow."}
{"title": "Blue Gate", "text": "The Blue Gate hangs in the Hall of Merrow near Tarn Hollow."}
{"title": "Tarn Hollow", "text": "Tarn Hollow lies by the Sill River. Orla Venn was born there."}
{"title": "Sill River", "text": "The Sill River flows from Mount Asker to Tarn Hollow."}
"""


class FixedEncoder:
    """Gives every text the same vector, so that no model is needed."""

    name = "fixed"
    dim = DIM
    fingerprint = "0" * 64

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        return np.repeat(claims(1), len(texts), axis=0)


def open_fixed(folder: Path) -> FixedEncoder:
    return FixedEncoder()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    folder: Path = tmp_path_factory.mktemp("index")
    (folder / "corpus.jsonl").write_text(CORPUS, encoding="utf-8")
    recipe = IndexRecipe.model_validate(
        {"name": "small", "extractor": "between", "encoder": "none"}
    )
    root = build(recipe, corpus=folder / "corpus.jsonl", out=folder / "small", workers=1)
    opened = IndexTables.open(StoredIndex.open(root))
    vectors = {
        **passage_fields(unit_rows(opened.arrays.n_passages, 1)),
        "fact_vectors": unit_rows(len(opened.arrays.facts), 2),
    }
    return replace(opened, arrays=replace(opened.arrays, **vectors))


def retrievers_of(tables: IndexTables, monkeypatch: pytest.MonkeyPatch) -> Retrievers:
    monkeypatch.setattr("hippohover.retrieval.index_vectors.open_encoder", open_fixed)
    return retrievers_over(tables, QuerySettings.model_validate({}))


def test_retriever_ranks_by_the_method(tables: IndexTables, monkeypatch: pytest.MonkeyPatch):
    assert len(tables.arrays.facts) >= 3
    found = retrievers_of(tables, monkeypatch)("hipporag2", "Who painted the Blue Gate?", 3)
    expected = plain_scores(tables.arrays, claims(1)[0])
    assert found.rows.tolist() == np.argsort(-expected, kind="stable")[:3].tolist()
    assert found.scores == pytest.approx(np.sort(expected)[::-1][:3], abs=1e-6)
    assert found.n_candidates == tables.arrays.n_passages
    assert len(found.facts) == min(5, len(tables.arrays.facts))
    assert {seed.kind for seed in found.seeds} == {"fact", "passage"}
    assert sum(seed.mass for seed in found.seeds) == pytest.approx(1.0)


def test_only_a_deeper_search_is_served_from_the_last_answer(
    tables: IndexTables, monkeypatch: pytest.MonkeyPatch
):
    calls: list[int] = []
    answer = HippoRag2.__call__

    def counted(method: HippoRag2, *arguments: Any, **options: Any) -> ReferenceAnswer:  # noqa: ANN401
        calls.append(1)
        return answer(method, *arguments, **options)

    monkeypatch.setattr(HippoRag2, "__call__", counted)
    retrievers = retrievers_of(tables, monkeypatch)
    for depth, expected in ((22, 1), (24, 1), (23, 1), (22, 2), (22, 3)):
        retrievers("hipporag2", "Who painted the Blue Gate?", depth)
        assert len(calls) == expected
    retrievers("hipporag2", "Blue Gate", 4)
    assert len(calls) == 4


def test_retriever_ranks_nothing_for_a_claim_that_the_encoder_does_not_know(
    tables: IndexTables, monkeypatch: pytest.MonkeyPatch
):
    retrievers = retrievers_of(tables, monkeypatch)

    def unknown(encoder: FixedEncoder, texts: list[str]) -> NDArray[np.float32]:
        return np.zeros((len(texts), DIM), np.float32)

    monkeypatch.setattr(FixedEncoder, "encode", unknown)
    found = retrievers("hipporag2", "Blue Gate", 4)
    assert (len(found.rows), found.seeds, found.n_candidates) == (0, (), 0)


def test_retriever_without_facts_is_dense(tables: IndexTables, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("hippohover.vectors.nearest")
    bare = replace(tables, arrays=replace(tables.arrays, facts=np.zeros((0, 3), np.int32)))
    retrievers = retrievers_of(bare, monkeypatch)
    found, dense = retrievers("hipporag2", "Blue Gate", 4), retrievers("dense", "Blue Gate", 4)
    assert found.rows.tolist() == dense.rows.tolist()
    assert found.facts == ()
    assert (found.fallbacks, dense.fallbacks) == (1, 0)  # counted, never silent


def test_retriever_without_vectors_is_refused(tables: IndexTables, monkeypatch: pytest.MonkeyPatch):
    none = np.zeros((0, 0), np.float16)
    bare = replace(tables, arrays=replace(tables.arrays, **passage_fields(none), fact_vectors=none))
    retrievers = retrievers_of(bare, monkeypatch)
    with pytest.raises(UsageError, match="no vectors"):
        retrievers("hipporag2", "Blue Gate", 4)
    with pytest.raises(UsageError, match="empty"):
        retrievers("hipporag2", "  ", 4)


def test_facts_are_encoded_where_the_index_stores_no_vectors_of_them(
    tables: IndexTables, monkeypatch: pytest.MonkeyPatch
):
    texts = [*tables.passage_texts(), *tables.fact_texts()]
    encoder = WordEncoder(texts)
    use_encoder(monkeypatch, encoder)
    rows = encoder.encode(texts).astype(np.float16)
    n = tables.arrays.n_passages
    stored = replace(tables.arrays, **passage_fields(rows[:n]), fact_vectors=rows[n:])
    bare = replace(stored, fact_vectors=rows[:0])
    seen: list[tuple[str, int, int]] = []

    def note(stage: str, done: int, total: int, /) -> None:
        seen.append((stage, done, total))

    settings = QuerySettings.model_validate({})
    rankings: list[Ranking] = []
    for arrays in (stored, bare):
        index = replace(tables, arrays=arrays)
        retrievers = retrievers_over(index, settings)
        assert not retrievers.is_ready("hipporag2")
        retrievers.prepare("hipporag2", note)
        assert retrievers.is_ready("hipporag2")
        rankings.append(retrievers("hipporag2", "Who painted the Blue Gate?", 4))
    one, other = rankings
    assert one.rows.tolist() == other.rows.tolist()
    assert one.scores.tolist() == other.scores.tolist()
    assert one.facts == other.facts
    n_facts = len(tables.arrays.facts)
    graph = [("graph", 0, 1), ("graph", 1, 1)]
    assert seen == [*graph, ("facts", n_facts, n_facts), *graph]


def test_retriever_makes_its_graph_once(tables: IndexTables, monkeypatch: pytest.MonkeyPatch):
    retrievers = retrievers_of(tables, monkeypatch)
    made: list[int] = []
    graph_of = hipporag2.reference_graph

    def counted(arrays: IndexArrays) -> sparse.csr_array:
        made.append(1)
        return graph_of(arrays)

    monkeypatch.setattr(hipporag2, "reference_graph", counted)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(retrievers, ["hipporag2"] * 8, ["Blue Gate"] * 8, [4] * 8))
    assert made == [1]
    assert all(np.array_equal(one.scores, found[0].scores) for one in found)
