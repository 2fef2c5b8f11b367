"""OpenAlex: what is asked, what its JSON says."""

import pytest

from hippohover.sources.document import SourceDocument
from hippohover.sources.open_alex import KEY_VARIABLE, OpenAlex
from tests.sources.reply_samples import OPEN_ALEX, OPEN_ALEX_WORK, Service


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


def test_works_of_a_search():
    service = Service([OPEN_ALEX])
    found = OpenAlex(service.transport).search("tides, of: Orle", 10)
    assert found == [
        SourceDocument(
            source="openalex",
            document_id="W77",
            title="Tides of the Orle Estuary",
            text="The tidal range varies. The",
            address="https://journal.example/orle",
            doi="10.48550/arxiv.2401.01234",
            arxiv_id="2401.01234",
            year=2023,
            citation_count=15,
        )
    ]
    assert service.params()["search"] == "tides of Orle"
    assert service.params()["per_page"] == "10"
    assert "api_key" not in service.params()


def test_a_key_is_sent_and_told_to_nobody(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY_VARIABLE, "k-7788")
    service = Service([OPEN_ALEX, 403])
    source = OpenAlex(service.transport)
    source.search("tides", 5)
    assert service.params()["api_key"] == "k-7788"
    with pytest.raises(Exception, match="openalex refused") as caught:
        source.search("tides", 5)
    assert "k-7788" not in str(caught.value)


def test_references_are_asked_for_in_one_request_those_cited_most_first():
    service = Service([OPEN_ALEX])
    assert [one.document_id for one in OpenAlex(service.transport).references("W5")] == ["W77"]
    assert service.params()["filter"] == "cited_by:W5"
    assert service.params()["sort"] == "cited_by_count:desc"
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"abstract_inverted_index": None},
        {"abstract_inverted_index": {"word": "no list"}},
        {"abstract_inverted_index": {"word": [None]}},
    ],
)
def test_a_work_without_an_abstract_has_no_text(change: dict[str, object]):
    reply = {"results": [{**OPEN_ALEX_WORK, **change}]}
    (work,) = OpenAlex(Service([reply]).transport).search("tides", 5)
    assert work.text == ""


def test_an_address_is_found_where_there_is_no_page():
    reply = {"results": [{**OPEN_ALEX_WORK, "primary_location": None, "is_retracted": True}]}
    (work,) = OpenAlex(Service([reply]).transport).search("tides", 5)
    assert work.address == "https://doi.org/10.48550/arXiv.2401.01234"
    assert work.is_retracted
    reply = {"results": [{**OPEN_ALEX_WORK, "primary_location": {}, "doi": None}]}
    (work,) = OpenAlex(Service([reply]).transport).search("tides", 5)
    assert work.address == "https://openalex.org/W77"


@pytest.mark.parametrize("reply", [{}, {"results": None}, [], {"results": [{"id": None}]}])
def test_nothing_found(reply: object):
    assert OpenAlex(Service([reply]).transport).search("tides", 5) == []
