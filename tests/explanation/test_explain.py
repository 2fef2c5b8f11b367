"""Explanations on the toy index: what ranked, what did not, what is not there."""

from pathlib import Path

import numpy as np
import pytest

from hippohover.entity_graph import EdgeType
from hippohover.errors import UsageError
from hippohover.explanation.explain import Explainer, explain
from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval.engine import HippoHover

CLAIM = "The head of the company that ran the Hexley Flyer was hard of hearing."
CHAIN = ("Hexley Flyer", "Lunn Valley Railway", "Augusta Thornby")


@pytest.fixture(scope="module")
def explainer(toy_engine: HippoHover) -> Explainer:
    return Explainer(toy_engine.retrievers)


def test_a_bridge_is_reached_over_its_neighbours(explainer: Explainer) -> None:
    found = explainer.explain(CLAIM, title=CHAIN[2])
    assert found.rank is not None
    assert found.rank <= MAX_RANKED_PASSAGES
    assert found.reason == ""
    summaries = [path.summary() for path in found.paths]
    assert any(all(title in summary for title in CHAIN) for summary in summaries)
    assert {"mention", "passage"} == {seed.kind for seed in found.seeds}


def test_rank_and_score_are_those_of_the_answer(
    toy_engine: HippoHover, explainer: Explainer
) -> None:
    answer = toy_engine.retrieve(CLAIM)
    for one in answer.passages[:5]:
        found = explainer.explain(CLAIM, pid=one.pid)
        assert (found.rank, found.title, found.pid) == (one.rank, one.title, one.pid)
        assert found.score == pytest.approx(one.score)
        assert found.seeds == answer.trace.seeds


def test_paths_are_sorted_and_end_at_the_passage(explainer: Explainer) -> None:
    found = explainer.explain(CLAIM, title=CHAIN[1])
    masses = [path.mass for path in found.paths]
    assert masses == sorted(masses, reverse=True)
    assert len(set(found.paths)) == len(found.paths) > 1
    for path in found.paths:
        assert path.nodes[-1].name == CHAIN[1]
        assert path.nodes[-1].kind == "passage"
        assert len(path.edges) == len(path.nodes) - 1 <= 7
        assert all(edge.types for edge in path.edges)
        assert 0 < path.share <= 1
    assert sum(path.share for path in found.paths) <= 1 + 1e-6


def test_best_path_needs_one_walk_a_claim(toy_engine: HippoHover, explainer: Explainer) -> None:
    walked = toy_engine.retrievers.ppr.walk(CLAIM)
    for one in toy_engine.retrieve(CLAIM).passages[:5]:
        best = explainer.best_path(walked, explainer.row_of_pid(one.pid))
        assert best == explainer.explain(CLAIM, pid=one.pid).paths[0]


def test_an_edge_of_a_fact_says_the_fact(toy_engine: HippoHover, explainer: Explainer) -> None:
    walked = toy_engine.retrievers.ppr.walk(CLAIM)
    rows = walked.both[0][np.argsort(-walked.both[1])][:25].tolist()
    paths = [path for row in rows for path in explainer.paths(walked, row, n=3)]
    edges = [edge for path in paths for edge in path.edges]
    with_fact = [edge for edge in edges if {"source", "fact"} & set(edge.types)]
    assert with_fact
    for edge in with_fact:
        assert 1 <= len(edge.facts) <= 3
        assert all(fact.subject and fact.predicate and fact.object for fact in edge.facts)
    assert all(not edge.facts for edge in edges if set(edge.types) == {"mention"})


def test_facts_join_the_nodes_of_their_edge(toy_engine: HippoHover, explainer: Explainer) -> None:
    for path in explainer.explain(CLAIM, title=CHAIN[1]).paths:
        nodes = zip(path.nodes[:-1], path.nodes[1:], strict=True)
        for edge, ends in zip(path.edges, nodes, strict=True):
            names = {node.name for node in ends if node.kind == "entity"}
            for fact in edge.facts:
                assert names <= {fact.subject, fact.object} or len(names) == 2


def test_of_two_entities_every_fact_is_found_that_joins_them(
    explainer: Explainer, toy_engine: HippoHover
):
    tables = toy_engine.tables
    n, graph = tables.arrays.n_passages, tables.arrays.graph
    ends = np.sort(tables.arrays.facts[:, [0, 2]], axis=1)
    joined = [
        (node, int(other))
        for node in range(n, graph.n_nodes)
        for other, kind in zip(*(one[graph.indptr[node] : graph.indptr[node + 1]]
                                 for one in (graph.neighbours, graph.types)), strict=True)
        if kind == EdgeType.FACT
    ]  # fmt: skip
    assert joined
    for one, other in joined:
        rows = np.flatnonzero((ends == sorted((one - n, other - n))).all(axis=1))
        facts = explainer._facts(one, other)  # pyright: ignore[reportPrivateUsage]
        assert facts == tables.triples(rows[:3])


def test_reached_but_ranked_below_the_answer(toy_engine: HippoHover, explainer: Explainer) -> None:
    deep = toy_engine.search(CLAIM, 60).passages[40]
    found = explainer.explain(CLAIM, pid=deep.pid)
    assert found.rank == 41
    assert "ranked 41 of" in found.reason
    assert "first 21" in found.reason


def test_not_reached_by_the_walk(toy_engine: HippoHover, explainer: Explainer) -> None:
    ranked = toy_engine.retrievers.ppr(CLAIM, toy_engine.tables.arrays.n_passages).rows
    left = np.setdiff1d(np.arange(toy_engine.tables.arrays.n_passages), ranked)
    assert len(left), "the toy claim reaches every passage: choose another"
    found = explainer.explain(CLAIM, pid=toy_engine.pids()[int(left[0])])
    assert (found.rank, found.score) == (None, None)
    assert "did not reach" in found.reason
    assert found.pid is not None


@pytest.mark.parametrize(
    ("title", "near"),
    [
        ("Lantern Hill", "Lantern Hill (1962 film)"),  # without its qualifier
        ("Hexley Flier", "Hexley Flyer"),  # one word known
        ("Hexly Flier", "Hexley Flyer"),  # no word known
    ],
)
def test_not_in_the_index_names_near_titles(explainer: Explainer, title: str, near: str) -> None:
    found = explainer.explain(CLAIM, title=title)
    assert (found.pid, found.rank, found.paths) == (None, None, ())
    assert repr(title) in found.reason
    assert near in found.near_titles


@pytest.mark.parametrize("title", ["", "   ", "?!", "\ud800", "xyzzy", "x y " * 5000])
def test_strange_titles_are_not_in_the_index(explainer: Explainer, title: str) -> None:
    assert explainer.explain(CLAIM, title=title).pid is None


def test_a_title_is_found_in_another_spelling(explainer: Explainer) -> None:
    assert explainer.explain(CLAIM, title="hexley  flyer").title == "Hexley Flyer"
    assert explainer.explain(CLAIM, title="The Hexley Flyer").title == "Hexley Flyer"


def test_a_title_or_a_pid(toy_index: Path) -> None:
    with HippoHover.open(toy_index).stored:
        engine = HippoHover.open(toy_index)
        assert explain(engine, CLAIM, title=CHAIN[0]).rank == 1
        with pytest.raises(UsageError, match="a title or a pid"):
            explain(engine, CLAIM)
        with pytest.raises(UsageError, match="a title or a pid"):
            explain(engine, CLAIM, title="A", pid="b")
        with pytest.raises(UsageError, match="the claim is empty"):
            explain(engine, " ", title="A")


def test_row_of_pid(toy_engine: HippoHover, explainer: Explainer) -> None:
    pids = toy_engine.pids()
    assert [explainer.row_of_pid(pid) for pid in pids[:3]] == [0, 1, 2]
    with pytest.raises(UsageError, match="nowhere"):
        explainer.row_of_pid("nowhere")
