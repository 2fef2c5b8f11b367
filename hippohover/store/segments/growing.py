"""Arrays that grow at their end, and rows in them that grow or move there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.spans import places_in
from hippohover.store.segments.private_maps import with_room

_LEAST_ROOM = 1024
_ROOM = 3  # times what is there: pages cost nothing until they are written to


class Growing:
    """An array with spare room; ``view`` is the used part."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.n = len(array)
        self._buffer = with_room(array, _ROOM * self.n + _LEAST_ROOM)

    @property
    def view(self) -> NDArray[Any]:
        return self._buffer[: self.n]

    def extend(self, n: int) -> int:
        """Use more places; return the first of them, whose content is undefined."""
        first, self.n = self.n, self.n + n
        if self.n > len(self._buffer):
            self._buffer = with_room(self._buffer[:first].copy(), self.n // 2 + n)
        return first

    def append(self, values: NDArray[Any]) -> int:
        """Append values; return the place of the first."""
        first = self.extend(len(values))
        self._buffer[first : self.n] = values
        return first


class GrowingRows:
    """Rows of several arrays under one set of spans."""

    def __init__(self, spans: Growing, *columns: Growing) -> None:
        self.spans = spans
        self.columns = columns
        self._ends: dict[int, int] = {}  # of rows that have moved, and so have room

    def row(self, number: int) -> list[NDArray[Any]]:
        """Return a row, column by column, as it is in the arrays."""
        own = slice(*self.spans.view[number].tolist())
        return [column.view[own] for column in self.columns]

    def append(self, number: int, *values: NDArray[Any]) -> None:
        """Append values to a row, column by column."""
        start, stop = self.spans.view[number].tolist()
        n = len(values[0])
        if stop + n > self._ends.get(number, -1):
            start, stop = self._move(number, stop - start + n)
        for column, part in zip(self.columns, values, strict=True):
            column.view[stop : stop + n] = part
        self.spans.view[number] = start, stop + n

    def _move(self, number: int, n: int) -> tuple[int, int]:
        """Copy a row to a place with enough room; return that place."""
        old = self.row(number)
        room = n + n // 8 + 2
        start, *_ = [column.extend(room) for column in self.columns]
        self._ends[number] = start + room
        stop = start + len(old[0])
        for column, part in zip(self.columns, old, strict=True):
            column.view[start:stop] = part
        return start, stop

    def put(self, number: int, *values: NDArray[Any]) -> None:
        """Replace a row: in place, if it has the room."""
        n = len(values[0])
        start, stop = self.spans.view[number].tolist()
        if start + n > self._ends.get(number, stop):
            room = n + n // 8 + 2
            starts = [column.extend(room) for column in self.columns]
            start = starts[0]
            self._ends[number] = start + room
        for column, part in zip(self.columns, values, strict=True):
            column.view[start : start + n] = part
        self.spans.view[number] = start, start + n

    def put_all(
        self, numbers: list[int], lengths: NDArray[np.int64], *values: NDArray[Any]
    ) -> None:
        """Replace some rows, given one after the other, column by column."""
        spans = self.spans.view[numbers]
        stops = spans[:, 1].tolist()
        ends = [self._ends.get(number, stop) for number, stop in zip(numbers, stops, strict=True)]
        starts = spans[:, 0]
        moves = np.flatnonzero(starts + lengths > np.array(ends, np.int64))
        room = lengths[moves] + lengths[moves] // 8 + 2
        first, *_ = [column.extend(int(room.sum())) for column in self.columns]
        ends_then = first + np.cumsum(room)
        starts[moves] = ends_then - room
        for at, end in zip(moves.tolist(), ends_then.tolist(), strict=True):
            self._ends[numbers[at]] = end
        spans = np.column_stack([starts, starts + lengths])
        places = places_in(spans)
        for column, part in zip(self.columns, values, strict=True):
            column.view[places] = part
        self.spans.view[numbers] = spans
