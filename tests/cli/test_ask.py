"""From nothing to an answer: ``ask``, an index that is not named, and what only people see."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command_samples import CLAIM, Command, assert_error

NOTES = {
    "beacon.md": "# Beacon\n\nBeacon is owned by [[Mara Oduya]].\n",
    "mara.md": "# Mara Oduya\n\nMara Oduya came from Tidewater Labs. She speaks Polish.\n",
}


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HIPPOHOVER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HIPPOHOVER_INDEX", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def test_a_folder_is_asked_without_more_and_followed(hippohover: Command, notes: Path) -> None:
    first = hippohover("ask", "notes", "Who owns Beacon?")
    assert "  1  Beacon" in first.out
    assert "read 2 documents" in first.err
    assert "2 documents" not in hippohover("ask", "notes", "Who owns Beacon?").err
    (notes / "zed.md").write_text("# Zed\n\nZed is owned by Ida Fenn.\n", "utf-8")
    (notes / "beacon.md").unlink()
    second = hippohover("ask", "notes", "Who owns Zed?", "--json")
    assert second.json["passages"][0]["title"] == "Zed"
    assert "Beacon" not in second.out
    assert "2 documents changed" in second.err
    [kept] = (notes.parent / "cache" / "asked").iterdir()
    assert kept.name.rpartition("-")[0] == "notes"
    assert "v000002" in {path.name for path in kept.iterdir()}


def test_a_file_is_asked_too_and_read_again_when_it_is_newer(
    hippohover: Command, notes: Path
) -> None:
    file = notes / "mara.md"
    assert "Polish" in hippohover("ask", file, "What does Mara Oduya speak?").out
    file.write_text("# Mara Oduya\n\nMara Oduya speaks Danish.\n", "utf-8")
    os.utime(file, (2**33, 2**33))
    assert "Danish" in hippohover("ask", file, "What does Mara Oduya speak?").out


def test_an_index_is_asked_as_it_is(hippohover: Command, toy_index: Path) -> None:
    told = hippohover("ask", toy_index, CLAIM, "--json").json
    expected = hippohover("query", toy_index, CLAIM, "--json").json
    assert told["passages"] == expected["passages"]


def test_documents_are_built_under_their_own_name(hippohover: Command, notes: Path) -> None:
    assert "index/notes  v000001" in hippohover("build", "notes").out
    assert "index/beacon  v000001" in hippohover("build", notes / "beacon.md").out
    assert "elsewhere  v000001" in hippohover("build", "notes", "--out", "elsewhere").out


def test_an_index_need_not_be_named(
    hippohover: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hippohover("build", "notes").code == 0
    named = hippohover("query", "index/notes", "Who owns Beacon?").out
    assert hippohover("query", "Who owns Beacon?").out.splitlines()[:-1] == named.splitlines()[:-1]
    assert hippohover("verify", "Mara Oduya speaks Polish.").code == 0
    assert "Mara" in hippohover("explain", "Who owns Beacon?", "--title", "Mara Oduya").out
    assert "index/notes" in hippohover("inspect").out
    assert hippohover("build", "notes", "--out", "index/other").code == 0
    assert_error(hippohover("query", "Who owns Beacon?"), "holds 2 (notes, other)")
    monkeypatch.setenv("HIPPOHOVER_INDEX", "index/other")
    assert hippohover("query", "Who owns Beacon?").code == 0
    assert_error(hippohover("query", "no/index"), "claim", code=2)


def test_quiet_leaves_results_and_errors(hippohover: Command, notes: Path) -> None:
    assert hippohover("build", notes).err
    assert hippohover("--quiet", "build", notes).err == ""
    assert hippohover("build", notes, "--quiet").err == ""
    assert hippohover("query", "nowhere/at", "x", "--quiet").err.startswith("error: ")
    assert hippohover("query", "--", "--quiet").code == 0


def on_terminal(*arguments: object, env: dict[str, str]) -> str:
    """What a command prints where its output is a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "hippohover", *map(str, arguments)]
    with subprocess.Popen(  # noqa: S603
        command, stdout=theirs, stderr=subprocess.DEVNULL, env={**env, "TERM": "xterm-256color"}
    ):
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65_536):
                shown += part
        except OSError:  # of Linux: the other end is closed
            pass
    os.close(ours)
    return shown.decode()


def test_a_terminal_shows_five_with_their_sentence_link_and_next_step(
    hippohover: Command, notes: Path, command_env: dict[str, str]
) -> None:
    for n in range(8):
        (notes / f"{n}.md").write_text(f"# Note {n}\n\nBeacon has {n} keys. Fog.\n", "utf-8")
    assert hippohover("build", "notes").code == 0
    claim = "How many keys has Beacon?"
    shown = on_terminal("query", "index/notes", claim, env=command_env)
    assert "\n  5  " in shown
    assert "\n  6  " not in shown
    assert "\x1b[1mBeacon has" in shown
    assert f";{notes.as_uri()}/" in shown
    assert "\x1b[1;2m" not in shown  # bold and dim is grey
    assert "hippohover explain index/notes" in shown
    assert "\n  6  " in on_terminal("query", "index/notes", claim, "--all", env=command_env)
    assert "\n  6  " in hippohover("query", "index/notes", claim).out
