"""Triples become distinct facts with their sources."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.fact_table import FactCollector
from hippohover.records import Triple

Source = tuple[int, tuple[str, str, str], int]


def collected(stated: list[tuple[int, Triple]]) -> FactCollector:
    collector = FactCollector({}, [])
    for passage, triple in stated:
        collector.add(passage, [triple])
    return collector


def decoded(stated: list[tuple[int, Triple]]) -> tuple[set[tuple[str, str, str]], set[Source]]:
    """Facts and sources as text."""
    entities: dict[str, int] = {}
    collector = FactCollector(entities, [])
    for passage, triple in stated:
        collector.add(passage, [triple])
    table = collector.table()
    keys, predicates = list(entities), collector.predicates
    facts = [(keys[s], predicates[p], keys[o]) for s, p, o in table.facts.tolist()]
    assert len(set(facts)) == len(facts)
    sources = [
        (passage, facts[fact], sentence) for passage, fact, sentence in table.sources.tolist()
    ]
    assert len(set(sources)) == len(sources)
    return set(facts), set(sources)


def test_the_same_fact_is_kept_once_with_each_passage():
    stated = [
        (0, Triple("Otto", "met", "Mara", 2)),
        (1, Triple("otto", "met", "MARA", 0)),
        (0, Triple("Otto", "met", "Mara", 1)),
        (0, Triple("Otto", "saw", "Mara", 3)),
    ]
    table = collected(stated).table()
    assert table.facts.tolist() == [[0, 0, 1], [0, 1, 1]]
    assert table.sources.tolist() == [[0, 0, 1], [0, 1, 3], [1, 0, 0]]
    assert table.facts.dtype == table.sources.dtype == np.int32


def test_what_a_thing_says_of_itself_is_dropped_but_counted():
    collector = collected([(0, Triple("Otto", "is", "OTTO!", 0))])
    assert collector.n_triples == 1
    assert collector.predicates == []
    assert len(collector.table().facts) == len(collector.table().sources) == 0


def test_entities_join_those_that_are_known_and_keep_their_first_spelling():
    entities, displays = {"mara": 0}, ["Mara"]
    collector = FactCollector(entities, displays)
    collector.add(0, [Triple("MARA", "met", "Otto B.", 0), Triple("otto b", "met", "Ines", 1)])
    assert entities == {"mara": 0, "otto b": 1, "ines": 2}
    assert displays == ["Mara", "Otto B.", "Ines"]


def test_no_triples_give_empty_tables():
    table = FactCollector({}, []).table()
    assert table.facts.shape == (0, 3)
    assert table.sources.shape == (0, 3)


def test_a_table_may_be_asked_for_in_between():
    collector = collected([(0, Triple("a", "b", "c", 0))])
    before = collector.table().facts.tolist()
    collector.add(1, [Triple("c", "b", "a", 0)])
    assert before == [[0, 0, 1]]
    assert len(collector.table().facts) == 2


NAMES = st.sampled_from(["a", "b", "c"])
TRIPLES = st.builds(Triple, NAMES, st.sampled_from(["p", "q"]), NAMES, st.integers(0, 3))
STATED = st.lists(st.tuples(st.integers(0, 3), TRIPLES), max_size=25)


@given(STATED)
def test_facts_and_sources_are_those_of_a_dictionary(stated: list[tuple[int, Triple]]):
    first: dict[tuple[int, tuple[str, str, str]], int] = {}
    for passage, t in stated:
        if t.subject != t.object:
            at = (passage, (t.subject, t.predicate, t.object))
            first[at] = min(t.sentence, first.get(at, t.sentence))
    facts, sources = decoded(stated)
    assert facts == {fact for _, fact in first}
    assert sources == {(passage, fact, sentence) for (passage, fact), sentence in first.items()}


@given(STATED.flatmap(lambda stated: st.tuples(st.just(stated), st.permutations(stated))))
def test_the_order_in_which_triples_come_does_not_count(
    both: tuple[list[tuple[int, Triple]], list[tuple[int, Triple]]],
):
    assert decoded(both[0]) == decoded(both[1])


@given(STATED)
def test_tables_are_sorted(stated: list[tuple[int, Triple]]):
    table = collected(stated).table()
    assert table.facts.tolist() == sorted(table.facts.tolist())
    assert table.sources.tolist() == sorted(table.sources.tolist())
