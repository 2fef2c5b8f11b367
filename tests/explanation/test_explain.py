"""Explanations on the toy index: what ranked, what did not, what is not there."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType
from hippohover.errors import UsageError
from hippohover.explanation.explain import Explainer, explain
from hippohover.explanation.page import walk_elements
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import MAX_RANKED_PASSAGES, LanguageModelSettings, QuerySettings
from hippohover.records import Triple
from hippohover.rendering.html import as_html
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.ppr_settings import PprSettings
from hippohover.retrieval.where import Condition

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


@pytest.mark.parametrize(
    ("asked", "called"),
    [
        ("Who directed Lantern Hill", "question"),
        ("Mira Oldane played in Lantern Hill.", "claim"),
        ("the director of Lantern Hill", "query"),
    ],
)
def test_what_was_asked_is_called_what_it_is(explainer: Explainer, asked: str, called: str) -> None:
    paths = explainer.explain(asked, title="Lantern Hill (1962 film)").paths
    assert paths
    assert {path.asked for path in paths} == {called}
    assert f"from the {called} to" in as_html(*walk_elements(paths, ()))


def test_an_edge_of_a_fact_says_the_fact(toy_engine: HippoHover, explainer: Explainer) -> None:
    run = explainer.run(CLAIM)
    walked = run.walked
    rows = walked.both[0][np.argsort(-walked.both[1])][:25].tolist()
    paths = [path for row in rows for path in explainer.paths(run, row, n=3)]
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
        for other, kind, weight in zip(*(one[slice(*graph.spans[node])] for one in
                                         (graph.neighbours, graph.types, graph.weights)),
                                       strict=True)
        if kind == EdgeType.FACT and weight > 0
    ]  # fmt: skip
    assert joined
    for one, other in joined:
        rows = np.flatnonzero((ends == sorted((one - n, other - n))).all(axis=1))
        facts = explainer._facts(one, other)  # pyright: ignore[reportPrivateUsage]
        # The first by their words: no order that depends on the numbers of facts.
        assert facts == tuple(sorted(tables.triples(rows), key=astuple)[:3])


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


class FickleModel:
    """A filter that keeps another fact each time it is asked, and counts."""

    def __init__(self) -> None:
        self.n_asked = 0

    def __call__(self, *, question: str, facts: Sequence[Triple]) -> SimpleNamespace:
        kept = facts[self.n_asked % len(facts)]
        self.n_asked += 1
        return SimpleNamespace(facts=[kept.words()])


@pytest.fixture
def fickle(encoded_toy_index: Path) -> Iterator[tuple[HippoHover, FickleModel]]:
    """An engine whose seeds are others at each walk."""
    settings = LanguageModelSettings(name="openai/nobody", api_base="http://127.0.0.1:9/v1")
    model = FickleModel()
    query = QuerySettings(second_walk=True, rerank=True, dense_mass=0.0, max_compared=0)
    with open_language_model(settings) as nobody:
        engine = HippoHover.open(
            encoded_toy_index, settings=query, language_model=nobody, fact_filter=model
        )
        yield engine, model
        engine.close()


def count_walks(engine: HippoHover, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Damping of each walk that is made from now on."""
    walks: list[float] = []
    really = engine.retrievers.ppr.solver()

    def counted(*seeds: NDArray[Any], damping: float, eps: float) -> Any:  # noqa: ANN401
        walks.append(damping)
        return really(*seeds, damping=damping, eps=eps)

    monkeypatch.setattr(engine.retrievers.ppr, "solver", lambda: counted)
    return walks


def test_one_explanation_asks_a_model_once_and_walks_once(
    fickle: tuple[HippoHover, FickleModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, model = fickle
    walks = count_walks(engine, monkeypatch)
    explanation = explain(engine, CLAIM, title=CHAIN[2])
    assert model.n_asked == 1
    assert walks == [0.8, PprSettings().second_damping]
    first = explanation.paths[0]
    assert first.nodes[0].name in {seed.label for seed in explanation.seeds}


def test_a_passage_without_a_path_costs_no_further_walk(
    fickle: tuple[HippoHover, FickleModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, model = fickle
    explainer = Explainer(engine.retrievers)
    run = explainer.run("zzz")
    walks = count_walks(engine, monkeypatch)
    asked = model.n_asked
    explanation = explainer.explain(run, title=CHAIN[2])
    assert (explanation.rank, explanation.paths) == (None, ())
    assert (walks, model.n_asked) == ([], asked)


def test_what_is_explained_is_the_walk_that_ranked(
    fickle: tuple[HippoHover, FickleModel],
) -> None:
    engine, model = fickle
    explainer = Explainer(engine.retrievers)
    answer, run = engine.retrieve_run(CLAIM)
    assert engine.retrieve(CLAIM).trace.facts != answer.trace.facts  # another walk by now
    asked = model.n_asked
    for passage in answer.passages:
        explanation = explainer.explain(run, pid=passage.pid)
        assert (explanation.rank, explanation.score) == (passage.rank, passage.score)
        assert explanation.seeds == answer.trace.seeds
        assert explain(engine, run, pid=passage.pid) == explanation
    assert model.n_asked == asked


def test_a_run_of_another_version_is_refused(toy_index: Path, explainer: Explainer) -> None:
    other = HippoHover.open(toy_index)
    _, run = other.retrieve_run(CLAIM)
    with pytest.raises(UsageError, match="another version of the index"):
        explainer.explain(run, title=CHAIN[2])
    other.close()


def test_an_answer_with_conditions_is_explained_by_its_own_walk(toy_engine: HippoHover) -> None:
    where = [Condition("title", frozenset("LH"), prefix=True)]
    answer, run = toy_engine.retrieve_run(CLAIM, where=where)
    for passage in answer.passages[:3]:
        explanation = explain(toy_engine, CLAIM, pid=passage.pid, where=where)
        assert (explanation.rank, explanation.score) == (passage.rank, passage.score)
        assert explain(toy_engine, run, pid=passage.pid) == explanation
    outside = explain(toy_engine, run, title=CHAIN[2])
    assert outside.rank is None
    assert outside.paths
    assert outside.reason.startswith("it does not meet the conditions")
    with pytest.raises(UsageError, match="the run has its own conditions"):
        explain(toy_engine, run, title=CHAIN[0], where=where)
    with pytest.raises(UsageError, match="scope is 'all'"):
        explain(toy_engine, CLAIM, title=CHAIN[0], where=where, scope="all")  # pyright: ignore[reportArgumentType]


def test_a_title_outside_a_scope_is_as_one_that_nobody_has(toy_engine: HippoHover) -> None:
    where = [Condition("title", frozenset("LH"), prefix=True)]
    _, run = toy_engine.retrieve_run(CLAIM, where=where, scope="walk")
    outside, nowhere = (explain(toy_engine, run, title=title) for title in (CHAIN[2], "Zzyx"))
    assert outside.reason == nowhere.reason.replace("Zzyx", CHAIN[2])
    assert all(title[0] in "LH" for title in (*outside.near_titles, *nowhere.near_titles))
    inside = explain(toy_engine, run, title=CHAIN[1])
    passages = {node.name for path in inside.paths for node in path.nodes if node.kind == "passage"}
    assert {title[0] for title in passages} <= {"L", "H"}
    pid = toy_engine.pids()[toy_engine.titles().index(CHAIN[2])]
    assert explain(toy_engine, run, pid=pid).pid is None
