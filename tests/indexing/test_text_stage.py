"""Texts are written in the order of the passages, whatever the chunks and processes."""

from pathlib import Path

import numpy as np
import pytest

from hippohover.indexing.text_stage import write_texts
from hippohover.records import Passage
from hippohover.store.text_store import TextStore
from hippohover.store.writer import IndexWriter
from tests.indexing.work_samples import pid, work_of

TEXTS = [
    f"Aldermoor {row} is a town on the Silver Loom, {row % 7} hours from 海." for row in range(60)
]
NAMES = ("indptr", "frames", "dictionary")


def written(folder: Path, *, size: int, workers: int) -> list[bytes]:
    """Bytes of the three files, which hold the texts."""
    passages = [Passage(pid(row), f"T{row}", text) for row, text in enumerate(TEXTS)]
    work = work_of(folder / "cache", passages, size=size)
    with IndexWriter(folder / "index") as writer:
        write_texts(work, writer, workers=workers)
        arrays = {name: writer.array(f"text_{name}.npy") for name in NAMES}
        assert list(TextStore(**arrays)) == TEXTS
        assert [array.dtype for array in arrays.values()] == [np.int64, np.uint8, np.uint8]
        return [(writer.folder / f"text_{name}.npy").read_bytes() for name in NAMES]


@pytest.mark.parametrize(
    ("size", "workers"), [(1, 1), (7, 2), pytest.param(59, 2, marks=pytest.mark.slow), (60, 1)]
)
def test_bytes_depend_neither_on_chunks_nor_on_processes(tmp_path: Path, size: int, workers: int):
    expected = written(tmp_path / "one", size=4096, workers=1)
    assert len(expected[2]) > 128  # a header, and a dictionary
    assert written(tmp_path / "other", size=size, workers=workers) == expected
