"""Unpacked streams, and damage that becomes one line."""

import bz2
import gzip
import io
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
from hippohover.indexing.corpus.files.streams import (
    damage_named,
    one_line,
    open_stream,
    unpacked_bzip2,
)
from hippohover.indexing.corpus.lines import numbered_lines


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
        (tarfile.ReadError("no whole header"), "no whole header"),
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


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("file:///in/a%20b.txt", "is an address, not a path: give /in/a b.txt"),
        ("file:/in", "is an address, not a path: give /in"),
        ("https:/x.org/c.jsonl", "is an address, not a path: fetch it, and give the path of the "),
        ("C:/x", "does not exist: check the path"),
        ("notes: old/x", "does not exist: check the path"),
    ],
)
def test_an_address_is_told_from_a_path(place: str, words: str):
    with pytest.raises(CorpusError) as raised, damage_named(place):
        raise FileNotFoundError(place)
    assert words in str(raised.value)


# Streams of bzip2: as the standard library unpacks them, whatever is read at a time


def test_bytes_are_unpacked_as_bz2_does():
    content = np.random.default_rng(0).integers(4, size=1_000_000, dtype=np.uint8).tobytes()
    packed = bz2.compress(content, 1) + bz2.compress(content[::-1])
    with unpacked_bzip2(io.BytesIO(packed)) as stream:
        assert stream.read() == content + content[::-1] == bz2.decompress(packed)


@pytest.mark.parametrize("n_bytes", [1, 10, 4096])
def test_packed_bytes_may_come_a_few_at_a_time(n_bytes: int):
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(n_bytes)

    packed = bz2.compress(b"one\n") + bytes(20) + bz2.compress(b"two\n") + bytes(5)
    with unpacked_bzip2(Slow(packed)) as stream:
        assert stream.read() == b"one\ntwo\n"


@pytest.mark.parametrize("cut", [0, 1, 4, 20])
def test_a_stream_without_its_end_is_an_error(cut: int):
    packed = bz2.compress(b"one\n")
    with unpacked_bzip2(io.BytesIO(packed[:cut])) as stream, pytest.raises(EOFError):
        stream.read()
