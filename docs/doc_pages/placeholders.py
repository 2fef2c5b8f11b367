"""Comments of a page that stand before what is generated, and what generates it.

``<!-- generated: commands -->`` on a line of its own stands before Markdown;
``<!-- run: hippohover inspect index/toy -->`` before the command and what it prints;
``<!-- fails: hippohover query nowhere Who? -->`` before the command and the error it ends with;
``<!-- end -->`` behind each of them, so that a page can be read where nothing is generated;
``<!-- file: notes.toml -->`` before a block of code makes it a file that such a command can read.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from doc_pages.collections import collection_in_markdown, collections_in_markdown
from doc_pages.command_runs import CommandRuns
from doc_pages.commands import commands_in_markdown
from doc_pages.example import WorkedExample
from doc_pages.levels import ROOT, levels_in_markdown
from doc_pages.settings import settings_in_markdown

END: Final = "<!-- end -->"
PLACEHOLDER: Final = re.compile(
    r"^<!-- file: (?P<file>\S+) -->\n(?:`[^`\n]+`:\n\n)?(?P<block>```\w*\n(?P<content>.*?)^```)$"
    r"|^<!-- (?P<kind>\w+): (?P<what>[^\n]+) -->$"
    r"(?:\n(?P<old>(?:(?!<!-- ).)*?)\n<!-- end -->$)?",
    re.MULTILINE | re.DOTALL,
)
_TIMES: Final = re.compile(r"\b\d+(?:\.\d+)?(?= m?s\b)|(?<=latency ms p50 / p95)[ │\d./]+")
"""Durations: they differ from run to run."""

_LANGUAGES: Final = {".py": "python", ".toml": "toml", ".service": "ini"}


class Generators:
    """Makes each part when a page first asks for it; the toy index is built once."""

    def __init__(self) -> None:
        self._runs: CommandRuns | None = None
        self._example: WorkedExample | None = None

    def text_of(self, found: re.Match[str]) -> str:
        """A comment with the Markdown that stands behind it now.

        What differs from the page in durations alone stays as it is.

        Raises
        ------
        ValueError
            Nothing has that name, or the command failed.
        """
        if found["file"]:
            self.runs.write(found["file"], found["content"])
            return f"<!-- file: {found['file']} -->\n`{found['file']}`:\n\n{found['block']}"
        kind, what = found["kind"], found["what"]
        made, old = self._made(kind, what), found["old"]
        if old is not None and _without_times(old) == _without_times(made):
            made = old
        return f"<!-- {kind}: {what} -->\n{made}\n{END}"

    def _made(self, kind: str, what: str) -> str:
        if kind == "run":
            return self.runs.shown(what)
        if kind == "fails":
            return self.runs.refused(what)
        name, _, part = what.partition(" ")
        if kind == "generated" and name in self._makers:
            return self._makers[name](*[part] * bool(part))
        raise ValueError(f"nothing generates <!-- {kind}: {what} -->: fix the page")

    @property
    def _makers(self) -> dict[str, Callable[..., str]]:
        """What a comment may name after "generated", by its first word."""
        return {
            "commands": commands_in_markdown,
            "levels": levels_in_markdown,
            "collections": collections_in_markdown,
            "collection": collection_in_markdown,
            "settings": settings_in_markdown,
            "example": self._part_of_example,
            "listing": _listing,
        }

    def _part_of_example(self, part: str) -> str:
        return self.example.part(part)  # it is built when it is asked

    @property
    def runs(self) -> CommandRuns:
        """Commands, run in a folder that holds the toy index."""
        if self._runs is None:
            self._runs = CommandRuns()
        return self._runs

    @property
    def example(self) -> WorkedExample:
        """The worked example, on the same index."""
        if self._example is None:
            self._example = WorkedExample(self.runs.index)
        return self._example

    @property
    def pictures(self) -> dict[str, str]:
        """File names in ``images`` and SVG texts of the pictures that the parts show."""
        return self._example.pictures if self._example is not None else {}

    def close(self) -> None:
        """Remove what was built."""
        if self._example is not None:
            self._example.close()
        if self._runs is not None:
            self._runs.close()


def fill(page: str, generators: Generators) -> str:
    """A page with what is generated behind each comment as it is now, in order."""
    return PLACEHOLDER.sub(generators.text_of, page)


def _without_times(text: str) -> str:
    return _TIMES.sub("", text)


def _listing(path: str) -> str:
    """A file of the repository as a block of code."""
    language = _LANGUAGES.get(Path(path).suffix, "text")
    return f"```{language}\n{(ROOT / path).read_text(encoding='utf-8').rstrip()}\n```"
