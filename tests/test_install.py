"""The script that measures an install: what it counts, and the tables of its result."""

import sys
from pathlib import Path

from install import n_bytes_in, processor_seconds, write_notes
from size_tables import install_table


def test_bytes_are_those_of_files_and_links_are_not_followed(tmp_path: Path):
    (tmp_path / "env" / "lib").mkdir(parents=True)
    (tmp_path / "env" / "lib" / "a").write_bytes(b"x" * 1000)
    (tmp_path / "python").write_bytes(b"x" * 50_000)
    (tmp_path / "env" / "python").symlink_to(tmp_path / "python")
    assert 1000 < n_bytes_in(tmp_path / "env") < 1500


def test_processor_time_counts_the_command_and_not_its_waiting(tmp_path: Path):
    waits = processor_seconds(
        [sys.executable, "-S", "-c", "import time; time.sleep(0.3)"], tmp_path
    )
    works = processor_seconds([sys.executable, "-S", "-c", "sum(range(30_000_000))"], tmp_path)
    assert waits < works


def test_the_notes_name_each_other(tmp_path: Path):
    write_notes(tmp_path / "notes")
    assert len(list((tmp_path / "notes").iterdir())) == 8
    assert "after Note 0." in (tmp_path / "notes" / "7.md").read_text()


def test_the_tables_of_an_install():
    cell = {"n_bytes": 1_090_000_000, "n_packages": 90, "seconds": 90, "load": 1.2}
    answers = {
        "at_first": {"build": 1.26, "demo": 3},
        "again": {"build": 1.2, "demo": 2.5},
        "load": 2.0,
    }
    run = {"environments": {"": cell, "encoders": cell}, "first_answers": answers}
    lines = install_table(run).splitlines()
    assert "| plain | 1.09 | 90 | 1.5 | 1 |" in lines
    assert any(line.startswith("| with `[encoders]` |") for line in lines)
    assert lines[-2:] == ["| at first | 1.3 | 3.0 | 2 |", "| again | 1.2 | 2.5 | 2 |"]
