"""Bounded reading: streams, lines, archive members and JSON arrays."""

import bz2
import gzip
import io
import json
import sqlite3
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import CorpusError
from hippohover.indexing.corpus import files as corpus_files
from hippohover.indexing.corpus.archives import archive_members
from hippohover.indexing.corpus.files import (
    JsonArray,
    damage_named,
    one_line,
    open_stream,
)
from hippohover.indexing.corpus.lines import numbered_lines
from tests.indexing.corpus.corpus_samples import tar_bytes

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.text())
def test_a_message_part_is_one_printable_line(text: str):
    line = one_line(text)
    assert "\n" not in line
    assert line.isprintable()
    assert len(line) <= 120


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied"), "make it readable"),
        (FileNotFoundError(2, "No such file"), "does not exist: check the path"),
        (EOFError("Compressed file ended before the end-of-stream marker"), "fetch it again"),
        (tarfile.ReadError("unexpected end of data"), "ends too early"),
        (zlib.error("Error -3 while decompressing\ndata"), "Error -3 while decompressing data"),
        (sqlite3.DatabaseError("file is not a database"), "file is not a database"),
        (RecursionError("maximum recursion depth exceeded"), "of this format"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_damage_becomes_one_line_that_names_the_place(error: Exception, words: str):
    with pytest.raises(CorpusError, match=words) as caught, damage_named("a\nb.gz"):
        raise error
    assert str(caught.value).startswith("a b.gz: ")
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is error


def test_an_error_of_the_code_is_not_taken_for_damage():
    with pytest.raises(AttributeError), damage_named("x"):
        raise AttributeError("a defect")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_streams_are_unpacked_by_their_first_bytes(tmp_path: Path, pack: Callable[[bytes], bytes]):
    path = tmp_path / "any name"
    path.write_bytes(pack(b"one\ntwo"))
    with open_stream(path) as stream:
        assert stream.read() == b"one\ntwo"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
@pytest.mark.parametrize("padding", [0, 1, 300_000])
def test_several_streams_in_one_file_are_read_on(
    tmp_path: Path, pack: Callable[[bytes], bytes], padding: int
):
    path = tmp_path / "two"
    parts = pack(b"one\n"), pack(b""), pack(b"two\n"), b""
    path.write_bytes(bytes(padding).join(parts))
    with open_stream(path) as stream:
        assert list(numbered_lines(stream, "two")) == [(1, b"one\n"), (2, b"two\n")]


def test_bytes_are_unpacked_as_bz2_does(tmp_path: Path):
    content = np.random.default_rng(0).integers(4, size=1_000_000, dtype=np.uint8).tobytes()
    path = tmp_path / "two"
    path.write_bytes(bz2.compress(content, 1) + bz2.compress(content[::-1]))
    with open_stream(path) as stream:
        assert stream.read() == content + content[::-1] == bz2.decompress(path.read_bytes())


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
@pytest.mark.parametrize(
    ("before", "part", "words"),
    [
        (b"X", slice(1, None), "cannot be read"),
        (b"", slice(0, -1), "ends too early"),
        (b"", slice(0, 2), "ends too early"),
        (b"some words", slice(0, 0), "cannot be read"),
    ],
    ids=["damaged", "cut", "begun", "garbage"],
)
def test_what_stands_after_a_stream_is_read_or_refused(
    tmp_path: Path, pack: Callable[[bytes], bytes], before: bytes, part: slice, words: str
):
    path = tmp_path / "two"
    path.write_bytes(pack(b"one\n") + before + pack(b"two\n")[part])
    with pytest.raises(CorpusError, match=words), damage_named("two"), open_stream(path) as stream:
        stream.read()


def write_tar(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(content))
    return path


def read_members(path: Path, suffix: str = ".x") -> list[tuple[str, bytes]]:
    with damage_named(path.name):
        return [(name, content.read()) for name, content in archive_members(path, suffix)]


def test_members_come_in_order_without_hidden_files_and_others(tmp_path: Path):
    names = ["top/b.x", "top/._b.x", "top/read.me", "a.x", ".x"]
    path = write_tar(tmp_path, tar_bytes([(name, name.encode()) for name in names]))
    assert read_members(path) == [("top/b.x", b"top/b.x"), ("a.x", b"a.x")]


def test_members_need_not_be_read_to_their_end(tmp_path: Path):
    path = write_tar(tmp_path, tar_bytes([("a.x", b"a" * 10_000), ("b.x", b"b")]))
    assert [name for name, _ in archive_members(path, ".x")] == ["a.x", "b.x"]


def test_long_member_names_are_read(tmp_path: Path):
    name = "folder/" * 40 + "wiki_00.x"
    assert read_members(write_tar(tmp_path, tar_bytes([(name, b"1")]))) == [(name, b"1")]


@pytest.mark.parametrize(
    "name", ["/etc/a.x", "../a.x", "top/../../a.x", "\\a.x", "top\\..\\a.x", ".."]
)
def test_a_member_whose_name_leaves_the_archive_is_refused(tmp_path: Path, name: str):
    path = write_tar(tmp_path, tar_bytes([("fine.x", b"1"), (name, b"2")]))
    with pytest.raises(CorpusError, match="leaves the archive") as caught:
        read_members(path)
    assert f'"{name}"' in str(caught.value)


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
        tarfile.GNUTYPE_SPARSE,
    ],
)
def test_links_devices_and_sparse_files_are_refused(tmp_path: Path, kind: bytes):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("top/odd")
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(CorpusError, match=r'/a\.tar\.gz: member "top/odd" is a link, a device'):
        read_members(write_tar(tmp_path, buffer.getvalue()))


def test_an_archive_of_nothing_to_read_names_what_it_holds(tmp_path: Path):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("top.x")
        info.type = tarfile.DIRTYPE
        archive.addfile(info)
    with pytest.raises(CorpusError, match=r"a\.tar\.gz: holds no file .* in \.x .*, and no other:"):
        read_members(write_tar(tmp_path, buffer.getvalue()))
    others = tar_bytes([("a.y", b"1"), (".b.x", b"2"), ("c", b"3"), ("d", b"4")])
    with pytest.raises(CorpusError, match=r', but "a\.y", "\.b\.x", "c": pack'):
        read_members(write_tar(tmp_path, others))


@pytest.mark.parametrize("at", [512, 700, 1024, 1536, 1600, 2048, 2500])
def test_a_tar_cut_before_it_was_packed_is_an_error(tmp_path: Path, at: int):
    whole = tar_bytes([("a.x", b"a" * 600), ("b.x", b"b")])
    assert whole[2560:] == b"\0" * len(whole[2560:])  # the end mark follows the second member
    with pytest.raises(CorpusError, match=r"ends too early|cannot be read"):
        read_members(write_tar(tmp_path, whole[:at]))


def test_a_bad_header_is_not_taken_for_the_end(tmp_path: Path):
    whole = bytearray(tar_bytes([("a.x", b"a"), ("b.x", b"b"), ("c.x", b"c")]))
    whole[1024 + 150] ^= 1  # in the checksum of the second header
    with pytest.raises(CorpusError, match="no whole header at byte 1024"):
        read_members(write_tar(tmp_path, bytes(whole)))


def test_damage_behind_the_last_member_is_found(tmp_path: Path):
    padding = b"\0" * 500_000  # so that the checksum lies beyond what tar itself reads
    path = write_tar(tmp_path, tar_bytes([("a.x", b"a")]) + padding)
    assert read_members(path) == [("a.x", b"a")]
    packed = bytearray(path.read_bytes())
    packed[-8] ^= 1  # in gzip's checksum
    path.write_bytes(packed)
    with pytest.raises(CorpusError, match="CRC"):
        read_members(path)


def read_array(content: bytes) -> list[tuple[object, bool]]:
    with damage_named("a.json"):
        return list(JsonArray(io.BytesIO(content), "a.json"))


@given(items=st.lists(JSON_VALUES), indent=st.none() | st.integers(0, 2), ascii_only=st.booleans())
@pytest.mark.parametrize("chunk", [1, 7, 2**20])
def test_an_array_is_read_as_the_json_module_reads_it(
    chunk: int, items: list[object], indent: int | None, ascii_only: bool
):
    content = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_files, "CHUNK_BYTES", chunk)
        read = read_array(content.encode("utf-8", "surrogatepass"))
    assert [item for item, _ in read] == json.loads(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[",
        b"[1",
        b"[1,",
        b"[1,]",
        b"[1 2]",
        b"[,1]",
        b"[1]]",
        b"[1] x",
        b"[nope]",
        b'["open',
        b"\x00[1]",
        b"[" * 100_000,
        b'[{"a":' + b"[" * 100_000,
        b"[" + b"9" * 5_000 + b"]",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_broken_array_is_an_error_on_one_line(content: bytes):
    with pytest.raises(CorpusError, match=r"^a\.json: not a whole JSON array") as caught:
        read_array(content)
    assert "\n" not in str(caught.value)


def test_an_item_that_is_not_utf8_is_marked_and_the_next_one_read():
    assert read_array(b'["\xff", "\\udc80", "ok"]') == [
        ("\udcff", False),
        ("\udc80", True),
        ("ok", True),
    ]


def test_an_item_above_the_bound_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(corpus_files, "MAX_RECORD_BYTES", 64)
    monkeypatch.setattr(corpus_files, "CHUNK_BYTES", 16)
    assert len(read_array(json.dumps(["x" * 40] * 9).encode())) == 9
    with pytest.raises(CorpusError, match=r"^a\.json: item 2: longer than"):
        read_array(json.dumps(["x", "y" * 200]).encode())
