"""Tables of reStructuredText, drawn with signs or written as lists: their cells."""

import csv
import re
from collections.abc import Mapping
from functools import partial
from itertools import pairwise

GRID = re.compile(r"\s*\+(?:[-=]{1,500}\+){1,200}\s*$")
SIMPLE = re.compile(r"\s*={1,500}(?:[ \t]{1,20}={1,500}){1,200}\s*$")


def grid_rows(lines: list[str]) -> list[list[str]]:
    """Return cells of a drawn table: the words between borders, on all lines."""
    edges = [at for at, sign in enumerate(lines[0]) if sign == "+"]
    rows: list[list[list[str]]] = [[]]
    for line in lines[1:]:
        if GRID.match(line):
            rows.append([])
        else:
            _go_on(rows, [line[left + 1 : right] for left, right in pairwise(edges)])
    return _words(rows)


def simple_rows(lines: list[str]) -> list[list[str]]:
    """Return cells of a table between rules, by the columns of the first rule."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    rows: list[list[list[str]]] = []
    for line in lines[1:]:
        if SIMPLE.match(line) or re.fullmatch(r"[ -]+", line):
            continue
        cells = [line[left:right] for left, right in pairwise([*starts, len(line) + 1])]
        if not rows or cells[0].strip():
            rows.append([])
        _go_on(rows, cells)
    return _words(rows)


def listed_rows(lines: list[str]) -> list[list[str]]:
    """Return cells of a table that is written as a list of lists."""
    rows: list[list[list[str]]] = []
    for line in lines:
        words = line.strip()
        if words.startswith("* -"):
            rows.append([[words[3:]]])
        elif words.startswith("- ") and rows:
            rows[-1].append([words[2:]])
        elif rows:
            rows[-1][-1].append(words)
    return _words(rows)


def separated_rows(lines: list[str], options: Mapping[str, str]) -> list[list[str]]:
    """Return cells of a table directive, below its header; the first row is empty without one."""
    sign = options.get("delim", ",")
    sign = {"tab": "\t", "space": " "}.get(sign, sign)
    sign = sign if len(sign) == 1 else ","
    texts = [line.strip() for line in lines if line.strip()]
    read = partial(csv.reader, delimiter=sign, skipinitialspace=True)
    try:
        header = [
            " ".join(cell.split()) for row in read([options.get("header", "")]) for cell in row
        ]
        rows = [[" ".join(cell.split()) for cell in row] for row in read(texts)]
    except csv.Error:  # a cell of more than 128 KiB, which is no cell
        return [[], *([text] for text in texts)]
    if not header and options.get("header-rows", "0") != "0":
        header, rows = (rows[:1] or [[]])[0], rows[1:]
    return [header, *(row for row in rows if any(row))]


def _go_on(rows: list[list[list[str]]], cells: list[str]) -> None:
    """Add a line of cells to the last row's, which it may begin."""
    if not rows[-1]:
        rows[-1] = [[] for _ in cells]
    for cell, more in zip(rows[-1], cells, strict=True):
        cell.append(more)


def _words(rows: list[list[list[str]]]) -> list[list[str]]:
    joined = ([" ".join(" ".join(cell).split()) for cell in row] for row in rows)
    return [row for row in joined if any(row)]
