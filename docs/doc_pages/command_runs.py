"""Commands of the pages, run while the site is built, so that what they print is what is shown."""

import os
import re
import shlex
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final

from hippohover.cli import run
from hippohover.cli.demo import toy_recipe_path
from hippohover.indexing.build import build
from hippohover.toy import toy_claims_path, toy_corpus_path

TOY: Final = "index/toy"
_WIDTH: Final = "88"
_WORDS: Final = re.compile(r"""--?[a-z-]+ (?:"[^"]*"|[^-"|\s]\S*)|"[^"]*"|\S+""")
"""What a command is broken between: an option stays with its value."""


class CommandRuns:
    """Runs commands in a folder of their own, which holds the toy index as ``index/toy``."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hippohover-docs-")
        self._root = Path(self._folder.name)
        self.index = self._root / TOY
        for source in (toy_corpus_path(), toy_claims_path()):
            (self._root / source.name).write_bytes(source.read_bytes())
        build(toy_recipe_path(), corpus=toy_corpus_path(), out=self.index, workers=1)

    def write(self, name: str, content: str) -> None:
        """A file that commands can read, in the folder where they run."""
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def shown(self, command: str) -> str:
        """A command and its output, as a code block.

        Parameters
        ----------
        command : str
            As typed; " | head -N" shows the first lines, and says how many there are.

        Raises
        ------
        ValueError
            It ended otherwise than well.
        """
        typed, _, cut = command.partition(" | head -")
        program, *arguments = shlex.split(typed)
        printed, complaints = StringIO(), StringIO()
        before = os.environ.get("COLUMNS")
        os.environ["COLUMNS"] = _WIDTH
        try:
            with chdir(self._root), redirect_stdout(printed), redirect_stderr(complaints):
                code = run(arguments)
        finally:
            os.environ.pop("COLUMNS")
            if before is not None:
                os.environ["COLUMNS"] = before
        if program != "hippohover" or code:
            raise ValueError(f"{command!r} ended with {code}: {complaints.getvalue()}")
        said = printed.getvalue().replace(f"{self._root}{os.sep}", "")
        lines = [line.rstrip() for line in said.rstrip("\n").splitlines()]
        if cut:
            lines = lines[: int(cut)]
        return "\n".join(["```console", *_prompted(command), *lines, "```"])

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()


def _prompted(command: str) -> list[str]:
    """A command after its prompt, on several lines where it is long."""
    lines = ["$"]
    for word in _WORDS.findall(command):
        if len(lines[-1]) + len(word) > int(_WIDTH) - 2 and lines != ["$"]:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return lines
