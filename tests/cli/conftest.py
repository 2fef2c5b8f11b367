"""Fixtures of the commands' tests: one that runs a command, a recipe, an index to damage."""

import shutil
from pathlib import Path

import pytest

from hippohover.cli import run
from tests.cli.command_samples import FAST_RECIPE, Command, Outcome


@pytest.fixture
def hippohover(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Runs one command in an empty folder and gives how it ended."""
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
