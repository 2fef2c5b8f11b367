"""Parsed passages in few bytes: columns of numbers, compressed, and back to rows.

    cd benchmarks; python -m evidence.packing FOLDER OUT.xz [N]

FOLDER holds what ``parsing.py`` wrote.
"""

import io
import json
import lzma
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from evidence.sentences import Passage, passage_of

Row = dict[str, Any]


def packed(rows: Sequence[Row]) -> bytes:
    """Pack rows."""
    names: dict[str, dict[str, int]] = {"tag": {}, "dep": {}, "ent": {}, "lem": {}}
    columns: dict[str, list[int]] = {
        name: [] for name in ("gap", "n", "head", "sent", "size", *names)
    }
    for row in rows:
        end = 0
        for start, length in zip(row["i"], row["n"], strict=True):
            columns["gap"].append(min(start - end, 255))
            columns["n"].append(min(length, 255))
            end = start + length
        columns["head"] += [
            head - at if -128 < head - at < 128 else 0 for at, head in enumerate(row["head"])
        ]
        columns["sent"] += row["sent"]
        columns["size"].append(len(row["i"]))
        for name, known in names.items():
            columns[name] += [known.setdefault(one, len(known)) for one in row[name]]
    kinds = {"head": "int8", "size": "uint16", "lem": "uint16"}
    made = {
        "texts": [f"{r['title']}\1{r['link'] or ''}\1{r['text']}" for r in rows],
        "names": {name: list(known) for name, known in names.items()},
    }
    arrays = {name: np.array(column, kinds.get(name, "uint8")) for name, column in columns.items()}
    arrays["header"] = np.frombuffer(json.dumps(made).encode(), np.uint8)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return lzma.compress(file.getvalue(), preset=6)


class Passages(Sequence[Passage]):
    """Packed passages, each of which is read when it is asked for, and then kept."""

    def __init__(self, data: bytes, first: int = 0, last: int | None = None) -> None:
        with np.load(io.BytesIO(lzma.decompress(data)), allow_pickle=False) as file:
            arrays: dict[str, Any] = {name: file[name] for name in file.files}
        made = json.loads(arrays.pop("header").tobytes())
        self._names: dict[str, list[str]] = made["names"]
        self._columns = arrays
        self._texts: list[str] = made["texts"][first:last]
        self._ends = np.cumsum(self._columns["size"].astype(int))[first:last]
        self._sizes = self._columns["size"][first:last].astype(int)
        self._read: dict[int, Passage] = {}
        self.titles = [text.split("\1", 1)[0] for text in self._texts]

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, at: int) -> Passage: ...
    @overload
    def __getitem__(self, at: slice) -> list[Passage]: ...
    def __getitem__(self, at: int | slice) -> Passage | list[Passage]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if at not in self._read:
            if not 0 <= at < len(self):
                raise IndexError(at)
            self._read[at] = passage_of(self._row(at))
        return self._read[at]

    def _row(self, at: int) -> Row:
        size = int(self._sizes[at])
        part = slice(int(self._ends[at]) - size, int(self._ends[at]))
        columns = self._columns
        title, link, body = self._texts[at].split("\1")
        gaps, lengths = columns["gap"][part].astype(int), columns["n"][part].astype(int)
        row: Row = {"title": title, "link": link, "text": body}
        row["i"] = (np.cumsum(gaps + lengths) - lengths).tolist()
        row["n"] = lengths.tolist()
        row["head"] = (columns["head"][part].astype(int) + np.arange(size)).tolist()
        row["sent"] = columns["sent"][part].tolist()
        for name, known in self._names.items():
            row[name] = [known[one] for one in columns[name][part].tolist()]
        return row


if __name__ == "__main__":
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 10**9
    files = sorted(Path(sys.argv[1]).glob("*.json"))
    everything = [row for file in files for row in json.loads(file.read_text("utf-8"))][:most]
    Path(sys.argv[2]).write_bytes(packed(everything))
    print(len(everything), "passages,", Path(sys.argv[2]).stat().st_size, "bytes")
