"""No answer depends on how rows, entities, terms and facts are numbered, nor on spare numbers."""

import numpy as np
import pytest

from hippohover.recipe import QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.ranking import Ranking
from hippohover.retrieval.registry import RETRIEVERS, retriever_class
from hippohover.retrieval.where import Condition, Scope
from hippohover.store.tables import IndexTables
from tests.renumbered import renumbered
from tests.retrieval.toy_samples import TOY_CLAIMS, retrievers_over, with_vectors

DEPTH = 60
WHERE = (Condition.parse("title^=The "),)
CASES = [
    ({}, (), "answers"),
    ({"fact_mass": 1.0}, (), "answers"),
    ({"rerank": False, "one_per_document": False}, (), "answers"),
    ({"weights": {"fact": 0.5}}, (), "answers"),
    ({}, WHERE, "answers"),
    ({"fact_mass": 1.0}, WHERE, "walk"),
]


def told(tables: IndexTables, ranking: Ranking) -> list[tuple[str, list[str]]]:
    """Ids of the passages at each place."""
    pids = tables.passages.column("pid")
    others = ranking.others or [None] * len(ranking.rows)
    return [
        (pids[row].as_py(), [pids[other].as_py() for other in (behind.rows if behind else ())])
        for row, behind in zip(ranking.rows.tolist(), others, strict=True)
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("values", "where", "scope"), CASES)
def test_another_numbering_answers_the_same(
    toy_engine: HippoHover,
    seed: int,
    values: dict[str, object],
    where: tuple[Condition, ...],
    scope: Scope,
):
    tables, encoder = with_vectors(toy_engine.tables)
    settings = QuerySettings.model_validate(values)
    other = renumbered(tables, seed)
    one, two = (retrievers_over(of, settings, encoder=encoder) for of in (tables, other))
    for name in RETRIEVERS:
        if scope == "walk" and not retriever_class(name).has_scope:
            continue
        for claim in TOY_CLAIMS[seed::7]:
            expected, found = (of(name, claim, DEPTH, where, scope) for of in (one, two))
            assert told(other, found) == told(tables, expected)
            assert np.allclose(found.scores, expected.scores, rtol=0, atol=1e-9)
            assert found.n_candidates == expected.n_candidates


def test_what_stands_in_an_index_is_counted_without_spare_numbers(toy_engine: HippoHover):
    arrays = toy_engine.tables.arrays
    other = renumbered(toy_engine.tables, 3).arrays
    for name in ("n_passages", "n_documents", "n_mentions"):
        assert getattr(other, name) == getattr(arrays, name)
    assert other.n_rows == arrays.n_rows + 7
    assert other.graph.edge_counts() == arrays.graph.edge_counts()
    assert other.graph.passages_joined(other.documents) == arrays.graph.passages_joined(
        arrays.documents
    )
    assert sorted(other.graph_degrees[other.graph_degrees > 0]) == sorted(
        arrays.graph_degrees[arrays.graph_degrees > 0]
    )
