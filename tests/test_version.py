"""The version, where the package is installed and where it is not."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import hippohover

PACKAGE = Path(hippohover.__file__).parent


def test_it_is_that_of_the_installed_package():
    assert hippohover.__version__ == version("hippohover")


def test_a_checkout_that_nobody_installed_says_so(tmp_path: Path):
    (tmp_path / "hippohover").symlink_to(PACKAGE)
    code = "import hippohover; print(hippohover.__version__)"
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-S", "-c", code],  # -S: without what is installed
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "0+source"
