"""Corpora, texts and claims on standard input."""

import io
import json
from pathlib import Path

import pytest

from hippohover.cli import standard_input
from hippohover.cli.standard_input import claims_typed, corpus_typed
from hippohover.errors import CorpusError, UsageError


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> object:
    """Puts bytes on standard input; what is spooled goes into the test's folder."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    def put(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def test_what_is_a_path_stays_one(tmp_path: Path):
    for typed in (None, tmp_path):
        with corpus_typed(typed, None) as path:
            assert path is typed
    with claims_typed(tmp_path) as path:
        assert path is tmp_path


def test_records_and_texts_become_files_that_are_removed(given: object, tmp_path: Path):
    assert callable(given)
    line = b'{"title": "T", "text": "x"}\n'
    given(line)
    with corpus_typed(Path("-"), None) as path:
        assert path is not None
        assert (path.name, path.read_bytes()) == ("standard input", line)
    given("\ufeffÄ {text}\n".encode())
    with corpus_typed(Path("-"), "A \udcff") as path:
        assert path is not None
        assert json.loads(path.read_text()) == {"title": "A ?", "text": "Ä {text}\n"}
    given(b"A claim.\n")
    with claims_typed(Path("-")) as path:
        assert path.read_bytes() == b"A claim.\n"
    assert list(tmp_path.iterdir()) == []


def test_errors_name_standard_input_and_not_where_it_was_put(given: object):
    assert callable(given)
    given(b"")
    with (
        pytest.raises(CorpusError, match=r"^standard input: holds nothing$"),
        claims_typed(Path("-")) as path,
    ):
        raise CorpusError(f"{path}: holds nothing")


@pytest.mark.parametrize(
    ("content", "title", "words"),
    [
        (
            b"A text.",
            None,
            "standard input is not a corpus: give JSON lines, or a text and its title",
        ),
        (b"", "T", "standard input is empty: pipe a text or JSON lines into it"),
        (b"\xff\xfe", "T", "standard input is not UTF-8 text"),
        (b'{"title":' + b" " * 200, None, "standard input has more than 0 MB: give a file"),
    ],
)
def test_what_is_no_corpus_is_refused(
    given: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes,
    title: str | None, words: str,
):  # fmt: skip
    assert callable(given)
    monkeypatch.setattr(standard_input, "MAX_BYTES", 100)
    given(content)
    with pytest.raises(UsageError, match=words), corpus_typed(Path("-"), title):
        pass
    assert list(tmp_path.iterdir()) == []
