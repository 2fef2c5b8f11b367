"""How commands end: one line and an exit code, whatever went wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hippohover.cli.stopping import Terminated
from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.retrieval.engine import HippoHover
from tests.cli.command_samples import CLAIM, Command


def test_an_unexpected_error_is_one_line_that_names_its_type(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(HippoHover, "open", broken)
    outcome = hippohover("query", toy_index, CLAIM)
    assert outcome.code == 1
    assert outcome.err.startswith("error: ZeroDivisionError: two lines (unexpected")
    assert outcome.err.count("\n") == 1
    for debug in (hippohover("--debug", "query", toy_index, CLAIM),):
        assert "Traceback" in debug.err
        assert "error: ZeroDivisionError" in debug.err
    monkeypatch.setenv("HIPPOHOVER_DEBUG", "1")
    assert "Traceback" in hippohover("query", toy_index, CLAIM).err


def test_an_interrupt_is_one_line_and_130(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(HippoHover, "open", interrupted)
    outcome = hippohover("query", toy_index, CLAIM)
    assert outcome.code == 130
    assert outcome.err == "error: interrupted; nothing is left half-written\n"


@pytest.mark.parametrize(
    "said",
    ["x.so: failed to map segment from shared object", "Failed to launch worker thread: no"],
)
def test_want_of_memory_is_called_that_whatever_a_library_calls_it(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    def loading(*_: object, **__: object) -> None:
        raise IndexDamagedError("the encoder cannot be read: build the index again") from (
            ImportError(said)
        )

    monkeypatch.setattr(HippoHover, "open", loading)
    outcome = hippohover("query", toy_index, CLAIM)
    assert outcome.code == 1
    assert outcome.err.startswith("error: out of memory: end other programs")


def test_a_damaged_file_that_claims_any_size_is_named(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loading(*_: object, **__: object) -> None:
        raise IndexDamagedError("the text of passage 3 is damaged") from MemoryError()

    monkeypatch.setattr(HippoHover, "open", loading)
    outcome = hippohover("query", toy_index, CLAIM)
    assert (outcome.code, outcome.err) == (1, "error: the text of passage 3 is damaged\n")


def test_errors_that_are_behind_each_other_end_too(
    hippohover: Command, toy_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loading(*_: object, **__: object) -> None:
        first, second = ValueError("one"), IndexDamagedError("two: build the index again")
        first.__context__ = second
        raise second from first

    monkeypatch.setattr(HippoHover, "open", loading)
    outcome = hippohover("query", toy_index, CLAIM)
    assert (outcome.code, outcome.err) == (1, "error: two: build the index again\n")


@pytest.mark.parametrize(("stopped", "code"), [(Terminated, 143), (KeyboardInterrupt, 130)])
def test_what_a_library_makes_of_a_signal_is_no_error(
    hippohover: Command,
    toy_index: Path,
    monkeypatch: pytest.MonkeyPatch,
    stopped: type[BaseException],
    code: int,
) -> None:
    def loading(*_: object, **__: object) -> None:
        try:
            raise stopped
        except stopped as error:
            raise SystemError("returned a result with an exception set") from error

    monkeypatch.setattr(HippoHover, "open", loading)
    outcome = hippohover("query", toy_index, CLAIM)
    assert outcome.code == code
    assert outcome.err.endswith("nothing is left half-written\n")
    assert outcome.err.count("\n") == 1


def test_debug_shows_the_traceback_of_an_expected_error(hippohover: Command) -> None:
    outcome = hippohover("--debug", "inspect", "nowhere")
    assert outcome.code == 1
    assert IndexStoreError.__name__ in outcome.err
    assert outcome.err.splitlines()[-1].startswith("error: ")


OUT_OF_MEMORY = "out of memory: end other programs"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(2, "No such file or directory", "gone.txt"), ["gone.txt"]),
        (ConnectionResetError(104, "Connection reset by peer"), ["Connection reset by peer"]),
        (MemoryError(), [OUT_OF_MEMORY, "--workers 1"]),
        (
            MemoryError("Unable to allocate 3.2 GiB"),
            ["memory (Unable to allocate 3.2 GiB): end", "--workers 1"],
        ),
        (OSError(12, "Cannot allocate memory"), [OUT_OF_MEMORY, "--workers 1"]),
        (OSError(12, "Cannot allocate memory", "a.npy"), [OUT_OF_MEMORY, "--workers 1"]),
    ],
)
def test_an_error_of_the_system_is_one_line(
    hippohover: Command, monkeypatch: pytest.MonkeyPatch, error: Exception, words: list[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(HippoHover, "open", broken)
    outcome = hippohover("query", "i", CLAIM)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert all(word in outcome.err for word in words)


@pytest.mark.parametrize(
    ("command", "given", "n_threads"),
    [("query", {}, "1"), ("query", {"OPENBLAS_NUM_THREADS": "4"}, "4"), ("build", {}, "")],
)
def test_no_threads_of_openblas_start_for_one_answer(
    command: str, given: dict[str, str], n_threads: str
):
    name = "OPENBLAS_NUM_THREADS"
    others = {key: value for key, value in os.environ.items() if key != name}
    code = (
        "import atexit, os, sys; from hippohover.cli import main; "
        f"atexit.register(lambda: print(os.environ.get({name!r}, ''))); "
        f"sys.argv = ['hippohover', {command!r}]; main()"
    )
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        env=others | given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.strip() == n_threads, ended.stderr
