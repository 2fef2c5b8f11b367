"""Semantic Scholar: what is asked, what its JSON says."""

import pytest

from hippohover.errors import SourceError
from hippohover.sources.document import SourceDocument
from hippohover.sources.semantic_scholar import KEY_VARIABLE, SemanticScholar
from tests.sources.reply_samples import SCHOLAR, SCHOLAR_PAPER, SCHOLAR_REFERENCES, Service


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


def test_papers_of_a_search(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY_VARIABLE, "k1")
    service = Service([SCHOLAR])
    found = SemanticScholar(service.transport).search("tide-range of Orle?", 10)
    assert found == [
        SourceDocument(
            source="semantic-scholar",
            document_id="a1b2",
            title="Tides of the Orle Estuary",
            text="The range is 4.2 m.",
            address="https://www.semanticscholar.org/paper/a1b2",
            doi="10.1000/orle.7",
            arxiv_id="2401.01234",
            year=2024,
            citation_count=12,
        )
    ]
    assert service.params()["query"] == "tide range of Orle"  # a hyphen finds nothing there
    assert service.params()["limit"] == "10"
    assert service.asked[0].headers["x-api-key"] == "k1"


def test_without_a_key_none_is_sent():
    service = Service([SCHOLAR])
    SemanticScholar(service.transport).search("tides", 5)
    assert "x-api-key" not in service.asked[0].headers


def test_an_abstract_goes_before_its_summary():
    reply = {"data": [{**SCHOLAR_PAPER, "abstract": "The abstract."}]}
    (paper,) = SemanticScholar(Service([reply]).transport).search("tides", 5)
    assert paper.text == "The abstract."


def test_references_come_with_those_cited_most_first():
    service = Service([SCHOLAR_REFERENCES])
    cited = SemanticScholar(service.transport).references("a1/b2")
    assert [(one.document_id, one.citation_count) for one in cited] == [("many", 80), ("few", 3)]
    assert cited[1].address == "https://www.semanticscholar.org/paper/few"
    assert service.asked[0].url.raw_path.startswith(b"/graph/v1/paper/a1%2Fb2/references?")


@pytest.mark.parametrize(
    "reply", [{"total": 0, "offset": 0}, {"data": None}, {"data": {}}, [], {"data": [7, None]}]
)
def test_nothing_found(reply: object):
    assert SemanticScholar(Service([reply]).transport).search("tides", 5) == []
    assert SemanticScholar(Service([reply]).transport).references("x") == []


def test_nothing_is_asked_without_words():
    service = Service([SCHOLAR])
    assert SemanticScholar(service.transport).search("--", 5) == ()
    assert service.asked == []


def test_a_refusal_names_the_key():
    with pytest.raises(SourceError, match=f"check the key in {KEY_VARIABLE}"):
        SemanticScholar(Service([403]).transport).search("tides", 5)
