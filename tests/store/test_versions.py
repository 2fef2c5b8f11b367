"""Versions that follow each other, CURRENT, and what is removed."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.store.reader import StoredIndex
from hippohover.store.versions import KEPT_VERSIONS
from hippohover.store.writer import IndexWriter
from tests.index_samples import FUZZ, hidden, live_build, publish, refused, seal_manifest, versions


def test_versions_count_up_and_the_newest_stay(new_root: Path):
    for build in range(1, 5):
        assert publish(new_root, build) == new_root / f"v{build:06d}"
        assert live_build(new_root) == build
        assert len(versions(new_root)) == min(build, KEPT_VERSIONS)
    assert versions(new_root) == ["v000003", "v000004"]


def test_a_number_is_never_used_twice(index_root: Path):
    publish(index_root, 2)
    (index_root / "CURRENT").write_text("v000001\n")
    assert publish(index_root, 3).name == "v000003"
    assert live_build(index_root) == 3


def test_the_count_goes_on_past_six_digits(index_root: Path):
    (index_root / "v000001").rename(index_root / "v999999")
    assert publish(index_root, 2).name == "v1000000"
    assert publish(index_root, 3).name == "v1000001"
    assert versions(index_root) == ["v1000000", "v1000001"]


def test_after_the_last_number_nothing_is_published(index_root: Path):
    (index_root / "v999999999").mkdir()
    with refused(IndexStoreError, "holds version 999999999, after which no number is left"):
        publish(index_root, 2)
    assert live_build(index_root) == 1


def test_a_base_has_no_base(index_root: Path):
    """One that names itself would be opened without end."""
    folder = index_root / "v000001"
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["base"] = {
        "version": "v000001", "manifest_sha256": "0" * 64, "n_segments": 1, "sizes": [1],
    }  # fmt: skip
    seal_manifest(folder, json.dumps(manifest).encode())
    for check in (True, False):
        with refused(IndexDamagedError, "has a base, and is the base of another version"):
            StoredIndex.open(index_root, check=check)


def test_a_folder_that_is_no_version_is_not_removed(index_root: Path):
    (index_root / "v000000").mkdir()
    (index_root / "v000000" / "mine.txt").write_bytes(b"")
    shutil.copytree(index_root / "v000001", index_root / "v٠٠٠٠٠١")
    publish(index_root, 2)
    publish(index_root, 3)
    assert (index_root / "v000000" / "mine.txt").exists()
    assert (index_root / "v٠٠٠٠٠١").exists()


def test_left_overs_of_dead_writers_are_removed(index_root: Path, empty_folder: Path):
    (index_root / ".building-99999" / "deep").mkdir(parents=True)
    (index_root / ".building-99999" / "deep" / "x.npy").write_bytes(b"x")
    (index_root / ".removing-v000000").mkdir()
    (index_root / ".CURRENT-new").write_bytes(b"v000009")
    kept = empty_folder / "kept"
    kept.mkdir()
    (kept / "file").write_bytes(b"")
    (index_root / ".building-1").symlink_to(kept)
    mine = [".mine", ".building-notes", ".building-1b", ".removing-x", ".CURRENT-new.txt"]
    for name in mine:
        (index_root / name).write_bytes(b"")
    with IndexWriter(index_root) as writer:
        assert {*hidden(index_root), ".mine"} == {*mine, writer.folder.name}
    assert {*hidden(index_root), ".mine"} == {*mine}
    assert (index_root / ".mine").exists()
    assert (kept / "file").exists()


# Opening what is not there


def test_places_without_an_index_are_named(index_root: Path, empty_folder: Path):
    (empty_folder / "empty").mkdir()
    (empty_folder / "stopped" / ".cache" / "work").mkdir(parents=True)
    (empty_folder / "file").write_bytes(b"")
    for path, words in [
        (empty_folder / "nowhere", "nowhere: is not a folder: build the index, or check the path"),
        (empty_folder / "file", "file: is not a folder"),
        (empty_folder / "empty", "empty: holds no published index: build the index, or check"),
        (empty_folder / "stopped", "stopped: holds no published index: build again"),
        (index_root / "v000007", "v000007: is not a folder"),
        (index_root / "v000001" / "graph", "graph: holds no published index"),
    ]:
        with refused(IndexStoreError, words):
            StoredIndex.open(path)


def test_what_is_being_built_cannot_be_opened(index_root: Path):
    with IndexWriter(index_root) as writer:
        shutil.copytree(index_root / "v000001", writer.folder, dirs_exist_ok=True)
        with refused(IndexStoreError, "holds no published index"):
            StoredIndex.open(writer.folder)


@pytest.mark.parametrize(
    "named",
    [
        *[b"", b"\n", b"v1", b"v000001x", b"../toy/v000001", b"/v000001", b"v000001/"],
        *[b"v000001/..", b".", b"..", b"\xff\xfe", b"v000001\nv000001", b"v000001" * 9],
        "v٠٠٠٠٠١".encode(),
    ],
)
def test_current_names_a_version_and_nothing_else(index_root: Path, named: bytes):
    (index_root / "CURRENT").write_bytes(named)
    with refused(IndexDamagedError, r"CURRENT: names no version .* such as v000001$"):
        StoredIndex.open(index_root)


def test_current_may_name_a_version_that_is_gone(index_root: Path):
    (index_root / "CURRENT").write_bytes(b"v000002\n")
    with refused(
        IndexDamagedError, r"CURRENT: names v000002, which is gone: write v000001 into it"
    ):
        StoredIndex.open(index_root)


def test_current_written_by_hand_may_lack_its_line_end(index_root: Path):
    (index_root / "CURRENT").write_bytes(b"v000001")
    assert live_build(index_root) == 1


def test_no_flipped_bit_and_no_cut_of_current_opens_another_version(index_root: Path):
    publish(index_root, 2)
    publish(index_root, 3)  # "2" and "3" differ by one bit
    path = index_root / "CURRENT"
    whole = path.read_bytes()
    flipped = [
        whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]
        for place in range(len(whole))
        for bit in range(8)
    ]
    n_refused = 0
    for data in flipped + [whole[:length] for length in range(len(whole))]:
        path.write_bytes(data)
        try:
            assert live_build(index_root) == 3, data
        except IndexDamagedError:
            n_refused += 1
    assert n_refused > 100


def test_a_new_build_mends_a_garbled_current(index_root: Path):
    (index_root / "CURRENT").write_bytes(b"garbage")
    publish(index_root, 2)
    assert live_build(index_root) == 2


@FUZZ
@given(data=st.binary(max_size=100) | st.from_regex(rb"\A[v./0-9\n]{0,12}\Z"))
def test_whatever_current_holds_only_store_errors_leave_open(index_root: Path, data: bytes):
    (index_root / "CURRENT").write_bytes(data)
    try:
        StoredIndex.open(index_root).close()
    except IndexStoreError as error:
        assert str(error).isprintable()
    else:
        assert data.strip() == b"v000001"


def test_a_folder_of_other_things_is_refused_and_left_as_it_is(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(IndexStoreError, match=r"is not empty.*'thesis.txt'.*name a new folder"):
        publish(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_what_a_stopped_build_left_is_no_other_thing(tmp_path: Path):
    (tmp_path / ".cache").mkdir()
    publish(tmp_path)
    assert (tmp_path / "CURRENT").exists()


def test_the_current_of_something_else_is_left_alone(tmp_path: Path):
    (tmp_path / "CURRENT").write_text("MANIFEST-000001\n", encoding="utf-8")
    (tmp_path / "MANIFEST-000001").touch()
    with pytest.raises(IndexStoreError, match="is not an index"):
        publish(tmp_path)
    assert (tmp_path / "CURRENT").read_text(encoding="utf-8") == "MANIFEST-000001\n"
