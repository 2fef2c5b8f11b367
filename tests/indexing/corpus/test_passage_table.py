"""Passages that go into a table come out of it as they were."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus import passage_table as module
from hippohover.indexing.corpus.passage_table import (
    joined,
    kept_values,
    passage_table,
    passages_in,
    settled,
)
from hippohover.records import Passage, PassageId, PassageSection

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PASSAGES = st.builds(
    Passage,
    pid=st.builds(PassageId, TEXT),
    title=TEXT,
    text=TEXT,
    part=st.integers(0, 9),
    start=st.integers(0, 2**40),
    links=st.lists(TEXT, max_size=3).map(tuple),
    path=TEXT,
    page=st.integers(0, 2**31 - 1),
    anchor=st.just("") | TEXT,
    sections=st.lists(st.builds(PassageSection, TEXT, TEXT, st.integers(0, 99)), max_size=2).map(
        tuple
    ),
)


@given(passages=st.lists(PASSAGES, max_size=6))
def test_passages_come_back_in_order(passages: list[Passage]):
    assert list(passages_in(passage_table(passages))) == passages


def test_what_no_passage_has_is_no_column():
    plain = Passage(PassageId("a"), "T", "x", metadata=("7", None))
    table = passage_table([plain], ["a", "b"])
    assert set(table.column_names) & {"path", "page", "anchor", "json.a", "json.b"} == set()
    paged = replace(plain, pid=PassageId("b"), page=3, metadata=(7, None))
    both = joined([table, passage_table([paged], ["a", "b"])])
    assert both.column("page").to_pylist() == [None, 3]
    assert list(passages_in(both)) == [plain, paged]
    assert both.equals(passage_table([plain, paged], ["a", "b"]))
    assert settled(both.slice(0, 1)).equals(table)


def test_tables_are_equal_whatever_was_joined_first():
    one = Passage(PassageId("a"), "T", "x", anchor="k")
    other = Passage(PassageId("b"), "T", "y", path="p", page=2)
    both = settled(joined([passage_table([one]), passage_table([other])]))
    assert both.combine_chunks().equals(passage_table([one, other]))
    assert list(passages_in(both)) == [one, other]


def test_values_that_are_kept_come_back_of_their_type():
    values = [7, 7.0, True, "7", "true", "", None, -(10**30)]
    passages = [Passage(PassageId("a"), "T", "x", metadata=(value,)) for value in values]
    table = passage_table(passages, ["field.x"])
    assert [repr(p.metadata[0]) for p in passages_in(table)] == list(map(repr, values))
    assert list(map(repr, kept_values(table, "field.x"))) == list(map(repr, values))
    assert table.column("metadata.field.x").to_pylist()[:3] == ["7", "7.0", "true"]


def test_more_passages_than_a_batch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_ROWS_A_BATCH", 4)
    passages = [Passage(PassageId(str(n)), f"T{n}", "x", links=("a",) * n) for n in range(11)]
    assert list(passages_in(passage_table(passages))) == passages
