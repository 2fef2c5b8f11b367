"""Text as data, JSON, files that are replaced whole, bars."""

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.cli import output
from hippohover.cli.output import (
    check_can_write,
    console,
    counted,
    error_line,
    joined,
    n_bytes_in_words,
    note,
    plain,
    print_json,
    progress,
    shortened,
)
from hippohover.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[red]x[/red]", "[red]x[/red]"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\nb\r\n\tc", "a b c"),
        ("\x00\x07\x7f\x9bA", "A"),
        ("\u202eright to left\u202c", "right to left"),
        ("Λευκή 霧の港 نجمة", "Λευκή 霧の港 نجمة"),
        ("\ud800", "?"),
        (":smile:", ":smile:"),
        ("", ""),
    ],
)
def test_plain(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text(st.characters(codec=None)))
def test_plain_is_one_printable_line_and_settles(text: str) -> None:
    line = plain(text)
    assert len(line.splitlines()) <= 1
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in line)
    line.encode("utf-8")
    assert plain(line) == line


@given(st.text(), st.integers(2, 40))
def test_shortened_is_short(text: str, n: int) -> None:
    line = shortened(text, n)
    assert len(line) <= n
    assert line == plain(text) or line.endswith("…")


def test_shortened_cuts_at_a_blank() -> None:
    assert shortened("one two three four", 12) == "one two…"
    assert shortened("onetwothreefour", 6) == "onetw…"


def test_console_reads_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    console().print("[bold]x[/bold] :smile: 12")
    assert capsys.readouterr().out == "[bold]x[/bold] :smile: 12\n"


def test_json_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "霧\x9b\ud800", "n": 1}
    print_json(value)
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert "\x9b" not in printed
    assert json.loads(printed) == value


def test_notes_and_errors_are_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    note("two\nlines")
    error_line("three\x1b\nmore\nlines")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "note: two lines\nerror: three more lines\n"


@pytest.mark.parametrize(
    ("n", "expected"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2**31, "2.1 GB")]
)
def test_sizes(n: int, expected: str) -> None:
    assert n_bytes_in_words(n) == expected


def test_joined() -> None:
    assert joined(["a", "b"], 2) == "'a', 'b'"
    assert joined(["a", "b", "c", "d"], 2) == "'a', 'b' and 2 more"


def test_check_can_write(tmp_path: Path) -> None:
    check_can_write(tmp_path / "new.json")
    with pytest.raises(UsageError, match="no folder"):
        check_can_write(tmp_path / "nowhere" / "new.json")
    with pytest.raises(UsageError, match="is a folder"):
        check_can_write(tmp_path)


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as report:
        report("read", 1, 2)
    printed = capsys.readouterr()
    assert printed.out == printed.err == ""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_shows_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with output.progress() as report:
        report("read", 0, 0)
        for done in range(1, 6):
            report("scan", done, 5)
    assert "read" in screen.getvalue()
    assert "5/5" in screen.getvalue()


def test_one_of_a_kind_is_said_in_the_singular():
    assert [counted(n, "passage") for n in (0, 1, 2000)] == [
        "0 passages",
        "1 passage",
        "2,000 passages",
    ]
    assert [counted(n, "alias", "aliases") for n in (1, 2)] == ["1 alias", "2 aliases"]
