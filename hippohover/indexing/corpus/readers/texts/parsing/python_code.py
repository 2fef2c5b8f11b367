"""Python: classes, functions and methods from its syntax tree, and imported modules."""

import ast
import re
import warnings
from pathlib import PurePosixPath
from typing import Final

from hippohover.indexing.corpus.markup import path_link
from hippohover.indexing.corpus.readers.documents import Section
from hippohover.indexing.corpus.records import Link

_MAX_CHARS: Final = 2**20
"""A longer text is not parsed: its tree would take a hundred times as much memory."""

_DEFINITION = re.compile(r"^(?:class|def|async[ \t]+def)[ \t]+(\w{1,200})", re.M)


class PythonCode:
    """Definitions and imports of a Python text; ``place`` is its file.

    Attributes
    ----------
    sections : list of Section
    links : list of Link
        To modules beside or above: of others nobody knows that they are in the corpus.
    """

    def __init__(self, text: str, place: str) -> None:
        self.sections: list[Section] = []
        self.links: list[Link] = []
        self._place = PurePosixPath(place)
        tree = _parsed(text)
        if tree is None:
            matches = _DEFINITION.finditer(text)
            self.sections = [Section(match.start(), 2, match[1]) for match in matches]
            return
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._define(tree, 2)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._link(node, [alias.name for alias in node.names], 0)
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module] if node.module else [alias.name for alias in node.names]
                self._link(node, modules, node.level)
        self.links.sort()

    def _define(self, node: ast.AST, level: int) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(mark.lineno for mark in child.decorator_list)])
                self.sections.append(Section(self._starts[first - 1], level, child.name))
                if isinstance(child, ast.ClassDef) and level == 2:
                    self._define(child, level + 1)

    def _link(self, node: ast.stmt, modules: list[str], level: int) -> None:
        folders = self._place.parts[:-1]
        for module in modules:
            path = module.replace(".", "/")
            if level:
                path = "/".join([*folders[: len(folders) - level + 1], path])
            elif module.partition(".")[0] not in folders:
                continue
            self.links.extend(path_link(self._starts[node.lineno - 1], f"/{path}", ""))


def _parsed(text: str) -> ast.Module | None:
    """Parse a text; return None where it is in another Python, or too long."""
    if len(text) > _MAX_CHARS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
