"""Reads a corpus in blocks: one process cuts its files, several read the blocks."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.disk.columns import Columns, save_columns
from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.files.streams import damage_named, one_line
from hippohover.indexing.corpus.formats import LINE_FORMATS
from hippohover.indexing.corpus.lines import Piece
from hippohover.indexing.corpus.passage_store import PassageStore, Run, runs_of, write_run
from hippohover.indexing.corpus.passages import MAX_FAILURES_KEPT, CorpusCounts, PassageMaking
from hippohover.indexing.corpus.readers.json_lines import shards_of
from hippohover.indexing.corpus.stream import BadRecords, cut_corpus
from hippohover.indexing.corpus.versions import Versions, older_among
from hippohover.indexing.workers.runners import Runner
from hippohover.recipe import NO_FIELDS, CorpusFields
from hippohover.records import ExtractionFailure, Passage

_LONGEST_PLACE: Final = 1000


@dataclass(frozen=True)
class CorpusBlocks:
    """A corpus whose files can be cut and read in parallel.

    Attributes
    ----------
    path : Path
    format_name : str
        One of ``LINE_FORMATS``.
    making : PassageMaking
    max_bad_share : float
        As of ``read_corpus``.
    counts : CorpusCounts
        Filled by ``write``.
    fields : CorpusFields
        Names of the records' fields, as a recipe has them.
    """

    path: Path
    format_name: str
    making: PassageMaking
    max_bad_share: float
    counts: CorpusCounts = field(default_factory=CorpusCounts)
    fields: CorpusFields = NO_FIELDS

    def write(
        self,
        folder: Path,
        runner: Runner,
        *,
        passages_a_chunk: int,
        progress: Callable[[int, int], None],
    ) -> PassageStore:
        """Write the passages that ``read_corpus`` gives, sorted, into an empty folder.

        Raises
        ------
        CorpusError
            As ``read_corpus`` does.
        """
        counts = self.counts
        bound = BadRecords(self.path, self.max_bad_share, counts)
        with damage_named(str(self.path)):
            shape = LINE_FORMATS[self.format_name].shape(self.path, self.fields)
        if shape.said:
            counts.understand(shape.said)
        for shard in shards_of(self.path) if self.path.is_dir() else ():
            counts.count_file(shard.name)
        make = partial(ReadStage, folder, self.format_name, self.making, shape)
        blocks, runs = list[_Block](), list[Run]()
        n_records = 0
        with (
            closing(cut_corpus(self.path, self.format_name)) as cut,
            closing(runner(make, folder, _saved(cut, folder))) as finished,
        ):
            for number, _ in enumerate(finished):
                block = _Block.taken(folder, number, first_record=n_records)
                blocks.append(block)
                runs += block.runs(folder, number)
                self._count_bad(block, n_records, bound)
                n_records += int(block.counts[0])
                counts.n_empty += int(block.counts[1])
                counts.n_passages += len(block.records)
                progress(counts.n_passages, 0)
        records = np.concatenate([np.zeros(0, np.int64), *(block.records for block in blocks)])
        older = _older(blocks)
        is_older = np.isin(records, older) if len(older) else None
        store, kept = PassageStore.merged(
            folder, runs, passages_a_chunk=passages_a_chunk, left_out=is_older
        )
        counts.n_older = len(older)
        counts.n_documents = len(np.unique(records[kept]))
        counts.n_passages = store.n_passages
        n_wanted = len(records) if is_older is None else int((~is_older).sum())
        counts.n_duplicates = n_wanted - store.n_passages
        bound.check_end(n_records)
        counts.miss(name for name in self.making.metadata if not store.has_field(name))
        progress(store.n_passages, store.n_passages)
        return store

    def _count_bad(self, block: "_Block", n_before: int, bound: BadRecords) -> None:
        """Check the share of bad records at each one in a block, as ``read_corpus`` does."""
        counts = self.counts
        failures = iter(block.failures)
        counts.count_reasons(dict(zip(block.reasons, block.n_of_reasons.tolist(), strict=True)))
        for record in (block.bad_records + n_before).tolist():
            counts.n_bad_records += 1
            counts.failures += islice(failures, len(counts.failures) < MAX_FAILURES_KEPT)
            bound.check(record + 1)


class ReadStage:
    """Makes the passages of blocks, in sorted runs.

    Parameters
    ----------
    folder : Path
        Where the blocks are, and what they hold goes.
    format_name : str
        One of ``LINE_FORMATS``.
    making : PassageMaking
    shape : Shape
        What the records are.
    """

    def __init__(self, folder: Path, format_name: str, making: PassageMaking, shape: Shape) -> None:
        self._folder = folder
        self._format = LINE_FORMATS[format_name]
        self._making = making
        self._shape = shape

    def __call__(self, number: int) -> list[ExtractionFailure]:
        """Read a block; return no failures: bad records are counted in its results."""
        raw, block = _raw(self._folder, number), _block(self._folder, number)
        if door.status(block) is None:  # it is there if a worker was killed with its work done
            self._read(raw, block, number)
        door.remove(raw)
        return []

    def _read(self, raw: Path, block: Path, number: int) -> None:
        counts, versions = CorpusCounts(), Versions()
        bad: list[int] = []
        records = [np.zeros(0, np.int64)]
        keys = [np.zeros(0, np.uint64)]
        for some in runs_of(self._passages(raw, counts, bad, versions)):
            path = _run(self._folder, number, len(keys) - 1)
            run, order = write_run(path, [passage for _, passage in some], self._making.metadata)
            keys.append(run.keys)
            records.append(np.array([record for record, _ in some], np.int64)[order])
        ids, dates, dated_records = versions.columns()
        done = _Block(
            keys=np.concatenate(keys),
            lengths=np.array([len(of_run) for of_run in keys[1:]], np.int64),
            records=np.concatenate(records),
            counts=np.array([counts.n_documents + counts.n_empty + len(bad), counts.n_empty]),
            bad_records=np.array(bad, np.int64),
            failures=counts.failures,
            reasons=list(counts.reasons),
            n_of_reasons=np.array(list(counts.reasons.values()), np.int64),
            ids=ids,
            dates=dates,
            dated_records=dated_records,
        )
        save_columns(block, done._asdict())

    def _passages(
        self, raw: Path, counts: CorpusCounts, bad: list[int], versions: Versions
    ) -> Iterator[tuple[int, Passage]]:
        """Yield each passage with its record's number; ``bad`` gets the records without any."""
        pieces = _pieces(raw)
        every = (record for piece in pieces for record in self._format.records(piece, self._shape))
        for number, passages in enumerate(self._making.documents(every, counts, versions)):
            counts.n_documents += bool(passages)
            if counts.n_bad_records > len(bad):
                bad.append(number)
            for passage in passages:
                yield number, passage


class _Block(NamedTuple):
    """The results of a block, whose records are numbered from 0.

    ``records`` has the number of each passage's record, by runs, and ``lengths`` those of the runs;
    ``counts`` are all records and the empty ones. Of each document with an id the last three are
    as of ``Versions.columns``.
    """

    keys: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    records: NDArray[np.int64]
    counts: NDArray[np.int64]
    bad_records: NDArray[np.int64]
    failures: list[str]
    reasons: list[str]
    n_of_reasons: NDArray[np.int64]
    ids: NDArray[np.uint64]
    dates: NDArray[np.float64]
    dated_records: NDArray[np.int64]

    @classmethod
    def taken(cls, folder: Path, number: int, *, first_record: int) -> "_Block":
        """Load what was saved of a block, and remove it; its records go on from a number."""
        path = _block(folder, number)
        columns = Columns(path)
        block = cls(**{name: columns.copied(name) for name in cls._fields})
        door.remove(path)
        return block._replace(
            records=block.records + first_record, dated_records=block.dated_records + first_record
        )

    def runs(self, folder: Path, number: int) -> list[Run]:
        """Return the runs with its passages."""
        of_runs = np.split(self.keys, np.cumsum(self.lengths))[:-1]
        return [Run(_run(folder, number, at), of_run) for at, of_run in enumerate(of_runs)]


def _older(blocks: list[_Block]) -> NDArray[np.int64]:
    """Return numbers of the records that are older versions of others, in the whole corpus."""
    if not sum(len(block.ids) for block in blocks):
        return np.zeros(0, np.int64)
    columns = zip(*((block.ids, block.dates, block.dated_records) for block in blocks), strict=True)
    return older_among(*map(np.concatenate, columns))


def _saved(blocks: Iterator[list[Piece]], folder: Path) -> Iterator[int]:
    """Write blocks; yield the number of each once it exists."""
    for number, pieces in enumerate(blocks):
        content = b"".join(piece.content for piece in pieces)
        save_columns(
            _raw(folder, number),
            {
                "place": [one_line(piece.place, longest=_LONGEST_PLACE) for piece in pieces],
                "first": np.array([piece.first for piece in pieces], np.int64),
                "is_packed": np.array([piece.is_packed for piece in pieces], np.uint8),
                "length": np.array([len(piece.content) for piece in pieces], np.int64),
                "content": np.frombuffer(content, np.uint8),
            },
        )
        yield number


def _pieces(raw: Path) -> Iterator[Piece]:
    columns = Columns(raw)
    content = columns.numbers("content", np.uint8)
    names = ("place", "first", "is_packed", "length")
    start = 0
    for place, first, is_packed, length in zip(*map(columns.copied, names), strict=True):
        yield Piece(place, int(first), content[start : start + length].tobytes(), bool(is_packed))
        start += length


def _raw(folder: Path, number: int) -> Path:
    return folder / f"raw-{number:05d}.arrow"


def _block(folder: Path, number: int) -> Path:
    return folder / f"block-{number:05d}.arrow"


def _run(folder: Path, number: int, at: int) -> Path:
    return folder / f"run-{number:05d}-{at:03d}.arrow"
