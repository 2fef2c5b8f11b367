"""What an answer says of the ranking that it was made of."""

from dataclasses import replace

import numpy as np

from hippohover.metadata import MetadataValue
from hippohover.records import CandidateFact, Trace
from hippohover.retrieval.answers import MAX_OTHERS, passages_of, trace_of
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.pool import CandidateFacts, FactChoice
from hippohover.retrieval.ranking import Others, Ranking
from hippohover.store.tables import IndexTables


def test_passages_are_ranked_in_the_order_given(toy_engine: HippoHover):
    tables = toy_engine.tables
    passages = passages_of(tables, np.array([7, 2]), np.array([0.5, 0.25]))
    assert [(one.rank, one.score) for one in passages] == [(1, 0.5), (2, 0.25)]
    assert [one.pid for one in passages] == [toy_engine.pids()[7], toy_engine.pids()[2]]
    assert [one.title for one in passages] == [toy_engine.titles()[7], toy_engine.titles()[2]]
    assert passages[0].text == tables.texts[7]


def test_others_of_a_document_stand_under_its_best_with_their_own_scores(toy_engine: HippoHover):
    tables = toy_engine.tables
    rows = np.arange(10, 10 + MAX_OTHERS + 2)
    others = [Others(rows, -np.arange(float(len(rows)))), Others(np.array([3]), np.array([0.1]))]
    first, second = passages_of(tables, np.array([7, 2]), np.array([0.5, 0.25]), others)
    assert [(one.rank, one.score) for one in (first, second)] == [(1, 0.5), (2, 0.25)]
    assert [(one.rank, one.score) for one in first.others] == [
        (rank, 2.0 - rank) for rank in range(2, 2 + MAX_OTHERS)
    ]
    assert [one.pid for one in first.others] == [
        toy_engine.pids()[row] for row in rows[:MAX_OTHERS]
    ]
    assert [(one.rank, one.score) for one in second.others] == [(2, 0.1)]
    assert first.others[0].text == tables.texts[10]
    assert (first.n_near_copies, second.n_near_copies) == (len(rows), 1)
    shown = second.as_dict()
    assert shown["others"] == [second.others[0].as_dict()]


def test_only_what_comes_back_is_read_and_all_of_it_has_its_metadata(toy_engine: HippoHover):
    read: list[int] = []

    class Tables(IndexTables):
        def metadata_of(self, row: int) -> dict[str, MetadataValue]:
            read.append(row)
            return {"id": f"d{row}", "heading": f"H{row}"}

    tables = Tables(**vars(replace(toy_engine.tables)))
    others = [Others(np.array([3]), np.array([0.1])), Others(np.zeros(0, np.int64), np.zeros(0))]
    first, second = passages_of(tables, np.array([7, 2]), np.array([0.5, 0.25]), others)
    assert [one.metadata["id"] for one in (first, *first.others, second)] == ["d7", "d3", "d2"]
    assert [one.heading for one in (first, *first.others, second)] == ["H7", "H3", "H2"]
    assert sorted(read) == [2, 3, 7]


def test_a_trace_says_which_of_the_candidate_facts_were_kept(toy_engine: HippoHover):
    tables = toy_engine.tables
    candidates = CandidateFacts(np.array([4, 9]), np.array([0.75, 0.5], np.float32))
    kept = CandidateFacts(candidates.rows[1:], candidates.similarities[1:])
    choice = FactChoice(facts=kept, candidates=candidates, route="filtered")
    ranking = Ranking(rows=np.array([1]), scores=np.array([1.0]), n_candidates=3, choice=choice)
    first, second = tables.triples(candidates.rows)
    assert trace_of(tables, ranking, 0.25) == Trace(
        route="filtered",
        n_candidates=3,
        seconds=0.25,
        candidate_facts=(
            CandidateFact(first, 0.75, kept=False),
            CandidateFact(second, 0.5, kept=True),
        ),
    )
