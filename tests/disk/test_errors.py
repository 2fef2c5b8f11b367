"""Errors of the disk and of damaged files: one line that names the file and the fix."""

import errno
import json
import os
import re
import resource
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pytest

from hippohover.disk import door
from hippohover.disk.errors import message, not_json, reads, writes
from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter
from tests.index_samples import (
    answer_of,
    fields_of,
    hidden,
    live_build,
    refused,
    run_here,
    versions,
)

# The errors themselves


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "not JSON (nested too deeply)"),
        ("nil", "not JSON (Expecting value: line 1 column 1 (char 0))"),
        ("9" * 5_000, "not JSON (Exceeds the limit (4300 digits) for integer string conversio)"),
    ],
)
def test_why_a_text_is_not_json_is_one_short_line(text: str, said: str) -> None:
    with pytest.raises((ValueError, RecursionError)) as refusal:
        json.loads(text)
    assert not_json(refusal.value, 60) == said


@pytest.mark.parametrize(
    ("place", "what", "expected"),
    [
        ("/a/b", "is missing", "/a/b: is missing: fix it"),
        ("a\x1b[31m\nb", "is\n  two\tlines", "a?[31m?b: is two lines: fix it"),
        ("\ud800", "\u202ex", "?: ?x: fix it"),
        ("海", "x" * 200, f"海: {'x' * 200}: fix it"),
        ("海", "x" * 201, f"海: {'x' * 200}…: fix it"),
    ],
)
def test_a_message_is_one_printable_line(place: str, what: str, expected: str):
    assert message(place, what, "fix it") == expected


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "x"), IndexDamagedError, "is missing"),
        (NotADirectoryError(errno.ENOTDIR, "x"), IndexDamagedError, "is missing"),
        (IsADirectoryError(errno.EISDIR, "x"), IndexDamagedError, "is missing"),
        (PermissionError(errno.EACCES, "no"), IndexStoreError, r"cannot be read \(no\)"),
        (OSError(errno.EIO, "broken disk"), IndexStoreError, r"cannot be read \(broken disk\)"),
        (OSError("Arrow's own"), IndexDamagedError, r"is damaged \(Arrow's own\)"),
        (ValueError("odd"), IndexDamagedError, r"is damaged \(odd\)"),
        (RecursionError(), IndexDamagedError, r"is damaged \(RecursionError\)"),
    ],
    ids=repr,
)
def test_what_reading_raises_becomes_an_error_of_the_file(
    error: Exception, kind: type[Exception], words: str
):
    with refused(kind, f"^/i/x: {words}: "), reads(Path("/i/x")):
        raise error


def test_what_a_library_raises_on_garbage_is_damage_only_where_it_is_named():
    with pytest.raises(LookupError), reads(Path("x")):
        raise LookupError("odd")
    with refused(IndexDamagedError, "is damaged .odd."), reads(Path("x"), LookupError):
        raise LookupError("odd")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "full"), r"cannot be written \(full\): free up space on that disk"),
        (OSError(errno.EIO, "broken"), r"cannot be written \(broken\): check the disk"),
        (OSError("no number"), r"cannot be written \(no number\): check the disk"),
    ],
    ids=repr,
)
def test_what_writing_raises_becomes_an_error_of_the_file(error: OSError, words: str):
    with refused(IndexStoreError, f"^/i/x: {words}$"), writes(Path("/i/x")):
        raise error


def test_an_error_that_is_not_the_systems_leaves_a_write_as_it_is():
    with pytest.raises(ValueError, match=r"^mine$"), writes(Path("x")):
        raise ValueError("mine")


# A disk that refuses


def fill_up(root: str) -> None:
    """Write with a limit on file sizes; print what each write raised."""
    kinds: dict[str, Callable[[IndexWriter], object]] = {
        "array": lambda writer: writer.save_array("big.npy", np.zeros(100_000)),
        "table": lambda writer: writer.save_table("big.arrow", pa.table({"x": range(100_000)})),
        "manifest": lambda writer: writer.publish(fields_of(failures=["x" * 100] * 2_000)),
        "log": lambda writer: (writer.log.update(x="x" * 100_000), writer.publish(fields_of())),
    }
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    seen: dict[str, list[str]] = {}
    for kind, write in kinds.items():
        try:
            with IndexWriter(root) as writer:
                write(writer)
        except IndexStoreError as error:
            seen[kind] = [str(error), *hidden(Path(root)), *versions(Path(root))]
    print(json.dumps(seen))


@pytest.mark.slow
def test_a_limit_on_file_sizes_is_named_and_nothing_is_left(index_root: Path):
    seen = answer_of(run_here(fill_up, index_root))
    files = {
        "array": "big.npy",
        "table": "big.arrow",
        "manifest": "manifest.json",
        "log": "build_log.json",
    }
    assert list(seen) == list(files)
    for kind, (line, *left) in seen.items():
        assert line.isprintable()
        assert re.search(
            rf"{re.escape(files[kind])}: cannot be written \(File too large\): .*ulimit -f", line
        )
        assert left == ["v000001"]
    assert live_build(index_root) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk always full")
def test_a_full_disk_is_named(index_root: Path, monkeypatch: pytest.MonkeyPatch):
    calls: dict[str, Callable[[IndexWriter, str], None]] = {
        "x.npy": lambda writer, name: writer.save_array(name, np.zeros(5)),
        "x.arrow": lambda writer, name: writer.save_table(name, pa.table({"x": [1]})),
    }

    def full(_: Path, mode: str) -> IO[bytes]:
        return open("/dev/full", mode)  # noqa: PTH123

    with IndexWriter(index_root) as writer:
        for name, call in calls.items():
            words = (
                rf"{re.escape(name)}: cannot be written \(No space left on device\): free up space"
            )
            with monkeypatch.context() as patch, refused(IndexStoreError, words):
                patch.setattr(door, "opened", full)
                call(writer, name)
        words = r"y: cannot be written .*free up space"
        with refused(IndexStoreError, words), writer.writing("y") as path:
            path.symlink_to("/dev/full")
            path.write_bytes(b"y")
    assert live_build(index_root) == 1


def test_a_file_where_a_folder_should_be_is_named(index_root: Path, empty_folder: Path):
    (empty_folder / "file").write_bytes(b"")
    for path in (empty_folder / "file", empty_folder / "file" / "index"):
        words = "file.*: cannot be written .*move the file"
        with refused(IndexStoreError, words), IndexWriter(path):
            raise AssertionError("must not get here")
    with IndexWriter(index_root) as writer:
        writer.save_array("a.npy", np.zeros(1))
        with refused(IndexDamagedError, r"a\.npy: is a file and not a folder"):
            writer.save_array("a.npy/b.npy", np.zeros(1))


@contextmanager
def ordinary_user() -> Generator[None]:
    """Root may write everywhere: give that up for the length of a block."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def folder_for_all() -> Generator[Path]:
    """A folder that an ordinary user can reach; pytest's own are closed to others."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


def test_a_folder_that_cannot_be_written_to_is_named(index_template: Path):
    with folder_for_all() as shared:
        shutil.copytree(index_template, shared / "toy")
        for path in (shared / "toy", shared / "toy" / "v000001", shared / "toy" / ".lock"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        with ordinary_user():
            words = "cannot be written .Permission denied.: make it writable"
            with refused(IndexStoreError, words), IndexWriter(shared / "toy"):
                raise AssertionError("must not get here")
            assert live_build(shared / "toy") == 1
        (shared / "toy").chmod(0o755)


def test_a_left_over_that_cannot_be_removed_is_named(index_template: Path):
    with folder_for_all() as shared:
        root = Path(shutil.copytree(index_template, shared / "toy"))
        (root / ".building-1").mkdir(mode=0o555)
        (root / ".lock").chmod(0o666)
        root.chmod(0o1777)
        with ordinary_user():
            words = r"/toy/\.building-1: cannot be written \(.* not permitted\): make it writable"
            with refused(IndexStoreError, words), IndexWriter(root):
                raise AssertionError("must not get here")


def test_a_folder_of_the_build_that_cannot_be_listed_is_not_left_out(index_template: Path):
    with folder_for_all() as shared:
        shared.chmod(0o777)
        with ordinary_user(), IndexWriter(shared / "toy") as writer:
            writer.save_array("deep/a.npy", np.zeros(1))
            (writer.folder / "deep").chmod(0)
            with refused(IndexStoreError, r"cannot be written \(Permission denied\)"):
                writer.publish(fields_of())
            (writer.folder / "deep").chmod(0o755)
            assert versions(shared / "toy") == []


def test_a_file_that_cannot_be_read_is_named_and_not_called_damaged(index_template: Path):
    with folder_for_all() as shared:
        folder = Path(shutil.copytree(index_template, shared / "toy")) / "v000001"
        with ordinary_user(), StoredIndex.open(folder) as index:
            with restored_root():
                (folder / "notes.bin").chmod(0)
            (problem,) = index.verify()
            assert problem.endswith("cannot be read (Permission denied): make it readable")
            with refused(IndexStoreError, r"notes\.bin: cannot be read .*make it readable"):
                StoredIndex.open(folder)
            with restored_root():
                (shared / "toy").chmod(0)
            with refused(IndexStoreError, "cannot be read .*make it readable"):
                StoredIndex.open(shared / "toy")
        (shared / "toy").chmod(0o755)


@contextmanager
def restored_root() -> Generator[None]:
    """Inside ``ordinary_user``: the first user again, for the length of a block."""
    user = os.geteuid()
    os.seteuid(os.getuid())
    try:
        yield
    finally:
        os.seteuid(user)
