"""Strongest paths: against every path of small graphs, and against the walk itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappush

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, EntityGraph, type_scale
from hippohover.explanation import paths
from hippohover.explanation.paths import MAX_EDGES, WalkSteps, strongest_paths
from hippohover.retrieval.walk.pagerank import ExactWalk
from hippohover.retrieval.walk.seeds import NO_SEEDS, Seeds
from tests.graph_samples import graph_of_edges

ALL_ONE = dict.fromkeys(EdgeType, 1.0)
DAMPING = 0.8

Edge = tuple[int, int, EdgeType, float]


def make_graph(edges: list[Edge], *, n_passages: int, n_entities: int) -> EntityGraph:
    return graph_of_edges(
        n_passages,
        n_entities,
        ends=np.array([edge[:2] for edge in edges], np.int32).reshape(-1, 2),
        weights=np.array([edge[3] for edge in edges], np.float32),
        types=np.array([edge[2] for edge in edges], np.uint8),
    )


@dataclass(frozen=True)
class CountedSteps(WalkSteps):
    """Steps that keep how many neighbours each node had that was read."""

    read: list[int] = field(default_factory=list[int])

    def into(self, node: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        neighbours, probabilities = super().into(node)
        self.read.append(len(neighbours))
        return neighbours, probabilities


def make_steps(graph: EntityGraph, weights: dict[EdgeType, float] = ALL_ONE) -> WalkSteps:
    scale = type_scale(weights)
    return WalkSteps(
        graph, scale, graph.degrees(weights), np.arange(graph.n_nodes, dtype=np.uint64)
    )


def seeds_of(mass: dict[int, float]) -> Seeds:
    nodes = sorted(mass)
    return Seeds(np.array(nodes, np.int64), np.array([mass[node] for node in nodes]))


def matrix(graph: EntityGraph, weights: dict[EdgeType, float] = ALL_ONE) -> np.ndarray:
    """P, dense, by a plain loop over the CSR."""
    dense = np.zeros((graph.n_nodes, graph.n_nodes))
    for node in range(graph.n_nodes):
        for at in range(*graph.spans[node]):
            kind = EdgeType(int(graph.types[at]))
            dense[node, graph.neighbours[at]] += graph.weights[at] * weights.get(kind, 0.0)
    sums = dense.sum(axis=1, keepdims=True)
    return np.divide(dense, sums, out=np.zeros_like(dense), where=sums > 0)


def every_path(
    steps: np.ndarray, mass: dict[int, float], target: int
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every simple path of at most MAX_EDGES edges from a seed, by forward recursion."""

    def extend(path: tuple[int, ...], so_far: float) -> Iterator[tuple[tuple[int, ...], float]]:
        if path[-1] == target:
            yield path, so_far * (1 - DAMPING)
            return
        if len(path) > MAX_EDGES:
            return
        for node in np.flatnonzero(steps[path[-1]]).tolist():
            if node not in path:
                yield from extend((*path, node), so_far * DAMPING * steps[path[-1], node])

    for seed, seed_mass in mass.items():
        yield from extend((seed,), seed_mass)


def test_a_chain_by_hand() -> None:
    # passage 0 - entity 2 - passage 1; the entity has two edges, so P[2, 1] = 1/2.
    edges: list[Edge] = [(0, 2, EdgeType.MENTION, 1.0), (1, 2, EdgeType.TITLE, 1.0)]
    graph = make_graph(edges, n_passages=2, n_entities=1)
    found = strongest_paths(make_steps(graph), seeds_of({0: 1.0}), target=1, damping=DAMPING, n=3)
    assert [path.nodes for path in found] == [(0, 2, 1)]
    assert found[0].mass == pytest.approx(0.8 * 1.0 * 0.8 * 0.5 * 0.2)


def test_a_target_that_is_a_seed_has_a_path_without_edges() -> None:
    graph = make_graph([(0, 1, EdgeType.TITLE, 1.0)], n_passages=1, n_entities=1)
    found = strongest_paths(
        make_steps(graph), seeds_of({0: 0.25, 1: 0.75}), target=0, damping=DAMPING, n=5
    )
    assert [path.nodes for path in found] == [(1, 0), (0,)]
    assert found[1].mass == pytest.approx(0.25 * 0.2)


def test_parallel_edges_are_one_step() -> None:
    edges: list[Edge] = [
        (0, 2, EdgeType.MENTION, 1.0),
        (0, 2, EdgeType.SOURCE, 2.0),
        (1, 2, EdgeType.TITLE, 1.0),
    ]
    graph = make_graph(edges, n_passages=2, n_entities=1)
    steps = make_steps(graph)
    neighbours, probabilities = steps.into(2)
    assert neighbours.tolist() == [0, 1]
    assert probabilities.tolist() == [1.0, 1.0]
    assert steps.types(0, 2) == steps.types(2, 0) == (EdgeType.MENTION, EdgeType.SOURCE)
    assert steps.types(0, 1) == ()


def test_an_edge_of_weight_0_is_no_step() -> None:
    edges: list[Edge] = [(0, 1, EdgeType.TITLE, 1.0), (0, 1, EdgeType.FACT, 1.0)]
    graph = make_graph(edges, n_passages=1, n_entities=1)
    steps = make_steps(graph, {EdgeType.FACT: 1.0})
    assert steps.types(0, 1) == (EdgeType.FACT,)
    unused = make_steps(graph, {EdgeType.SYNONYMY: 1.0})
    assert unused.into(0)[0].tolist() == []
    seeds = seeds_of({1: 1.0})
    assert strongest_paths(unused, seeds, target=0, damping=DAMPING, n=3) == []


@pytest.mark.parametrize("n", [0, 3])
def test_nothing_to_find(n: int) -> None:
    graph = make_graph([(0, 1, EdgeType.TITLE, 1.0)], n_passages=2, n_entities=1)
    steps = make_steps(graph)
    assert strongest_paths(steps, NO_SEEDS, target=0, damping=DAMPING, n=n) == []
    assert strongest_paths(steps, seeds_of({0: 1.0}), target=2, damping=DAMPING, n=n) == []


def test_a_path_is_no_longer_than_seven_edges() -> None:
    chain: list[Edge] = [(node, node + 1, EdgeType.FACT, 1.0) for node in range(8)]
    graph = make_graph(chain, n_passages=1, n_entities=8)
    steps = make_steps(graph)
    near, far = seeds_of({7: 1.0}), seeds_of({8: 1.0})
    found = strongest_paths(steps, near, target=0, damping=DAMPING, n=9)
    assert [path.nodes for path in found] == [(7, 6, 5, 4, 3, 2, 1, 0)]
    assert strongest_paths(steps, far, target=0, damping=DAMPING, n=9) == []


@st.composite
def problems(draw: st.DrawFn) -> tuple[EntityGraph, dict[int, float], int]:
    n = draw(st.integers(2, 6))
    pairs = [(one, other) for one in range(n) for other in range(one + 1, n)]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    edges: list[Edge] = [
        (one, other, draw(st.sampled_from(EdgeType)), draw(st.sampled_from((0.25, 1.0, 3.0))))
        for one, other in chosen
    ]
    seeds = draw(st.dictionaries(st.integers(0, n - 1), st.integers(1, 5), min_size=1))
    total = sum(seeds.values())
    mass = {node: value / total for node, value in seeds.items()}
    n_passages = draw(st.integers(0, n))
    graph = make_graph(edges, n_passages=n_passages, n_entities=n - n_passages)
    return graph, mass, draw(st.integers(0, n - 1))


@settings(deadline=None)
@given(problem=problems(), n=st.integers(1, 6))
def test_finds_what_a_full_search_finds(
    problem: tuple[EntityGraph, dict[int, float], int], n: int
) -> None:
    graph, mass, target = problem
    expected = sorted((m for _, m in every_path(matrix(graph), mass, target)), reverse=True)
    found = strongest_paths(make_steps(graph), seeds_of(mass), target=target, damping=DAMPING, n=n)
    assert [path.mass for path in found] == pytest.approx(expected[:n], rel=1e-5)
    by_nodes = dict(every_path(matrix(graph), mass, target))
    for path in found:
        assert by_nodes[path.nodes] == pytest.approx(path.mass, rel=1e-5)


@settings(deadline=None)
@given(n=st.integers(1, 5), data=st.data())
def test_numbers_of_nodes_say_nothing_of_paths_of_one_mass(n: int, data: st.DataObject) -> None:
    """A graph of equal edges has many; a build and an update number the nodes differently."""
    pairs = [(passage, entity) for passage in range(3) for entity in range(3, 7)]
    joined = data.draw(st.lists(st.sampled_from(pairs), min_size=4, unique=True), "edges")
    numbers = np.array([*data.draw(st.permutations(range(3))), 3, 4, 5, 6])
    numbers[3:] = data.draw(st.permutations(range(3, 7)), "entities")
    found: list[list[tuple[int, ...]]] = []
    for new in (np.arange(7), numbers):
        edges = [(int(new[a]), int(new[b]), EdgeType.MENTION, 1.0) for a, b in joined]
        graph = make_graph(edges, n_passages=3, n_entities=4)
        order = np.zeros(7, np.uint64)
        order[new] = np.arange(7)
        steps = replace(make_steps(graph), order=order)
        seeds = seeds_of({int(new[node]): 0.25 for node in (1, 2, 4, 5)})
        paths_to = strongest_paths(steps, seeds, target=int(new[0]), damping=DAMPING, n=n)
        old = np.argsort(new)
        found.append([tuple(old[list(path.nodes)].tolist()) for path in paths_to])
    assert found[0] == found[1]


@settings(deadline=None, max_examples=min(30, settings().max_examples))
@given(problem=problems())
def test_paths_never_explain_more_than_the_score(
    problem: tuple[EntityGraph, dict[int, float], int],
) -> None:
    graph, mass, target = problem
    reset = np.zeros(graph.n_nodes)
    reset[list(mass)] = list(mass.values())
    score = ExactWalk(graph, ALL_ONE).solve(reset, damping=DAMPING)[target]
    found = strongest_paths(make_steps(graph), seeds_of(mass), target=target, damping=DAMPING, n=99)
    assert sum(path.mass for path in found) <= score * (1 + 1e-5) + 1e-9


@pytest.mark.parametrize(("bound", "most"), [("_MAX_ENTRIES", 30_000), ("_MAX_EXPANSIONS", 60)])
def test_hubs_do_not_hold_the_search_up(bound: str, most: int, monkeypatch: pytest.MonkeyPatch):
    """3,000 passages that all name the same 40 hubs: read and put off is what the bounds allow."""
    n_passages, n_hubs, n_others = 3_000, 40, 500
    rng = np.random.default_rng(0)
    passages = np.repeat(np.arange(n_passages), n_hubs + 2)
    named = np.tile(np.arange(n_hubs + 2), (n_passages, 1))
    named[:, n_hubs:] = rng.integers(n_hubs, n_hubs + n_others, size=(n_passages, 2))
    ends = np.unique(np.column_stack([passages, n_passages + named.ravel()]), axis=0)
    graph = graph_of_edges(
        n_passages,
        n_hubs + n_others,
        ends=ends.astype(np.int32),
        weights=np.ones(len(ends), np.float32),
        types=np.full(len(ends), EdgeType.MENTION, np.uint8),
    )
    plain = make_steps(graph)
    steps = CountedSteps(graph, plain.scale, plain.degrees, plain.order)
    put_off: list[object] = []

    def counted_push(heap: list[object], state: object) -> None:
        put_off.append(state)
        heappush(heap, state)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(paths, "heappush", counted_push)
    monkeypatch.setattr(paths, bound, most)
    assert strongest_paths(steps, seeds_of({0: 1.0}), target=1, damping=DAMPING, n=5)
    of_bound = {"_MAX_ENTRIES": sum(steps.read[:-1]), "_MAX_EXPANSIONS": len(steps.read)}
    assert of_bound[bound] <= most
    assert max(steps.read) == n_passages
    assert len(put_off) <= 45 * len(steps.read)  # 40 each, and paths that are among the best
