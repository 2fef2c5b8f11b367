"""Personalized PageRank: one known answer, four ways to it, and every odd graph by name."""

import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, EntityGraph
from hippohover.errors import UsageError
from hippohover.retrieval.walk import pagerank
from hippohover.retrieval.walk.pagerank import ExactWalk, LocalWalk
from tests.graph_samples import graph_of_edges

Edge = tuple[int, int, EdgeType, float]
ALL = dict.fromkeys(EdgeType, 1.0)
ROUNDING = 2e-6  # a step's probability is rounded to float32

# Two passages (0, 1) that share the entity 3; 2 is named by passage 0 alone, 4 by passage 1.
EXAMPLE: list[Edge] = [
    (0, 2, EdgeType.TITLE, 1.0),
    (0, 3, EdgeType.MENTION, 1.0),
    (1, 3, EdgeType.MENTION, 2.0),
    (1, 4, EdgeType.TITLE, 2.0),
]


def graph_of(n_nodes: int, edges: list[Edge]) -> EntityGraph:
    return graph_of_edges(
        1,
        n_nodes - 1,
        ends=np.array([edge[:2] for edge in edges], dtype=np.int32).reshape(-1, 2),
        weights=np.array([edge[3] for edge in edges], dtype=np.float32),
        types=np.array([edge[2] for edge in edges], dtype=np.uint8),
    )


def walk_of(graph: EntityGraph, type_weights: Mapping[EdgeType, float] = ALL) -> LocalWalk:
    return LocalWalk(graph, type_weights, graph.degrees(type_weights))


def solved(
    n_nodes: int,
    edges: list[Edge],
    reset: NDArray[np.float64],
    *,
    damping: float,
    type_weights: Mapping[EdgeType, float] = ALL,
) -> NDArray[np.float64]:
    """p = (1 - d) s + d P^T p as a linear system; a node without edges steps to s."""
    weights = np.zeros((n_nodes, n_nodes))
    for a, b, kind, weight in edges:
        weights[a, b] += weight * type_weights.get(kind, 0.0)
        weights[b, a] += weight * type_weights.get(kind, 0.0)
    degrees = weights.sum(axis=1, keepdims=True)
    steps = np.where(degrees > 0, weights / np.where(degrees > 0, degrees, 1), reset)
    scores = np.linalg.solve(np.eye(n_nodes) - damping * steps.T, (1 - damping) * reset)
    return scores.astype(np.float64)


def pushed(
    walk: LocalWalk, reset: NDArray[np.float64], *, damping: float, eps: float
) -> NDArray[np.float64]:
    """Scores of all nodes, 0 where the walk did not come."""
    nodes = np.flatnonzero(reset)
    found, values = walk(nodes, in_parts(reset[nodes]), damping=damping, eps=eps)
    scores = np.zeros(len(reset))
    scores[found] = values.sum(axis=1)
    return scores


def in_parts(mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seeds dealt to the first part, to the second, and to both, in turn."""
    shares = np.resize([1.0, 0.0, 0.25], len(mass))
    return np.column_stack([shares * mass, (1 - shares) * mass])


@st.composite
def walks(draw: st.DrawFn) -> tuple[int, list[Edge], NDArray[np.float64]]:
    """(n_nodes, edges, reset); some nodes have no edge, and some of these are seeds."""
    n_nodes = draw(st.integers(2, 9))
    pairs = [(a, b, kind) for a in range(n_nodes) for b in range(a) for kind in EdgeType]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=18, unique=True))
    weights = st.just(0.0) | st.floats(0.125, 4, width=16)
    edges = [(a, b, kind, draw(weights)) for a, b, kind in chosen]
    mass = draw(
        st.lists(st.integers(0, 4), min_size=n_nodes, max_size=n_nodes).filter(lambda m: sum(m) > 0)
    )
    return n_nodes, edges, np.array(mass, dtype=np.float64) / sum(mass)


# --- the known answer ------------------------------------------------------------------------


@settings(deadline=None)
@given(walks(), st.sampled_from([0.0, 0.5, 0.8]))
def test_both_walks_say_the_same_of_each_part(
    drawn: tuple[int, list[Edge], NDArray[np.float64]], damping: float
):
    n_nodes, edges, reset = drawn
    graph = graph_of(n_nodes, edges)
    nodes = np.flatnonzero(reset)
    mass = in_parts(reset[nodes])
    local, exact = np.zeros((n_nodes, 2)), np.zeros((n_nodes, 2))
    for scores, walk in ((local, walk_of(graph)), (exact, ExactWalk(graph, ALL))):
        found, values = walk(nodes, mass, damping=damping, eps=1e-12)
        assert bool(np.all(np.diff(found) > 0))
        assert bool(np.all(values.sum(axis=1) > 0))
        scores[found] = values
    assert exact == pytest.approx(local, abs=ROUNDING)
    assert exact.sum() == pytest.approx(1.0, abs=1e-8)


def test_the_exact_walk_refuses_what_the_local_one_does():
    walk = ExactWalk(graph_of(5, EXAMPLE), ALL)
    with pytest.raises(UsageError, match="seeds 7 to 7: nodes go from 0 to 4"):
        walk(np.array([7]), np.array([[1.0, 0.0]]), damping=0.8, eps=1e-6)
    with pytest.raises(UsageError, match="damping 1"):
        walk(np.array([2]), np.array([[1.0, 0.0]]), damping=1.0, eps=1e-6)


def test_five_nodes_by_hand():
    """d = 1/2, all mass on node 2. With p0 .. p4 the scores:

    p2 = 1/2 + p0/4;  p0 = p2/2 + p3/6;  p3 = p0/4 + p1/4;  p1 = p3/3 + p4/2;  p4 = p1/4
    => p1 = 8/21 p3;  p3 = 21/76 p0;  p0 = 76/145 p2;  p2 = 145/252.
    """
    by_hand = np.array([76, 8, 145, 21, 2]) / 252
    reset = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    graph = graph_of(5, EXAMPLE)
    assert solved(5, EXAMPLE, reset, damping=0.5) == pytest.approx(by_hand, abs=1e-12)
    assert ExactWalk(graph, ALL).solve(reset, damping=0.5) == pytest.approx(by_hand, abs=1e-8)
    local = pushed(walk_of(graph), reset, damping=0.5, eps=1e-12)
    assert local == pytest.approx(by_hand, abs=ROUNDING)


@settings(deadline=None)
@given(walks(), st.sampled_from([0.0, 0.5, 0.8, 0.95]), st.sampled_from([0.0, 0.5]))
def test_exact_is_networkx_is_the_linear_solve(
    drawn: tuple[int, list[Edge], NDArray[np.float64]], damping: float, fact_weight: float
):
    n_nodes, edges, reset = drawn
    weights = {**ALL, EdgeType.FACT: fact_weight}
    graph = graph_of(n_nodes, edges)
    scores = ExactWalk(graph, weights).solve(reset, damping=damping)
    expected = solved(n_nodes, edges, reset, damping=damping, type_weights=weights)
    assert scores == pytest.approx(expected, abs=1e-8)
    assert scores.sum() == pytest.approx(1.0, abs=1e-8)
    theirs = networkx.pagerank(
        graph.to_networkx(weights),
        alpha=damping,
        personalization=dict(enumerate(reset.tolist())),
        tol=1e-12,
        max_iter=2_000,
    )
    assert scores == pytest.approx([theirs[node] for node in range(n_nodes)], abs=1e-8)


# --- push ------------------------------------------------------------------------------------


@settings(deadline=None)
@given(walks(), st.sampled_from([0.0, 0.5, 0.8, 0.95]), st.sampled_from([1e-4, 1e-2, 0.1, 1.0]))
def test_push_is_within_its_bound_of_exact(
    drawn: tuple[int, list[Edge], NDArray[np.float64]], damping: float, eps: float
):
    n_nodes, edges, reset = drawn
    graph = graph_of(n_nodes, edges)
    degrees = graph.degrees(ALL)
    scores = pushed(walk_of(graph), reset, damping=damping, eps=eps)
    expected = solved(n_nodes, edges, reset, damping=damping)
    isolated = reset[degrees == 0].sum()
    bound = damping * eps * degrees / (1 - damping * isolated)
    assert bool(np.all(expected - scores <= bound + ROUNDING))
    assert bool(np.all(scores <= expected + ROUNDING))
    assert scores.sum() <= 1 + ROUNDING


@settings(deadline=None)
@given(walks(), st.sampled_from([1e-6, 1e-2, 1.0]))
def test_push_answers_with_distinct_nodes_ascending_again_and_again(
    drawn: tuple[int, list[Edge], NDArray[np.float64]], eps: float
):
    n_nodes, edges, reset = drawn
    walk = walk_of(graph_of(n_nodes, edges))
    nodes = np.flatnonzero(reset)
    found, values = walk(nodes, in_parts(reset[nodes]), damping=0.8, eps=eps)
    assert (found.dtype, values.dtype) == (np.int64, np.float64)
    assert values.shape == (*found.shape, 2)
    assert bool(np.all(np.diff(found) > 0))
    assert set(nodes.tolist()) <= set(found.tolist())
    assert bool(np.all(values >= 0)) and bool(np.all(values.sum(axis=1) > 0))
    for other in (walk, walk_of(graph_of(n_nodes, edges))):
        again, same = other(nodes, in_parts(reset[nodes]), damping=0.8, eps=eps)
        assert again.tobytes() == found.tobytes()
        assert same.tobytes() == values.tobytes()


@settings(deadline=None)
@given(walks(), st.sampled_from([1e-9, 1e-2]))
def test_each_part_is_the_walk_from_its_seeds(
    drawn: tuple[int, list[Edge], NDArray[np.float64]], eps: float
):
    n_nodes, edges, reset = drawn
    graph = graph_of(n_nodes, edges)
    degrees = graph.degrees(ALL)
    nodes = np.flatnonzero(reset * (degrees > 0))
    if not len(nodes):
        return
    mass = in_parts(reset[nodes] / reset[nodes].sum())
    found, values = walk_of(graph)(nodes, mass, damping=0.8, eps=eps)
    for part in (0, 1):
        alone = np.zeros(n_nodes)
        alone[nodes] = mass[:, part]
        if alone.sum() > 0:
            expected = alone.sum() * solved(n_nodes, edges, alone / alone.sum(), damping=0.8)
            error = expected[found] - values[:, part]
            assert bool(
                np.all((error >= -ROUNDING) & (error <= 0.8 * eps * degrees[found] + ROUNDING))
            )


def test_a_seed_given_twice_counts_twice():
    walk = walk_of(graph_of(5, EXAMPLE))
    once = walk(np.array([2]), np.array([[0.5, 0.5]]), damping=0.8, eps=1e-6)
    twice = walk(np.array([2, 2]), np.array([[0.5, 0.0], [0.0, 0.5]]), damping=0.8, eps=1e-6)
    assert [array.tobytes() for array in once] == [array.tobytes() for array in twice]


def test_a_smaller_eps_comes_nearer():
    graph = graph_of(5, EXAMPLE)
    reset = np.array([0.5, 0.0, 0.0, 0.0, 0.5])
    expected = ExactWalk(graph, ALL).solve(reset, damping=0.8)
    walk = walk_of(graph)
    errors = [
        np.abs(pushed(walk, reset, damping=0.8, eps=eps) - expected).max()
        for eps in (1.0, 0.1, 1e-3, 1e-9)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < ROUNDING < errors[0]


def test_a_large_eps_pushes_nothing():
    found, values = walk_of(graph_of(5, EXAMPLE))(
        np.array([4, 0]), np.array([[0.25, 0.0], [0.25, 0.5]]), damping=0.8, eps=10.0
    )
    assert found.tolist() == [0, 4]
    assert values == pytest.approx(np.array([[0.05, 0.1], [0.05, 0.0]]), rel=1e-12)


@pytest.mark.parametrize(("eps", "expected"), [(0.45, [0.625, 0.25]), (0.5, [0.5, 0.25])])
def test_a_node_is_pushed_above_eps_times_its_degree_and_not_at_it(
    eps: float, expected: list[float]
):
    """Two nodes, one edge, d = 1/2: the first push leaves 1/2 on the second node."""
    graph = graph_of(2, [(0, 1, EdgeType.FACT, 1.0)])
    assert pushed(walk_of(graph), np.array([1.0, 0.0]), damping=0.5, eps=eps).tolist() == expected
    heavy = graph_of(2, [(0, 1, EdgeType.FACT, 4.0)])
    scores = pushed(walk_of(heavy), np.array([1.0, 0.0]), damping=0.5, eps=eps / 4)
    assert scores.tolist() == expected


def test_a_single_seed_with_damping_zero_stays_where_it_is():
    found, values = walk_of(graph_of(5, EXAMPLE))(
        np.array([3]), np.array([[0.0, 1.0]]), damping=0.0, eps=1e-6
    )
    assert (found.tolist(), values.tolist()) == ([3], [[0.0, 1.0]])


def test_an_isolated_seed_begins_anew_as_in_exact():
    """Node 5 has no edge: 1/4 of the walks start there and can only restart."""
    reset = np.array([0.0, 0.0, 0.75, 0.0, 0.0, 0.25])
    expected = solved(6, EXAMPLE, reset, damping=0.8)
    graph = graph_of(6, EXAMPLE)
    assert ExactWalk(graph, ALL).solve(reset, damping=0.8) == pytest.approx(expected, abs=1e-8)
    local = pushed(walk_of(graph), reset, damping=0.8, eps=1e-12)
    assert local == pytest.approx(expected, abs=ROUNDING)
    assert local[5] == pytest.approx(0.2 * 0.25 / (1 - 0.8 * 0.25))


def test_isolated_seeds_alone_share_everything():
    reset = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.75])
    graph = graph_of(7, EXAMPLE)
    assert ExactWalk(graph, ALL).solve(reset, damping=0.8) == pytest.approx(reset, abs=1e-8)
    local = pushed(walk_of(graph), reset, damping=0.8, eps=1e-6)
    assert local == pytest.approx(reset, rel=1e-12)


def test_a_node_whose_edges_all_weigh_nothing_is_isolated():
    weights = {**ALL, EdgeType.TITLE: 0.0}
    reset = np.array([0.5, 0.0, 0.5, 0.0, 0.0])
    graph = graph_of(5, EXAMPLE)
    expected = solved(5, EXAMPLE, reset, damping=0.8, type_weights=weights)
    local = pushed(walk_of(graph, weights), reset, damping=0.8, eps=1e-12)
    assert local == pytest.approx(expected, abs=ROUNDING)
    assert local[4] == 0.0


def test_an_unseeded_dangling_node_is_never_reached():
    reset = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    graph = graph_of(6, EXAMPLE)
    assert ExactWalk(graph, ALL).solve(reset, damping=0.8)[5] == 0.0
    found, _ = walk_of(graph)(np.array([2]), np.array([[1.0, 0.0]]), damping=0.8, eps=1e-9)
    assert found.tolist() == [0, 1, 2, 3, 4]


def test_a_graph_without_edges_keeps_the_reset():
    graph = graph_of(3, [])
    reset = np.array([0.0, 0.5, 0.5])
    assert ExactWalk(graph, ALL).solve(reset, damping=0.8) == pytest.approx(reset, abs=1e-8)
    assert pushed(walk_of(graph), reset, damping=0.8, eps=1e-6) == pytest.approx(reset)


def test_without_seeds_no_node_is_reached():
    found, values = walk_of(graph_of(5, EXAMPLE))(
        np.zeros(0, np.int64), np.zeros((0, 2)), damping=0.8, eps=1e-6
    )
    assert (len(found), len(values)) == (0, 0)


def test_seeds_without_mass_are_not_reached():
    found, _ = walk_of(graph_of(5, EXAMPLE))(
        np.array([4, 2, 3]), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), damping=0.8, eps=10.0
    )
    assert found.tolist() == [2]


@settings(deadline=None)
@given(walks(), st.randoms(use_true_random=False))
def test_renumbering_changes_no_bit(
    walk: tuple[int, list[Edge], NDArray[np.float64]], random: Random
):
    n_nodes, edges, reset = walk
    numbers = list(range(n_nodes))
    random.shuffle(numbers)
    moved = [(numbers[a], numbers[b], kind, weight) for a, b, kind, weight in edges]
    of_moved = np.empty_like(reset)
    of_moved[numbers] = reset
    nodes = np.flatnonzero(reset)
    mass = in_parts(reset[nodes])
    one = walk_of(graph_of(n_nodes, edges))(nodes, mass, damping=0.8, eps=1e-3)
    seeds = np.array(numbers)[nodes]
    other = walk_of(graph_of(n_nodes, moved))(seeds, mass, damping=0.8, eps=1e-3)
    order = np.argsort(np.array(numbers)[one[0]])
    assert other[0].tolist() == np.array(numbers)[one[0]][order].tolist()
    assert other[1].tobytes() == one[1][order].tobytes()


def test_the_work_depends_on_eps_and_not_on_the_graph():
    """The same nodes with the same scores on a path of a thousand and of fifty thousand."""

    def path(n_nodes: int) -> LocalWalk:
        ends = np.column_stack([np.arange(n_nodes - 1), np.arange(1, n_nodes)]).astype(np.int32)
        weights = np.ones(n_nodes - 1, dtype=np.float32)
        types = np.full(n_nodes - 1, EdgeType.FACT, dtype=np.uint8)
        return walk_of(graph_of_edges(0, n_nodes, ends=ends, weights=weights, types=types))

    seed, mass = np.array([500]), np.array([[1.0, 0.0]])
    short, scores = path(1_000)(seed, mass, damping=0.8, eps=1e-4)
    long, same = path(50_000)(seed, mass, damping=0.8, eps=1e-4)
    assert short.tolist() == long.tolist()
    assert scores.tobytes() == same.tobytes()
    assert len(short) < 100


def test_a_memory_mapped_graph_gives_the_same_scores(tmp_path: Path):
    graph = graph_of(5, EXAMPLE)
    opened: dict[str, NDArray[Any]] = {}
    for name in ("spans", "neighbours", "weights", "types"):
        np.save(tmp_path / f"{name}.npy", getattr(graph, name))
        opened[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    mapped = EntityGraph(n_passages=graph.n_passages, n_entities=graph.n_entities, **opened)
    reset = np.array([0.0, 0.5, 0.5, 0.0, 0.0])
    ours = pushed(walk_of(mapped), reset, damping=0.8, eps=1e-6)
    assert ours.tobytes() == pushed(walk_of(graph), reset, damping=0.8, eps=1e-6).tobytes()


# --- one object, many callers ----------------------------------------------------------------


def random_graph(n_nodes: int) -> EntityGraph:
    rng = np.random.default_rng(7)
    ends = np.sort(rng.integers(0, n_nodes, size=(4 * n_nodes, 2)), axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0).astype(np.int32)
    weights = rng.uniform(0.5, 2, size=len(ends)).astype(np.float32)
    types = rng.choice(list(EdgeType), size=len(ends)).astype(np.uint8)
    return graph_of_edges(
        n_nodes // 2, n_nodes - n_nodes // 2, ends=ends, weights=weights, types=types
    )


def test_two_threads_at_once_answer_as_one():
    walk = walk_of(random_graph(400))
    queries = [np.random.default_rng(n).choice(400, 5, replace=False) for n in range(200)]
    mass = in_parts(np.full(5, 0.2))
    together = threading.Barrier(3)
    answers: list[list[bytes]] = [[], [], []]

    def ask(mine: list[bytes]) -> None:
        for seeds in queries:
            found, values = walk(seeds, mass, damping=0.8, eps=1e-6)
            mine.append(found.tobytes() + values.tobytes())

    def ask_at_once(mine: list[bytes]) -> None:
        together.wait()
        ask(mine)

    ask(answers[0])
    threads = [threading.Thread(target=ask_at_once, args=(mine,)) for mine in answers[1:]]
    for thread in threads:  # before they switch so often: coverage cannot trace two that start
        thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        together.wait()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert answers[1] == answers[2] == answers[0]


def test_threads_beyond_the_processors_wait_and_take_no_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pagerank, "available_processors", lambda: 2)
    walk = walk_of(random_graph(400))
    made: list[int] = []
    whole = pagerank._Workspace  # pyright: ignore[reportPrivateUsage]

    def counted(*arrays: Any) -> object:  # noqa: ANN401
        made.append(1)
        return whole(*arrays)

    monkeypatch.setattr(pagerank, "_Workspace", counted)
    with ThreadPoolExecutor(8) as pool:
        asked = [
            pool.submit(walk, np.array([n]), np.array([[1.0, 0.0]]), damping=0.8, eps=1e-9)
            for n in range(200)
        ]
    assert all(len(one.result()[0]) for one in asked)
    assert 1 <= len(made) <= 2


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError])
def test_a_call_that_breaks_off_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
):
    walk = walk_of(graph_of(5, EXAMPLE))
    reset = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    before = pushed(walk, reset, damping=0.8, eps=1e-6)

    def break_off(*arrays: NDArray[Any] | float) -> int:
        for array in arrays[11:]:
            assert isinstance(array, np.ndarray)
            array[:] = 1  # half-done work
        raise interruption

    with monkeypatch.context() as patched:
        patched.setattr(pagerank, "push", break_off)
        with pytest.raises(interruption):
            pushed(walk, reset, damping=0.8, eps=1e-6)
    after = pushed(walk, reset, damping=0.8, eps=1e-6)
    assert after.tobytes() == before.tobytes()


def test_a_walk_that_takes_too_long_says_what_to_change(monkeypatch: pytest.MonkeyPatch):
    walk = walk_of(graph_of(5, EXAMPLE))
    reset = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    monkeypatch.setattr(pagerank, "MOST_STEPS", 100)
    pushed(walk, reset, damping=0.8, eps=1e-1)
    endless = LocalWalk(graph_of(5, EXAMPLE), ALL, np.full(5, 1e-9))  # its mass never shrinks
    for one in (walk, endless):
        with pytest.raises(UsageError, match="raise eps or lower damping"):
            pushed(one, reset, damping=0.8, eps=1e-9)


def test_other_seeds_in_between_change_nothing():
    walk = walk_of(random_graph(300))
    first = walk(np.array([1]), np.array([[1.0, 0.0]]), damping=0.8, eps=1e-6)
    walk(np.array([200, 3]), np.array([[0.0, 0.5], [0.5, 0.0]]), damping=0.5, eps=1e-3)
    again = walk(np.array([1]), np.array([[1.0, 0.0]]), damping=0.8, eps=1e-6)
    assert [array.tobytes() for array in first] == [array.tobytes() for array in again]


# --- arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": [5]}, "nodes go from 0 to 4"),
        ({"nodes": [-1]}, "nodes go from 0 to 4"),
        ({"nodes": [0, 1]}, r"2 seeds but masses of shape \(1, 2\)"),
        ({"mass": [[0.25, 0.25]]}, "sum to 0.5"),
        ({"mass": [1.0]}, r"1 seeds but masses of shape \(1,\)"),
        ({"nodes": [0, 1], "mass": [[1.5, 0.0], [0.0, -0.5]]}, "masses of 0 or more"),
        ({"mass": [[float("nan"), 0.0]]}, "sum to nan"),
        ({"damping": 1.0}, "damping 1.0: give a number from 0 to below 1"),
        ({"damping": -0.1}, "damping -0.1"),
        ({"damping": float("nan")}, "damping nan"),
        ({"eps": 0.0}, "eps 0.0: give a number of 1e-12 or more"),
        ({"eps": float("nan")}, "eps nan"),
    ],
)
def test_arguments_out_of_range_are_named(changes: dict[str, Any], message: str):
    given_values: dict[str, Any] = {"nodes": [2], "mass": [[1.0, 0.0]], "damping": 0.8, "eps": 1e-6}
    given_values |= changes
    walk = walk_of(graph_of(5, EXAMPLE))
    with pytest.raises(UsageError, match=message):
        walk(
            np.array(given_values["nodes"], dtype=np.int64),
            np.array(given_values["mass"], dtype=np.float64),
            damping=given_values["damping"],
            eps=given_values["eps"],
        )


@pytest.mark.parametrize(
    ("reset", "damping", "message"),
    [
        ([0.0] * 5, 0.8, "at least one above 0"),
        ([1.0, -0.5, 0, 0, 0], 0.8, "values of 0 or more"),
        ([float("nan"), 1, 0, 0, 0], 0.8, "values of 0 or more"),
        ([float("inf"), 0, 0, 0, 0], 0.8, "values of 0 or more"),
        ([1.0], 0.8, r"reset of shape \(1,\): give one value a node \(5\)"),
        ([1.0, 0, 0, 0, 0], 1.0, "damping 1.0"),
    ],
)
def test_exact_refuses_a_reset_that_is_none(reset: list[float], damping: float, message: str):
    with pytest.raises(UsageError, match=message):
        ExactWalk(graph_of(5, EXAMPLE), ALL).solve(np.array(reset), damping=damping)


def test_exact_scales_the_reset():
    graph = graph_of(5, EXAMPLE)
    once = ExactWalk(graph, ALL).solve(np.array([0.0, 0, 1, 0, 1]), damping=0.8)
    assert ExactWalk(graph, ALL).solve(np.array([0.0, 0, 3, 0, 3]), damping=0.8) == pytest.approx(
        once
    )
