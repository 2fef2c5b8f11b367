"""Hostile archives: headers that lie, bombs, links: one clear error, or read within a bound.

Links of folders are in ``readers/test_folder.py``.
"""

import bz2
import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.files.tar import archive_members
from tests.indexing.corpus.corpus_samples import json_line, read_corpus, tar_bytes
from tests.indexing.corpus.tar_samples import DESCRIBING, END, header, member, pax

DOCUMENT = json_line({"title": "T", "text": "words"})


def packed(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(content, 1))
    return path


def names(path: Path) -> list[tuple[str, bytes]]:
    with damage_named(path.name):
        return [(name, content.read()) for name, content in archive_members(path, ".x")]


def refusal(path: Path) -> str:
    """The message that an archive is refused with, on one line."""
    with pytest.raises(CorpusError) as caught:
        names(path)
    assert str(caught.value).isprintable()
    return str(caught.value)


# Members


def test_members_come_in_order_without_hidden_files_and_others(tmp_path: Path):
    held = ["top/b.x", "top/._b.x", "top/read.me", "a.x", ".x"]
    path = packed(tmp_path, tar_bytes([(name, name.encode()) for name in held]))
    assert names(path) == [("top/b.x", b"top/b.x"), ("a.x", b"a.x")]


def test_members_need_not_be_read_to_their_end(tmp_path: Path):
    path = packed(tmp_path, tar_bytes([("a.x", b"a" * 10_000), ("b.x", b"b")]))
    assert [name for name, _ in archive_members(path, ".x")] == ["a.x", "b.x"]


def test_long_member_names_are_read(tmp_path: Path):
    name = "folder/" * 40 + "wiki_00.x"
    assert names(packed(tmp_path, tar_bytes([(name, b"1")]))) == [(name, b"1")]


@pytest.mark.parametrize(
    "name", ["/etc/a.x", "../a.x", "top/../../a.x", "\\a.x", "top\\..\\a.x", ".."]
)
def test_a_member_whose_name_leaves_the_archive_is_refused(tmp_path: Path, name: str):
    path = packed(tmp_path, tar_bytes([("fine.x", b"1"), (name, b"2")]))
    with pytest.raises(CorpusError, match="leaves the archive") as caught:
        names(path)
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
        names(packed(tmp_path, buffer.getvalue()))


def test_an_archive_of_nothing_to_read_names_what_it_holds(tmp_path: Path):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("top.x")
        info.type = tarfile.DIRTYPE
        archive.addfile(info)
    with pytest.raises(CorpusError, match=r"a\.tar\.gz: holds no file .* in \.x .*, and no other:"):
        names(packed(tmp_path, buffer.getvalue()))
    others = tar_bytes([("a.y", b"1"), (".b.x", b"2"), ("c", b"3"), ("d", b"4")])
    with pytest.raises(CorpusError, match=r', but "a\.y", "\.b\.x", "c": pack'):
        names(packed(tmp_path, others))


@pytest.mark.parametrize("at", [512, 700, 1024, 1536, 1600, 2048, 2500])
def test_a_tar_cut_before_it_was_packed_is_an_error(tmp_path: Path, at: int):
    whole = tar_bytes([("a.x", b"a" * 600), ("b.x", b"b")])
    assert whole[2560:] == b"\0" * len(whole[2560:])  # the end mark follows the second member
    with pytest.raises(CorpusError, match=r"ends too early|cannot be read"):
        names(packed(tmp_path, whole[:at]))


def test_a_bad_header_is_not_taken_for_the_end(tmp_path: Path):
    whole = bytearray(tar_bytes([("a.x", b"a"), ("b.x", b"b"), ("c.x", b"c")]))
    whole[1024 + 150] ^= 1  # in the checksum of the second header
    with pytest.raises(CorpusError, match="no whole header at byte 1024"):
        names(packed(tmp_path, bytes(whole)))


def test_damage_behind_the_last_member_is_found(tmp_path: Path):
    padding = b"\0" * 500_000  # so that the checksum lies beyond what tar itself reads
    path = packed(tmp_path, tar_bytes([("a.x", b"a")]) + padding)
    assert names(path) == [("a.x", b"a")]
    content = bytearray(path.read_bytes())
    content[-8] ^= 1  # in gzip's checksum
    path.write_bytes(content)
    with pytest.raises(CorpusError, match="CRC"):
        names(path)


# Headers before a member


def test_a_path_and_a_size_of_a_pax_header_count(tmp_path: Path):
    content = pax(("comment", "1"), ("path", "ä/b.x"), ("size", "600"), ("mtime", "1.5"))
    content += header("short", 0) + bytes(1024) + member("c.x", b"c") + END
    assert names(packed(tmp_path, content)) == [("ä/b.x", bytes(600)), ("c.x", b"c")]


def test_a_pax_header_of_all_members_is_passed_over(tmp_path: Path):
    comment = pax(("comment", "of git archive"), kind=tarfile.XGLTYPE)
    assert names(packed(tmp_path, comment + member("a.x", b"1") + END)) == [("a.x", b"1")]


def test_a_long_gnu_name_counts(tmp_path: Path):
    name = "long/" * 60 + "a.x"
    content = member("@LongLink", name.encode() + b"\0", tarfile.GNUTYPE_LONGNAME)
    assert names(packed(tmp_path, content + member("a", b"1") + END)) == [(name, b"1")]


def test_a_name_of_a_pax_header_that_leaves_the_archive_is_refused(tmp_path: Path):
    content = pax(("path", "../a.x")) + member("a.x", b"1") + END
    assert 'member "../a.x" has a name that leaves' in refusal(packed(tmp_path, content))


@pytest.mark.parametrize("n_bytes", [2**16 + 1, 8 * 2**30, 2**62, -1, -512])
@pytest.mark.parametrize("kind", DESCRIBING)
def test_a_header_of_no_likely_size_is_refused_unread(tmp_path: Path, kind: bytes, n_bytes: int):
    """What describes a member is read whole: eight gigabytes of zeros pack into eight megabytes."""
    path = packed(tmp_path, header("a", n_bytes, kind) + bytes(2**17) + END)
    assert f"says it has {n_bytes} bytes" in refusal(path)


def test_a_member_of_less_than_no_bytes_is_refused(tmp_path: Path):
    assert "says it has -512 bytes" in refusal(packed(tmp_path, header("a.x", -512) + END))
    content = pax(("size", "-512")) + member("a.x", b"1") + END
    assert "a size of -512 bytes" in refusal(packed(tmp_path, content))


@pytest.mark.parametrize(
    "said",
    [
        b"1" * 2**16,  # an expression takes its square of steps: see benchmarks/linear_time.py
        b"12 path=a.x",
        b"99 path=a.x\n",
        b"0 path=a.x\n",
        b"-9 path=a.x\n",
        b"11 pathaaax\n",
        b"path=a.x\n",
        b"12 path=a.x\n\0",
        "١٢ path=a.x\n".encode(),
        b"4300 " * 99,
    ],
    ids=lambda said: repr(said[:12]),
)
def test_a_pax_header_of_another_form_is_refused(tmp_path: Path, said: bytes):
    path = packed(tmp_path, member("pax", said, tarfile.XHDTYPE) + member("a.x", b"1") + END)
    assert "a pax header that breaks off" in refusal(path)


@pytest.mark.parametrize("size", ["", "x", "1e3", "9" * 5000])
def test_a_size_that_is_no_number_is_refused(tmp_path: Path, size: str):
    content = pax(("size", size)) + member("a.x", b"1") + END
    assert "cannot be read" in refusal(packed(tmp_path, content))


@pytest.mark.parametrize("end", [b"", END, END[:100]])
@pytest.mark.parametrize("kind", DESCRIBING)
def test_a_header_that_describes_nothing_is_refused(tmp_path: Path, kind: bytes, end: bytes):
    content = member("a", b"12 path=a.x\n", kind) + end
    assert refusal(packed(tmp_path, content)).startswith("a.tar.gz: ")


@pytest.mark.parametrize("kind", DESCRIBING)
def test_headers_without_end_are_refused(tmp_path: Path, kind: bytes):
    assert "a.tar.gz: cannot" in refusal(packed(tmp_path, member("a", b"", kind) * 5_000 + END))


def test_a_sparse_member_is_refused_whatever_its_map(tmp_path: Path):
    """A map may have any length, and tarfile reads it whole; it may also be cut off."""
    version = pax(("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"))
    old = bytearray(header("b.x", 512, tarfile.GNUTYPE_SPARSE))
    old[482] = 1  # the map goes on in the next block
    old[148:156] = f"{sum(old[:148]) + 8 * 32 + sum(old[156:512]):06o}\0 ".encode()
    for content in (
        version + header("b.x", 10**9) + b"999999999\n" + b"1\n" * 2**20,
        version + header("b.x", 10**9),
        pax(("GNU.sparse.map", "0,1")) + member("b.x", b"1") + END,
        pax(("GNU.sparse.size", "9")) + member("b.x", b"1") + END,
        bytes(old),
        bytes(old) + b"\xff" * 2**20,
    ):
        assert 'member "b.x" is a link, a device or a sparse file' in refusal(
            packed(tmp_path, content)
        )


# What else may come as a corpus


@pytest.mark.parametrize("name", ["corpus.7z", "corpus.rar"])
def test_other_packings_are_refused_by_name_of_the_formats(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(100))
    with pytest.raises(CorpusError, match="unknown corpus format"):
        read_corpus(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_what_is_packed_twice_is_unpacked_once(tmp_path: Path, pack: Callable[[bytes], bytes]):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(pack(pack(DOCUMENT)))
    with pytest.raises(CorpusError, match=r"not JSON|not UTF-8"):
        list(read_corpus(path))


def test_nothing_is_written_whatever_an_archive_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    inside = tmp_path / "top" / "corpus"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    links = [tarfile.SYMTYPE, tarfile.LNKTYPE]
    hostile = [member(name, DOCUMENT) for name in ("../up.jsonl", "/tmp/hh-up.jsonl")]  # noqa: S108
    hostile += [header("up.jsonl", 0, kind) + member("up.jsonl", b"1") for kind in links]
    for content in hostile:
        path = packed(inside, member("a.jsonl", DOCUMENT) + content + END)
        with pytest.raises(CorpusError):
            list(read_corpus(path))
    assert list(walked(tmp_path)) == [inside / "a.tar.gz"]
    assert not Path("/tmp/hh-up.jsonl").exists()  # noqa: S108


def walked(folder: Path) -> Iterator[Path]:
    return (Path(parent, name) for parent, _, files in os.walk(folder) for name in files)


# Bombs, in a process that may take so much memory and no more


READ_EACH = """
import json, resource, sys
from pathlib import Path
from hippohover.cli.claims import read_queries
from hippohover.errors import CorpusError
from hippohover.evaluation.hover import load_claims
from tests.indexing.corpus.corpus_samples import read_corpus

read = {
    "corpus": lambda path: sum(1 for _ in read_corpus(path)),
    "claims": lambda path: len(load_claims(path)),
    "queries": lambda path: len(read_queries(path, max_chars=100)),
}
most = resource.RLIMIT_AS
resource.setrlimit(most, (int(sys.argv[1]) + 2**32, -1))
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for place in sys.argv[2:]:
    try:
        found = read[Path(place).name.partition("-")[0]](Path(place))
    except CorpusError as error:
        found = str(error)
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) * 1024
    print(json.dumps([found, more]), flush=True)
"""


def run_on(paths: list[Path], *, n_bytes: int) -> list[Any]:
    """What reading each file gives, in no more memory than that beyond what the start takes."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", READ_EACH, str(n_bytes), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=1800,
        check=True,
    )
    lines: list[tuple[Any, int]] = [json.loads(line) for line in done.stdout.splitlines()]
    for path, (_, more) in zip(paths, lines, strict=True):
        assert more <= n_bytes, f"{path.name} took {more >> 20} MB"
    return [answer for answer, _ in lines]


def streams(path: Path, *parts: tuple[bytes, int]) -> Path:
    """A file of packed streams, each so many times: a gigabyte is written in no time."""
    pack = bz2.compress if "bz2" in path.name else gzip.compress
    with path.open("wb") as file:
        for content, n in parts:
            file.write(pack(content) * n)
    return path


@pytest.mark.slow
def test_bombs_are_read_or_refused_in_a_quarter_of_a_gigabyte(tmp_path: Path):
    blank = b" " * (2**20 - 1) + b"\n"
    inner = bz2.compress(bytes(2**24)) * 64
    told = run_on(
        [
            streams(tmp_path / "corpus-line.jsonl.gz", (b"x" * 2**24, 256)),
            streams(tmp_path / "corpus-blank.jsonl.gz", (blank * 16, 64), (DOCUMENT, 1)),
            streams(tmp_path / "corpus-same.jsonl.gz", (DOCUMENT, 20_000)),
            streams(tmp_path / "corpus-zeros.tar.gz", (member("a.x", b"")[:512], 1),
                    (bytes(2**24), 64)),
            streams(tmp_path / "corpus-skipped.tar.gz", (header("a", 2**30), 1),
                    (bytes(2**24), 64), (member("a.jsonl", DOCUMENT) + END, 1)),
            streams(tmp_path / "corpus-members.tar.gz", (header("a/b.jsonl", 0) * 2000, 20),
                    (member("a.jsonl", DOCUMENT) + END, 1)),
            streams(tmp_path / "corpus-pax.tar.gz", (pax(("path", "p" * 60_000)) * 100, 20)),
            streams(tmp_path / "corpus-nested.tar.bz2", (member("w.bz2", inner) + END, 1)),
        ],
        n_bytes=2**28,
    )  # fmt: skip
    assert "longer than 64 MB" in told[0]
    assert told[1:3] == [1, 1]
    assert "no reader for such files" in told[3]
    assert "unpacks to more than 200 times its size" in told[4]
    assert told[5] == 1
    assert "cannot be read" in told[6]
    assert "longer than 64 MB" in told[7]


@pytest.mark.slow
def test_the_largest_record_takes_two_gigabytes_at_most(tmp_path: Path):
    """64 MB of empty objects; claims of that size are refused above it, packed or not."""
    objects = b"[" + b"{}," * (2**24) + b"{}]"
    record = b'{"title": "T", "text": "t", "more": ' + objects + b"}\n"
    told = run_on(
        [
            streams(tmp_path / "corpus-record.jsonl.gz", (record, 1), (DOCUMENT, 1)),
            streams(tmp_path / "claims-objects.json.gz", (objects, 1)),
            streams(tmp_path / "queries-lines.txt.gz", (b"\n" * 2**24, 3), (b"one", 1)),
            streams(tmp_path / "claims-lines.jsonl.gz", (b"\n" * 2**24, 5)),
            streams(tmp_path / "queries-lines.json.gz", (b"\n" * 2**24, 5)),
        ],
        n_bytes=2**31,
    )
    assert told[0] == 2
    assert "claims-objects.json.gz[0]: claim is None" in told[1]
    assert told[2] == 1
    assert "unpacked: split the" in told[3]
    assert "unpacked: split the" in told[4]
