"""The command line: ``main`` is the entry point, ``commands`` lists the commands."""

from hippohover.cli.commands import app
from hippohover.cli.running import main, run

__all__ = ["app", "main", "run"]
