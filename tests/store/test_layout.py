"""Names on disk: the documented ones, and those that a build may not use."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import IndexDamagedError, UsageError
from hippohover.store.layout import file_names
from hippohover.store.writer import IndexWriter
from tests.index_samples import CHECKED_FILES, refused


def test_the_layout_is_the_documented_one(index_root: Path):
    assert sorted(path.name for path in index_root.iterdir()) == [".lock", "CURRENT", "v000001"]
    assert (index_root / "CURRENT").read_bytes() == b"v000001 6c1d7ab6\n"
    folder = index_root / "v000001"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert found == {*CHECKED_FILES, "build_log.json", "graph"}
    assert "seconds" in json.loads((folder / "build_log.json").read_bytes())


@pytest.mark.parametrize(
    "name",
    [
        *["", ".", "..", "../x", "a/../x", "/etc/x", "a//x", "./x", "a/", "a\nb", "a\0b", "\ud800"],
        *["manifest.json", "manifest.sha256", "build_log.json"],
    ],
)
def test_names_that_leave_the_folder_or_are_taken_are_refused(open_writer: IndexWriter, name: str):
    with refused(UsageError, "cannot name a file of an index"), open_writer.writing(name):
        raise AssertionError("must not get here")


@given(st.text(alphabet="a./\\~\n\0é", max_size=12))
def test_whatever_the_name_the_path_stays_inside(open_writer: IndexWriter, name: str):
    try:
        with open_writer.writing(name) as path:
            inside = Path(os.path.normpath(path)).relative_to(open_writer.folder)
            assert inside.as_posix() == name
    except UsageError as error:
        assert str(error).isprintable()


def test_file_names_are_sorted_and_links_are_not_followed(tmp_path: Path):
    (tmp_path / "b" / "deep").mkdir(parents=True)
    (tmp_path / "b" / "deep" / "z").write_bytes(b"")
    (tmp_path / "b" / "empty").mkdir()
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "c").symlink_to(tmp_path / "b")
    (tmp_path / "d").symlink_to(tmp_path / "nowhere")
    assert file_names(tmp_path) == ["a", "b/deep/z", "c", "d"]


def test_a_place_that_cannot_be_listed_is_not_an_empty_folder(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    with refused(IndexDamagedError, "file: is a file and not a folder"):
        file_names(tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        file_names(tmp_path / "nowhere")
