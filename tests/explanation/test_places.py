"""Ranks are those of the places of an answer."""

from contextlib import closing
from pathlib import Path

import numpy as np

from hippohover.explanation.explain import explain
from hippohover.explanation.places import in_places
from hippohover.indexing.build import build
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.ranking import Others, Ranking


def ranking_of(*rows: int) -> Ranking:
    scores = -np.arange(len(rows)).astype(np.float64)
    return Ranking(rows=np.array(rows, np.int64), scores=scores, n_candidates=len(rows))


def behind(*rows: int) -> Others:
    return Others(np.array(rows, np.int64), np.full(len(rows), -0.5))


def test_passages_of_one_place_share_its_rank_and_the_rest_have_their_own():
    whole = ranking_of(7, 8, 5, 6, 4)
    places = Ranking(
        rows=np.array([7, 5], np.int64),
        scores=np.array([0.0, -2.0]),
        n_candidates=5,
        others=(behind(8), behind()),
    )
    ranked = in_places(places, whole)
    assert ranked.rows.tolist() == [7, 8, 5, 6, 4]
    assert ranked.ranks.tolist() == [1, 1, 2, 3, 4]
    assert ranked.scores.tolist() == [0.0, -0.5, -2.0, -3.0, -4.0]


def test_where_each_has_its_place_ranks_are_those_of_the_ranking():
    whole = ranking_of(3, 1, 2)
    assert in_places(ranking_of(3, 1), whole).ranks.tolist() == [1, 2, 3]
    assert in_places(ranking_of(), ranking_of()).ranks.tolist() == []


def test_the_preferred_is_explained_by_the_rank_that_an_answer_gives_it(tmp_path: Path):
    text = "The lock at Belbury has two iron gates, a keeper, his dog, and stairs of grey stone."
    corpus = tmp_path / "c.csv"
    rows = [f'{year},Lock,{year}-01-01,"{text} Seen in {year}."' for year in (2001, 2024, 2012)]
    rows += [f"n{at},Note {at},2030-01-01,Stone {at} of it." for at in range(9)]
    corpus.write_text("\n".join(["id,title,date,text", *rows]), encoding="utf-8")
    recipe = IndexRecipe(
        name="c", extractor="none", encoder="none", corpus=CorpusSettings(metadata=("date",))
    )
    index = build(recipe, corpus=corpus, out=tmp_path / "i", workers=1)
    for prefer, first in (("date", "2024-01-01"), ("-date", "2001-01-01")):
        settings = recipe.query.model_copy(update={"prefer": prefer})
        with closing(HippoHover.open(index, settings=settings)) as engine:
            answer = engine.retrieve("Which lock at Belbury has iron gates and a keeper?")
            assert answer.passages[0].metadata["date"] == first
            for one in answer.passages:
                found = explain(engine, answer.claim, pid=one.pid)
                assert (found.rank, found.score) == (one.rank, one.score)
            for other in answer.passages[0].others:  # near-copies, listed at its place
                assert explain(engine, answer.claim, pid=other.pid).rank == 1
