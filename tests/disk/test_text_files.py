"""Files of results: all or nothing, links and devices as their owner means them."""

import os
import threading
from pathlib import Path

import pytest

from hippohover.disk.text_files import read_lines, write_lines
from hippohover.errors import UsageError


def test_an_older_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("old", encoding="utf-8")
    with path.open(encoding="utf-8") as reader:
        write_lines(path, ["a", "ü"])
        assert reader.read() == "old"
    assert path.read_text(encoding="utf-8") == "a\nü\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.jsonl"]


def test_lines_that_fail_leave_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_lines(path, ["a", "\ud800"])
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_refused_write_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written .No such file"):
        write_lines(tmp_path / "nowhere" / "x", ["x"])
    with pytest.raises(UsageError, match=r"cannot be written .Is a directory"):
        write_lines(tmp_path, ["x"])
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    link = tmp_path / "link.txt"
    link.symlink_to("real.txt")
    write_lines(link, ["new"])
    assert link.is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new\n"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_lines(pipe, ["a", "b"])
    reader.join(timeout=60)
    assert got == ["a\nb\n"]
    assert pipe.is_fifo()


def test_a_device_that_is_full_says_so() -> None:
    with pytest.raises(UsageError, match=r"/dev/full: cannot be written .No space left"):
        write_lines(Path("/dev/full"), ["a"])
    assert Path("/dev/full").is_char_device()


def test_what_has_no_end_is_refused() -> None:
    with pytest.raises(UsageError, match="/dev/zero: is larger than 64 MB"):
        read_lines(Path("/dev/zero"))
