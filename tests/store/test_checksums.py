"""Checksums at publishing and at opening: large files once, and again when they changed."""

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from hippohover.disk import door
from hippohover.errors import IndexDamagedError
from hippohover.store.checksums import SMALL_FILE_BYTES, Stamp, stamp_of
from hippohover.store.layout import SUMS
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter
from tests.index_samples import fields_of, flip, refused

SIZE = SMALL_FILE_BYTES + 128  # of a large file: header and content


def publish_large(root: Path) -> Path:
    """Folder of a new version of two large files and a small one."""
    with IndexWriter(root) as writer:
        for name in ("one.npy", "two.npy"):
            writer.save_array(name, np.zeros(SMALL_FILE_BYTES, dtype=np.uint8))
        writer.save_array("small.npy", np.zeros(10, dtype=np.uint8))
        return writer.publish(fields_of())


def settle_after(monkeypatch: pytest.MonkeyPatch, nanoseconds: int) -> None:
    monkeypatch.setattr("hippohover.store.checksums._SETTLED_NS", nanoseconds)


@pytest.fixture
def large_root(new_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that were published as soon as they were written, so that no sum is remembered."""
    settle_after(monkeypatch, 3600 * 10**9)
    publish_large(new_root)
    return new_root


@pytest.fixture
def settled(large_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are trusted from now on, as those of an index that was built seconds ago are."""
    settle_after(monkeypatch, -1)


@pytest.fixture
def summed_root(new_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that were written long before they were published."""
    settle_after(monkeypatch, -1)
    publish_large(new_root)
    return new_root


def summed(root: Path) -> list[tuple[str, int, int]]:
    """What an opening says of its sums; nothing when it remembers all of them."""
    seen: list[tuple[str, int, int]] = []
    StoredIndex.open(
        root, progress=lambda stage, done, total: seen.append((stage, done, total))
    ).close()
    return seen


def test_what_a_publish_has_summed_is_not_summed_at_the_first_opening(summed_root: Path):
    kept = json.loads((summed_root / "v000001" / SUMS).read_bytes())
    assert sorted(kept) == ["one.npy", "two.npy"]
    assert summed(summed_root) == []
    with StoredIndex.open(summed_root) as index:
        assert index.verify() == []


def test_a_file_that_changed_after_its_publish_is_summed(summed_root: Path):
    folder = summed_root / "v000001"
    (folder / "one.npy").touch()
    assert summed(summed_root) == [("checking", 0, SIZE), ("checking", SIZE, SIZE)]
    assert summed(summed_root) == []
    before = (folder / "two.npy").stat()
    flip(folder / "two.npy", 300)
    os.utime(folder / "two.npy", ns=(before.st_atime_ns, before.st_mtime_ns))
    with refused(IndexDamagedError, r"two\.npy: .*its checksum differs"):
        StoredIndex.open(summed_root)


def test_a_file_that_takes_the_place_of_a_published_one_is_summed(summed_root: Path):
    folder = summed_root / "v000001"
    shutil.copy2(folder / "two.npy", folder / "other")
    flip(folder / "other", 300)
    (folder / "other").replace(folder / "two.npy")
    with refused(IndexDamagedError, r"two\.npy: .*its checksum differs"):
        StoredIndex.open(summed_root)


def test_a_publish_remembers_no_sum_of_files_that_were_just_written(large_root: Path):
    assert not (large_root / "v000001" / SUMS).exists()
    assert len(summed(large_root)) == 3


def test_only_files_that_were_settled_at_their_publish_are_remembered(
    new_root: Path, monkeypatch: pytest.MonkeyPatch
):
    with IndexWriter(new_root) as writer:
        one = writer.folder / "one.npy"

        def is_one(stamp: Stamp, _: int) -> bool:
            return stamp == stamp_of(one)

        monkeypatch.setattr("hippohover.store.version_files.is_settled", is_one)
        for name in ("one.npy", "two.npy"):
            writer.save_array(name, np.zeros(SMALL_FILE_BYTES, dtype=np.uint8))
        writer.publish(fields_of())
    assert summed(new_root) == [("checking", 0, SIZE), ("checking", SIZE, SIZE)]


@pytest.mark.usefixtures("settled")
def test_large_files_are_summed_once(large_root: Path):
    steps = [0, SIZE, 2 * SIZE]
    assert summed(large_root) == [("checking", done, 2 * SIZE) for done in steps]
    assert summed(large_root) == []
    with StoredIndex.open(large_root) as index:
        assert index.verify() == []  # the list is no foreign file


def test_files_that_may_still_change_unseen_are_summed_again(large_root: Path):
    assert len(summed(large_root)) == 3
    assert len(summed(large_root)) == 3


@pytest.mark.parametrize("position", [0, 200, -1])
@pytest.mark.usefixtures("settled")
def test_a_flipped_bit_in_a_large_file_is_found_before_and_after_the_first_opening(
    large_root: Path, position: int
):
    folder = large_root / "v000001"
    for _ in range(2):
        flip(folder / "two.npy", position)
        with refused(IndexDamagedError, r"two\.npy: .*its checksum differs"):
            StoredIndex.open(large_root)
        flip(folder / "two.npy", position)
        assert len(summed(large_root)) >= 2
        assert summed(large_root) == []


@pytest.mark.usefixtures("settled")
def test_a_file_is_summed_again_though_its_times_are_set_back(large_root: Path):
    file = large_root / "v000001" / "one.npy"
    summed(large_root)
    before = file.stat()
    flip(file, 300)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with refused(IndexDamagedError, r"one\.npy: .*its checksum differs"):
        StoredIndex.open(large_root)


@pytest.mark.usefixtures("settled")
def test_only_what_changed_is_summed_again(large_root: Path):
    summed(large_root)
    (large_root / "v000001" / "one.npy").touch()
    assert summed(large_root) == [("checking", 0, SIZE), ("checking", SIZE, SIZE)]
    assert summed(large_root) == []


@pytest.mark.usefixtures("settled")
def test_a_copy_is_summed_though_the_list_was_copied(large_root: Path, tmp_path: Path):
    summed(large_root)
    copy = Path(shutil.copytree(large_root, tmp_path / "copy"))
    assert len(summed(copy)) == 3
    assert summed(copy) == []
    assert summed(large_root) == []


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"one.npy": 1}', b'{"one.npy": ["1", 2]}'])
def test_a_list_of_another_form_is_forgotten(large_root: Path, data: bytes):
    summed(large_root)
    (large_root / "v000001" / SUMS).write_bytes(data)
    assert len(summed(large_root)) == 3
    assert summed(large_root) == []


@pytest.mark.usefixtures("settled")
def test_a_list_that_cannot_be_written_is_done_without(
    large_root: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = large_root / "v000001"
    (folder / SUMS).unlink(missing_ok=True)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(door, "replace", full)
    names = set(folder.iterdir())
    for _ in range(2):
        assert len(summed(large_root)) == 3
    assert set(folder.iterdir()) == names


def test_small_files_are_summed_at_every_opening(large_root: Path):
    StoredIndex.open(large_root).close()
    flip(large_root / "v000001" / "small.npy", -1)
    with refused(IndexDamagedError, r"small\.npy: .*its checksum differs"):
        StoredIndex.open(large_root)
