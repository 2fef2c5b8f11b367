"""The commands as a whole through ``cli.run``: help, usage, exit codes, one error line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hippohover.cli.commands import COMMANDS, SECTIONS
from tests.cli.command_samples import CLAIM, Command, assert_error, write_corpus


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(hippohover: Command, command: str) -> None:
    outcome = hippohover(command, "--help")
    assert outcome.code == 0
    assert f"Example:  hippohover {command}" in outcome.out
    assert f"\n  {COMMANDS[command][1]}" in outcome.out  # what the list says of it


def test_no_command_shows_the_help(hippohover: Command) -> None:
    outcome = hippohover()
    assert outcome.code == 0
    assert "hippohover demo" in outcome.out


def test_the_list_of_commands_cuts_no_sentence(hippohover: Command) -> None:
    listed = re.findall(
        r"^  [a-z][a-z-]+ .+", hippohover().out.partition("\nAsk:\n")[2], re.MULTILINE
    )
    assert len(listed) > 20
    assert all(line.endswith(".") and "..." not in line for line in listed if line)


# --- what is not understood


# --- no index, or a damaged one


def test_index_of_another_format(hippohover: Command, copied: Path) -> None:
    manifest = copied / "v000001" / "manifest.json"
    fields = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**fields, "format_version": 99}), encoding="utf-8")
    assert_error(hippohover("query", copied, CLAIM), "format 99", "upgrade hippohover")


def test_flipped_byte_and_missing_file(hippohover: Command, copied: Path) -> None:
    file = copied / "v000001" / "passages.arrow"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert_error(hippohover("query", copied, CLAIM), "passages.arrow")
    file.unlink()
    assert_error(hippohover("inspect", copied), "passages.arrow", "missing")


# --- text is data, and errors have one shape


def test_markup_and_escapes_of_a_corpus_print_as_they_stand(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    documents = [
        ("[red]Ada[/red] Finch", "She \x1b[31msang[/bold] in \x07[link=http://x]Isk[/link]."),
        ("Salt\x1b]0;owned\x07 Road", "A film with [red]Ada[/red] Finch :smile: in it."),
    ]
    corpus = write_corpus(tmp_path / "c.jsonl", documents)
    assert hippohover("build", recipe, "--corpus", corpus).code == 0
    claim = "[red]Ada[/red] Finch sang \x1b[2J in Isk [/nonsense]."
    outputs = [
        hippohover("query", "index/small", claim),
        hippohover("explain", "index/small", claim, "--title", documents[0][0]),
        hippohover("inspect", "index/small"),
    ]
    for outcome in outputs:
        assert outcome.code == 0, outcome
        assert not {"\x1b", "\x07"} & set(outcome.out + outcome.err)
    assert "[red]Ada[/red] Finch" in outputs[0].out
    assert "[link=http://x]Isk[/link]" in outputs[0].out
    assert ":smile:" in outputs[0].out
    assert "[red]Ada[/red] Finch" in outputs[1].out
    for option in ("--title", "--pid"):
        outcome = hippohover("explain", "index/small", claim, option, "[/x]\x1b[2J")
        assert_error(outcome, "[/x]")
        assert "\x1b" not in outcome.err
    assert_error(hippohover("query", "no\x1b[31m[red]\nindex", claim), "[red]")


def test_help_lists_options_about_language_models_apart(hippohover: Command) -> None:
    told = hippohover("query", "--help").out
    own, _, model = told.partition("\nLanguage model:\n")
    assert "--where" in own
    assert "--lm" not in own
    assert {"--lm-cache", "--filter", "--max-cost"} <= set(
        re.findall(r"^  (--[a-z-]+)", model, re.M)
    )
    listed = hippohover("--help").out
    assert all(f"\n{title}:\n" in listed for title in SECTIONS)
    assert all(f"\n  {name} " in listed for name in COMMANDS)


def test_help_may_be_asked_as_a_command(hippohover: Command) -> None:
    assert hippohover("help").out == hippohover("--help").out
    assert hippohover("help", "query").out == hippohover("query", "--help").out


def test_a_shell_completes_commands_and_options(command_env: dict[str, str]) -> None:
    def completed(words: str) -> list[str]:
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        env = command_env | asked | {"_HIPPOHOVER_COMPLETE": "complete_bash"}
        command = [sys.executable, "-c", "from hippohover.cli import main; main()"]
        return subprocess.run(  # noqa: S603
            command, env=env, capture_output=True, text=True, check=True
        ).stdout.split()

    assert completed("hippohover que") == ["query"]
    assert completed("hippohover query --whe") == ["--where"]
