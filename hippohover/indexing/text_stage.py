"""Texts of passages and who repeats them, as a build stores them."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pyarrow.compute as arrow
from numpy.typing import NDArray

from hippohover.indexing.work_folder import WorkFolder
from hippohover.indexing.workers.processes import ordered_map
from hippohover.store.segments.files import save_repeats
from hippohover.store.tables import spare_rows
from hippohover.store.text_store import dictionary_of, packed
from hippohover.store.writer import IndexWriter


def write_texts(work: WorkFolder, writer: IndexWriter, *, workers: int) -> None:
    """Write the text of each passage in its own frame; see ``TextStore``.

    Raises
    ------
    IndexStoreError
        The index cannot be written.
    """
    store = work.passages
    n_bytes = 0
    for number in range(store.n_chunks):
        lengths_of = arrow.call_function("binary_length", [store.table(number).column("text")])
        n_bytes += int(lengths_of.to_numpy().sum())
    dictionary = dictionary_of(_texts(work), n_bytes)

    def frames_of(number: int) -> list[bytes]:
        return list(packed(store.table(number).column("text").to_pylist(), dictionary))

    lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
    chunks = ordered_map(frames_of, range(store.n_chunks), workers=workers)
    with closing(chunks) as packs, writer.growing_array("text_frames.npy", np.uint8) as append:
        for frames in packs:
            lengths.append(np.array([len(frame) for frame in frames], np.int64))
            append(np.frombuffer(b"".join(frames), np.uint8))
    lengths.append(np.zeros(spare_rows(store.n_passages), np.int64))
    writer.save_array("text_indptr.npy", np.cumsum(np.concatenate(lengths)))
    writer.save_array("text_dictionary.npy", dictionary)


def write_repeats(work: WorkFolder, writer: IndexWriter) -> None:
    """Write who else says what passages say, if anyone; see ``PassageStore.repeats``.

    Raises
    ------
    IndexStoreError
        The index cannot be written.
    """
    save_repeats(writer, work.passages.repeats())


def _texts(work: WorkFolder) -> Iterator[str]:
    for number in range(work.passages.n_chunks):
        yield from work.passages.table(number).column("text").to_pylist()
