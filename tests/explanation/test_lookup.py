"""Passages by title and pid."""

import pytest

from hippohover.explanation.lookup import PassageLookup
from hippohover.retrieval.engine import HippoHover


@pytest.fixture(scope="module")
def lookup(toy_engine: HippoHover) -> PassageLookup:
    return PassageLookup(toy_engine.retrievers)


def test_every_passage_is_found_by_its_pid_and_among_those_of_its_title(
    toy_engine: HippoHover, lookup: PassageLookup
):
    titles = toy_engine.titles()
    for row, pid in enumerate(toy_engine.pids()[:20]):
        assert lookup.of_pid(pid).tolist() == [row]
        rows = lookup.of_title(titles[row]).tolist()
        assert row in rows
        assert rows == sorted(rows)
    assert lookup.of_pid("nowhere").tolist() == []


def test_a_title_in_another_spelling_is_that_title(toy_engine: HippoHover, lookup: PassageLookup):
    rows = lookup.of_title("Hexley Flyer").tolist()
    assert [toy_engine.titles()[row] for row in rows] == ["Hexley Flyer"]
    assert lookup.of_title("the HEXLEY  flyer!").tolist() == rows


@pytest.mark.parametrize("title", ["", " ", "?!", "\ud800", "x y " * 5000])
def test_what_is_no_title_finds_nothing(lookup: PassageLookup, title: str):
    assert lookup.of_title(title).tolist() == []
