"""Lines of a corpus: numbered, bounded, without a byte order mark."""

import gzip
import io
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus import lines
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES, open_stream
from hippohover.indexing.corpus.lines import numbered_lines


def test_lines_are_numbered_blank_ones_passed_over_and_a_mark_dropped():
    stream = io.BytesIO(b"\xef\xbb\xbfone\r\n\n \t\ntwo")
    assert list(numbered_lines(stream, "f")) == [(1, b"one\r\n"), (4, b"two")]


def test_a_line_above_the_bound_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lines, "MAX_RECORD_BYTES", 8)
    assert list(numbered_lines(io.BytesIO(b"x" * 8), "f")) == [(1, b"x" * 8)]
    with pytest.raises(CorpusError, match=r"^f:2: longer than"):
        list(numbered_lines(io.BytesIO(b"ok\n" + b"x" * 9), "f"))


def test_a_line_that_unpacks_to_more_than_the_bound_is_an_error(tmp_path: Path):
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * (MAX_RECORD_BYTES + 2), compresslevel=1))
    assert path.stat().st_size < 2**20
    with open_stream(path) as stream, pytest.raises(CorpusError, match="longer than 64 MB"):
        list(numbered_lines(stream, "bomb.jsonl.gz"))
