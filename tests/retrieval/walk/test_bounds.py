"""Weights and degrees of a bounded walk: those of a build, and the same however rows are read."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, type_scale, type_weights
from hippohover.recipe import EdgeWeights
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk import bounds as bounds_module
from hippohover.retrieval.walk.inside import inside_of
from hippohover.retrieval.walk.pagerank import LocalWalk
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexArrays

WEIGHTS = type_weights(EdgeWeights(fact=0.0))
SCALE = type_scale(WEIGHTS)


@pytest.fixture(scope="module")
def arrays(toy_engine: HippoHover) -> IndexArrays:
    return toy_engine.tables.arrays


@pytest.fixture(scope="module")
def half(arrays: IndexArrays) -> NDArray[np.bool_]:
    return np.random.default_rng(3).random(arrays.n_passages) < 0.5


def test_of_all_passages_weights_are_the_graphs(arrays: IndexArrays):
    inside = inside_of(arrays, np.ones(arrays.n_passages, np.bool_), SCALE)
    graph = arrays.graph
    np.testing.assert_allclose(inside.bounds.degrees, graph.degrees(WEIGHTS), rtol=1e-6)
    for node in (0, 5, arrays.n_passages, graph.n_nodes - 1):
        row = slice(*graph.spans[node])
        weights, kinds = inside.steps(node, graph.neighbours[row], graph.types[row])
        np.testing.assert_allclose(weights, graph.weights[row] * SCALE[graph.types[row]], rtol=1e-6)
        assert kinds.tolist() == graph.types[row].tolist()
    assert inside.mentions_of_one == len(arrays.mentions) / arrays.n_passages


def test_degrees_are_sums_of_steps_and_nothing_leads_outside(
    arrays: IndexArrays, half: NDArray[np.bool_]
):
    inside, graph = inside_of(arrays, half, SCALE), arrays.graph
    n_unknown = 0
    passages = np.concatenate([half, np.zeros(graph.n_entities, np.bool_)])
    for node in range(graph.n_nodes):
        row = slice(*graph.spans[node])
        neighbours = graph.neighbours[row]
        weights, kinds = inside.steps(node, neighbours, graph.types[row])
        np.testing.assert_allclose(weights.sum(), inside.bounds.degrees[node], rtol=1e-5)
        walked = neighbours[weights > 0]
        assert passages[walked[walked < graph.n_passages]].all()
        entities = neighbours[(kinds == EdgeType.MENTION) & (weights > 0)] - graph.n_passages
        assert all(map(inside.knows, entities[entities >= 0].tolist()))
        unknown = (graph.types[row] == EdgeType.MENTION) & (kinds == EdgeType.PHRASE)
        named = inside.bounds.name_weights[np.maximum(node, neighbours) - graph.n_passages]
        expected = SCALE[EdgeType.PHRASE] * named[unknown & (weights > 0)]
        np.testing.assert_allclose(weights[unknown & (weights > 0)], expected)
        n_unknown += int((unknown & (weights > 0)).sum())
    assert n_unknown


def test_listed_rows_walk_as_whole_ones(
    arrays: IndexArrays, half: NDArray[np.bool_], monkeypatch: pytest.MonkeyPatch
):
    graph = arrays.graph
    walk = LocalWalk(graph, WEIGHTS, graph.degrees(WEIGHTS))
    seeds = np.flatnonzero(half)[:3]
    mass = np.full((3, 2), 1 / 6)
    before = walk(seeds, mass, damping=0.8, eps=1e-5)
    walked: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    for share in (0.0, 2.0):
        monkeypatch.setattr(bounds_module, "_LISTED_SHARE", share)
        inside = inside_of(arrays, half, SCALE)
        assert len(inside.bounds.row_spans) == (graph.n_entities if share else 0)
        walked.append(walk(seeds, mass, damping=0.8, eps=1e-5, inside=inside))
        for node in range(graph.n_nodes):
            neighbours, kinds = inside.row(graph, node)
            weights, _ = inside.steps(node, neighbours, kinds)
            np.testing.assert_allclose(weights.sum(), inside.bounds.degrees[node], rtol=1e-5)
            assert (np.diff(neighbours) >= 0).all()
    for one, other in zip(*walked, strict=True):
        np.testing.assert_array_equal(one, other)
    nodes, scores = walked[0]
    assert half[nodes[nodes < graph.n_passages]].all()
    assert scores.sum() > 0.9
    after = walk(seeds, mass, damping=0.8, eps=1e-5)  # its workspace is as it was
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_many_links_inside_share_a_weight_and_links_outside_are_none(arrays: IndexArrays):
    """Edges to known names taken for links: of a passage with more than twelve, as a build does."""
    known = np.zeros(len(arrays.graph_types), np.bool_)
    known[:] = arrays.graph_types == EdgeType.MENTION
    linked = replace(
        arrays, graph_types=np.where(known, EdgeType.LINK, arrays.graph_types).astype(np.uint8)
    )
    inside = inside_of(linked, np.ones(arrays.n_passages, np.bool_), SCALE)
    rows = np.repeat(np.arange(arrays.graph.n_nodes), lengths_of(arrays.graph_spans))
    counts = np.bincount(rows[known], minlength=arrays.n_passages)[: arrays.n_passages]
    np.testing.assert_allclose(inside.bounds.link_shares, 12 / np.maximum(counts, 12))
    assert counts.max() > 0
