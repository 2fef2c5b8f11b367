"""The passages of a build on disk: sorted by their ids, in chunks for the stages."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.disk.columns import chunks, open_table, save_table
from hippohover.disk.errors import reads
from hippohover.indexing.corpus.passage_table import (
    column_values,
    joined,
    passage_table,
    passages_in,
    repeats_table,
    settled,
)
from hippohover.records import Passage
from hippohover.store.tables import METADATA_PREFIX

Item = TypeVar("Item")

_OWN: Final = ("document", "path")
_PASSAGES_A_RUN: Final = 1 << 16
_PASSAGES_A_WORD: Final = 100


class Run(NamedTuple):
    """Some passages in the order of their ids, on disk.

    Attributes
    ----------
    path : Path
    keys : ndarray of uint64, shape (n_passages,)
        The ids as numbers, ascending.
    """

    path: Path
    keys: NDArray[np.uint64]


def runs_of(passages: Iterator[Item]) -> Iterator[list[Item]]:
    """Yield sorted runs of as many passages as memory holds."""
    return chunks(passages, _PASSAGES_A_RUN)


def write_run(
    path: Path, passages: Sequence[Passage], metadata: Sequence[str]
) -> tuple[Run, NDArray[np.int64]]:
    """Sort passages into a run; also return the earlier place of each."""
    keys = keys_of(passage.pid for passage in passages)
    order = np.argsort(keys, kind="stable")
    save_table(path, passage_table([passages[at] for at in order.tolist()], metadata))
    return Run(path, keys[order]), order


def keys_of(pids: Iterable[str]) -> NDArray[np.uint64]:
    """Return passages' ids as numbers, in the order of the ids; shape (n,)."""
    return np.array([int(pid, 16) for pid in pids], np.uint64)


class PassageStore:
    """Passages in the order of their ids, in chunks of the same size, the last one smaller.

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

        Of those of one id the first is kept; ``repeats`` has what others say of themselves.
        What is in memory at a time is a run of the stream, and then a chunk: runs are sorted and
        written, and each chunk takes its part of every run.
        """
        runs: list[Run] = []
        for some in runs_of(_told(stream, progress)):
            run, _ = write_run(folder / f"run-{len(runs):05d}.arrow", some, metadata)
            runs.append(run)
        store, _ = cls.merged(folder, runs, passages_a_chunk=passages_a_chunk)
        progress(store.n_passages, store.n_passages)
        return store

    @classmethod
    def merged(
        cls,
        folder: Path,
        runs: Sequence["Run"],
        *,
        passages_a_chunk: int,
        left_out: NDArray[np.bool_] | None = None,
    ) -> tuple["PassageStore", NDArray[np.bool_]]:
        """Sort runs into one order, and remove them.

        Of passages with one id the first run's is kept, and there the first, of those that are
        not ``left_out``. The second value says which are; both have shape (passages of all runs,).
        """
        kept = _merge(folder, runs, passages_a_chunk, left_out)
        n = int(kept.sum())
        return cls(folder, n, -(-n // passages_a_chunk)), kept

    def moved_to(self, folder: Path) -> "PassageStore":
        """Return the same passages in the folder that theirs was moved to."""
        return PassageStore(folder, self.n_passages, self.n_chunks)

    def chunk(self, number: int) -> list[Passage]:
        """Return the passages of a chunk."""
        return list(passages_in(self.table(number)))

    def repeats(self) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
        """Return such a table without texts, of documents with an id that repeat another.

        In the order of the passages' ids, and for one id of the paths and documents.
        """
        return open_table(_repeats(self._folder))

    def length(self, number: int) -> int:
        """Count the passages of a chunk."""
        return self.table(number).num_rows

    def table(self, number: int) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
        """Return a chunk as ``passage_table`` makes it, over a memory map."""
        return open_table(_chunk(self._folder, number))

    def has_field(self, name: str) -> bool:
        """Return whether any passage has a value of a field that is kept."""
        columns = (
            self.table(number).column(f"{METADATA_PREFIX}{name}") for number in range(self.n_chunks)
        )
        return any(column.null_count < len(column) for column in columns)

    def __iter__(self) -> Iterator[Passage]:
        for number in range(self.n_chunks):
            yield from passages_in(self.table(number))

    def digest(self) -> str:
        """Return SHA-256 of all passages and of their chunks, in hexadecimal digits."""
        digest = sha256()
        for number in range(self.n_chunks):
            path = _chunk(self._folder, number)
            with reads(path):
                digest.update(door.mapped(path))
        return digest.hexdigest()


def _told(stream: Iterator[Passage], progress: Callable[[int, int], None]) -> Iterator[Passage]:
    """Yield the stream, and report progress: one file may take seconds."""
    n = 0
    for n, passage in enumerate(stream, 1):
        yield passage
        if n % _PASSAGES_A_WORD == 0:
            progress(n, 0)
    progress(n, 0)


def _merge(
    folder: Path, runs: Sequence[Run], passages_a_chunk: int, left_out: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Merge sorted runs into chunks; remove the runs. Return which passages are in the chunks."""
    tables = [open_table(run.path) for run in runs]
    lengths = [len(run.keys) for run in runs]
    of_runs = np.concatenate([np.zeros(0, np.uint64), *(run.keys for run in runs)])
    distinct = np.unique(of_runs if left_out is None else of_runs[~left_out])
    del of_runs
    kept = np.zeros(sum(lengths), np.bool_)
    first_of = np.cumsum([0, *lengths])
    starts = [0] * len(runs)
    repeats = [passage_table([])]
    for number, first in enumerate(range(0, len(distinct), passages_a_chunk)):
        bound = distinct[first : first + passages_a_chunk][-1]
        parts: list[pa.Table] = []
        keys: list[NDArray[np.uint64]] = []
        places: list[NDArray[np.int64]] = []
        for at, (table, run) in enumerate(zip(tables, runs, strict=True)):
            start, stop = starts[at], int(np.searchsorted(run.keys, bound, side="right"))
            parts.append(table.slice(start, stop - start))
            keys.append(run.keys[start:stop])
            places.append(np.arange(first_of[at] + start, first_of[at] + stop))
            starts[at] = stop
        every, place = np.concatenate(keys), np.concatenate(places)
        rows = np.argsort(every, kind="stable")
        if left_out is not None:
            rows = rows[~left_out[place[rows]]]
        is_first = np.append(True, np.diff(every[rows]) != 0)
        whole = joined(parts)
        repeats.append(_told_apart(whole, rows, is_first))
        rows = rows[is_first]
        kept[place[rows]] = True
        save_table(_chunk(folder, number), settled(whole.take(rows).combine_chunks()))
    save_table(_repeats(folder), repeats_table(joined(repeats)))
    del tables
    for run in runs:
        door.remove(run.path)
    return kept


def _told_apart(table: Any, rows: NDArray[np.int64], is_first: NDArray[np.bool_]) -> Any:  # noqa: ANN401
    """Return rows after the first of one id that belong to another document with an id."""
    found = table.take(rows[~is_first]).combine_chunks()
    kept = table.take(rows[is_first][np.cumsum(is_first)[~is_first] - 1])
    own, holders = (
        list(zip(*map(partial(column_values, one, none=""), _OWN), strict=False))
        for one in (found, kept)
    )
    is_other = [bool(one[0]) and one != holder for one, holder in zip(own, holders, strict=True)]
    return found.filter(pa.array(is_other, pa.bool_()))


def _repeats(folder: Path) -> Path:
    return folder / "repeats.arrow"


def _chunk(folder: Path, number: int) -> Path:
    return folder / f"passages-{number:05d}.arrow"
