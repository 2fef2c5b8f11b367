"""Engines and programs beside which sources are asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hippohover.errors import SourceError
from hippohover.metadata import MetadataValue
from hippohover.programs.by_name import PROGRAMS, WithPrograms
from hippohover.programs.iterative_bm25 import IterativeBm25
from hippohover.records import PassageId, RankedPassage, Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.sources.beside import BesideSources, WithSources, beside
from hippohover.sources.router import SourceRouter
from tests.programs.program_samples import ScriptedSearch, model_of, passages_of
from tests.sources.reply_samples import Shelf, document

ORLE = document("Tides of the Orle Estuary", document_id="p1")
SCRIPT = {"": ["Lantern Hill", "Vessby", "Isk"]}


def outside(*titles: str) -> list[RankedPassage]:
    return [
        replace(one, pid=PassageId(f"shelf:{one.pid}"), source="shelf")
        for one in passages_of(*titles)
    ]


def test_passages_of_both_stand_in_turn_and_scores_never_rise():
    joined = beside(passages_of("A", "B"), outside("X", "Y", "Z"))
    assert [one.title for one in joined] == ["A", "X", "B", "Y", "Z"]
    assert [one.rank for one in joined] == [1, 2, 3, 4, 5]
    assert [one.score for one in joined] == [1.0, 0.5, 0.5, 0.5, 0.5]
    assert [one.source for one in joined] == ["", "shelf", "", "shelf", "shelf"]
    assert beside(passages_of("A"), []) == passages_of("A")
    assert [one.score for one in beside([], outside("X", "Y"))] == [1.0, 0.5]


def test_a_paper_that_the_index_has_is_its_own():
    title = "Tides of the Orle Estuary"
    joined = beside(passages_of("Tides of the Orle estuary"), outside(title, "Isk"))
    assert [(one.title, one.source) for one in joined] == [
        ("Tides of the Orle estuary", ""), ("Isk", "shelf"),
    ]  # fmt: skip
    assert len(beside(passages_of("Isk"), outside("Isk"))) == 2  # one word tells nothing apart


def of_index(title: str, **metadata: MetadataValue) -> RankedPassage:
    return RankedPassage(1, PassageId("own"), title, "Held here.", 0.7, metadata=metadata)


def of_source(title: str, **metadata: MetadataValue) -> RankedPassage:
    told = {"url": "https://shelf.example/1", "id": "1", **metadata}
    pid = PassageId("shelf:1")
    return RankedPassage(1, pid, title, "Found.", 1.0, metadata=told, source="shelf")


SAME_PAPER = [
    (of_index("Own title", doi="10.1000/Orle.7"), of_source("Another", doi="10.1000/orle.7")),
    (of_index("Own title", DOI="doi:10.1000/orle"), of_source("Another", doi="10.1000/orle")),
    (of_index("Own title", id="10.1000/orle"), of_source("Another", doi="10.1000/orle")),
    (of_index("Own", link="https://doi.org/10.1000/orle"), of_source("X", doi="10.1000/orle")),
    (of_index("Own title", doi="10.1/x"), of_source("Another", doi="10.1/X")),
    (of_index("Own title", arxiv_id="2401.01234v2"), of_source("X", arxiv_id="2401.01234")),
    (of_index("Own", url="https://arxiv.org/abs/2401.01234v3"), of_source("X", arxiv="2401.01234")),
    (of_index("Own", doi="10.48550/arXiv.2401.01234"), of_source("X", arxiv_id="2401.01234")),
    (of_index("Isk Valley Line"), of_source("isk valley line.")),
]
OTHER_PAPERS = [
    (of_index("Isk Valley"), of_source("Isk Valley")),
    (of_index("Isk Valley Line"), of_source("Isk Valley Lines")),
    (of_index("Own", doi="10.1000/orle"), of_source("X", doi="10.1000/orle.7")),
    (of_index("Own", cites="10.1000/orle"), of_source("X", doi="10.1000/orle")),
    (of_index("Own", doi=""), of_source("X", doi="")),
    (of_index("Own", year=2015), of_source("X", year=2015)),
]


@pytest.mark.parametrize(("own", "found"), SAME_PAPER)
def test_a_paper_of_the_index_is_shown_once_with_its_address(
    own: RankedPassage, found: RankedPassage
):
    (shown,) = beside([own], [found])
    assert (shown.pid, shown.text, shown.source, shown.score) == ("own", own.text, "", 0.7)
    told = {name: value for name, value in found.metadata.items() if name != "id"}
    assert shown.metadata == {**told, **own.metadata}


@pytest.mark.parametrize(("own", "found"), OTHER_PAPERS)
def test_papers_that_share_no_more_than_this_are_two(own: RankedPassage, found: RankedPassage):
    assert beside([own], [found]) == (own, replace(found, rank=2, score=0.7))


class Holding(ScriptedSearch):
    """Finds passages of papers by a word of their titles."""

    papers: Sequence[RankedPassage] = ()

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        found = super().search(query, depth, retriever)
        held = [one for one in self.papers if one.title.split()[0] in query.split()]
        return replace(found, passages=(*held, *found.passages)[:depth])

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        return passages_of("Linked")


def holding(*papers: RankedPassage) -> Holding:
    engine = Holding({"tides": ["Vessby"]})
    engine.papers = papers
    return engine


def test_a_paper_that_the_index_has_is_found_there_though_the_search_did_not():
    engine = holding(of_index("Orle and its tides", doi="10.1000/orle"))
    shelf = Shelf([document("Rising tides of Orle", document_id="p1", doi="10.1000/orle")])
    both = BesideSources(engine, SourceRouter([shelf]).run())
    assert [one.pid for one in both.search("tides", 5, "bm25").passages] == ["Vessby", "own"]
    assert [one.pid for one in both.search("tides Orle", 5, "bm25").passages] == ["own", "Vessby"]
    assert [one.pid for one in both.retrieve("tides", 5, "bm25").passages] == ["Vessby", "own"]
    titles = [query for query, depth, _ in engine.calls if depth != 5 or query[0] == "R"]
    assert titles == ["Rising tides of Orle"]  # once a run


def test_what_a_paper_cites_is_the_indexs_own_where_it_has_it():
    engine = holding(of_index("Orle and its tides", doi="10.1000/orle"))
    cited = [
        document("A study about Orle", document_id="c1", year=2015, doi="10.1000/orle"),
        document("Orle and its tides", document_id="c2", year=2015),
        document("Of another river entirely", document_id="c3", year=2015),
    ]
    shelf = Shelf([document("Rising tides of Isk", document_id="p1")], {"p1": cited})
    both = BesideSources(engine, SourceRouter([shelf]).run())
    both.search("tides", 5, "bm25")
    assert [one.pid for one in both.linked("shelf:p1", 5)] == ["own", "shelf:c3"]


def test_a_paper_of_the_index_leads_to_its_links_and_to_what_it_cites():
    engine = holding(of_index("Orle and its tides"))
    cited = [document("Of another river entirely", document_id="c3", year=2015)]
    shelf = Shelf([document("Orle and its tides", document_id="p1")], {"p1": cited})
    both = BesideSources(engine, SourceRouter([shelf]).run())
    both.search("tides", 5, "bm25")
    assert [one.pid for one in both.linked("own", 5)] == ["Linked", "shelf:c3"]
    assert [one.pid for one in both.linked("Vessby", 5)] == ["Linked"]


def test_an_answer_holds_what_sources_found():
    engine = WithSources(ScriptedSearch(SCRIPT), SourceRouter([Shelf([ORLE])]))
    answer = engine.retrieve("tides", 3, "bm25")
    assert [one.title for one in answer.passages] == ["Lantern Hill", ORLE.title, "Vessby"]
    assert answer.passages[1].metadata["url"] == ORLE.address
    assert (answer.claim, answer.retriever) == ("tides", "bm25")
    assert answer.trace.source_failures == ()


def test_an_answer_names_a_source_that_is_down():
    shelf = Shelf(fails=lambda: SourceError("shelf answered with HTTP 503: try later"))
    answer = WithSources(ScriptedSearch(SCRIPT), SourceRouter([shelf])).retrieve("tides", 2)
    assert [one.title for one in answer.passages] == ["Lantern Hill", "Vessby"]
    assert answer.trace.source_failures == ("shelf answered with HTTP 503: try later",)
    assert answer.as_dict(trace=True)["trace"]["source_failures"] == list(
        answer.trace.source_failures
    )


def test_what_is_asked_of_the_index_is_asked_of_it(toy_engine: HippoHover):
    cited = document("A cited work of 2015", year=2015)
    both = BesideSources(toy_engine, SourceRouter([Shelf([ORLE], {"p1": [cited]})]).run())
    assert (both.n_passages, both.encode) == (toy_engine.n_passages, toy_engine.encode)
    assert both.names_in("Lantern Hill") == toy_engine.names_in("Lantern Hill")
    assert both.titles() == toy_engine.titles()
    first = toy_engine.search("Lantern Hill", 5, "bm25").passages[0]
    assert both.linked(first.pid, 3) == toy_engine.linked(first.pid, 3)
    assert "shelf:p1" in {one.pid for one in both.search("tides", 5, "bm25").passages}
    assert [one.title for one in both.linked("shelf:p1", 3)] == ["A cited work of 2015"]


def test_a_program_says_what_it_asked_of_sources():
    program = IterativeBm25(ScriptedSearch(SCRIPT), sources=SourceRouter([Shelf([ORLE])]))
    prediction = program(claim="tides")
    assert ORLE.title in prediction.titles
    assert prediction.run.as_dict()["sources"]["searches"] == {"shelf": len(prediction.run.found)}
    plain = IterativeBm25(ScriptedSearch(SCRIPT))(claim="tides")
    assert plain.run.as_dict()["sources"] is None
    assert ORLE.title not in plain.titles


REPLIES: dict[str, Any] = {"hop_chain": '["Orle"]', "queries": '["tides"]', "prose": "well"}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_every_program_takes_passages_of_sources(name: str):
    shelf = Shelf([ORLE])
    program = PROGRAMS[name](ScriptedSearch(SCRIPT), model_of(REPLIES, REPLIES))
    program.sources = SourceRouter([shelf])
    answer = WithPrograms(ScriptedSearch(SCRIPT), {name: program}).retrieve("tides", 21, name)
    (found,) = [one for one in answer.passages if one.source]
    assert found.metadata["url"] == ORLE.address
    assert shelf.calls[0] == "tides"


def test_a_program_names_a_source_that_is_down():
    shelf = Shelf(fails=lambda: SourceError("shelf answered with HTTP 503: try later"))
    program = IterativeBm25(ScriptedSearch(SCRIPT), sources=SourceRouter([shelf]))
    answer = WithPrograms(ScriptedSearch(SCRIPT), {"p": program}).retrieve("tides", 5, "p")
    assert answer.trace.source_failures == ("shelf answered with HTTP 503: try later",)
    assert answer.passages
