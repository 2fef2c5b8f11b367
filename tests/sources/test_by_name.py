"""Names -> sources: what each service is asked, what its JSON says, and the order of asking."""

from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import SourceError, UsageError
from hippohover.sources.by_name import SOURCES, open_sources
from hippohover.sources.document import Source, SourceDocument
from tests.sources.reply_samples import (
    BRAVE,
    BRAVE_PAGE,
    OPEN_ALEX,
    OPEN_ALEX_WORK,
    SCHOLAR,
    SCHOLAR_PAPER,
    SCHOLAR_REFERENCES,
    Service,
)

KEYS = {
    "semantic-scholar": "SEMANTIC_SCHOLAR_API_KEY",
    "openalex": "OPENALEX_API_KEY",
    "brave": "BRAVE_API_KEY",
}
TIDES = "Tides of the Orle Estuary"
FOUND = {
    "semantic-scholar": SourceDocument(
        source="semantic-scholar",
        document_id="a1b2",
        title=TIDES,
        text="The range is 4.2 m.",
        address="https://www.semanticscholar.org/paper/a1b2",
        doi="10.1000/orle.7",
        arxiv_id="2401.01234",
        year=2024,
        citation_count=12,
    ),
    "openalex": SourceDocument(
        source="openalex",
        document_id="W77",
        title=TIDES,
        text="The tidal range varies. The",
        address="https://journal.example/orle",
        doi="10.48550/arxiv.2401.01234",
        arxiv_id="2401.01234",
        year=2023,
        citation_count=15,
    ),
    "brave": SourceDocument(
        source="brave",
        document_id="https://harbour.example/tides",
        title="Orle tide tables",
        text="High water at Vessby & Isk. Low water at noon.",
        address="https://harbour.example/tides",
    ),
}
REPLIES: dict[str, Any] = {"semantic-scholar": SCHOLAR, "openalex": OPEN_ALEX, "brave": BRAVE}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch):
    for variable in KEYS.values():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("BRAVE_API_KEY", "k1")


def opened(name: str, *replies: object) -> tuple[Source, Service]:
    service = Service(list(replies or [REPLIES[name]]))
    return SOURCES[name](service.transport), service


def first(name: str, **changes: object) -> SourceDocument:
    """What is found where the reply's only result has these fields."""
    (own,) = {
        "semantic-scholar": [{"data": [{**SCHOLAR_PAPER, **changes}]}],
        "openalex": [{"results": [{**OPEN_ALEX_WORK, **changes}]}],
        "brave": [{"web": {"results": [{**BRAVE_PAGE, **changes}]}}],
    }[name]
    (found,) = opened(name, own)[0].search("tides", 5)
    return found


@pytest.mark.parametrize(
    ("name", "query", "asked"),
    [
        ("semantic-scholar", "tide-range of Orle?", {"query": "tide range of Orle", "limit": "10"}),
        ("openalex", "tides, of: Orle", {"search": "tides of Orle", "per_page": "10"}),
        ("brave", "tides of Orle", {"q": "tides of Orle", "count": "10"}),
    ],
)
def test_what_a_search_asks_and_finds(name: str, query: str, asked: dict[str, str]):
    source, service = opened(name)
    assert source.search(query, 10) == [FOUND[name]]
    assert asked.items() <= service.params().items()
    assert service.asked[0].headers["Accept"] == "application/json"


@pytest.mark.parametrize(
    ("name", "header"), [("semantic-scholar", "x-api-key"), ("brave", "X-Subscription-Token")]
)
def test_a_key_is_sent_in_its_header(name: str, header: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEYS[name], "k-7788")
    source, service = opened(name, REPLIES[name], 403)
    source.search("tides", 5)
    assert service.asked[0].headers[header] == "k-7788"
    with pytest.raises(SourceError, match=f"check the key in {KEYS[name]}"):
        source.search("tides", 5)


def test_a_key_that_is_a_parameter_is_told_to_nobody(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENALEX_API_KEY", "k&7788")
    source, service = opened("openalex", OPEN_ALEX, 403)
    source.search("tides", 5)
    assert service.params()["api_key"] == "k&7788"
    with pytest.raises(SourceError, match="openalex refused") as caught:
        source.search("tides", 5)
    assert "7788" not in str(caught.value)


def test_without_a_key_none_is_sent_or_it_is_refused(monkeypatch: pytest.MonkeyPatch):
    for name in ("semantic-scholar", "openalex"):
        source, service = opened(name)
        source.search("tides", 5)
        assert "x-api-key" not in service.asked[0].headers
        assert "api_key" not in service.params()
    with pytest.raises(SourceError, match="check the key in SEMANTIC_SCHOLAR_API_KEY"):
        opened("semantic-scholar", 403)[0].search("tides", 5)
    monkeypatch.delenv("BRAVE_API_KEY")
    with pytest.raises(UsageError, match="source brave needs a key: put it into BRAVE_API_KEY"):
        open_sources(["brave"])


@pytest.mark.parametrize(
    ("name", "query", "n", "words", "most"),
    [
        ("brave", "q", "count", 50, "20"),
        ("openalex", "search", "per_page", 40, "100"),
        ("semantic-scholar", "query", "limit", 40, "100"),
    ],
)
def test_no_more_is_asked_than_it_takes(name: str, query: str, n: str, words: int, most: str):
    source, service = opened(name)
    source.search(" ".join(f"w{number}" for number in range(200)), 1000)
    assert len(service.params()[query].split()) == words
    assert service.params()[n] == most
    source.search("x" * 500, 5)
    assert len(service.params()[query]) == (400 if name == "brave" else 500)


@pytest.mark.parametrize("name", KEYS)
def test_nothing_is_asked_without_words(name: str):
    source, service = opened(name)
    assert [source.search(query, 5) for query in (" ", "")] == [(), ()]
    assert name == "brave" or source.search("--", 5) == ()
    assert service.asked == []


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("semantic-scholar", {"total": 0, "offset": 0}),
        ("semantic-scholar", {"data": None}),
        ("openalex", {"results": None}),
        ("openalex", {"results": [{"id": None}]}),
        ("brave", {"web": None}),
        *((name, reply) for name in KEYS for reply in ({}, [])),
    ],
)
def test_nothing_found(name: str, reply: object):
    source, _ = opened(name, reply)
    assert source.search("tides", 5) == []
    assert list(source.references("x")) == []


@pytest.mark.parametrize(
    ("name", "reply", "message"),
    [
        ("openalex", [1, 2], "has no list at 'results'"),
        ("openalex", {"results": [1, 2]}, "the results of openalex are no objects: the first is 1"),
        ("semantic-scholar", {"data": {"paperId": "a"}}, "has no list at 'data'"),
        ("brave", {"web": {"results": 7}}, r"has no list at 'web\.results'"),
    ],
)
def test_a_reply_of_another_shape_is_named(name: str, reply: object, message: str):
    """Or a service that is paid would be asked, because nothing was found."""
    source, _ = opened(name, reply)
    with pytest.raises(SourceError, match=message):
        source.search("tides", 5)


def test_references_come_with_those_cited_most_first():
    source, service = opened("semantic-scholar", SCHOLAR_REFERENCES)
    cited = source.references("a1/b2")
    assert [(one.document_id, one.citation_count) for one in cited] == [("many", 80), ("few", 3)]
    assert cited[1].address == "https://www.semanticscholar.org/paper/few"
    assert service.asked[0].url.raw_path.startswith(b"/graph/v1/paper/a1%2Fb2/references?")
    assert "tldr" not in service.params()["fields"]
    source, service = opened("openalex")
    assert [one.document_id for one in source.references("W5")] == ["W77"]
    wanted = {"filter": "cited_by:W5", "sort": "cited_by_count:desc", "per_page": "100"}
    assert wanted.items() <= service.params().items()
    assert len(service.asked) == 1
    assert opened("brave")[0].references("https://harbour.example/tides") == ()


def test_an_abstract_goes_before_its_summary():
    assert first("semantic-scholar", abstract="The abstract.").text == "The abstract."


@pytest.mark.parametrize("index", [None, {"word": "no list"}, {"word": [None]}])
def test_a_work_without_an_abstract_has_no_text(index: object):
    assert first("openalex", abstract_inverted_index=index).text == ""


def test_an_address_is_found_where_there_is_no_page():
    work = first("openalex", primary_location=None, is_retracted=True)
    assert work.address == "https://doi.org/10.48550/arXiv.2401.01234"
    assert work.is_retracted
    assert first("openalex", primary_location={}, doi=None).address == "https://openalex.org/W77"


def test_a_page_about_a_paper_is_known_by_it():
    assert first("brave", url="https://arxiv.org/abs/2401.01234v1").arxiv_id == "2401.01234"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://x.example/", None, "https://a b", "data:text/html,x"]
)
def test_what_no_browser_opens_is_left_out(url: object):
    reply = {"web": {"results": [{**BRAVE_PAGE, "url": url}]}}
    assert opened("brave", reply)[0].search("tides", 5) == []


def written(path: Path, more: str = "") -> str:
    text = f'name = "{path.stem}"\naddress = "https://notes.example/?q={{query}}"\n{more}'
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_brave_is_asked_last(tmp_path: Path):
    mine = written(tmp_path / "mine.toml")
    paid = written(tmp_path / "paid.toml", "last_resort = true")
    router = open_sources(["brave", paid, "openalex", "arxiv", mine, "arxiv"])
    assert [source.name for source in router.first] == ["openalex", "arxiv", "mine"]
    assert [source.name for source in router.last] == ["brave", "paid"]
    assert router.most_last == 4


def test_every_name_is_a_source():
    assert sorted(source.name for source in open_sources(list(SOURCES)).sources) == sorted(SOURCES)


@pytest.mark.parametrize("name", ["google", "", "notes.json"])
def test_an_unknown_name_is_refused(name: str):
    with pytest.raises(UsageError, match=r"is unknown: name one of arxiv, .*, or a TOML file"):
        open_sources([name])
