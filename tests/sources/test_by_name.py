"""Names -> sources, in the order that they are asked in."""

from pathlib import Path

import pytest

from hippohover.errors import UsageError
from hippohover.sources.by_name import SOURCES, open_sources


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BRAVE_API_KEY", "k")


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
    assert [source.name for source in open_sources(list(SOURCES)).sources] == list(SOURCES)


@pytest.mark.parametrize("name", ["google", "", "notes.json"])
def test_an_unknown_name_is_refused(name: str):
    with pytest.raises(UsageError, match=r"is unknown: name one of arxiv, .*, or a TOML file"):
        open_sources([name])


def test_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("BRAVE_API_KEY")
    with pytest.raises(UsageError, match="source brave needs a key"):
        open_sources(["brave"])
