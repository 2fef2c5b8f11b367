"""Passages that go into a table come out of it as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus import passage_table as module
from hippohover.indexing.corpus.passage_table import passage_table, passages_in
from hippohover.records import Passage, PassageId

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PASSAGES = st.builds(
    Passage,
    pid=st.builds(PassageId, TEXT),
    title=TEXT,
    text=TEXT,
    part=st.integers(0, 9),
    start=st.integers(0, 2**40),
    links=st.lists(TEXT, max_size=3).map(tuple),
)


@given(passages=st.lists(PASSAGES, max_size=6))
def test_passages_come_back_in_order(passages: list[Passage]):
    assert list(passages_in(passage_table(passages))) == passages


def test_more_passages_than_a_batch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_ROWS_A_BATCH", 4)
    passages = [Passage(PassageId(str(n)), f"T{n}", "x", links=("a",) * n) for n in range(11)]
    assert list(passages_in(passage_table(passages))) == passages
