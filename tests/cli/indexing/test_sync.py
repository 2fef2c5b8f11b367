"""``sync`` as a user types it, once and as long as it runs."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hippohover.cli.indexing import sync as sync_module
from hippohover.cli.indexing.sync import (
    _Passes,  # pyright: ignore[reportPrivateUsage]
)
from hippohover.errors import UsageError
from hippohover.store.reader import StoredIndex
from tests.cli.command_samples import Command, assert_error
from tests.indexing.updates.folder_samples import NOTES, built_of, write_notes

CHANGED = {**NOTES, "Belbury.md": "Belbury is a village.", "new.txt": "Ada Finch left Belbury."}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index of the notes; read it only."""
    folder = tmp_path_factory.mktemp("sync")
    return built_of(write_notes(folder / "notes", NOTES), folder / "i")


@pytest.fixture
def index(template: Path, tmp_path: Path) -> Path:
    """The index, this test's own."""
    return Path(shutil.copytree(template, tmp_path / "i"))


@pytest.fixture
def notes(template: Path) -> Path:
    """The folder that it was built of."""
    return write_notes(template.parent / "notes", NOTES)


def test_changes_are_said_one_a_line(hippohover: Command, index: Path, notes: Path):
    same = hippohover("sync", index, notes)
    assert "the index equals the folder: nothing was published" in same.err
    (notes / "sea" / "log.txt").unlink()
    write_notes(notes, {name: text for name, text in CHANGED.items() if name != "sea/log.txt"})
    dry = hippohover("sync", index, notes, "--dry-run")
    assert "dry run: nothing was published" in dry.err
    lines = ["added     new.txt", "replaced  Belbury.md", "deleted   sea/log.txt"]
    assert dry.out.splitlines()[:3] == lines
    done = hippohover("sync", index, notes, "--json").json
    assert [change["kind"] for change in done["changes"]] == ["added", "replaced", "deleted"]
    assert (done["version"], done["dry_run"], done["n_passages"]) == ("v000002", False, 3)


def test_damaged_new_files_are_named_though_nothing_is_published(
    hippohover: Command, index: Path, notes: Path
):
    (notes / "bad.docx").write_bytes(b"PK, but no archive")
    (notes / "worse.epub").write_bytes(b"PK, but no archive")
    for command in (
        ("sync", index, notes),
        ("sync", index, notes, "--dry-run"),
        ("add", index, notes),
    ):
        err = " ".join(hippohover(*command).err.split())
        assert "note: 2 failed: bad.docx: " in err
        assert "worse.epub: " in err
    done = hippohover("sync", index, notes, "--json").json
    assert (done["n_failed"], len(done["failures"]), done["changes"]) == (2, 2, [])


@pytest.mark.slow
def test_many_changes_are_counted(hippohover: Command, index: Path, notes: Path):
    write_notes(notes, {**NOTES, **{f"n{at:02}.txt": f"Note {at}." for at in range(25)}})
    out = hippohover("sync", index, notes).out.splitlines()
    assert out[19:21] == ["added     n19.txt", "... and 5 more (all with --json)"]
    words = " ".join(" ".join(out[21:]).split())
    assert "25 documents added, 0 replaced, 0 deleted; 28 passages in all" in words


@pytest.mark.slow
def test_what_cannot_be_synced_is_one_line(hippohover: Command, index: Path, tmp_path: Path):
    other = write_notes(tmp_path / "other", {"a.txt": "A text."})
    refused = hippohover("sync", index, other)
    assert_error(refused, "not from", "3 of its documents would be deleted", "--take-over")
    assert (index / "CURRENT").read_text().startswith("v000001 ")
    assert "3 deleted; 1 passage in" in hippohover("sync", index, other, "--take-over").out


def test_a_pass_that_fails_is_said_once_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    seen: list[bool] = []

    def work(told: bool) -> None:
        seen.append(told)
        if len(seen) < 4:
            raise UsageError("the disk is full")

    passes = _Passes(work)
    for _ in range(2):
        passes.go_on(has_changed=False)
    assert seen == [True]  # the second is not due yet
    passes.go_on(has_changed=True)
    monkeypatch.setattr(sync_module, "_TRIED_AGAIN_SECONDS", 0.0)
    for changed in (True, False, False, True):
        passes.go_on(has_changed=changed)
    assert seen == [True, True, True, True, False]
    assert capsys.readouterr().err == "error: the disk is full\n"


@pytest.mark.slow
def test_a_folder_is_watched_until_ctrl_c(index: Path, notes: Path):
    """The first pass finds what changed before, the next one what changes then."""
    write_notes(notes, {**NOTES, "first.txt": "First."})
    command = [sys.executable, "-m", "hippohover", "sync", index, notes, "--watch"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            _wait_for(index, {"first"})
            (notes / "bad.txt").write_bytes(b"\xff\xfe\xfa" * 99)
            (notes / "second.md").write_text("Second.")
            (notes / "bad.txt").unlink()
            _wait_for(index, {"first", "second"})
            said = _said_until(process, "added     second")  # what is published is said a bit later
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert "added     first" in said + out
    assert "Traceback" not in err
    (notes / "second.md").unlink()


def _said_until(process: "subprocess.Popen[str]", last: str) -> str:
    """Output of passes up to the end of the one that says a line."""
    said = ""
    assert process.stdout is not None
    for line in process.stdout:
        said += line
        if last in said and "passages in all" in line:
            return said
    raise AssertionError(f"it ended before it said {last!r}: {said}")


def _wait_for(index: Path, documents: set[str]) -> None:
    for _ in range(600):
        with StoredIndex.open(index) as stored:
            if documents <= set(stored.table("passages.arrow").column("document").to_pylist()):
                return
        time.sleep(0.1)
    raise AssertionError(f"{documents} never came")
