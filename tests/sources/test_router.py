"""Which sources are asked when, who failed, one paper once, what papers cite."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hippohover.errors import SourceError, UsageError
from hippohover.sources.document import SourceDocument
from hippohover.sources.papers import Filters
from hippohover.sources.router import SourceRouter
from tests.sources.reply_samples import Shelf, document

ORLE = document("Tides of the Orle Estuary", document_id="p1", doi="10.1000/orle", year=2020)
MUD = document("Mud of the lower Orle", document_id="p2")


def titles(passages: Sequence[object]) -> list[str]:
    return [getattr(one, "title", "") for one in passages]


def down() -> Exception:
    return SourceError("shelf answered with HTTP 503: try later")


def test_sources_of_the_first_row_are_read_in_turn():
    one = Shelf([ORLE, MUD], name="one")
    two = Shelf([document("An Orle of another kind", source="two")], name="two")
    run = SourceRouter([one, two]).run()
    found = run.search("orle tides")
    assert titles(found) == [ORLE.title, "An Orle of another kind", MUD.title]
    assert [passage.rank for passage in found] == [1, 2, 3]
    assert [passage.score for passage in found] == [1, 1 / 2, 1 / 3]
    assert titles(run.search("orle", 2)) == [ORLE.title, "An Orle of another kind"]
    assert run.as_dict() == {"searches": {"one": 2, "two": 2}, "failures": [], "left_out": 0}


def test_the_last_is_asked_only_where_the_first_found_nothing():
    first, web = Shelf([ORLE]), Shelf([MUD], name="web")
    run = SourceRouter([first], [web]).run()
    assert titles(run.search("tides")) == [ORLE.title]
    assert web.calls == []
    assert titles(run.search("mud")) == [MUD.title]
    assert web.calls == ["mud"]


def test_the_last_is_asked_where_nothing_that_the_first_found_can_be_used():
    empty, web = document("Orle without any words", text=""), Shelf([ORLE], name="web")
    run = SourceRouter([Shelf([empty])], [web]).run()
    assert titles(run.search("orle")) == [ORLE.title]
    assert run.n_left_out == 1


def test_the_fifth_search_of_the_last_is_refused_and_named():
    web = Shelf([MUD], name="web")
    router = SourceRouter([Shelf()], [web])
    run = router.run()
    for number in range(4):
        assert titles(run.search(f"mud {number}")) == [MUD.title]
    assert run.failures == []
    assert run.search("mud 5") == run.search("mud 6") == ()
    assert len(web.calls) == 4
    assert run.failures == [
        "web has made the 4 searches that one run may make, and is not asked again"
    ]
    assert titles(router.run().search("mud")) == [MUD.title]  # of a run, not of a router


def test_the_last_stands_in_for_a_first_that_is_down():
    web = Shelf([MUD], name="web")
    run = SourceRouter([Shelf(fails=down)], [web]).run()
    assert titles(run.search("mud")) == [MUD.title]
    assert run.failures == ["shelf answered with HTTP 503: try later"]


def test_a_source_that_is_down_is_named_once_and_the_others_answer():
    broken, sound = Shelf(fails=down), Shelf([ORLE], name="sound")
    run = SourceRouter([broken, sound]).run()
    for _ in range(3):
        assert titles(run.search("orle")) == [ORLE.title]
    assert broken.calls == ["orle"]
    assert run.failures == ["shelf answered with HTTP 503: try later"]


def test_a_router_counts_the_runs_that_a_failure_befell():
    router = SourceRouter([Shelf(fails=down)])
    for _ in range(2):
        router.run().search("orle")
    assert router.failures == {"shelf answered with HTTP 503: try later": 2}


def test_whatever_a_source_of_ones_own_raises_is_named():
    run = SourceRouter([Shelf(fails=lambda: KeyError("hits\nof"))]).run()
    assert run.search("orle") == ()
    assert run.failures == ["shelf: KeyError('hits\\nof')"]


@pytest.mark.parametrize("reply", [None, 5, "Orle", [{"title": "Orle"}], [ORLE, None]])
def test_a_reply_that_is_no_list_of_documents_is_named_and_the_others_answer(reply: object):
    class Odd(Shelf):
        def search(self, query: str, k: int) -> Any:  # noqa: ANN401
            return reply

    class Cites(Shelf):
        def references(self, document_id: str) -> Any:  # noqa: ANN401
            return reply

    run = SourceRouter([Odd(name="odd"), Cites([ORLE])]).run()
    assert titles(run.search("orle")) == [ORLE.title]
    assert run.references("shelf:p1", 5) == ()
    assert [failure.split(":")[0] for failure in run.failures] == ["odd", "shelf"]
    assert all("belongs" in failure for failure in run.failures)


@pytest.mark.parametrize(
    "field", [{"title": None}, {"text": 5}, {"year": "2020"}, {"doi": None}, {"document_id": 7}]
)
def test_a_document_whose_field_is_of_another_type_is_named(field: dict[str, Any]):
    odd = replace(ORLE, **field)

    class Odd(Shelf):
        def search(self, query: str, k: int) -> Sequence[SourceDocument]:
            return [odd]

    run = SourceRouter([Odd(name="odd"), Shelf([ORLE])]).run()
    assert titles(run.search("orle")) == [ORLE.title]
    (failure,) = run.failures
    assert failure.startswith("odd: ")
    assert next(iter(field)) in failure


def test_who_found_a_document_is_asked_what_it_cites_whatever_the_document_calls_it():
    cited = document("A cited work of 2015", source="nowhere", year=2015)
    run = SourceRouter([Shelf([ORLE], {"p1": [cited]}, name="mine")]).run()
    assert titles(run.search("orle")) == [ORLE.title]
    assert titles(run.references("shelf:p1", 5)) == [cited.title]
    assert titles(run.references("nowhere:A cited work of 2015", 5)) == []
    assert run.failures == []


@pytest.mark.parametrize(
    ("name", "said"),
    [("e", "bad reply here"), ("ab", "absent"), ("shelf", "the shelf is empty"), ("x.y", "xay")],
)
def test_a_failure_begins_with_the_name_of_the_source(name: str, said: str):
    run = SourceRouter([Shelf(name=name, fails=lambda: SourceError(said))]).run()
    run.search("orle")
    assert run.failures == [f"{name}: SourceError({said!r})"]


@pytest.mark.parametrize("name", ["", " ", None, 7])
def test_a_source_without_a_name_is_refused(name: Any):  # noqa: ANN401
    with pytest.raises(UsageError, match="give it one in words"):
        SourceRouter([Shelf(name=name)])


def test_a_doi_that_was_found_already_is_the_same_passage():
    other = document("Orle tides as printed", source="two", doi="10.1000/ORLE", citation_count=9)
    one, two = Shelf([ORLE], name="one"), Shelf([other], name="two")
    run = SourceRouter([one, two]).run()
    (found,) = run.search("tides")
    assert (found.pid, found.metadata["citation_count"]) == ("shelf:p1", 9)
    two.documents = [other]
    one.documents = []
    assert [passage.pid for passage in run.search("printed")] == ["shelf:p1"]
    assert run.knows("shelf:p1")
    assert not run.knows("two:other")


def test_retracted_papers_and_those_without_a_text_are_left_out_and_counted():
    gone = document("Orle retold in full", is_retracted=True)
    empty = document("Orle without any words", text="")
    run = SourceRouter([Shelf([gone, empty, ORLE])]).run()
    assert titles(run.search("orle")) == [ORLE.title]
    assert run.n_left_out == 2


def test_a_paper_that_several_searches_found_is_asked_once_what_it_cites():
    run = SourceRouter([Shelf([ORLE])]).run()
    for query in ("orle", "tides", "estuary"):
        assert titles(run.search(query)) == [ORLE.title]
    assert run.references("shelf:p1", 5) == ()
    assert run.searches == {"shelf": 3 + 1}


def test_references_of_a_paper_that_was_found():
    cited = [
        document(f"A cited work number {year}", document_id=str(year), year=year, citation_count=n)
        for year, n in ((1999, 900), (2009, 50), (2008, 49), (2015, 0), (2016, 0), (2017, 0))
    ]
    run = SourceRouter([Shelf([ORLE], {"p1": [ORLE, *cited]})]).run()
    assert run.references("shelf:p1", 5) == ()  # it was not found yet
    run.search("orle")
    found = run.references("shelf:p1", 4)
    assert [one.metadata["year"] for one in found] == [2020, 2009, 2015, 2016]
    assert found[0].pid == "shelf:p1"  # it is no second paper
    assert run.n_left_out == 2
    assert run.searches["shelf"] == 2


def test_any_source_that_knows_a_paper_is_asked_what_it_cites():
    same = document("Tides of the Orle estuary", source="two", document_id="x9")
    cited = document("A cited work of 2015", source="two", year=2015)
    one, two = Shelf([ORLE], name="shelf"), Shelf([same], {"x9": [cited]}, name="two")
    run = SourceRouter([one, two]).run()
    run.search("tides")
    assert titles(run.references("shelf:p1", 5)) == ["A cited work of 2015"]


def test_a_source_that_is_down_cites_nothing():
    class Broken(Shelf):
        def references(self, document_id: str) -> Sequence[SourceDocument]:
            raise down()

    run = SourceRouter([Broken([ORLE])]).run()
    run.search("tides")
    assert run.references("shelf:p1", 5) == ()
    assert run.references("shelf:p1", 5) == ()
    assert run.failures == ["shelf answered with HTTP 503: try later"]
    assert run.search("tides") == ()


def test_filters_are_the_routers():
    old = document("A cited work of 1990", year=1990, citation_count=1)
    filters = Filters(first_year=1980, settled_year=1985)
    run = SourceRouter([Shelf([ORLE], {"p1": [old]})], filters=filters).run()
    run.search("orle")
    assert titles(run.references("shelf:p1", 5)) == [old.title]


@pytest.mark.parametrize("names", [[], ["a", "a"]])
def test_sources_have_different_names(names: list[str]):
    with pytest.raises(UsageError, match="give one or more, of different names"):
        SourceRouter([Shelf(name=name) for name in names])
