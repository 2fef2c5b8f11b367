"""Commands of the pages, run while the site is built, so that what they print is what is shown."""

import os
import re
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final

from doc_pages.pdfs import pdf_of
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
        """A file that commands can read, in the folder where they run; ``.pdf`` is made a PDF."""
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = pdf_of(content) if path.suffix == ".pdf" else content.encode()
        path.write_bytes(data)

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
        code, printed, complaints = self._run(typed)
        if code:
            raise ValueError(f"{command!r} ended with {code}: {complaints}")
        lines = printed[: int(cut)] if cut else printed
        return _block(command, lines)

    def refused(self, command: str) -> str:
        """A command that ends with an error, and the line that it prints, as a code block.

        Raises
        ------
        ValueError
            It ended well.
        """
        code, _, complaints = self._run(command)
        if not code:
            raise ValueError(f"{command!r} ended well, and the page says that it fails")
        return _block(command, [line for line in complaints if line.startswith("error: ")])

    def _run(self, typed: str) -> tuple[int, list[str], list[str]]:
        """Exit code of a command, the lines that it prints, and those on stderr."""
        program, *arguments = shlex.split(typed)
        if program != "hippohover":
            raise ValueError(f"{typed!r} is no command of hippohover")
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
        return code, self._lines(printed), self._lines(complaints)

    def _lines(self, said: StringIO) -> list[str]:
        """Lines that were printed, with paths below the folder as they were typed."""
        text = said.getvalue().replace(f"{self._root}{os.sep}", "")
        return [line.rstrip() for line in text.rstrip("\n").splitlines()]

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()


def _block(command: str, lines: Sequence[str]) -> str:
    return "\n".join(["```console", *_prompted(command), *lines, "```"])


def _prompted(command: str) -> list[str]:
    """A command after its prompt, on several lines where it is long."""
    lines = ["$"]
    for word in _WORDS.findall(command):
        if len(lines[-1]) + len(word) > int(_WIDTH) - 2 and lines != ["$"]:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return lines
