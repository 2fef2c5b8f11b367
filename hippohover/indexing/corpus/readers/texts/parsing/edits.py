"""Replacements in a text, and the places of the rest afterwards."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """A span of a text, and its replacement."""

    start: int
    end: int
    put: str = ""


class Edited:
    """A text after edits; of overlapping ones the first counts.

    Attributes
    ----------
    text : str
    """

    def __init__(self, text: str, edits: Iterable[Edit]) -> None:
        parts: list[str] = []
        self._ends, self._shifts = [0], [0]
        at = length = 0
        for edit in sorted(edits):
            if edit.start < at:
                continue
            parts += [text[at : edit.start], edit.put]
            length += edit.start - at + len(edit.put)
            at = edit.end
            self._ends.append(at)
            self._shifts.append(length - at)
        self.text = "".join([*parts, text[at:]])

    def place(self, offset: int) -> int:
        """Return an old offset's new place; for replaced text, the end of its replacement."""
        row = bisect_right(self._ends, offset) - 1
        at = offset + self._shifts[row]
        if row + 1 < len(self._ends):
            at = min(at, self._ends[row + 1] + self._shifts[row + 1])
        return at
