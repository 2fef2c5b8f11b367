"""Comments of a page that stand for what is generated, and what generates it.

``<!-- generated: commands -->`` on a line of its own becomes Markdown;
``<!-- run: hippohover inspect index/toy -->`` becomes the command and what it prints;
``<!-- fails: hippohover query nowhere Who? -->`` the command and the error that it ends with;
``<!-- file: notes.toml -->`` before a block of code makes it a file that such a command can read.
"""

import re
from collections.abc import Callable
from typing import Final

from doc_pages.collections import collection_in_markdown, collections_in_markdown
from doc_pages.command_runs import CommandRuns
from doc_pages.commands import commands_in_markdown
from doc_pages.example import WorkedExample
from doc_pages.levels import levels_in_markdown
from doc_pages.settings import settings_in_markdown

PLACEHOLDER: Final = re.compile(
    r"^<!-- file: (?P<file>\S+) -->\n(?P<block>```\w*\n(?P<content>.*?)^```)$"
    r"|^<!-- (?P<kind>\w+): (?P<what>[^\n]+) -->$",
    re.MULTILINE | re.DOTALL,
)


class Generators:
    """Makes each part when a page first asks for it; the toy index is built once."""

    def __init__(self) -> None:
        self._runs: CommandRuns | None = None
        self._example: WorkedExample | None = None

    def text_of(self, found: re.Match[str]) -> str:
        """Markdown that stands in the place of a comment.

        Raises
        ------
        ValueError
            Nothing has that name, or the command failed.
        """
        if found["file"]:
            self.runs.write(found["file"], found["content"])
            return f"`{found['file']}`:\n\n{found['block']}"
        kind, what = found["kind"], found["what"]
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

    def close(self) -> None:
        """Remove what was built."""
        if self._example is not None:
            self._example.close()
        if self._runs is not None:
            self._runs.close()


def fill(page: str, generators: Generators) -> str:
    """A page with every comment replaced by what it stands for, in order."""
    return PLACEHOLDER.sub(generators.text_of, page)
