"""How commands end: one line and an exit code, whatever went wrong."""

from pathlib import Path

import pytest

from hippohover.errors import IndexStoreError
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


def test_debug_shows_the_traceback_of_an_expected_error(hippohover: Command) -> None:
    outcome = hippohover("--debug", "inspect", "nowhere")
    assert outcome.code == 1
    assert IndexStoreError.__name__ in outcome.err
    assert outcome.err.splitlines()[-1].startswith("error: ")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(2, "No such file or directory", "gone.txt"), "gone.txt"),
        (ConnectionResetError(104, "Connection reset by peer"), "Connection reset by peer"),
    ],
)
def test_an_error_of_the_system_is_one_line(
    hippohover: Command, monkeypatch: pytest.MonkeyPatch, error: OSError, words: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(HippoHover, "open", broken)
    outcome = hippohover("query", "i", CLAIM)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert words in outcome.err


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "out of memory: end other programs"),
        (MemoryError("Unable to allocate 3.2 GiB"), "memory (Unable to allocate 3.2 GiB): end"),
        (OSError(12, "Cannot allocate memory"), "out of memory: end other programs"),
        (OSError(12, "Cannot allocate memory", "a.npy"), "out of memory: end other programs"),
    ],
)
def test_want_of_memory_is_called_so(
    hippohover: Command, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(HippoHover, "open", broken)
    outcome = hippohover("query", "i", CLAIM)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert words in outcome.err
    assert "--workers 1" in outcome.err
