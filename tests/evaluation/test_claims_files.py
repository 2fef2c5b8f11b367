"""Files of claims: containers, places, bounds, and damage in one line."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.evaluation import claims_files
from hippohover.evaluation.claims_files import claims_content, json_records, text_lines

RECORDS = [{"claim": "Größe 東京 \u2028 1"}, {"claim": "Two."}, 3]


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def records(content: bytes) -> list[tuple[object, str]]:
    return list(json_records(content, "c"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["bare", "marked"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_and_lines_hold_the_same_records(
    tmp_path: Path, pack: type[bytes], mark: bytes, indent: int | None
):
    array = b"\n " + json.dumps(RECORDS, indent=indent, ensure_ascii=False).encode()
    lines = b"\r\n".join(json.dumps(r, ensure_ascii=False).encode() for r in RECORDS)
    for stored, places in (
        (array, ["c[0]", "c[1]", "c[2]"]),
        (lines, ["c:1", "c:2", "c:3"]),
        (b"\n\n" + lines + b"\r\n\r\n", ["c:3", "c:4", "c:5"]),
    ):
        content = claims_content(write(tmp_path / "any", pack(mark + stored)))
        assert records(content) == list(zip(RECORDS, places, strict=True))


def test_lines_keep_their_blanks_and_blank_ones_are_passed_over():
    content = "One.\n\n  Two, \u2028three. \r\n \t\n\u3000\nfour".encode()
    assert list(text_lines(content, "c")) == [
        ("One.", "c:1"),
        ("  Two, \u2028three. \r", "c:3"),
        ("four", "c:6"),
    ]


@pytest.mark.parametrize("content", [b"", b" \n\n", b"[]", b" [ ]\n"])
def test_an_empty_file_holds_nothing(content: bytes):
    assert records(content) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", r"^c:1: not JSON \(Expecting .* line 1 column 2 "),
        (b'{"a"\n', r"^c:1: not JSON \(Expecting .* line 1 column 5 "),
        (b"\n\nnonsense", "^c:3: not JSON"),
        (b'{}\n{"uid": "\xff"}', "^c:2: not UTF-8 at byte 9: save it as UTF-8"),
        (b'[1, "\xff"]', "^c: not UTF-8 at byte 5"),
        (b"[1,\n2", "^c: not JSON"),
        (b"[" * 100_000, "^c: not JSON"),
        (b'{"uid": ' + b"9" * 5_000 + b"}", "^c:1: not JSON"),
    ],
)
def test_what_is_no_json_is_named_by_its_place(content: bytes, message: str):
    with pytest.raises(CorpusError, match=message) as raised:
        records(content)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"{}", mtime=0)[:-9], "cannot be read"),
        (b"\x1f\x8b", "cannot be read"),
        (b"\x1f\x8b\x08garbage that is no gzip", "cannot be read"),
        (gzip.compress(b"{}", mtime=0)[:10] + b"\xff" * 20, "cannot be read.*invalid block type"),
    ],
)
def test_damaged_gzip_is_refused(tmp_path: Path, content: bytes, message: str):
    with pytest.raises(CorpusError, match=message):
        claims_content(write(tmp_path / "claims", content))


def test_a_missing_path_and_a_folder(tmp_path: Path):
    with pytest.raises(CorpusError, match="no such claims file"):
        claims_content(tmp_path / "none.jsonl")
    with pytest.raises(CorpusError, match="is a folder: give the file of claims in it"):
        claims_content(tmp_path)
    (tmp_path / "queries.jsonl").touch()
    with pytest.raises(CorpusError, match=r"is a folder: give .*queries\.jsonl, with --qrels"):
        claims_content(tmp_path)


def test_a_file_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(claims_files, "MAX_CLAIMS_BYTES", 10_000)
    with pytest.raises(CorpusError, match="over 10,000 bytes unpacked"):
        claims_content(write(tmp_path / "bomb.gz", gzip.compress(b" " * 1_000_000)))


def test_such_a_file_is_never_in_memory_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(claims_files, "MAX_CLAIMS_BYTES", 10_000)
    bomb = write(tmp_path / "bomb.gz", gzip.compress(b" " * 20_000_000))
    tracemalloc.start()
    with pytest.raises(CorpusError, match="unpacked"):
        claims_content(bomb)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 2_000_000
