"""arXiv: what is asked, what its Atom says."""

import pytest

from hippohover.errors import SourceError
from hippohover.sources.arxiv import Arxiv
from hippohover.sources.document import SourceDocument
from tests.sources.reply_samples import ARXIV, ARXIV_ERROR, Service

BOMB = """<!DOCTYPE feed [<!ENTITY a "x"><!ENTITY b SYSTEM "file:///etc/passwd">]>
<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2401.00001</id>
<title>T&b;T</title><summary>s</summary></entry></feed>"""


def test_papers_of_a_feed():
    service = Service([ARXIV])
    first, second = Arxiv(service.transport).search("the tides of Orle: AND?", 10)
    assert first == SourceDocument(
        source="arxiv",
        document_id="2401.01234",
        title="Tides of the Orle Estuary",
        text="The tidal range is 4.2 m < the one of Vessby.",
        address="https://arxiv.org/abs/2401.01234",
        doi="10.1000/orle.7",
        arxiv_id="2401.01234",
        year=2024,
    )
    assert (second.document_id, second.year, second.is_retracted) == ("hep-th/9901001", 1999, True)
    assert service.params() == {
        "search_query": "all:tides OR all:Orle",
        "max_results": "10",
        "sortBy": "relevance",
    }
    assert service.asked[0].url.host == "export.arxiv.org"


def test_fewer_are_asked_for_and_taken():
    service = Service([ARXIV])
    assert len(Arxiv(service.transport).search("tides", 1)) == 1
    assert service.params()["max_results"] == "1"


def test_nothing_is_asked_without_words():
    service = Service([ARXIV])
    assert Arxiv(service.transport).search("the of ?", 5) == ()
    assert Arxiv(service.transport).references("2401.01234") == ()
    assert service.asked == []


def test_an_error_that_comes_as_an_entry():
    with pytest.raises(SourceError, match=r"refused the query \(max_results must be an integer\)"):
        Arxiv(Service([ARXIV_ERROR]).transport).search("tides", 5)


@pytest.mark.parametrize("text", ["", "{}", "<html/>", "<feed>", ARXIV[:400]])
def test_what_is_no_feed_is_an_error(text: str):
    with pytest.raises(SourceError, match=r"^arxiv did not answer in Atom: try later$"):
        Arxiv(Service([text]).transport).search("tides", 5)


def test_entities_of_a_feed_are_not_resolved():
    (paper,) = Arxiv(Service([BOMB]).transport).search("tides", 5)
    assert "root" not in paper.title


def test_an_entry_without_an_id_of_arxiv_is_left_out():
    text = ARXIV.replace("arxiv.org/abs", "example.org/abs")
    assert Arxiv(Service([text]).transport).search("tides", 5) == []
