"""One paper once, and which papers are taken."""

import pytest

from hippohover.sources.papers import Filters, Papers, in_turn, is_retracted, keys_of, title_key
from tests.sources.reply_samples import document

TITLE = "Tides of the Orle Estuary"


@pytest.mark.parametrize(
    ("year", "citations", "taken"),
    [
        (1999, 49, False), (1999, 50, False), (1999, 5000, False),
        (2000, 49, False), (2000, 50, True),
        (2009, 49, False), (2009, 50, True), (2009, None, False),
        (2010, 0, True), (2010, None, True), (None, 5000, False),
    ],
)  # fmt: skip
def test_which_references_are_taken(year: int | None, citations: int | None, taken: bool):
    paper = document(TITLE, year=year, citation_count=citations)
    assert Filters().takes_reference(paper) == taken
    assert Filters().takes(paper)  # a search may find older ones


def test_filters_are_settings():
    filters = Filters(first_year=1990, settled_year=1995, least_citations=3)
    assert filters.takes_reference(document(TITLE, year=1994, citation_count=3))
    assert not filters.takes_reference(document(TITLE, year=1994, citation_count=2))


@pytest.mark.parametrize(
    "title",
    [
        "RETRACTED: Tides", "Retracted Article: Tides", "[Retracted] Tides", "WITHDRAWN: x",
        "RETRACTED Tides",
        "Tides (Retracted)", "Tides [RETRACTED ARTICLE]", "Retraction of: Tides",
        "Retraction Note: Tides", "Retraction: Tides", "Retraction to: Tides",
        "Tides (Retracted article. See vol. 3)", "Tides - RETRACTED", "Withdrawal: Tides",
    ],
)  # fmt: skip
def test_retracted_papers_are_taken_by_nothing(title: str):
    assert is_retracted(document(title))
    for paper in (document(title, year=2020), document(TITLE, year=2020, is_retracted=True)):
        assert not Filters().takes(paper)
        assert not Filters().takes_reference(paper)


def test_a_paper_about_retractions_is_taken():
    assert Filters().takes(document("How retracted papers are cited"))
    assert Filters().takes(document("Retractedness of claws"))
    assert Filters().takes(document("Withdrawn behaviour in mice"))
    assert Filters().takes(document("Retractions in science"))
    assert Filters().takes(document("Retraction of the tongue in newborn mice"))
    assert not Filters().takes(document(TITLE, text=""))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"doi": "10.1000/X"}, {"doi": "10.1000/x"}),
        ({"arxiv_id": "2401.01234"}, {"doi": "10.48550/arxiv.2401.01234"}),
        ({"arxiv_id": "2401.01234"}, {"address": "https://arxiv.org/pdf/2401.01234v3"}),
        ({"doi": "10.1000/x"}, {"address": "https://doi.org/10.1000/X"}),
        ({"title": TITLE}, {"title": "Tides of the Orle estuary!"}),
        ({"address": "https://a.example/1"}, {"address": "https://a.example/1"}),
    ],
)
def test_the_same_paper_is_known(first: dict[str, str], second: dict[str, str]):
    papers = Papers()
    pids = {
        papers.add(document(one.pop("title", f"Title {n}"), source=f"s{n}", **one))
        for n, one in enumerate([dict(first), dict(second)])
    }
    assert len(pids) == 1


def test_others_are_told_apart():
    papers = Papers()
    pids = [
        papers.add(document("Editorial", document_id=str(n), address=f"https://a.example/{n}"))
        for n in range(3)
    ]
    assert len(set(pids)) == 3
    assert title_key("A reply to Smith") != ""
    assert title_key("Editorial note") == ""


def test_a_paper_has_what_any_source_knows_of_it():
    papers = Papers()
    first = document(TITLE, text="", source="a", citation_count=5)
    second = document(TITLE, text="Wet.", source="b", doi="10.1/x", year=2004, citation_count=7)
    pid = papers.add(first)
    assert papers.add(second) == pid == first.pid
    paper = papers.paper(pid)
    assert (paper.source, paper.text, paper.doi, paper.year) == ("a", "Wet.", "10.1/x", 2004)
    assert paper.citation_count == 7
    assert papers.versions(pid) == [first, second]
    assert papers.versions("b:other") == ()
    papers.add(document(TITLE, source="c", is_retracted=True))
    assert papers.paper(pid).is_retracted


def test_a_third_version_is_found_by_a_key_of_the_second():
    papers = Papers()
    pid = papers.add(document(TITLE, source="a", address="https://a.example/1"))
    papers.add(document(TITLE, source="b", doi="10.1000/x", address="https://b.example/1"))
    other = document("Its title in the journal", source="c", doi="10.1000/x", address="")
    assert papers.add(other) == pid
    assert ("doi", "10.1000/x") in keys_of(other)


def test_a_version_shows_that_two_papers_are_one():
    papers = Papers()
    first = papers.add(document(TITLE, source="a", doi="10.1000/x"))
    second = papers.add(document("Another title of the same paper", source="b", doi=""))
    assert papers.paper(second).source == "b"
    third = document("Another title of the same paper", source="c", doi="10.1000/x")
    assert papers.add(third) == first
    assert papers.paper(second) == papers.paper(first)
    assert [one.source for one in papers.versions(second)] == ["a", "b", "c"]


def test_lists_are_read_in_turn():
    a, b, c = document("A"), document("B"), document("C")
    assert list(in_turn([[a, b], [], [c]])) == [a, c, b]
