"""A process of its own that merges segments: when it begins, ends, and fails."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import hippohover
from hippohover.errors import IndexDamagedError
from hippohover.indexing.updates import compactor as module
from hippohover.indexing.updates.compactor import Compactor
from hippohover.store.versions import pointer_line


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index that is due, in name alone; what is run notes its arguments, then does ``run``."""
    root = tmp_path / "i"
    root.mkdir()
    (root / "CURRENT").write_bytes(pointer_line("v000001"))
    monkeypatch.setattr(module, "due", lambda _: "compact")  # pyright: ignore[reportUnknownLambdaType]
    return root


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def does(script: str) -> Path:
        stub = tmp_path / "python"
        stub.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/ran\n{script}\n')
        stub.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(stub))
        return tmp_path / "ran"

    return does


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_one_run_at_a_time(root: Path, runs: Callable[[str], Path]):
    ran = runs("exec sleep 60")
    compactor = Compactor(root, pytest.fail)
    compactor.look()
    until(lambda: bool(lines(ran)))
    compactor.look()
    assert lines(ran) == [f"-P -m hippohover compact {root} --beside"]
    compactor.close()
    compactor.close()
    assert len(lines(ran)) == 1


def test_a_run_gives_way_to_others_and_ctrl_c_does_not_reach_it(
    root: Path, runs: Callable[[str], Path]
):
    ran = runs(f"echo $$ >> {root}/pid\nexec sleep 60")
    compactor = Compactor(root, pytest.fail)
    compactor.look()
    until(lambda: bool(lines(ran)) and bool(lines(root / "pid")))
    pid = int(lines(root / "pid")[0])
    assert os.getpriority(os.PRIO_PROCESS, pid) >= 10
    assert os.getsid(pid) == pid
    compactor.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def test_it_begins_again_when_it_is_due_again(
    root: Path, runs: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
):
    ran = runs("exit 0")
    compactor = Compactor(root, pytest.fail)
    for n_runs in (1, 2):
        until(lambda n=n_runs: compactor.look() or len(lines(ran)) >= n)
    looked: list[Path] = []

    def not_due(path: Path) -> bool:
        looked.append(path)
        return False

    monkeypatch.setattr(module, "due", not_due)
    until(lambda: compactor.look() or bool(looked))
    for _ in range(3):
        compactor.look()
    assert looked == [root]  # a version is looked at once
    (root / "CURRENT").write_bytes(pointer_line("v000002"))
    compactor.look()
    assert looked == [root, root]
    compactor.close()


def test_a_failure_is_told_and_tried_again_later(
    root: Path, runs: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
):
    ran = runs('echo "error: no room" >&2\nexit 1')
    told: list[str] = []
    compactor = Compactor(root, told.append)
    until(lambda: compactor.look() or bool(told))
    assert told == ["error: no room"]
    compactor.look()
    assert len(lines(ran)) == 1
    monkeypatch.setattr(module, "_TRIED_AGAIN_SECONDS", 0.0)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    compactor.look()
    monkeypatch.undo()
    until(lambda: len(lines(ran)) == 2)
    compactor.close()


def test_what_cannot_be_read_or_written_is_left_to_others(
    root: Path, runs: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
):
    ran = runs("exit 0")

    def damaged(_: Path) -> bool:
        raise IndexDamagedError("broken")

    monkeypatch.setattr(module, "due", damaged)
    Compactor(root, pytest.fail).look()
    monkeypatch.setattr(module, "due", lambda _: "compact")  # pyright: ignore[reportUnknownLambdaType]
    monkeypatch.setattr(os, "access", lambda *_: False)  # pyright: ignore[reportUnknownLambdaType]
    Compactor(root, pytest.fail).look()
    assert not ran.exists()


def test_no_code_of_the_current_folder_is_run(
    toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = Path(shutil.copytree(toy_index, tmp_path / "i"))
    (tmp_path / "typer.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(hippohover.__file__).parents[1]))
    monkeypatch.setattr(module, "due", lambda _: "compact")  # pyright: ignore[reportUnknownLambdaType]
    compactor = Compactor(Path("i"), pytest.fail)
    compactor.look()
    run = compactor._run  # pyright: ignore[reportPrivateUsage]
    assert run is not None
    assert run.wait(60) == 0
    compactor.close()
    assert not (tmp_path / "ran").exists()
    assert (root / "CURRENT").exists()
