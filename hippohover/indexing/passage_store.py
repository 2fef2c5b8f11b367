"""The passages of a build on disk: sorted by their ids, in chunks that stages take one by one."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.index_faults import reads
from hippohover.indexing.chunk_files import open_table, save_table
from hippohover.indexing.parallel import chunks
from hippohover.indexing.passage_table import passage_table, passages_in
from hippohover.records import Passage

_PASSAGES_A_RUN: Final = 1 << 16


class PassageStore:
    """Passages in the order of their ids; chunks hold the same number each, the last one fewer.

    Attributes
    ----------
    n_passages, n_chunks : int
    """

    def __init__(self, folder: Path, n_passages: int, n_chunks: int) -> None:
        self._folder = folder
        self.n_passages = n_passages
        self.n_chunks = n_chunks

    @classmethod
    def write(
        cls,
        folder: Path,
        stream: Iterator[Passage],
        metadata: Sequence[str],
        *,
        passages_a_chunk: int,
        progress: Callable[[int, int], None],
    ) -> "PassageStore":
        """Sort a stream of passages into an empty folder, with no two of one id.

        What is in memory at a time is a run of the stream, and then a chunk: runs are sorted and
        written, and each chunk takes its part of every run.
        """
        keys: list[NDArray[np.uint64]] = []
        n = 0
        for run in chunks(stream, _PASSAGES_A_RUN):
            run.sort(key=lambda passage: passage.pid)
            save_table(_run(folder, len(keys)), passage_table(run, metadata))
            keys.append(np.array([int(passage.pid, 16) for passage in run], np.uint64))
            n += len(run)
            progress(n, 0)
        _merge(folder, keys, passages_a_chunk)
        progress(n, n)
        return cls(folder, n, -(-n // passages_a_chunk))

    def moved_to(self, folder: Path) -> "PassageStore":
        """The same passages in a folder that theirs became."""
        return PassageStore(folder, self.n_passages, self.n_chunks)

    def chunk(self, number: int) -> list[Passage]:
        """Passages of a chunk."""
        return list(passages_in(self.table(number)))

    def length(self, number: int) -> int:
        """Number of passages in a chunk."""
        return self.table(number).num_rows

    def table(self, number: int) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
        """The same as ``passage_table`` makes it, over a memory map."""
        return open_table(_chunk(self._folder, number))

    def __iter__(self) -> Iterator[Passage]:
        for number in range(self.n_chunks):
            yield from passages_in(self.table(number))

    def digest(self) -> str:
        """SHA-256 of all passages and of how they are chunked, in hexadecimal digits."""
        digest = sha256()
        for number in range(self.n_chunks):
            path = _chunk(self._folder, number)
            with reads(path):
                digest.update(path.read_bytes())
        return digest.hexdigest()


def _merge(folder: Path, keys: list[NDArray[np.uint64]], passages_a_chunk: int) -> None:
    """Sorted runs -> chunks; the runs are removed."""
    runs = [open_table(_run(folder, number)) for number in range(len(keys))]
    every = np.sort(np.concatenate([np.zeros(0, np.uint64), *keys]))
    starts = [0] * len(runs)
    for number, last in enumerate(range(passages_a_chunk, len(every) + passages_a_chunk,
                                        passages_a_chunk)):  # fmt: skip
        bound = every[min(last, len(every)) - 1]
        parts: list[pa.Table] = []
        order: list[NDArray[np.uint64]] = []
        for run, (table, own) in enumerate(zip(runs, keys, strict=True)):
            stop = int(np.searchsorted(own, bound, side="right"))
            parts.append(table.slice(starts[run], stop - starts[run]))
            order.append(own[starts[run] : stop])
            starts[run] = stop
        rows = np.argsort(np.concatenate(order), kind="stable")
        save_table(_chunk(folder, number), pa.concat_tables(parts).take(rows).combine_chunks())
    del runs
    for number in range(len(keys)):
        _run(folder, number).unlink()


def _run(folder: Path, number: int) -> Path:
    return folder / f"run-{number:05d}.arrow"


def _chunk(folder: Path, number: int) -> Path:
    return folder / f"passages-{number:05d}.arrow"
