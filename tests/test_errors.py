"""The error tree: as its docstring draws it."""

import pickle
import re
from pathlib import Path

import pytest

from hippohover import errors

TREE = {
    "HippoHoverError": "Exception",
    "UsageError": "HippoHoverError",
    "RecipeError": "UsageError",
    "NoWordsError": "UsageError",
    "NotInIndexError": "UsageError",
    "CorpusError": "HippoHoverError",
    "DownloadError": "CorpusError",
    "ModelError": "HippoHoverError",
    "LanguageModelError": "ModelError",
    "AccessRefusedError": "LanguageModelError",
    "ReplyError": "LanguageModelError",
    "RequestRefusedError": "ReplyError",
    "SourceError": "HippoHoverError",
    "BudgetError": "HippoHoverError",
    "BuildError": "HippoHoverError",
    "IndexStoreError": "HippoHoverError",
    "IndexDamagedError": "IndexStoreError",
}
CLASSES = [value for value in vars(errors).values() if isinstance(value, type)]


def test_the_tree_is_complete():
    assert {kind.__name__: kind.__bases__[0].__name__ for kind in CLASSES} == TREE


def test_the_docstring_draws_the_tree():
    """A line is indented by four columns a level; its parent is the last line one level up."""
    drawn: dict[str, str] = {}
    path = ["Exception"]
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"    ([│├└─ ]*)(\w+Error)\b", line)
        if match:
            depth = len(match[1]) // 4
            drawn[match[2]] = path[depth]
            path[depth + 1 :] = [match[2]]
    assert drawn == TREE


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_says_one_thing_and_crosses_processes(kind: type[Exception]):
    error = kind("corpus.jsonl:17: no title; add one")
    assert isinstance(error, errors.HippoHoverError)
    assert str(error) == "corpus.jsonl:17: no title; add one"
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - what a worker process does
    assert type(copy) is kind
    assert str(copy) == str(error)
    assert kind.__doc__


def test_a_usage_error_is_a_value_error():
    """So that callers who know nothing of us catch it as what it is."""
    with pytest.raises(ValueError, match="k 22: give at most 21"):
        raise errors.RecipeError("k 22: give at most 21")


@pytest.mark.parametrize(
    ("told", "source"),
    [
        ('{"url": "file:///home/me/my%20clone", "dir_info": {}}', "/home/me/my clone"),
        ('{"url": "file:///tmp/one.whl", "archive_info": {}}', "/tmp/one.whl"),  # noqa: S108
        ('{"url": "https://example.org/one.git", "vcs_info": {}}', "hippohover"),
        (None, "hippohover"),
    ],
)
def test_an_extra_isinstalled_from_where_the_package_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str | None, source: str
):
    installed = tmp_path / "hippohover-9.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: hippohover\nVersion: 9\n", encoding="utf-8")
    if told:
        (installed / "direct_url.json").write_text(told, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    errors.installed_from.cache_clear()
    try:
        error = errors.UsageError("drawing needs matplotlib: pip install 'hippohover[pictures]'")
    finally:
        errors.installed_from.cache_clear()
    assert str(error) == f"drawing needs matplotlib: pip install '{source}[pictures]'"
