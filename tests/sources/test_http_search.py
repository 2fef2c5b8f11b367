"""Any search by a template: settings, what is asked, what is read."""

from pathlib import Path

import pytest

from hippohover.errors import SourceError, UsageError
from hippohover.recipe_files import read_settings
from hippohover.sources.document import SourceDocument
from hippohover.sources.http_search import HttpSearch, HttpSearchSettings
from tests.sources.reply_samples import Service

TOML = """
name = "notes"
address = "https://notes.example/api?q={query}&n={k}"
references = "https://notes.example/api/{id}/cites"
results = "data.items"
title = "head.title"
text = "body"
url = "link"
id = "key"
doi = "doi"
year = "year"
citation_count = "cites"
is_retracted = "gone"
key_variable = "NOTES_KEY"
key_prefix = "Bearer "
"""
ITEM = {
    "head": {"title": "Orle <b>notes</b>"}, "body": "Wet.", "link": "https://notes.example/1",
    "key": 17, "doi": "doi:10.1000/n", "year": "2001", "cites": 3, "gone": True,
}  # fmt: skip
REPLY = {"data": {"items": [ITEM, {"key": 18}]}}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HttpSearchSettings:
    monkeypatch.setenv("NOTES_KEY", "k1")
    (tmp_path / "notes.toml").write_text(TOML, encoding="utf-8")
    return read_settings(tmp_path / "notes.toml", HttpSearchSettings)


def test_results_are_read_where_the_settings_say(settings: HttpSearchSettings):
    service = Service([REPLY])
    found = HttpSearch(settings, service.transport).search("a&b = c/d", 7)
    assert found == [
        SourceDocument(
            source="notes",
            document_id="17",
            title="Orle notes",
            text="Wet.",
            address="https://notes.example/1",
            doi="10.1000/n",
            year=2001,
            citation_count=3,
            is_retracted=True,
        )
    ]
    assert service.asked[0].url.raw_path == b"/api?q=a%26b%20%3D%20c%2Fd&n=7"
    assert service.asked[0].headers["Authorization"] == "Bearer k1"


def test_references_by_their_own_address(settings: HttpSearchSettings):
    cited = [{**ITEM, "key": "a", "cites": 1}, {**ITEM, "key": "b", "cites": 9}]
    service = Service([{"data": {"items": cited}}])
    found = HttpSearch(settings, service.transport).references("../17?x")
    assert [one.document_id for one in found] == ["b", "a"]
    assert service.asked[0].url.raw_path == b"/api/..%2F17%3Fx/cites"
    plain = settings.model_copy(update={"references": ""})
    assert HttpSearch(plain, service.transport).references("17") == ()


def test_a_list_at_the_top_with_the_usual_names():
    own = HttpSearchSettings(name="s", address="http://localhost:8080/?q={query}")
    row = {"title": "T", "text": "x", "url": "https://arxiv.org/abs/2401.01234"}
    (found,) = HttpSearch(own, Service([[row]]).transport).search("q", 3)
    assert found.document_id == found.address == "https://arxiv.org/abs/2401.01234"
    assert (found.arxiv_id, found.year, found.is_retracted) == ("2401.01234", None, False)
    assert HttpSearch(own, Service([[row] * 9]).transport).search("q", 3) == [found] * 3
    assert HttpSearch(own, Service([[row]]).transport).search("  ", 3) == ()


@pytest.mark.parametrize(
    "reply", [{}, {"data": {}}, {"data": None, "n": 0}, {"data": {"items": []}}, []]
)
def test_nothing_found(settings: HttpSearchSettings, reply: object):
    assert HttpSearch(settings, Service([reply]).transport).search("q", 3) == []


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"hits": [], "n": 3}, r"notes has no list at 'data.items' \(results\): it has hits, n$"),
        ({"data": {"items": "x"}}, "no list at 'data.items'.*it has data$"),
        ("7", "no list at 'data.items'.*it has no fields$"),
        (
            {"data": {"items": [{"name": "T", "key": 1}]}},
            "no result of notes has a title at 'head.title' and an id at 'key': "
            "the first has key, name$",
        ),
    ],
)
def test_paths_that_a_reply_has_not_are_named(
    settings: HttpSearchSettings, reply: object, told: str
):
    with pytest.raises(SourceError, match=told):
        HttpSearch(settings, Service([reply]).transport).search("q", 3)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('address = "http://notes.example/?q={query}"', "address"),
        ('address = "file:///etc/{query}"', "address"),
        ('address = "https://notes.example/"', "say where the query goes"),
        ('references = "ftp://x/{id}"', "references"),
        ('address = "https://{query}/a"', "address.*behind the host"),
        ('address = "https://api.{query}.example:{k}/"', "address.*behind the host"),
        ('references = "https://{id}.example/"', "references.*behind the host"),
        ('name = "Big Name"', "name"),
        ('adress = "x"', "unknown key 'adress'"),
        ("interval_seconds = -1.0", "interval_seconds"),
        ("year = 3", "year"),
    ],
)
def test_settings_that_are_refused(tmp_path: Path, change: str, told: str):
    key = change.partition(" ")[0]
    kept = [line for line in TOML.splitlines() if not line.startswith(f"{key} ")]
    path = tmp_path / "x.toml"
    path.write_text("\n".join([*kept, change]), encoding="utf-8")
    with pytest.raises(UsageError, match=told) as caught:
        read_settings(path, HttpSearchSettings)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_settings(tmp_path / "none.toml", HttpSearchSettings)
    (tmp_path / "x.toml").write_bytes(b"\xff = [")
    with pytest.raises(UsageError, match="is not valid TOML"):
        read_settings(tmp_path / "x.toml", HttpSearchSettings)


def test_a_key_that_is_named_must_be_there(
    settings: HttpSearchSettings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("NOTES_KEY")
    with pytest.raises(UsageError, match="source notes needs a key: put it into NOTES_KEY"):
        HttpSearch(settings)
