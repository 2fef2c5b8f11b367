"""The graph: the same bytes from the same edges, degrees of its rows, views that agree."""

import math
import random
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover import entity_graph
from hippohover.entity_graph import EdgeGroup, EdgeType, EntityGraph, entity_rarity, rough_count
from hippohover.errors import UsageError
from hippohover.spans import lengths_of
from tests.graph_samples import graph_of_edges, step_probabilities

Edge = tuple[int, int, EdgeType, float]
ALL = dict.fromkeys(EdgeType, 1.0)
N_TYPES = len(EdgeType)
LARGEST = 65_504.0  # of float16


@st.composite
def edge_lists(draw: st.DrawFn, max_nodes: int = 8) -> tuple[int, list[Edge]]:
    """(n_nodes, edges): no self-loop, none twice within a type, ends in any order.

    Weights are such that float16 holds them.
    """
    n_nodes = draw(st.integers(2, max_nodes))
    pairs = [(a, b, kind) for a in range(n_nodes) for b in range(a) for kind in EdgeType]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=20, unique=True))
    weights = st.just(0.0) | st.floats(0.0625, 8, width=16)
    edges: list[Edge] = []
    for a, b, kind in chosen:
        ends = (b, a) if draw(st.booleans()) else (a, b)
        edges.append((*ends, kind, draw(weights)))
    return n_nodes, edges


def graph_of(n_nodes: int, edges: list[Edge], *, n_passages: int = 1) -> EntityGraph:
    return graph_of_edges(
        n_passages,
        n_nodes - n_passages,
        ends=np.array([edge[:2] for edge in edges], dtype=np.int32).reshape(-1, 2),
        weights=np.array([edge[3] for edge in edges], dtype=np.float32),
        types=np.array([edge[2] for edge in edges], dtype=np.uint8),
    )


def arrays_of(graph: EntityGraph) -> list[NDArray[Any]]:
    return [graph.spans, graph.neighbours, graph.weights, graph.types]


def dense(graph: EntityGraph, values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """(n, n) matrix with one value an entry, those of parallel edges summed."""
    matrix = np.zeros((graph.n_nodes, graph.n_nodes))
    rows = np.repeat(np.arange(graph.n_nodes), lengths_of(graph.spans))
    np.add.at(matrix, (rows, graph.neighbours), values)
    return matrix


# Two passages (0, 1), three entities (2, 3, 4); 1 and 4 are joined by two types.
EXAMPLE: list[Edge] = [
    (0, 2, EdgeType.TITLE, 1.0),
    (0, 3, EdgeType.MENTION, 0.5),
    (1, 3, EdgeType.TITLE, 2.0),
    (1, 4, EdgeType.MENTION, 0.25),
    (4, 1, EdgeType.SOURCE, 0.75),
    (2, 4, EdgeType.FACT, 3.0),
]


# --- from_groups ------------------------------------------------------------------------------


def test_rows_of_a_small_graph_by_hand():
    graph = graph_of(5, EXAMPLE, n_passages=2)
    assert graph.n_nodes == 5
    assert graph.spans.tolist() == [[0, 2], [2, 5], [5, 7], [7, 9], [9, 12]]
    assert graph.neighbours.tolist() == [2, 3, 3, 4, 4, 0, 4, 0, 1, 1, 1, 2]
    assert graph.weights.tolist() == [1, 0.5, 2, 0.25, 0.75, 1, 3, 0.5, 2, 0.25, 0.75, 3]
    assert [EdgeType(kind).name[0] for kind in graph.types] == list("TMTMSTFMTMSF")
    dtypes = [array.dtype for array in arrays_of(graph)]
    assert dtypes == [np.int64, np.int32, np.float16, np.uint8]


@given(edge_lists(), st.randoms(use_true_random=False), st.data())
def test_the_order_and_direction_of_edges_change_no_byte(
    given_edges: tuple[int, list[Edge]], random: Random, data: st.DataObject
):
    n_nodes, edges = given_edges
    shuffled = [
        (b, a, kind, weight) if data.draw(st.booleans()) else (a, b, kind, weight)
        for a, b, kind, weight in random.sample(edges, len(edges))
    ]
    for one, other in zip(
        arrays_of(graph_of(n_nodes, edges)), arrays_of(graph_of(n_nodes, shuffled)), strict=True
    ):
        assert one.tobytes() == other.tobytes()


@given(edge_lists(), st.data())
def test_renumbering_changes_numbers_alone(
    given_edges: tuple[int, list[Edge]], data: st.DataObject
):
    n_nodes, edges = given_edges
    new = data.draw(st.permutations(range(n_nodes)))
    graph = graph_of(n_nodes, edges)
    renumbered = graph_of(n_nodes, [(new[a], new[b], kind, w) for a, b, kind, w in edges])
    for type_weights in (ALL, {EdgeType.FACT: 2.0, EdgeType.TITLE: 0.5}):
        before = step_probabilities(graph, type_weights)
        after = step_probabilities(renumbered, type_weights)
        assert renumbered.degrees(type_weights)[new] == pytest.approx(graph.degrees(type_weights))
        assert dense(renumbered, after)[np.ix_(new, new)] == pytest.approx(dense(graph, before))


@given(edge_lists())
def test_every_edge_stands_in_both_rows(given_edges: tuple[int, list[Edge]]):
    n_nodes, edges = given_edges
    graph = graph_of(n_nodes, edges)
    matrix = dense(graph, graph.weights)
    assert np.array_equal(matrix, matrix.T)
    assert matrix.sum() == pytest.approx(2 * sum(edge[3] for edge in edges), rel=1e-5)
    counts = {kind.name.lower(): 0 for kind in EdgeType}
    for edge in edges:
        counts[edge[2].name.lower()] += bool(np.float16(edge[3]) > 0)  # others lead nowhere
    assert graph.edge_counts() == counts


def test_a_graph_without_edges_and_one_without_nodes():
    for n_nodes in (3, 1, 0):
        graph = graph_of_edges(
            0,
            n_nodes,
            ends=np.zeros((0, 2), np.int32),
            weights=np.zeros(0, np.float32),
            types=np.zeros(0, np.uint8),
        )
        assert graph.spans.tolist() == [[0, 0]] * n_nodes
        assert len(graph.weights) == 0
        assert graph.degrees(ALL).tolist() == [0.0] * n_nodes
        assert set(graph.edge_counts().values()) == {0}
        assert graph.to_igraph(ALL).vcount() == n_nodes
        assert graph.to_networkx(ALL).number_of_nodes() == n_nodes


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(1, 1, EdgeType.FACT, 1.0)], r"edge \[1, 1\]: a self-loop"),
        ([(0, 3, EdgeType.FACT, 1.0)], r"edge \[0, 3\]: nodes count from 0 to 2"),
        ([(-1, 2, EdgeType.FACT, 1.0)], r"edge \[-1, 2\]: nodes count from 0 to 2"),
        ([(0, 1, EdgeType.FACT, -1.0)], r"edge \[0, 1\]: weight -1.0; give 0 to 65,504"),
        ([(0, 1, EdgeType.FACT, float("nan"))], r"edge \[0, 1\]: weight nan; give 0 to 65,504"),
        ([(0, 1, EdgeType.FACT, 65_505.0)], r"edge \[0, 1\]: weight 65505.0; give 0 to 65,504"),
        ([(0, 1, EdgeType.FACT, float("inf"))], r"edge \[0, 1\]: weight inf; give 0 to 65,504"),
        (
            [(0, 1, EdgeType.FACT, 1.0), (1, 0, EdgeType.FACT, 2.0)],
            r"edge \[0, 1\]: twice of type FACT",
        ),
    ],
)
def test_edges_that_would_make_a_wrong_walk_are_refused(edges: list[Edge], message: str):
    with pytest.raises(UsageError, match=message):
        graph_of(3, edges)


@given(st.lists(st.floats(0, LARGEST, width=32), min_size=1, max_size=20))
def test_weights_are_the_nearest_that_float16_holds(weights: list[float]):
    """So an edge below 2**-25 weighs nothing; any other is off by 2**-11 of it at most."""
    n_nodes = len(weights) + 1
    graph = graph_of(n_nodes, [(0, at, EdgeType.FACT, w) for at, w in enumerate(weights, 1)])
    kept = graph.weights[: len(weights)]
    assert kept.tolist() == np.array(weights, np.float16).tolist()
    assert np.array_equal(kept, graph.weights[len(weights) :])
    for weight, half in zip(weights, kept.tolist(), strict=True):
        assert abs(half - weight) <= max(weight * 2.0**-11, 2.0**-25)
    assert graph.degrees(ALL)[0] == sum(kept.tolist())


# --- degrees ---------------------------------------------------------------------------------


def test_a_rough_count_stays_when_a_passage_comes():
    roughly = [rough_count(n) for n in (0, 1, 3, 4, 5, 1000, 345_177)]
    assert roughly == pytest.approx([3.0, 3.0, 3.0, 4.0, 2**2.5, 1024.0, 2**18.5])
    counts = [rough_count(n) for n in range(1, 100_000)]
    assert len(set(counts)) == 31
    assert counts == sorted(counts)


@given(df=st.integers(1, 400_000), n_passages=st.integers(14, 400_000))
def test_rarity_of_more_than_a_few_passages_is_of_their_rough_count(df: int, n_passages: int):
    n = rough_count(n_passages)
    expected = np.clip(np.log(n / (df + 1)) / math.log(n), 0.0, 1.0)
    assert entity_rarity(np.array([df], np.int32), n_passages).item() == expected


def test_rarity_of_a_few_passages_is_as_of_sixteen():
    df = np.array([1, 2, 3, 15], np.int32)
    for n_passages in (1, 3, 13):
        assert entity_rarity(df, n_passages).tolist() == entity_rarity(df, 16).tolist()


def test_degrees_of_a_small_graph_by_hand():
    graph = graph_of(5, EXAMPLE, n_passages=2)
    weights = {**ALL, EdgeType.MENTION: 2.0, EdgeType.SOURCE: 0.0}
    assert graph.degrees(weights).tolist() == [2.0, 2.5, 4.0, 3.0, 3.5]
    steps = step_probabilities(graph, weights)
    assert steps[:5] == pytest.approx([0.5, 0.5, 0.8, 0.2, 0.0])


@given(edge_lists(), st.lists(st.floats(0, 4, width=16), min_size=N_TYPES, max_size=N_TYPES))
def test_rows_sum_to_one_or_touch_no_weighted_edge(
    given_edges: tuple[int, list[Edge]], type_weights: list[float]
):
    n_nodes, edges = given_edges
    weights = dict(zip(EdgeType, type_weights, strict=True))
    graph = graph_of(n_nodes, edges)
    degrees = graph.degrees(weights)
    assert (degrees.dtype, degrees.shape) == (np.float64, (n_nodes,))
    expected = np.zeros(n_nodes)
    for a, b, kind, weight in edges:
        expected[[a, b]] += weight * weights[kind]
    assert degrees == pytest.approx(expected, rel=1e-5, abs=1e-12)
    sums = dense(graph, step_probabilities(graph, weights)).sum(axis=1)
    assert sums == pytest.approx((degrees > 0).astype(float), abs=1e-6)


@given(edge_lists(), st.integers(1, 9))
def test_degrees_do_not_depend_on_the_blocks(given_edges: tuple[int, list[Edge]], rows: int):
    graph = graph_of(*given_edges)
    whole = graph.degrees(ALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entity_graph, "_ROWS_A_BLOCK", rows)
        assert graph.degrees(ALL).tolist() == whole.tolist()


@given(edge_lists(), st.sampled_from(list(EdgeType)))
def test_a_type_of_weight_zero_vanishes(given_edges: tuple[int, list[Edge]], gone: EdgeType):
    n_nodes, edges = given_edges
    full = graph_of(n_nodes, edges)
    without = graph_of(n_nodes, [edge for edge in edges if edge[2] != gone])
    zero = {**ALL, gone: 0.0}
    unnamed = {kind: 1.0 for kind in EdgeType if kind != gone}
    assert full.degrees(zero).tolist() == full.degrees(unnamed).tolist()
    assert full.degrees(zero).tolist() == without.degrees(ALL).tolist()
    steps = dense(full, step_probabilities(full, zero))
    assert np.array_equal(steps, dense(without, step_probabilities(without, ALL)))


def test_an_edge_of_weight_zero_is_kept_and_neither_walked_nor_counted():
    """As between a passage and a name that every passage holds, or a phrase that one alone does."""
    graph = graph_of(3, [(0, 1, EdgeType.MENTION, 0.0), (0, 2, EdgeType.TITLE, 2.0)])
    assert graph.edge_counts() == {**dict.fromkeys(graph.edge_counts(), 0), "title": 1}
    assert len(graph.neighbours) == 4
    assert graph.degrees(ALL).tolist() == [2.0, 0.0, 2.0]
    assert step_probabilities(graph, ALL).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert graph.to_igraph(ALL).ecount() == graph.to_networkx(ALL).number_of_edges() == 1


def test_light_nodes_behind_a_heavy_one_keep_their_exact_degree():
    """A running sum over all entries would lose a weight of 1e-9 behind one of 1e9."""
    edges: list[Edge] = [
        (0, 1, EdgeType.TITLE, 1.0),
        (2, 3, EdgeType.FACT, 1.0),
        (2, 4, EdgeType.FACT, 3.0),
    ]
    weights = {EdgeType.TITLE: 1e9, EdgeType.FACT: 1e-9}
    graph = graph_of(5, edges)
    degrees = graph.degrees(weights)
    assert degrees == pytest.approx([1e9, 1e9, 4e-9, 1e-9, 3e-9], rel=1e-6, abs=0)
    steps = step_probabilities(graph, weights)
    assert steps == pytest.approx([1.0, 1.0, 0.25, 0.75, 1.0, 1.0])


def test_type_weights_below_zero_are_refused():
    graph = graph_of(5, EXAMPLE)
    for weight in (-1.0, float("nan")):
        with pytest.raises(UsageError, match="give weights of 0 or more"):
            graph.degrees({EdgeType.FACT: weight})
        with pytest.raises(UsageError, match="give weights of 0 or more"):
            graph.to_igraph({EdgeType.FACT: weight})


# --- views -----------------------------------------------------------------------------------


@given(edge_lists(), st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=N_TYPES, max_size=N_TYPES))
def test_both_views_have_the_edges_of_the_graph(
    given_edges: tuple[int, list[Edge]], type_weights: list[float]
):
    n_nodes, edges = given_edges
    weights = dict(zip(EdgeType, type_weights, strict=True))
    graph = graph_of(n_nodes, edges)
    expected = np.zeros((n_nodes, n_nodes))
    for a, b, kind, weight in edges:
        expected[a, b] += weight * weights[kind]
        expected[b, a] += weight * weights[kind]
    drawn = np.zeros((n_nodes, n_nodes))
    for a, b, data in graph.to_networkx(weights).edges(data=True):
        drawn[a, b] = drawn[b, a] = data["weight"]
    ranked = np.zeros((n_nodes, n_nodes))
    view = graph.to_igraph(weights)
    for edge in view.es:
        a, b = edge.tuple
        ranked[a, b] += edge["weight"]
        ranked[b, a] += edge["weight"]
    assert drawn == pytest.approx(expected, rel=1e-6)
    assert ranked == pytest.approx(expected, rel=1e-6)
    assert view.vcount() == n_nodes
    assert all(type(weight) is float for weight in view.es["weight"])  # others count as 1
    assert view.ecount() == sum(weights[kind] * weight > 0 for _, _, kind, weight in edges)


def test_an_edge_type_has_a_number_that_stored_graphs_rely_on():
    assert {kind.name: int(kind) for kind in EdgeType} == {
        "TITLE": 0,
        "MENTION": 1,
        "PHRASE": 2,
        "SOURCE": 3,
        "FACT": 4,
        "SYNONYMY": 5,
        "LINK": 6,
        "NEIGHBOUR": 7,
        "TERM": 8,
        "SEQUENCE": 9,
        "JOIN": 10,
        "ROW": 11,
        "FORM": 12,
    }


def test_passages_are_joined_by_entities_of_two_documents():
    kinds = {
        # (passage, entity): 0 is of two documents, 1 of one, 2 of two but with no weight for one.
        EdgeType.TITLE: [(0, 4), (1, 5), (2, 6)],
        EdgeType.MENTION: [(2, 4), (0, 5)],
        EdgeType.LINK: [(3, 6)],
        EdgeType.PHRASE: [(1, 4)],
    }
    groups = [
        EdgeGroup(
            kind, np.array(ends, np.int32), np.full(len(ends), kind != EdgeType.LINK, np.float16)
        )
        for kind, ends in kinds.items()
    ]
    ends = np.array([(0, 1)], np.int32)
    groups.append(EdgeGroup(EdgeType.NEIGHBOUR, ends, np.ones(1, np.float16)))
    graph = EntityGraph.from_groups(4, 3, groups)
    joined = graph.passages_joined(np.array([0, 0, 1, 2], np.int32))
    none = dict.fromkeys(("form", "link", "row", "source", "term", "join"), 0)
    assert joined == {"title": 1, "mention": 1, "phrase": 1, "any": 3, **none}
    empty = EntityGraph.from_groups(0, 0, [])
    assert set(empty.passages_joined(np.zeros(0, np.int32)).values()) == {0}


def test_communities_are_the_parts_that_are_joined_within():
    ring = [(a, b, EdgeType.FACT, 1.0) for a, b in ((0, 1), (1, 2), (0, 2))]
    other = [(a + 3, b + 3, kind, weight) for a, b, kind, weight in ring]
    graph = graph_of(7, [*ring, *other, (2, 3, EdgeType.SYNONYMY, 0.25)])
    found = graph.communities(ALL)
    of = found.members.tolist()
    assert of[0] == of[1] == of[2] != of[3] == of[4] == of[5]
    assert of[6] not in of[:6]
    inside = found.inside(of[3])
    assert inside.nodes.tolist() == [3, 4, 5]
    assert math.isclose(inside.pagerank.sum(), 1.0)
    assert inside.shares_inside.tolist() == [2 / 3, 1.0, 1.0]


def test_communities_do_not_depend_on_what_others_drew_at_random():
    graph = graph_of(30, [(a, b, EdgeType.FACT, 1.0) for a in range(30) for b in range(a % 7, a)])
    first = graph.communities(ALL).members
    random.seed(7)
    before = random.getstate()
    assert np.array_equal(graph.communities(ALL).members, first)
    assert random.getstate() == before
