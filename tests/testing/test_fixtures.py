import subprocess
import sys
from pathlib import Path

from hippohover.retrieval.engine import HippoHover


def test_the_index_is_there_and_the_engine_reads_it(toy_index: Path, toy_engine: HippoHover):
    assert toy_engine.stored.folder.parent == toy_index
    assert toy_engine.n_passages > 100


def test_another_project_gets_them_by_one_line(tmp_path: Path, command_env: dict[str, str]):
    line = 'pytest_plugins = ["hippohover.testing.fixtures"]'
    (tmp_path / "conftest.py").write_text(line)
    test = "def test_it(toy_engine):\n    assert toy_engine.n_passages > 100\n"
    (tmp_path / "test_mine.py").write_text(test)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:schemathesis"],
        cwd=tmp_path,
        env={**command_env, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in run.stdout, run.stdout
