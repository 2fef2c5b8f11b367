"""Tables of reStructuredText, which are drawn with signs or written as lists: their cells."""

import re
from itertools import pairwise

GRID = re.compile(r"\s*\+(?:[-=]{1,500}\+){1,200}\s*$")
SIMPLE = re.compile(r"\s*={1,500}(?:[ \t]{1,20}={1,500}){1,200}\s*$")


def grid_rows(lines: list[str]) -> list[list[str]]:
    """The cells of a table that is drawn: the words of one between its borders, of all lines."""
    edges = [at for at, sign in enumerate(lines[0]) if sign == "+"]
    rows: list[list[str]] = [[]]
    for line in lines[1:]:
        if GRID.match(line):
            rows.append([])
            continue
        cells = [line[left + 1 : right].strip() for left, right in pairwise(edges)]
        before = rows[-1] or [""] * len(cells)
        rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(before, cells, strict=True)]
    return [row for row in rows if any(row)]


def simple_rows(lines: list[str]) -> list[list[str]]:
    """The cells of a table between rules: by the columns of the first of them."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    rows: list[list[str]] = []
    for line in lines[1:]:
        if SIMPLE.match(line) or re.fullmatch(r"[ -]+", line):
            continue
        cells = [line[left:right].strip() for left, right in pairwise([*starts, len(line) + 1])]
        if rows and cells and not cells[0]:
            rows[-1] = [
                f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)
            ]
        else:
            rows.append(cells)
    return rows


def listed_rows(lines: list[str]) -> list[list[str]]:
    """The cells of a table that is written as a list of lists."""
    rows: list[list[str]] = []
    for line in lines:
        words = line.strip()
        if words.startswith("* -"):
            rows.append([words[3:].strip()])
        elif words.startswith("- ") and rows:
            rows[-1].append(words[2:].strip())
        elif words and rows:
            rows[-1][-1] += f" {words}"
    return rows
