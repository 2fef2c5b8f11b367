"""The levels of the package as a picture, made from the list that the test of imports keeps.

``python docs/fill.py`` writes it into CONTRIBUTING.md and the page on architecture.
"""

import ast
import re
import textwrap
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
GUIDE: Final = ROOT / "CONTRIBUTING.md"
_TEST: Final = ROOT / "tests" / "test_imports.py"
_MARKED: Final = re.compile(r"(<!-- levels: [^>]*-->\n).*?(<!-- end of levels -->)", re.DOTALL)
_WIDTH: Final = 72


def levels() -> list[set[str]]:
    """Parts of the package, those that everybody stands on first.

    Raises
    ------
    ValueError
        The test has no such list.
    """
    for node in ast.parse(_TEST.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LEVELS":
            return ast.literal_eval(node.value)
    raise ValueError(f"{_TEST} assigns no LEVELS: fix what reads them")


def levels_in_markdown() -> str:
    """The picture as a block of text: one box a level, and what imports on top."""
    boxes = ["\n".join(_lines_of(parts)) for parts in reversed(levels())]
    edge = "─" * (_WIDTH + 2)
    joined = f"\n├{edge}┤\n".join(boxes)
    return f"```text\n┌{edge}┐\n{joined}\n└{edge}┘\n```"


def guide_with_levels() -> str:
    """CONTRIBUTING.md with the picture as it is now."""
    text = GUIDE.read_text(encoding="utf-8")
    return _MARKED.sub(lambda found: f"{found[1]}{levels_in_markdown()}\n{found[2]}", text)


def _lines_of(parts: set[str]) -> list[str]:
    names = "   ".join(sorted(parts))
    return [f"│ {line.center(_WIDTH)} │" for line in textwrap.wrap(names, _WIDTH)]
