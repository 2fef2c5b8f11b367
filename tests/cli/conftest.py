"""Fixtures of the commands' tests: one that runs a command, a recipe, an index to damage."""

import shutil
from pathlib import Path

import pytest
import typer

from hippohover.cli import run
from hippohover.cli.commands import app
from tests.cli.command_samples import FAST_RECIPE, Command, Outcome


@pytest.fixture(scope="session")
def command_line() -> object:
    """All commands, as ``app`` makes them of their functions again each time that it is called."""
    return typer.main.get_command(app)


@pytest.fixture
def hippohover(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command_line: object,
) -> Command:
    """Runs one command in an empty folder and gives how it ended."""
    monkeypatch.setattr("hippohover.cli.running.app", command_line)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("HIPPOHOVER_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """File of the recipe ``small``."""
    path = tmp_path / "small.toml"
    path.write_text(FAST_RECIPE, encoding="utf-8")
    return path


@pytest.fixture
def copied(toy_index: Path, tmp_path: Path) -> Path:
    """The toy index, this test's own."""
    return Path(shutil.copytree(toy_index, tmp_path / "copied"))
