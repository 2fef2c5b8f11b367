"""What ends a command that is told to stop and does not: in real processes, which take no hour."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from hippohover.cli import stopping
from hippohover.toy import toy_corpus_path
from tests.indexing.workers.test_processes import needs_proc, wait_until_gone

START = """
import multiprocessing, os, signal, sys, time
from concurrent.futures import ThreadPoolExecutor
from hippohover.cli import stopping
stopping.listen()

def begin():
    os.write(1, b"begun\\n")

def never_ending(first=begin):
    while True:
        try:
            first()
            time.sleep(3600)
        except BaseException as error:
            os.write(1, f"passed over {type(error).__name__}\\n".encode())
"""
LINE = "error: {} without cleaning up; no index is damaged\n"


@contextmanager
def begun(
    code: str, *arguments: object, env: dict[str, str] | None = None
) -> Generator["subprocess.Popen[str]"]:
    """A process that has said that it begins, in a group of its own."""
    with subprocess.Popen(  # noqa: S603 - our own text
        [sys.executable, "-c", START + code, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=env,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Exit code, output and errors, waited for far longer than it takes."""
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.mark.parametrize(
    ("sent", "error", "code", "word"),
    [
        (signal.SIGTERM, "Terminated", 143, "terminated"),
        (signal.SIGINT, "KeyboardInterrupt", 130, "interrupted"),
    ],
)
def test_a_command_that_loses_the_exception_is_ended(sent: int, error: str, code: int, word: str):
    with begun("never_ending()") as process:
        process.send_signal(sent)
        assert ended(process) == (code, f"passed over {error}\nbegun\n", LINE.format(word))


def test_a_thread_that_is_waited_for_is_not_waited_for_long():
    code = (
        "with ThreadPoolExecutor(1) as pool:\n"
        "    pool.submit(lambda: time.sleep(3600))\n"
        "    begin()\n"
        "    time.sleep(3600)\n"
    )
    with begun(code) as process:
        process.send_signal(signal.SIGTERM)
        assert ended(process) == (143, "", LINE.format("terminated"))


@needs_proc
def test_workers_end_with_it_whatever_they_are_at():
    code = (
        "reads, writes = os.pipe()\n"
        "def work():\n"
        "    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
        "    os.write(writes, b'begun\\n%d\\n' % os.getpid())\n"
        "    time.sleep(3600)\n"
        "multiprocessing.get_context('fork').Process(target=work).start()\n"
        # Told by the parent: in the middle of ``start`` it does not know its child yet.
        "never_ending(lambda: os.write(1, os.read(reads, 99)))\n"
    )
    with begun(code) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        assert ended(process)[0] == 143
        wait_until_gone([worker])


def test_a_command_that_ends_in_time_says_so_itself():
    code = (
        "try:\n"
        "    begin()\n"
        "    time.sleep(3600)\n"
        "except stopping.Terminated:\n"
        "    stopping.say_stopped(143)\n"
        "never_ending(lambda: None)\n"  # as one that waits for a thread at its very end
    )
    with begun(code) as process:
        process.send_signal(signal.SIGTERM)
        assert ended(process) == (143, "", "error: terminated; nothing is left half-written\n")


def test_an_error_of_a_library_that_lost_the_exception_is_no_error():
    code = (
        "try:\n"
        "    begin()\n"
        "    time.sleep(3600)\n"
        "except BaseException:\n"
        "    pass\n"
        "os.write(1, b'%d\\n' % stopping.code_behind(AttributeError('half loaded')))\n"
    )
    assert stopping.code_behind(AttributeError("half loaded")) == 0
    with begun(code) as process:
        process.send_signal(signal.SIGTERM)
        assert ended(process) == (0, "143\n", "")


def test_whoever_has_a_handler_of_its_own_is_left_to_it():
    """A server answers what is under way, for longer than the grace period."""
    code = (
        "told = []\n"
        "signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))\n"
        "begin()\n"
        "while not told:\n"
        "    time.sleep(0.01)\n"
        "time.sleep(2 * stopping.GRACE_SECONDS)\n"
        "os.write(1, b'answered\\n')\n"
    )
    with begun(code) as process:
        process.send_signal(signal.SIGTERM)
        assert ended(process) == (0, "answered\n", "")


def test_after_the_end_signals_are_the_systems_again():
    with begun("stopping.stop_listening()\nnever_ending()") as process:
        process.send_signal(signal.SIGINT)
        assert ended(process) == (-signal.SIGINT, "", "")


def test_a_handler_of_somebody_else_stays():
    def own(_number: int, _frame: object) -> None: ...

    before = {number: signal.signal(number, own) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        stopping.stop_listening()
        assert {signal.getsignal(number) for number in before} == {own}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# --- commands --------------------------------------------------------------------------------

SCAN = """
import hippohover.indexing.build as build
from hippohover.indexing.chunk_stages import ScanStage

build._PASSAGES_A_CHUNK = 8
scan = ScanStage.__call__

def scan_two(self, number):
    return scan(self, number) if number < 2 else never_ending()

ScanStage.__call__ = scan_two
"""
"""Chunks of a build, the third of which and those behind it take an hour."""
ANSWER = """
from hippohover.retrieval.engine import HippoHover
HippoHover._answer = lambda *_: never_ending()
"""
RUN = """
from hippohover.cli import main
sys.argv[0] = "hippohover"
main()
"""


@pytest.mark.parametrize(
    ("sent", "code", "word"),
    [
        (signal.SIGTERM, 143, "terminated"),
        pytest.param(signal.SIGINT, 130, "interrupted", marks=pytest.mark.slow),
    ],
)
def test_a_build_does_not_wait_for_its_workers_and_keeps_what_is_done(
    tmp_path: Path, command_env: dict[str, str], sent: int, code: int, word: str
):
    recipe = tmp_path / "r.toml"
    recipe.write_text('extractor = "between"\nencoder = "none"\n', encoding="utf-8")
    out = tmp_path / "out"
    arguments = ["build", recipe, "--corpus", toy_corpus_path(), "--out", out, "--workers", 2]
    with begun(SCAN + RUN, *arguments, env=command_env) as process:
        wait_for(lambda: len(list(out.glob(".cache/work/*/found-*.arrow"))) == 2)
        os.killpg(process.pid, sent) if sent == signal.SIGINT else process.send_signal(sent)
        left, _, err = ended(process)
    assert (left, err) == (code, f"error: {word}; nothing is left half-written\n")
    assert len(list(out.glob(".cache/work/*/found-*.arrow"))) == 2
    assert not list(out.glob(".building-*"))


@pytest.mark.parametrize(
    ("stuck", "arguments"),
    [
        (ANSWER, ["query", "INDEX", "--file", "CLAIMS"]),
        pytest.param(ANSWER, ["evaluate", "INDEX", "CLAIMS"], marks=pytest.mark.slow),
        pytest.param(ANSWER, ["serve", "INDEX", "--port", "0"], marks=pytest.mark.slow),
        pytest.param(SCAN, ["add", "INDEX", "NOTES", "--workers", "2"], marks=pytest.mark.slow),
        pytest.param(SCAN, ["sync", "INDEX", "NOTES", "--take-over"], marks=pytest.mark.slow),
        pytest.param(
            SCAN, ["sync", "INDEX", "NOTES", "--take-over", "--watch"], marks=pytest.mark.slow
        ),
    ],
    ids=["query", "evaluate", "serve", "add", "sync", "watch"],
)
def test_a_command_ends_whatever_it_is_at(
    toy_index: Path, tmp_path: Path, command_env: dict[str, str], stuck: str, arguments: list[str]
):
    """Each is at something that takes an hour, and lets no exception through."""
    index = Path(shutil.copytree(toy_index, tmp_path / "index"))
    (tmp_path / "notes").mkdir()
    for n in range(40):
        (tmp_path / "notes" / f"{n}.txt").write_text(f"Note {n} of Ada Finch.", encoding="utf-8")
    claims = tmp_path / "claims.jsonl"
    claims.write_text(
        '{"uid": "1", "claim": "A b.", "supporting_facts": [["Lantern Hill", 0]]}\n',
        encoding="utf-8",
    )
    given = {"INDEX": index, "CLAIMS": claims, "NOTES": tmp_path / "notes"}
    version = (index / "CURRENT").read_text(encoding="utf-8")
    with begun(stuck + RUN, *(given.get(one, one) for one in arguments), env=command_env) as run:
        run.send_signal(signal.SIGTERM)
        code, _, err = ended(run)
    assert code == 143
    assert err.splitlines()[-1].startswith("error: terminated")
    assert (index / "CURRENT").read_text(encoding="utf-8") == version


def wait_for(is_so: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_an_error_that_is_its_own_cause_is_no_signal():
    kept, raised = ValueError("kept"), RuntimeError("raised")
    kept.__context__, raised.__cause__ = raised, kept
    assert stopping.code_behind(raised) == 0
