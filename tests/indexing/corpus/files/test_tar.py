"""Members of a tar stream: as ``tarfile`` reads them, with a bound, and never a quiet end.

What is refused of an archive, and bombs, are in ``test_archives.py``.
"""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus.files.tar import tar_members
from tests.indexing.corpus.tar_samples import END, header, member, pax


def opened(content: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(content))  # pyright: ignore[reportArgumentType]


def read(content: bytes) -> list[tuple[str, bytes]]:
    return [(one.name, one.content.read()) for one in tar_members(opened(content))]


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1)
PATHS = st.lists(NAMES, min_size=1, max_size=60).map("/".join)


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@given(members=st.lists(st.tuples(PATHS, st.binary(max_size=1100)), max_size=4))
def test_members_are_those_that_tarfile_wrote(form: int, members: list[tuple[str, bytes]]):
    buffer = io.BytesIO()
    wanted: list[tuple[str, bytes]] = []
    with tarfile.open(fileobj=buffer, mode="w", format=form, encoding="utf-8") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            try:
                archive.addfile(info, io.BytesIO(content))
            except ValueError:  # too long for this form
                continue
            wanted.append((name, content))
    assert read(buffer.getvalue()) == wanted


def test_kinds_are_told_apart():
    folder = header("b", 512, tarfile.DIRTYPE)  # its size says nothing
    content = member("a", b"1") + folder + header("c", 0, tarfile.SYMTYPE)
    kinds = [(one.is_file, one.is_folder) for one in tar_members(opened(content + END))]
    assert kinds == [(True, False), (False, True), (False, False)]


def sparse(n_more: int) -> bytes:
    """A sparse file of GNU of 600 bytes, whose header goes on in more blocks."""
    first = bytearray(header("s", 600, tarfile.GNUTYPE_SPARSE))
    first[482] = n_more > 0
    first[148:156] = b" " * 8
    first[148:156] = b"%06o\0 " % sum(first)
    more = b"".join(bytes(504) + bytes([at > 1]) + bytes(7) for at in range(n_more, 0, -1))
    return bytes(first) + more + b"s" * 600 + bytes(424)


@pytest.mark.parametrize("n_more", [0, 1, 3])
def test_what_stands_behind_a_sparse_file_is_found(n_more: int):
    content = member("a", b"1") + sparse(n_more) + member("b", b"2") + END
    found = [(one.name, one.is_file) for one in tar_members(opened(content))]
    assert found == [("a", True), ("s", False), ("b", True)]
    for n_bytes in range(1024, len(content) - 1536, 100):
        with pytest.raises((tarfile.ReadError, EOFError)):
            list(tar_members(opened(content[:n_bytes])))


def test_members_of_an_unknown_kind_have_their_bytes():
    content = member("v", b"x" * 700, b"D") + member("b", b"2") + END
    assert [(one.name, one.is_file) for one in tar_members(opened(content))] == [
        ("v", False),
        ("b", True),
    ]


@pytest.mark.parametrize("n_bytes", [0, 1, 600, 3000])
def test_what_is_left_of_a_member_is_passed_over(n_bytes: int):
    content = member("a", b"a" * 3000) + member("b", b"b") + END
    members = tar_members(opened(content))
    first = next(members)
    assert first.content.read(n_bytes) == b"a" * n_bytes
    first.content.close()
    assert next(members).content.read() == b"b"


def test_a_member_ends_where_the_next_is_asked_for():
    members = tar_members(opened(member("a", b"a" * 300_000) + member("b", b"b") + END))
    first = next(members)
    assert next(members).name == "b"
    assert first.content.read() == b""


def test_a_tar_cut_anywhere_is_an_error():
    whole = pax(("path", "ä")) + member("a", b"a" * 600) + member("b", b"b")
    assert len(read(whole + END[:512])) == 2
    for n_bytes in range(0, len(whole), 7):
        with pytest.raises((tarfile.ReadError, EOFError)):
            read(whole[:n_bytes])
        with pytest.raises((tarfile.ReadError, EOFError)):
            for _ in tar_members(opened(whole[:n_bytes])):
                pass  # not read, only passed over


def test_a_member_cut_short_is_an_error_where_it_is_read_and_where_it_is_passed_over():
    members = tar_members(opened(member("a", b"a" * 600)[:900]))
    first = next(members)
    assert first.content.read(300) == b"a" * 300
    with pytest.raises(EOFError):
        first.content.read()
    with pytest.raises(EOFError):
        next(members)


def test_of_headers_that_contradict_each_other_the_first_counts():
    long_name = member("@LongLink", b"three\0", tarfile.GNUTYPE_LONGNAME)
    described = pax(("path", "one")) + pax(("path", "two")) + long_name
    assert read(described + member("four", b"1") + member("five", b"") + END) == [
        ("one", b"1"),
        ("five", b""),
    ]


def test_a_member_has_sixteen_headers_at_most():
    comment = pax(("comment", "x"))
    described = (comment * 16 + member("a", b"")) * 2
    assert len(read(described + END)) == 2
    with pytest.raises(tarfile.ReadError, match="over 16 headers before one member"):
        read(comment * 17 + member("a", b"") + END)


def test_what_stands_behind_the_end_is_left_in_the_stream():
    stream = opened(member("a", b"1") + END[:512] + b"more")
    assert [one.name for one in tar_members(stream)] == ["a"]
    assert stream.read() == b"more"
