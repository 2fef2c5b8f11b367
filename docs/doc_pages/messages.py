"""Texts of the package that its errors are made of, to hold the page of errors to them."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ANY: Final = "…"
"""Stands in a message for what is filled in."""


def texts_of(folder: Path) -> list[str]:
    """Every text in the code of a folder; of a formatted one, ``ANY`` for each value."""
    return [
        text
        for path in sorted(folder.rglob("*.py"))
        for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
    ]


def _texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(_part(value) for value in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _part(value: ast.expr) -> str:
    return str(value.value) if isinstance(value, ast.Constant) else ANY
