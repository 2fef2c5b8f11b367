"""A scope knows nothing of the passages outside, whatever they say."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.entity_graph import (
    KNOWN,
    OUTSIDE,
    PHRASE,
    EdgeType,
    entity_rarity,
    type_scale,
    type_weights,
)
from hippohover.errors import UsageError
from hippohover.explanation.explain import Explainer
from hippohover.explanation.paths import WalkSteps
from hippohover.recipe import EdgeWeights, QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.pool import CandidateFacts, fact_pool
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.scope_tables import ScopedTables, scope_tables
from hippohover.retrieval.walk.seeds import entity_seeds
from hippohover.retrieval.where import Condition
from hippohover.spans import lengths_of
from tests.conftest import disk_in_memory
from tests.retrieval.scope_samples import CLAIM, INSIDE, RECORDS, engine_of

NAMES = (
    "Mist Ferry", "Port Senna", "Jonas Brandt", "Ada Finch", "Senna", "Ferry Port Senna",
    "Lunn Valley", "Orla Quay", "OrlaQuay", "Ada B. Finch",
)  # fmt: skip
OVERLAPPING = (
    "Mist Ferry Port", "Ferry", "Senna Jonas", "port senna", "Brandt Ada Finch", "the pilot",
    "Finch: a life", "Quay Mist", "Port Senna", "Jonas Brandt (pilot)", "Ada", "There",
)  # fmt: skip
"""Titles of outside that hide the names of inside, part them, or are the same otherwise written."""
ELSEWHERE = ("Zyx Quor", "Blarg Tam", "Wop Fen", "Gru Lis")
WORDS = ("the", "pilot", "harbour", "steered", "wrote", "railway", "late", "keeper", "hazily")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HippoHover]:
    opened = engine_of(RECORDS, tmp_path_factory.mktemp("sides"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def part(engine: HippoHover) -> Retrievers:
    return part_of(engine)


def part_of(engine: HippoHover, where: Sequence[Condition] = INSIDE) -> Retrievers:
    found, allowed = engine.retrievers.bounded(tuple(where), "walk")
    assert allowed is None
    assert isinstance(found.tables, ScopedTables)
    return found


def told(engine: HippoHover, claim: str, titles: set[str]) -> dict[str, Any]:
    """All that an answer and its explanations say, but for scores."""
    answer, run = engine.retrieve_run(claim, where=INSIDE, scope="walk")
    explainer = Explainer(engine.retrievers)
    found: dict[str, Any] = {
        "seeds": sorted((seed.kind, seed.label) for seed in answer.trace.seeds),
        "passages": [passage.pid for passage in answer.passages],
        "corrections": answer.trace.corrections,
    }
    for title in sorted(titles):
        explanation = explainer.explain(run, title=title)
        masses = [path.mass for path in explanation.paths]
        found[title] = explanation.pid or explanation.reason, explanation.near_titles
        # Of paths of like mass, numbers of nodes say which are shown.
        found[f"to {title}"] = [float(f"{mass:.4g}") for mass in masses]
    return found | {"steps": steps_inside(engine)}


def steps_inside(engine: HippoHover) -> set[tuple[str, str, tuple[EdgeType, ...], float]]:
    """Every step that the walk can take: from where, to where, along what, how probable."""
    part = part_of(engine)
    scale = type_scale(type_weights(part.settings.weights))
    graph, told = part.arrays.graph, part.tables.node_name
    steps = WalkSteps(graph, scale, part.arrays.graph_degrees, np.zeros(0, np.uint64))
    return {
        (told(source), told(node), tuple(steps.types(source, node)), round(probability, 5))
        for node in range(graph.n_nodes)
        for source, probability in zip(*map(np.ndarray.tolist, steps.into(node)), strict=True)
    }


def check_that_nothing_outside_counts(
    inside: list[dict[str, str]], outside: list[list[dict[str, str]]], claim: str
) -> None:
    titles = {record["title"] for record in inside} | {"Jonas Brant", "Port", *ELSEWHERE[:2]}
    with tempfile.TemporaryDirectory(dir=disk_in_memory()) as place:
        answers: list[dict[str, Any]] = []
        for number, others in enumerate(outside):
            every = [record for pair in zip(others, inside, strict=False) for record in pair]
            every += [*others[len(inside) :], *inside[len(others) :]]
            with closing(engine_of(every, Path(place, str(number)))) as engine:
                answers.append(told(engine, claim, titles))
    assert answers[0] == answers[1]


def sentences(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Names that stand between words, and beside each other."""
    named = st.tuples(st.sampled_from(("", *WORDS)), st.sampled_from(names))
    parts = st.lists(named, min_size=1, max_size=6)
    return parts.map(lambda some: f"There {' '.join(' '.join(part) for part in some)} was.")


def records(side: str, titles: tuple[str, ...], n: int | None = None) -> Any:  # noqa: ANN401
    # No two passages are word for word the same: of the two an index keeps one, and how many it
    # has counts (docs/corpus.md).
    texts = sentences(NAMES).map(lambda text: f"{text} It is {side}.")
    record = st.fixed_dictionaries({
        "title": st.sampled_from(titles), "text": texts, "side": st.just(side),
    })  # fmt: skip
    return st.lists(record, min_size=n or 2, max_size=n or 5).map(
        lambda some: [
            {**one, "id": f"{side}{at}", "text": f"{one['text']}{' It is again.' * at}"}
            for at, one in enumerate(some)
        ]
    )


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    inside=records("in", NAMES[:6]),
    outside=st.integers(1, 4).flatmap(
        lambda n: st.tuples(records("out", OVERLAPPING, n), records("out", NAMES + ELSEWHERE, n))
    ),
    claim=sentences(NAMES),
    typo=st.sampled_from(["", "Jonas Brant", "harbuor", "Port Sena", "hazly"]),
)
def test_other_text_outside_changes_nothing(
    inside: list[dict[str, str]], outside: list[list[dict[str, str]]], claim: str, typo: str
):
    check_that_nothing_outside_counts(inside, list(outside), f"{claim} {typo}")


@pytest.mark.slow
def test_text_outside_that_has_all_the_names_changes_nothing():
    inside = [dict(record) for record in RECORDS if record["side"] == "in"]
    inside = [{**record, "id": str(at)} for at, record in enumerate(inside)]
    texts = ("There is salt.", "MIST FERRY, ADA FINCH, VERA LUND and the SALT ROAD, hazily. " * 3)
    outside = [
        [{"title": ELSEWHERE[at], "text": text, "side": "out", "id": f"o{at}"} for at in range(4)]
        for text in texts
    ]
    claim = "Hazly Ada Fnch wrote to Vera Lund of the Salt Road and the Mist Ferry."
    check_that_nothing_outside_counts(inside, outside, claim)


def test_words_of_titles_are_as_rare_as_inside(tmp_path: Path):
    features: list[dict[int, list[float]]] = []
    for title in ("Salt", "Nowhere"):
        records = [
            *RECORDS,
            *({"title": title, "side": "out", "text": f"It is {n}."} for n in "abc"),
        ]
        with closing(engine_of(records, tmp_path / title)) as engine:
            claim = (
                "Who built the road of Ada Finch?"  # it has one word of a title, and not the other
            )
            run = engine.retrieve_run(claim, where=INSIDE, scope="walk")[1]
            ppr = part_of(engine).ppr
            candidates = ppr.candidates(run.walked)
            keys = engine.tables.arrays.passage_keys[candidates.rows].tolist()
            rows = ppr.features(run.walked.claim, candidates).round(5).tolist()
        features.append(dict(zip(keys, rows, strict=True)))
    assert features[0] == features[1]


def test_nothing_that_is_shown_is_from_outside(engine: HippoHover):
    free = engine.retrieve(CLAIM)
    answer, run = engine.retrieve_run(CLAIM, where=INSIDE, scope="walk")
    labels = {seed.label for seed in answer.trace.seeds}
    assert {passage.title for passage in answer.passages} == {
        "Mist Ferry", "Ada Finch", "Salt Road", "Letters",
    }  # fmt: skip
    assert {"PORT SENNA", "Vessel"} & {seed.label for seed in free.trace.seeds}
    assert {"Port Senna", "Jonas Brandt", "Mist Ferry"} <= labels  # named inside by two, or a title
    assert not labels & {"PORT SENNA", "Vessel", "Harbours", "Orla Quay", "Vera Lund"}
    explanation = Explainer(engine.retrievers).explain(run, title="Letters")
    nodes = {str(node.name) for path in explanation.paths for node in path.nodes}
    assert "Jonas Brandt" in nodes
    assert nodes <= {*labels, "Salt Road", "Ada Finch"}


def test_a_name_of_outside_is_a_phrase_and_a_passage_alone_names_nothing(
    engine: HippoHover, part: Retrievers
):
    names = engine.retrievers.arrays.names
    keys = ["mist ferry", "jonas brandt", "port senna", "vera lund", "orla quay", "nobody"]
    numbers = names.numbers(keys)
    assert (numbers[:-1] >= 0).all()
    arrays = part.arrays
    assert arrays.names.numbers(keys).tolist() == [*numbers[:3].tolist(), -1, -1, -1]
    assert (arrays.entity_standing[numbers[:3]] == KNOWN).tolist() == [True, False, False]
    assert arrays.are_linked(numbers[:5].astype(np.int64)).tolist() == [True] * 3 + [False] * 2
    assert arrays.entity_df[numbers[:5]].tolist() == [1, 2, 2, 0, 0]


def test_words_of_a_claim_are_those_of_passages_inside(engine: HippoHover, part: Retrievers):
    read, inside = engine.retrievers.read_claim, part.arrays.documents >= 0
    assert read("hazly").corrections == ()  # one passage is too few
    assert read("Vessl").corrections == (("Vessl", "vessel"),)
    assert part.read_claim("Vessl").corrections == ()
    whole, bound = read("steered steep late"), part.read_claim("steered steep late")
    assert (len(whole.terms), len(bound.terms)) == (3, 2)
    lexical, within = engine.retrievers.arrays.lexical, part.arrays.lexical
    assert within.document_frequency(whole.terms).sum() == 2
    assert not within.scores(whole.terms)[~inside].any()
    everything = lexical.within(np.ones(lexical.n_passages, np.bool_)).scores(whole.terms)
    np.testing.assert_allclose(everything, lexical.scores(whole.terms), rtol=2e-3)
    for term in whole.terms.tolist():
        assert set(within.holders(term)) <= set(np.flatnonzero(inside))


def test_a_name_of_outside_is_one_that_few_have_inside(engine: HippoHover, part: Retrievers):
    [number] = engine.retrievers.arrays.names.numbers(["jonas brandt"]).tolist()
    assert engine.retrievers.arrays.entity_standing[number] == KNOWN
    assert part.arrays.entity_standing[number] == PHRASE
    for claim in ("Who met jonas brandt there?", "Who met Jonas Brandt there?"):
        assert number in part.read_claim(claim).entities


def test_facts_are_those_of_passages_inside(engine: HippoHover, part: Retrievers):
    arrays, claim = engine.retrievers.arrays, part.read_claim(CLAIM)
    inside = part.arrays.documents >= 0
    every = np.arange(arrays.n_passages)
    whole = fact_pool(arrays, passages=every, entities=claim.entities)
    pool = fact_pool(part.arrays, passages=every[inside], entities=claim.entities)
    rows = np.repeat(inside, lengths_of(arrays.fact_spans))
    assert sorted(pool.tolist()) == np.unique(arrays.passage_facts[rows, 0]).tolist()
    assert 0 < len(pool) < len(whole)
    facts = CandidateFacts(whole, np.ones(len(whole), np.float32))
    settings = QuerySettings(fact_mass=1.0)
    free = entity_seeds(arrays, claim, facts, settings)
    bound = entity_seeds(part.arrays, claim, facts, settings)
    assert part.arrays.are_linked(bound.nodes - arrays.n_passages).all()
    assert not part.arrays.are_linked(free.nodes - arrays.n_passages).all()


def test_of_all_passages_it_is_the_index(toy_engine: HippoHover):
    """All that a build made, but for edges of facts between two names."""
    tables = toy_engine.tables
    arrays, every = tables.arrays, np.ones(tables.arrays.n_passages, np.bool_)
    weights = EdgeWeights(fact=0.0)
    recipe = toy_engine.stored.recipe()
    recipe = recipe.model_copy(
        update={"extractor": "spacy", "query": QuerySettings(weights=weights)}
    )
    inside = scope_tables(tables, every, recipe)
    same = ("owner_spans", "owner_passages", "entity_standing", "mention_spans")
    for name in same:
        np.testing.assert_array_equal(getattr(inside.arrays, name), getattr(arrays, name))
    np.testing.assert_array_equal(inside.arrays.mentions[:, 0], arrays.mentions[:, 0])
    assert inside.new_keys == ()
    there = arrays.entity_standing != OUTSIDE
    np.testing.assert_array_equal(inside.arrays.entity_df[there], arrays.entity_df[there])
    graph, kept = inside.arrays.graph, arrays.graph_types != EdgeType.FACT
    kept &= arrays.graph_weights > 0
    np.testing.assert_array_equal(graph.neighbours, arrays.graph_neighbours[kept])
    np.testing.assert_array_equal(graph.types, arrays.graph_types[kept])
    np.testing.assert_array_equal(graph.weights, arrays.graph_weights[kept])
    expected = arrays.graph.degrees(type_weights(weights))
    np.testing.assert_allclose(inside.arrays.graph_degrees, expected, rtol=1e-6)
    assert inside.arrays.n_mentions == len(arrays.mentions)
    assert inside.arrays.n_passages == arrays.n_passages


def test_facts_read_between_names_are_no_edges(toy_engine: HippoHover):
    """The names of all titles decided what they are about."""
    tables, every = toy_engine.tables, np.ones(toy_engine.tables.arrays.n_passages, np.bool_)
    recipe = toy_engine.stored.recipe()
    with_facts = scope_tables(tables, every)
    without = scope_tables(tables, every, recipe)
    assert EdgeType.SOURCE in with_facts.arrays.graph_types
    assert EdgeType.SOURCE not in without.arrays.graph_types
    assert recipe.extractor == "between"
    title = [Condition("title", frozenset([""]), prefix=True)]
    part = part_of(toy_engine, title)
    np.testing.assert_array_equal(part.arrays.graph_types, without.arrays.graph_types)


def test_many_links_inside_share_a_weight(tmp_path: Path):
    """Of twelve and more, as a build does; links to what is outside are none."""
    inside = [{"title": f"Pier {at}", "side": "in", "text": "It is old."} for at in range(14)]
    outside = [{"title": f"Shed {at}", "side": "out", "text": "It is old."} for at in range(30)]
    titles = [record["title"] for record in (*inside, *outside)]
    index = {"title": "All", "side": "in", "text": "See them.", "links": titles}
    with closing(engine_of([index, *inside, *outside], tmp_path)) as engine:
        graph = part_of(engine).arrays.graph
        links = graph.types == EdgeType.LINK
        assert links.sum() == 2 * 14
        rare = entity_rarity(np.array([2], np.int32), graph.n_passages)  # its own, and the link
        np.testing.assert_allclose(graph.weights[links], rare.item() * 12 / 14, rtol=1e-3)


@pytest.mark.parametrize("name", ["ppr", "bm25"])
def test_bounded_to_all_is_free_but_for_edges_of_facts(toy_engine: HippoHover, name: str):
    everything = [Condition("title", frozenset([""]), prefix=True)]
    claim = "The head of the company that ran the Hexley Flyer was hard of hearing."
    free = toy_engine.retrieve(claim, retriever=name)
    bound = toy_engine.retrieve(claim, retriever=name, where=everything, scope="walk")
    assert {seed.label for seed in bound.trace.seeds} == {seed.label for seed in free.trace.seeds}
    pids = [{one.pid for one in answer.passages} for answer in (free, bound)]
    assert len(pids[0] & pids[1]) >= (len(pids[0]) if name == "bm25" else 19)
    again = toy_engine.retrieve(claim, retriever=name)
    assert [(one.pid, one.score) for one in again.passages] == [
        (one.pid, one.score) for one in free.passages
    ]


def test_a_phrase_that_only_a_scope_has_is_asked_with_facts(tmp_path: Path):
    """Of the index, whose texts a title of outside cuts, it is no name: "Tower" is."""
    records = [
        {"title": "Tower", "side": "out", "text": "It is old."},
        {"title": "Keeper", "side": "in", "text": "There Ada Finch saw Quay Tower late."},
        {"title": "Lamp", "side": "in", "text": "There Ada Finch lit Quay Tower early."},
    ]
    with closing(engine_of(records, tmp_path, fact_mass=1.0)) as engine:
        assert part_of(engine).read_claim("Who saw Quay Tower?").entities.max() >= len(
            engine.tables.arrays.entity_df
        )
        answer = engine.retrieve("Who saw Quay Tower?", where=INSIDE, scope="walk")
    assert {passage.title for passage in answer.passages} == {"Keeper", "Lamp"}
    assert "Quay Tower" in {seed.label for seed in answer.trace.seeds}


def test_what_walks_over_all_is_refused(engine: HippoHover):
    with pytest.raises(UsageError, match="hipporag2 walks over the whole index: name another"):
        engine.retrieve(CLAIM, retriever="hipporag2", where=INSIDE, scope="walk")
    with pytest.raises(UsageError, match="scope is 'all': give one of answers, walk"):
        engine.retrieve(CLAIM, where=INSIDE, scope="all")  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
def test_the_exact_walk_is_refused(tmp_path: Path):
    exact = engine_of(RECORDS, tmp_path, solver="prpack")
    assert exact.retrieve(CLAIM, where=INSIDE).passages
    with pytest.raises(UsageError, match="prpack', which walks over the whole graph: set it to"):
        exact.retrieve(CLAIM, where=INSIDE, scope="walk")
    exact.close()
