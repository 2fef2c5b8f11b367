"""The tables of the two READMEs are what benchmarks/results says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_tables_match_the_results():
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(ROOT / "benchmarks" / "tables.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
