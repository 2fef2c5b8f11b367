"""Brave: what is asked, what its JSON says."""

import pytest

from hippohover.errors import UsageError
from hippohover.sources.brave import KEY_VARIABLE, Brave
from hippohover.sources.document import SourceDocument
from tests.sources.reply_samples import BRAVE, BRAVE_PAGE, Service


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY_VARIABLE, "k1")


def test_pages_of_a_search():
    service = Service([BRAVE])
    found = Brave(service.transport).search("tides of Orle", 10)
    assert found == [
        SourceDocument(
            source="brave",
            document_id="https://harbour.example/tides",
            title="Orle tide tables",
            text="High water at Vessby & Isk. Low water at noon.",
            address="https://harbour.example/tides",
        )
    ]
    assert service.params() == {"q": "tides of Orle", "count": "10"}
    assert service.asked[0].headers["X-Subscription-Token"] == "k1"


def test_no_more_is_asked_than_it_takes():
    service = Service([BRAVE])
    Brave(service.transport).search("word " * 100 + "x" * 500, 100)
    assert len(service.params()["q"].split()) == 50
    assert service.params()["count"] == "20"
    assert Brave(service.transport).search(" ", 5) == ()
    assert len(service.asked) == 1


def test_a_page_about_a_paper_is_known_by_it():
    page = {**BRAVE_PAGE, "url": "https://arxiv.org/abs/2401.01234v1"}
    (found,) = Brave(Service([{"web": {"results": [page]}}]).transport).search("tides", 5)
    assert found.arxiv_id == "2401.01234"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://x.example/", None, "https://a b", "data:text/html,x"]
)
def test_what_no_browser_opens_is_left_out(url: object):
    reply = {"web": {"results": [{**BRAVE_PAGE, "url": url}]}}
    assert Brave(Service([reply]).transport).search("tides", 5) == []


@pytest.mark.parametrize("reply", [{}, {"web": None}, {"web": {"results": 7}}, []])
def test_nothing_found(reply: object):
    source = Brave(Service([reply]).transport)
    assert source.search("tides", 5) == []
    assert source.references("https://harbour.example/tides") == ()


def test_it_needs_a_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(UsageError, match="source brave needs a key: put it into BRAVE_API_KEY"):
        Brave()
