"""What a stopped build has done is found again by the same build, and by no other."""

import os
from collections.abc import Iterable
from pathlib import Path
from stat import S_IMODE

import pytest

from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.indexing import work_folder
from hippohover.indexing.work_folder import WORK
from hippohover.records import Passage
from tests.index_samples import refused
from tests.indexing.work_samples import pid, work_of


def passages(n: int = 5, text: str = "x") -> list[Passage]:
    return [Passage(pid(row), f"T{row}", text) for row in range(n)]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_same_passages_find_what_was_done_with_them(tmp_path: Path):
    work = work_of(tmp_path, passages(), size=2)
    work.found(1).write_bytes(b"done")
    again = work_of(tmp_path, reversed_(passages()), size=2)
    assert again.folder == work.folder
    assert again.found(1).read_bytes() == b"done"
    assert list(again.passages) == passages()
    assert names(tmp_path / WORK) == [work.folder.name]
    assert {S_IMODE(folder.stat().st_mode) for folder in (work.folder, tmp_path / WORK)} == {0o700}


def reversed_(rows: list[Passage]) -> list[Passage]:
    return rows[::-1]


@pytest.mark.parametrize(
    "what", ["passages", "text", "size", "made_by", "metadata", "user", "stages"]
)
def test_anything_else_begins_anew_and_removes_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
):
    work = work_of(tmp_path, passages(), size=2, made_by=["a", "b"])
    work.found(1).write_bytes(b"done")
    rows, size, made_by, metadata = passages(), 2, ["a", "b"], list[str]()
    if what == "passages":
        rows = passages(4)
    elif what == "text":
        rows = passages(text="y")
    elif what == "size":
        size = 3
    elif what == "made_by":
        made_by = ["ab", ""]
    elif what == "user":
        monkeypatch.setattr(work_folder, "own_key", lambda: b"another key")
    elif what == "metadata":
        metadata, rows = ["lang"], [Passage(one.pid, one.title, "x", metadata=(None,))
                                    for one in rows]  # fmt: skip
    else:
        monkeypatch.setattr(work_folder, "_STAGES", "next")
    other = work_of(tmp_path, rows, size=size, made_by=made_by, metadata=metadata)
    assert other.folder != work.folder
    assert not other.found(1).exists()
    assert names(tmp_path / WORK) == [other.folder.name]


def test_what_a_build_that_was_stopped_while_it_read_has_left_goes(tmp_path: Path):
    def stopped() -> Iterable[Passage]:
        yield passages()[0]
        raise KeyboardInterrupt

    class Stream(list[Passage]):
        def __iter__(self):  # noqa: ANN204
            return iter(stopped())

    done = work_of(tmp_path, passages(), size=2)
    done.found(0).write_bytes(b"done")
    with pytest.raises(KeyboardInterrupt):
        work_of(tmp_path, Stream(), size=2)
    reading = tmp_path / WORK / "reading"
    assert not reading.exists()
    reading.mkdir()
    (reading / "passages-00009.arrow").write_bytes(b"half")  # of one that was killed
    again = work_of(tmp_path, passages(), size=2)
    assert again.found(0).read_bytes() == b"done"  # reading again did not touch it
    assert names(tmp_path / WORK) == [again.folder.name]
    chunks = [f"passages-{number:05d}.arrow" for number in range(3)]
    assert names(again.folder) == ["found-00000.arrow", *chunks, "repeats.arrow"]


def test_files_have_names_of_their_own(tmp_path: Path):
    work = work_of(tmp_path, passages())
    paths = [work.names()]
    for number in (0, 1, 99_999, 100_000):
        paths += [work.triples(number), work.found(number), work.vectors(number, "0" * 64)]
    assert len(set(paths)) == len(paths)
    assert {path.parent for path in paths} == {work.folder}


def test_nothing_is_left_when_it_is_removed(tmp_path: Path):
    work = work_of(tmp_path, passages())
    (tmp_path / "vectors.sqlite").write_bytes(b"kept")
    work.remove()
    assert names(tmp_path) == ["vectors.sqlite"]
    work.remove()  # nor is it an error that nothing is there


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    tmp_path.chmod(0o500)
    with refused(IndexStoreError, "cannot be written"):
        work_of(tmp_path, passages())


def test_a_file_in_the_way_is_named(tmp_path: Path):
    (tmp_path / WORK).write_bytes(b"")
    with refused(IndexDamagedError, "work: is a file and not a folder: move it away"):
        work_of(tmp_path, passages())
