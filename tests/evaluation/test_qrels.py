"""Qrels of TREC, of BEIR and as JSON."""

import gzip
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.evaluation.qrels import read_qrels

EXPECTED = {"q1": ("d1", "d 3"), "q2": ("d2",)}


def read(folder: Path, content: bytes) -> dict[str, tuple[str, ...]]:
    (folder / "qrels").write_bytes(content)
    return read_qrels(folder / "qrels")


@pytest.mark.parametrize(
    "content",
    [
        b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td 3\t2\nq1\td4\t0\nq2\td2\t1\n",
        b"q1\td1\t1\r\nq1\td 3\t2\r\nq2\td2\t1.0\r\n",
        b"\xef\xbb\xbfq1\t0\td1\t1\nq1\t0\td 3\t3\nq1\t0\td9\t-2\n\nq2\t0\td2\t1\nq1\t0\td1\t1\n",
        b'{"q1": {"d1": 1%s, "d 3": 2.5, "d4": 0}, "q2": {"d2": 1}}' % (b"0" * 400),
        gzip.compress(b"q1\td1\t1\nq1\td 3\t2\nq2\td2\t1\n", mtime=0),
    ],
)
def test_every_form_says_the_same(tmp_path: Path, content: bytes):
    assert read(tmp_path, content) == EXPECTED


def test_trecs_own_is_parted_by_blanks(tmp_path: Path):
    assert read(tmp_path, b"301 0 FT-1 1\n301  0  FT-2  0\n") == {"301": ("FT-1",)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no document is relevant"),
        (b"q1 0 d1 0\n", "no document is relevant"),
        (b"q1 0 d1 1\nq1 d1\n", "qrels:2: is not a line of qrels"),
        (b"q1 0 d1 1\nq1 0 d1 yes\n", "qrels:2: is not a line of qrels"),
        (b"q1 0 d1 1 2 3\n", "qrels:1: is not a line of qrels"),
        (b"Who sang?\n", "qrels:1: is not a line of qrels"),
        (b"\xff", "qrels:1: not UTF-8"),
        (b'{"q1": 1}', "looks like JSON, but is not"),
        (b'{"q1": {"d1": "x"}}', "a score of 'q1' is not a number"),
        (b'{"q1": {', "not JSON"),
        (b'{"q1": {"d1": 1}}\n{"q2": {"d2": 1}}\n', "is JSON lines, as claims are: give qrels"),
    ],
)
def test_bad_qrels_are_one_line(tmp_path: Path, content: bytes, message: str):
    with pytest.raises(CorpusError, match=message) as raised:
        read(tmp_path, content)
    assert str(raised.value).isprintable()
    assert str(raised.value).startswith(str(tmp_path / "qrels"))


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(CorpusError, match="no such qrels file"):
        read_qrels(tmp_path / "none")
