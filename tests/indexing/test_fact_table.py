"""Triples in numbers become distinct facts with their sources."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.fact_table import FactTable

Row = tuple[int, int, int, int, int]


def table_of(stated: list[Row]) -> FactTable:
    """Facts of rows (subject, predicate, object, passage, sentence)."""
    by_passage = sorted(stated, key=lambda row: row[3])
    return FactTable.of(np.array(by_passage, np.int32).reshape(-1, 5))


def decoded(stated: list[Row]) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
    """Facts, and (passage, fact in numbers, sentence)."""
    table = table_of(stated)
    facts = [tuple(row) for row in table.facts.tolist()]
    assert len(set(facts)) == len(facts)
    sources = [(passage, *facts[at], sentence) for passage, at, sentence in table.sources.tolist()]
    assert len(set(sources)) == len(sources)
    return set(facts), set(sources)


def test_the_same_fact_is_kept_once_with_each_passage_and_its_first_sentence():
    table = table_of([(0, 0, 1, 0, 2), (0, 0, 1, 1, 0), (0, 0, 1, 0, 1), (0, 1, 1, 0, 3)])
    assert table.facts.tolist() == [[0, 0, 1], [0, 1, 1]]
    assert table.sources.tolist() == [[0, 0, 1], [0, 1, 3], [1, 0, 0]]
    assert table.facts.dtype == table.sources.dtype == np.int32


def test_no_triples_give_empty_tables():
    table = table_of([])
    assert table.facts.shape == (0, 3)
    assert table.sources.shape == (0, 3)


SMALL = st.integers(0, 2)
STATED = st.lists(
    st.tuples(SMALL, st.integers(0, 1), SMALL, st.integers(0, 3), st.integers(0, 3)), max_size=25
)


@given(STATED)
def test_facts_and_sources_are_those_of_a_dictionary(stated: list[Row]):
    first: dict[tuple[int, ...], int] = {}
    for subject, predicate, target, passage, sentence in stated:
        at = (passage, subject, predicate, target)
        first[at] = min(sentence, first.get(at, sentence))
    facts, sources = decoded(stated)
    assert facts == {at[1:] for at in first}
    assert sources == {(*at, sentence) for at, sentence in first.items()}


@given(STATED.flatmap(lambda stated: st.tuples(st.just(stated), st.permutations(stated))))
def test_the_order_in_which_triples_come_orders_the_sources_of_a_passage_alone(
    both: tuple[list[Row], list[Row]],
):
    one, other = map(table_of, both)
    assert one.facts.tolist() == other.facts.tolist()
    assert sorted(one.sources.tolist()) == sorted(other.sources.tolist())


@given(STATED)
def test_facts_are_sorted_and_sources_stand_as_their_passages_state_them(stated: list[Row]):
    table = table_of(stated)
    facts: list[list[int]] = table.facts.tolist()
    assert facts == sorted(facts)
    by_passage = sorted(stated, key=lambda row: row[3])
    expected = dict.fromkeys((row[3], facts.index(list(row[:3]))) for row in by_passage)
    assert [tuple(row) for row in table.sources[:, :2].tolist()] == list(expected)
