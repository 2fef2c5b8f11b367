"""Our retriever: the walk is what the settings say, and candidates are scored in their order."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from hippohover.entity_graph import EdgeType, type_weights
from hippohover.indexing.build import build
from hippohover.recipe import MAX_SEARCH_DEPTH, IndexRecipe, QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.exact_keys import ExactKeys
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.retrieval.ppr_retriever import PprRetriever
from hippohover.retrieval.ppr_settings import PprSettings
from hippohover.retrieval.ranking import best_first, soft_fusion
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.walk.candidates import NO_RANK, Walked, named_rows
from hippohover.retrieval.walk.pagerank import ExactWalk
from hippohover.store.tables import IndexTables
from tests.retrieval.scope_samples import CLAIM, INSIDE, RECORDS, engine_of
from tests.retrieval.toy_samples import (
    TOY_CLAIMS,
    UNKNOWN_WORDS,
    WALK,
    WITH_FACTS,
    WordEncoder,
    retrievers_over,
    with_vectors,
)


def reset_of(
    retrievers: Retrievers, walked: Walked
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    reset = np.zeros(retrievers.arrays.graph.n_nodes)
    reset[walked.entity_seeds.nodes] += walked.entity_share * walked.entity_seeds.mass
    reset[walked.passage_seeds.nodes] += (1 - walked.entity_share) * walked.passage_seeds.mass
    return reset


# --- the walk --------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", TOY_CLAIMS[::8])
def test_the_parts_of_the_walk_sum_to_the_walk_from_all_seeds(plain: Retrievers, claim: str):
    walked = plain.ppr.walk(claim)
    arrays = plain.arrays
    reset = reset_of(plain, walked)
    assert reset.sum() == pytest.approx(1.0)
    weights = type_weights(WALK.weights)
    expected = ExactWalk(arrays.graph, weights).solve(reset, damping=WALK.damping)
    summed = np.zeros(arrays.n_passages)
    summed[walked.both[0]] = walked.both[1]
    degrees = arrays.graph.degrees(weights)
    bound = WALK.eps * degrees[: arrays.n_passages]
    error = expected[: arrays.n_passages] - summed
    assert bool(np.all((error <= bound + 1e-8) & (error >= -1e-8)))
    parts = np.zeros(arrays.n_passages)
    for rows, scores in (walked.entity, walked.passage):
        assert bool(np.all(scores > 0))
        parts[rows] += scores
    assert parts == pytest.approx(summed, rel=1e-12)


@pytest.mark.parametrize("claim", TOY_CLAIMS[::8])
def test_without_reranking_the_order_is_the_walks(plain: Retrievers, claim: str):
    walked = plain.ppr.walk(claim)
    found = plain("ppr", claim, 50)
    rows, scores = walked.both
    assert found.rows.tolist() == rows[np.lexsort((rows, -scores))][:50].tolist()
    reset = reset_of(plain, walked)
    solved = ExactWalk(plain.arrays.graph, type_weights(WALK.weights)).solve(
        reset, damping=WALK.damping
    )
    best = np.argsort(-solved[: plain.arrays.n_passages], kind="stable")[:21]
    assert len(set(best.tolist()) & set(found.rows[:21].tolist())) >= 20
    assert found.scores == pytest.approx(solved[found.rows], rel=0.05, abs=5e-5)


@pytest.mark.parametrize("rerank", [False, True])
def test_prpack_is_a_setting_and_ranks_as_push_does(toy_index: Path, rerank: bool):
    settings = QuerySettings(rerank=rerank, solver="prpack")
    exact = HippoHover.open(toy_index, settings=settings)
    close = HippoHover.open(
        toy_index, settings=settings.model_copy(update={"solver": "push", "eps": 1e-12})
    )
    assert isinstance(exact.retrievers.ppr.solver(), ExactWalk)
    for claim in TOY_CLAIMS[::16]:
        one, other = exact.retrieve(claim), close.retrieve(claim)
        assert [p.pid for p in one.passages] == [p.pid for p in other.passages]
        assert [p.score for p in one.passages] == pytest.approx(
            [p.score for p in other.passages], rel=1e-4
        )


def test_degrees_are_the_stored_ones_only_with_the_weights_that_they_were_built_with(
    toy_engine: HippoHover, toy_index: Path
):
    stored = toy_engine.tables.arrays.graph_degrees
    assert toy_engine.retrievers.ppr.degrees is stored
    recipe = toy_engine.stored.recipe()
    weights = recipe.query.weights.model_copy(update={"mention": 0.5})
    settings = recipe.query.model_copy(update={"weights": weights})
    ppr = HippoHover.open(toy_index, settings=settings).retrievers.ppr
    expected = toy_engine.tables.arrays.graph.degrees(type_weights(weights))
    assert ppr.degrees.tolist() == expected.tolist() != stored.tolist()


def test_stored_degrees_and_computed_ones_give_the_same_answers(
    toy_engine: HippoHover, plain: Retrievers
):
    """``plain`` is told of no weights, so it computes the degrees."""
    settings = toy_engine.retrievers.settings.model_copy(update={"eps": WALK.eps})
    told = retrievers_over(
        toy_engine.tables,
        settings,
        recipe=toy_engine.stored.recipe(),
    )
    assert told.ppr.degrees is toy_engine.tables.arrays.graph_degrees
    assert plain.ppr.degrees is not told.ppr.degrees
    for claim in TOY_CLAIMS[::20]:
        one, other = told("ppr", claim, 50), plain("ppr", claim, 50)
        assert one.rows.tolist() == other.rows.tolist()
        assert one.scores.tolist() == other.scores.tolist()


def test_a_mass_of_zero_starts_no_walk(toy_index: Path):
    settings = QuerySettings(passage_mass=0.0, dense_mass=0.0, rerank=False)
    walk = HippoHover.open(toy_index, settings=settings).retrievers.ppr.walk
    assert len(walk("builds marimbas").passage_seeds) == 0  # a claim that names nothing
    assert len(walk("builds marimbas").both[0]) == 0
    assert walk(TOY_CLAIMS[0]).entity_share == 1.0
    with pytest.raises(ValidationError, match="set one of the masses above 0"):
        QuerySettings(passage_mass=0.0, dense_mass=0.0, mention_mass=0.0)
    QuerySettings(passage_mass=0.0, dense_mass=0.0, mention_mass=0.0, fact_mass=1.0)
    QuerySettings(passage_mass=0.0, dense_mass=1.0, mention_mass=0.0)


def test_masses_weigh_the_walks(plain: Retrievers):
    walked = plain.ppr.walk(TOY_CLAIMS[0])
    assert walked.entity_share == 0.75
    assert plain.ppr.walk("builds marimbas").entity_share == 0.0
    for walk in (walked.entity, walked.passage, walked.both):
        assert bool(np.all(np.diff(walk[0]) > 0))
        assert bool(np.all(walk[0] < plain.arrays.n_passages))
        assert walk[1].sum() <= 1 + 1e-9


def test_absent_facts_leave_their_mass_to_nobody(encoded: tuple[Retrievers, WordEncoder]):
    """Mentions 3, facts 1, passages 1; then the facts of a claim without mentions."""
    retrievers, _ = encoded
    with_both = retrievers.ppr.walk(TOY_CLAIMS[0])
    assert len(with_both.choice.facts.rows)
    assert with_both.entity_share == pytest.approx(0.8)
    facts_alone = retrievers.ppr.walk("the drummer who builds marimbas")
    assert not len(facts_alone.claim.entities)
    assert len(facts_alone.choice.facts.rows)
    assert facts_alone.entity_share == pytest.approx(0.5)


def test_facts_are_looked_up_only_when_they_have_mass(
    toy_engine: HippoHover, encoded: tuple[Retrievers, WordEncoder]
):
    retrievers, _ = encoded
    without = retrievers_over(retrievers.tables, WALK)
    assert without("ppr", TOY_CLAIMS[0], 5).facts == ()
    assert len(retrievers("ppr", TOY_CLAIMS[0], 5).facts) == WITH_FACTS.n_facts


def test_shown_seeds_are_the_heaviest_of_each_kind(encoded: tuple[Retrievers, WordEncoder]):
    retrievers, _ = encoded
    ranking = retrievers("ppr", TOY_CLAIMS[0], 5)
    masses = [seed.mass for seed in ranking.seeds]
    assert masses == sorted(masses, reverse=True)
    assert 0 < sum(masses) <= 1 + 1e-9
    assert {seed.kind for seed in ranking.seeds} == {"mention", "passage", "fact"}
    mentions = {seed.label for seed in ranking.seeds if seed.kind == "mention"}
    assert {"Mira Oldane", "Lantern Hill"} & mentions


# --- facts -----------------------------------------------------------------------------------


def test_every_edge_type_has_a_weight():
    weights = type_weights(WALK.weights)
    assert set(weights) == set(EdgeType)
    assert weights[EdgeType.PHRASE] == WALK.weights.phrase


def test_candidate_facts_are_the_same_stored_or_encoded_at_once(
    encoded: tuple[Retrievers, WordEncoder],
):
    stored, _ = encoded
    arrays = replace(stored.arrays, fact_vectors=stored.arrays.fact_vectors[:0])
    tables = replace(stored.tables, arrays=arrays)
    bare = retrievers_over(tables, WITH_FACTS)
    for claim in TOY_CLAIMS[::7]:
        one, other = stored.ppr.walk(claim), bare.ppr.walk(claim)
        assert len(one.choice.facts.rows) == WITH_FACTS.n_facts
        assert one.choice.facts.rows.tolist() == other.choice.facts.rows.tolist()
        assert one.choice.facts.similarities.tolist() == other.choice.facts.similarities.tolist()
        assert one.both[1].tolist() == other.both[1].tolist()


def test_without_an_encoder_facts_are_compared_by_their_words(toy_index: Path):
    with_mass = QuerySettings.model_validate({"rerank": False, "fact_mass": 0.5})
    engine = HippoHover.open(toy_index, settings=with_mass)
    facts = engine.retrieve("Lantern Hill was directed by Mira Oldane.").trace.facts
    assert len(facts) == with_mass.n_facts
    assert {facts[0].subject, facts[0].object} & {"Lantern Hill", "Mira Oldane"}


# --- candidates ------------------------------------------------------------------------------


def test_candidates_hold_the_best_of_every_list(plain: Retrievers):
    few = retrievers_over(
        plain.tables, QuerySettings.model_validate({"n_candidates": 21, "rerank": False}),
    )  # fmt: skip
    walked = few.ppr.walk(TOY_CLAIMS[3])
    found = few.ppr.candidates(walked)
    rows: list[int] = found.rows.tolist()
    assert len(set(rows)) == len(rows) > 21
    assert rows[21:] == sorted(rows[21:])
    assert found.walk_rank[:21].tolist() == list(range(21))
    assert set(found.walk_rank[21:].tolist()) == {NO_RANK}
    assert set(walked.bm25[0][:60].tolist()) <= set(rows)
    for (of, scores), column in (
        (walked.both, found.walk), (walked.entity, found.entity_walk),
        (walked.passage, found.passage_walk), (walked.bm25, found.bm25),
    ):  # fmt: skip
        known = dict(zip(of.tolist(), scores.tolist(), strict=True))
        assert column.tolist() == [known.get(row, 0.0) for row in rows]
    ranks = {row: rank for rank, row in enumerate(walked.bm25[0].tolist())}
    assert found.bm25_rank.tolist() == [ranks.get(row, NO_RANK) for row in rows]


def cosine_order(retrievers: Retrievers, encoder: WordEncoder, claim: str) -> list[int]:
    vectors = retrievers.arrays.passage_vectors[:].astype(np.float64)
    return np.argsort(-(vectors @ encoder.encode([claim])[0]), kind="stable").tolist()


@pytest.mark.parametrize("below", [0, 1])
def test_a_small_index_has_seeds_and_candidates_by_cosine(
    toy_vectors: tuple[IndexTables, WordEncoder], below: int
):
    """With as many passages as may be compared; and with one more than these."""
    tables, encoder = toy_vectors
    settings = QuerySettings.model_validate({
        "rerank": False, "n_candidates": 21, "n_seed_passages": 5, "mention_mass": 0.0,
        "max_compared": tables.arrays.n_passages - below,
    })  # fmt: skip
    retrievers = retrievers_over(tables, settings, encoder=encoder)
    walked = retrievers.ppr.walk(TOY_CLAIMS[3])
    found = retrievers.ppr.candidates(walked)
    order = cosine_order(retrievers, encoder, TOY_CLAIMS[3])[: 0 if below else 100]
    assert walked.dense[0].tolist() == order
    rows: list[int] = found.rows.tolist()
    ranks = {row: rank for rank, row in enumerate(order)}
    assert found.dense_rank.tolist() == [ranks.get(row, NO_RANK) for row in rows]
    assert set(order) <= set(rows)
    others = {*walked.best.tolist(), *walked.best_entity.tolist(), *walked.bm25[0].tolist()}
    assert bool(set(rows) - others) != bool(below)
    seeds = {*walked.bm25[0][:5].tolist(), *order[:5]}
    assert walked.passage_seeds.nodes.tolist() == sorted(seeds)
    assert walked.passage_seeds.weight == (1.0 if below else 1.5)
    assert found.similarity.any()  # these few are compared in any index


def test_candidates_by_cosine_are_of_the_allowed_and_seeds_of_all(
    toy_vectors: tuple[IndexTables, WordEncoder],
):
    tables, encoder = toy_vectors
    settings = QuerySettings(rerank=False)
    retrievers = retrievers_over(tables, settings, encoder=encoder)
    order = cosine_order(retrievers, encoder, TOY_CLAIMS[3])
    allowed = np.ones(len(order), np.bool_)
    allowed[order[:3]] = False
    walked = retrievers.ppr.walk(TOY_CLAIMS[3], allowed)
    assert walked.dense[0].tolist() == order[3:103]
    assert set(order[:3]) <= set(walked.passage_seeds.nodes.tolist())
    assert allowed[retrievers.ppr.candidates(walked).rows].all()
    assert not walked.lexical[order[:3]].any()


# --- re-ranking ------------------------------------------------------------------------------


def test_candidates_scored_twice_stand_before_the_others(reranked: Retrievers):
    for claim in TOY_CLAIMS[:3]:
        walked = reranked.ppr.walk(claim)
        candidates = reranked.ppr.candidates(walked)
        scores = rerank.score(claim, reranked.ppr.features(walked.claim, candidates))
        second = reranked.ppr.second_walk(walked, candidates, scores)
        again = reranked.ppr.second_candidates(walked, candidates, scores, second)
        second = rerank.score(claim, reranked.ppr.second_features(walked.claim, again))
        deep, deep_scores = reranked.ppr.run(claim).scored
        rows, n = again.first.rows, len(second)
        assert deep[:n].tolist() == rows[np.lexsort((rows, -second))].tolist()
        assert deep_scores[:n].tolist() == sorted(second.tolist(), reverse=True)
        once = candidates.rows[np.lexsort((candidates.rows, -scores))]
        assert deep[n:].tolist() == once[~np.isin(once, rows)].tolist()
        assert bool(np.all(np.diff(deep_scores) <= 0))
        check_answer(reranked, claim)


def test_the_second_walk_brings_new_candidates_and_keeps_the_best(reranked: Retrievers):
    walked = reranked.ppr.walk(TOY_CLAIMS[2])
    candidates = reranked.ppr.candidates(walked)
    scores = np.linspace(0, 9, len(candidates.rows))  # the least likely of all are the seeds
    second = reranked.ppr.second_walk(walked, candidates, scores)
    again = reranked.ppr.second_candidates(walked, candidates, scores, second)
    kept = candidates.rows[-100:].tolist()
    rows: list[int] = again.first.rows.tolist()
    assert rows[: len(kept)] == kept
    new = rows[len(kept) :]
    assert new
    assert not set(new) & set(candidates.rows.tolist())
    assert len(set(rows)) == len(rows)
    assert again.walk[len(kept) :].min() > 0
    assert set(again.score_rank[len(kept) :].tolist()) == {NO_RANK}
    assert again.score.tolist()[: len(kept)] == pytest.approx((scores - 9)[-len(kept) :])
    assert set(again.score[len(kept) :].tolist()) == {-10.0}


def test_what_the_surest_name_is_scored_again_though_no_walk_brought_it(reranked: Retrievers):
    arrays, joined = reranked.arrays, 0
    for claim in TOY_CLAIMS[:3]:
        walked = reranked.ppr.walk(claim)
        found = reranked.ppr.candidates(walked)
        few, scores = replace(found, rows=found.rows[:2]), np.array([0.5, 1.0])
        nothing = replace(reranked.ppr.second_walk(walked, few, scores), best=found.rows[:0])
        again = reranked.ppr.second_candidates(walked, few, scores, nothing)
        named = named_rows(arrays, (few.rows, scores), None, arrays.passage_keys)
        new = named[~np.isin(named, few.rows)]
        assert again.first.rows.tolist() == [*few.rows.tolist(), *new.tolist()]
        joined += len(new)
    assert joined


def test_bound_to_a_scope_what_is_named_outside_does_not_join(tmp_path: Path):
    """The Salt Road names Jonas Brandt, who is outside, and Ada Finch."""
    engine = engine_of(RECORDS, tmp_path)
    titles = list(engine.titles())
    road = np.array([titles.index("Salt Road")])
    named: list[set[str]] = []
    for where in ((), tuple(INSIDE)):
        part, allowed = engine.retrievers.bounded(where, "walk")
        ppr = part.ppr
        walked = ppr.walk(CLAIM, allowed)
        few = replace(ppr.candidates(walked), rows=road)
        nothing = replace(ppr.second_walk(walked, few, np.ones(1)), best=road[:0])
        rows = ppr.second_candidates(walked, few, np.ones(1), nothing).first.rows
        named.append({titles[row] for row in rows.tolist()})
    assert named == [{"Salt Road", "Jonas Brandt", "Ada Finch"}, {"Salt Road", "Ada Finch"}]


def test_without_the_second_walk_candidates_are_scored_once(reranked: Retrievers):
    once = reranked.settings.model_copy(update={"second_walk": False})
    reranked = retrievers_over(reranked.tables, once)
    for claim in TOY_CLAIMS[:3]:
        walked = reranked.ppr.walk(claim)
        candidates = reranked.ppr.candidates(walked)
        scores = rerank.score(claim, reranked.ppr.features(walked.claim, candidates))
        deep, deep_scores = reranked.ppr.run(claim).scored
        head = candidates.rows[np.lexsort((candidates.rows, -scores))]
        assert deep.tolist() == head.tolist()
        assert deep_scores.tolist() == sorted(scores.tolist(), reverse=True)
        check_answer(reranked, claim)


def check_answer(reranked: Retrievers, claim: str) -> None:
    """Recompute the fusion of a corpus whose passages are its documents, list by list."""
    ppr = reranked.ppr
    answer, run = ppr(claim, 1000), ppr.run(claim)
    arrays = reranked.arrays
    naming = arrays.n_mentions / arrays.n_passages
    lexical = run.walked.lexical
    words = sorted(np.flatnonzero(lexical).tolist(), key=lambda row: (-lexical[row], row))
    second = best_first(*run.second.both, 1000)[0].tolist() if run.second else []
    lists = [
        (run.scored[0].tolist(), 0.25 + 10.0 * run.joined * max(naming, 1.0) ** 2, 10),
        (second, 0.4 + 2.5 * run.joined, 10),
        (reranked_tail(run.walked), 1.0, 40),
        (words, 1.0, 40),
    ]
    assert not len(ExactKeys(ppr.tables)(claim))
    assert run.joined > ppr.numbers.few_joined
    gains: dict[int, float] = {}
    for rows, weight, constant in lists:
        for rank, row in enumerate(rows):
            gains[row] = gains.get(row, 0.0) + weight * (constant + 1) / (constant + 1 + rank)
    for row in run.scored[0][:5].tolist():  # the first of the trees stay among the first
        gains[row] += 2 * (1.0 + sum(weight for _, weight, _ in lists))
    expected = sorted(gains, key=lambda row: (-gains[row], row))
    first = expected[:21]
    while moved := [row for row in reranked_tail(run.walked)[:10] if row not in first]:
        if len(first) + len(moved) <= 21:  # the walk's first ten are shown, whatever else is said
            break
        first = first[: 21 - len(moved)]
    rest = [row for row in expected if row not in {*first, *moved}]
    assert answer.rows.tolist() == [*first, *moved, *rest]
    own = dict(zip(*(one.tolist() for one in run.scored), strict=True))
    least = run.scored[1].max()
    for row, score in zip([*first, *moved, *rest], answer.scores.tolist(), strict=True):
        least = min(least, own.get(row, least))
        assert score == pytest.approx(least, abs=1e-5)
    assert bool(np.all(np.diff(answer.scores) < 0))
    for depth in (5, 21, 30):
        assert ppr(claim, depth).rows.tolist() == answer.rows[:depth].tolist()


def reranked_tail(walked: Walked) -> list[int]:
    rows, scores = walked.both
    return rows[np.lexsort((rows, -scores))].tolist()


def test_reranking_changes_the_order(reranked: Retrievers, plain: Retrievers):
    found, walked = (one("ppr", TOY_CLAIMS[0], 21).rows for one in (reranked, plain))
    assert found.tolist() != walked.tolist()


def test_a_claim_of_unknown_words_finds_nothing_to_rank_again(reranked: Retrievers):
    assert len(reranked("ppr", UNKNOWN_WORDS, 21).rows) == 0


# --- where no candidate names another --------------------------------------------------------

NAMELESS = (
    "the ferry crosses the grey water twice a day",
    "the water of the river is cold and grey in spring",
    "bread is baked twice a day in the old mill",
    "the old mill stands by the river",
    "spring wheat makes better bread than winter wheat",
    "a grey cat sleeps in the mill all winter",
)


@pytest.fixture(scope="module")
def nameless(tmp_path_factory: pytest.TempPathFactory) -> tuple[IndexTables, WordEncoder]:
    """Passages of titles that none of them names, with vectors."""
    return notes(tmp_path_factory.mktemp("nameless"), NAMELESS)


def notes(folder: Path, texts: Sequence[str]) -> tuple[IndexTables, WordEncoder]:
    records = [{"title": f"Note {at}", "text": text} for at, text in enumerate(texts)]
    corpus = folder / "notes.jsonl"
    corpus.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    recipe = IndexRecipe(name="nameless", extractor="between", encoder="none")
    engine = HippoHover.open(build(recipe, corpus=corpus, out=folder / "index", workers=1))
    return with_vectors(engine.tables)


@pytest.mark.parametrize("allowed", [None, [False, True, True, False, True, True]])
def test_where_nothing_is_named_both_walks_have_the_first_places(
    nameless: tuple[IndexTables, WordEncoder], allowed: list[bool] | None
):
    tables, encoder = nameless
    retrievers = retrievers_over(tables, QuerySettings(), encoder=encoder)
    mask = np.array([True] * 6 if allowed is None else allowed)
    for claim in ("grey water in spring", "bread of the old mill"):
        run = retrievers.ppr.run(claim, None if allowed is None else mask)
        assert (run.joined, run.ranked_by) == (0.0, "fusion")
        found = retrievers.ppr.ranking(run, MAX_SEARCH_DEPTH).rows
        assert mask[found].all()
        assert run.second is not None
        sure = {
            row for both in (run.walked.both, run.second.both) for row in best_first(*both, 2)[0]
        }
        assert set(found[: len(sure)]) == sure


@pytest.mark.parametrize(
    ("n_naming", "times", "ranked_by"), [(0, 1, "fusion"), (6, 1, "weights"), (6, 3, "weights")]
)
def test_the_trees_outvote_all_lists_where_names_join_most(
    tmp_path: Path, n_naming: int, times: int, ranked_by: str
):
    naming = [f"{text}, as Note 5 says" + ", Note 5" * (times - 1) for text in NAMELESS[:n_naming]]
    tables, encoder = notes(tmp_path, [*naming, *NAMELESS[n_naming:]])
    retrievers = retrievers_over(tables, QuerySettings(), encoder=encoder)
    assert retrievers.ppr.run("grey water of the old mill in spring").ranked_by == ranked_by


@pytest.mark.parametrize(
    ("encoder", "series", "lists"),
    [("sentences", 0.0, 1), ("sentences", 1.0, 0), ("table", 0.0, 0)],
)
def test_what_is_near_the_best_votes_where_sentences_are_read_and_nothing_follows(
    nameless: tuple[IndexTables, WordEncoder],
    monkeypatch: pytest.MonkeyPatch,
    encoder: str,
    series: float,
    lists: int,
):
    tables, words = nameless
    retrievers = retrievers_over(tables, QuerySettings(), encoder=words)
    ppr = retrievers.ppr
    if encoder == "table":
        monkeypatch.setattr(IndexVectors, "read_sentences", False)
    ppr.context = replace(ppr.context, series_share=series)
    run = ppr.run("grey water in spring")
    voters = vars(PprRetriever)["_voters"](ppr, run)
    assert len(voters) == 6 + lists
    if lists:
        arrays = tables.arrays
        best = soft_fusion(voters[:6], arrays.documents, arrays.passage_keys)[0]
        like = words.encode(["grey water in spring"])[0]
        cosines = arrays.passage_vectors[best] @ (like + arrays.passage_vectors[best[:5]].mean(0))
        expected = best_first(best, cosines, len(best), arrays.passage_keys)[0]
        assert voters[6].rows.tolist() == expected.tolist()


@pytest.mark.parametrize(("many", "n"), [(0.0, 5), (1e9, 10)])
def test_half_as_many_of_the_walk_are_shown_where_passages_name_many(
    toy_engine: HippoHover, many: float, n: int
):
    numbers = PprSettings(many_names=many)
    ppr = retrievers_over(toy_engine.tables, QuerySettings(), ppr=numbers).ppr
    run = ppr.run(TOY_CLAIMS[0])
    assert run.joined > numbers.few_joined
    assert len(vars(PprRetriever)["_kept"](ppr, run)) == n


@pytest.mark.parametrize(
    ("few", "second_walk", "leads"), [(0.0, True, True), (1.0, True, False), (1.0, False, True)]
)
def test_the_second_walk_says_what_a_document_shows_where_few_name_another(
    toy_engine: HippoHover, few: float, second_walk: bool, leads: bool
):
    numbers, settings = PprSettings(few_joined=few), QuerySettings(second_walk=second_walk)
    ppr = retrievers_over(toy_engine.tables, settings, ppr=numbers).ppr
    _, trees, second, walk, *others = vars(PprRetriever)["_voters"](ppr, ppr.run(TOY_CLAIMS[0]))
    assert (trees.leads, second.leads, walk.leads) == (True, True, leads)
    assert not any(voter.leads for voter in others)


def test_its_numbers_can_be_others(nameless: tuple[IndexTables, WordEncoder]):
    tables, encoder = nameless
    for numbers, ranked_by in ((PprSettings(), "fusion"), (PprSettings(trees_vote=9), "weights")):
        retrievers = retrievers_over(tables, QuerySettings(), encoder=encoder, ppr=numbers)
        assert retrievers.ppr.run("grey water in spring").ranked_by == ranked_by


@pytest.mark.parametrize(
    ("openings", "are_names"),
    [
        (("Ada Finch", "Milo Reed", "Port Senna", "Salt Road"), True),
        (("When", "When", "Note", "Note"), False),
        (("Ada Finch", "When", "Note", "Note"), False),
        (("Ada Finch", "Port Senna", "Note", "Note"), True),
    ],
)
def test_openings_that_many_have_join_nothing(
    tmp_path: Path, openings: Sequence[str], *, are_names: bool
):
    """No record has a title: an opening that others have too names none of them."""
    texts = [f"{name} is {'by the mill, ' * at}at Belbury." for at, name in enumerate(openings)]
    named = [
        f"{text} {name} knows it."
        for text, name in zip(texts, (*openings[1:], openings[0]), strict=True)
    ]
    records = [{"_id": str(at), "title": "", "text": text} for at, text in enumerate(named)]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    recipe = IndexRecipe(name="untitled", extractor="none", encoder="none")
    engine = HippoHover.open(build(recipe, corpus=corpus, out=tmp_path / "i", workers=1))
    run = engine.retrievers.ppr.run("Which of them is by the mill at Belbury?")
    assert bool(run.joined) == are_names
    engine.close()
