"""Stores the vectors of passages and facts in a build."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.columns import Columns
from hippohover.indexing.chunk_stages import VectorStage, is_whole
from hippohover.indexing.work_folder import WorkFolder
from hippohover.indexing.workers.runners import LocalRunner, Runner, Stage
from hippohover.indexing.workers.stage_cache import StageCache, text_key
from hippohover.store.tables import fact_texts
from hippohover.store.writer import IndexWriter
from hippohover.vectors.embedding import Encoder, encode_all, save_encoder
from hippohover.vectors.static_encoder import StaticEncoder

_TOKENIZER_THREADS: Final = "TOKENIZERS_PARALLELISM"


def write_vectors(
    work: WorkFolder,
    encoder: Encoder,
    writer: IndexWriter,
    *,
    of_facts: bool,
    cache_path: Path,
    runner: Runner,
    on_done: Callable[[int, int], None],
) -> None:
    """Write a vector for each passage and, if asked for, for each fact.

    In this process, vectors of an encoder that is not static are cached, so that no text is encoded
    twice. Such an encoder uses one process here, or all the processes of a cluster, without that
    cache. Facts are encoded here. ``on_done`` is called with (done, total), of passages and facts
    together.

    Raises
    ------
    BuildError
        The cache cannot be written.
    IndexStoreError
        The index cannot be written.
    """
    n = work.passages.n_passages
    n_facts = len(writer.array("facts.npy")) if of_facts else 0
    with ExitStack() as stack:
        if not isinstance(encoder, StaticEncoder):
            cache = stack.enter_context(closing(StageCache(cache_path)))
            encoder = _RememberingEncoder(encoder, cache)
            runner = LocalRunner(1) if runner.shares_memory else runner
        _encode_chunks(work, encoder, runner, lambda done: on_done(done, n + n_facts))
        _join_chunks(work, encoder.dim, writer)
        facts = encode_all(
            encoder,
            islice(fact_texts(writer), n_facts),
            n_facts,
            on_done=lambda done: on_done(n + done, n + n_facts),
        )
        writer.save_array("fact_vectors.npy", facts)


def write_none(writer: IndexWriter) -> None:
    """Write the empty vectors of an index without an encoder."""
    writer.save_array("passage_codes.npy", np.zeros((0, 0), np.int8))
    writer.save_array("passage_scales.npy", np.zeros(0, np.float32))
    writer.save_array("fact_vectors.npy", np.zeros((0, 0), np.float16))


def _encode_chunks(
    work: WorkFolder, encoder: Encoder, runner: Runner, on_done: Callable[[int], None]
) -> None:
    store = work.passages
    missing = [n for n in range(store.n_chunks) if not is_whole(work.vectors(n))]
    done = store.n_passages - sum(map(store.length, missing))
    make = _stage_of(work, encoder, runner)
    with (
        _without_threads_of_tokenizers(),
        closing(runner(make, work.folder, missing)) as finished,
    ):
        for number, _ in zip(missing, finished, strict=True):
            done += store.length(number)
            on_done(done)


def _stage_of(work: WorkFolder, encoder: Encoder, runner: Runner) -> Callable[[], Stage]:
    if runner.shares_memory:
        return partial(VectorStage, work, encoder)
    save_encoder(encoder, work.encoder())
    return partial(VectorStage.opened, work, encoder.name)


def _join_chunks(work: WorkFolder, dim: int, writer: IndexWriter) -> None:
    n = work.passages.n_passages
    scales = np.empty(n, np.float32)
    with writer.new_array("passage_codes.npy", np.int8, (n, dim)) as codes:
        done = 0
        for number in range(work.passages.n_chunks):
            columns = Columns(work.vectors(number))
            of_chunk = columns.numbers("scales", np.float32)
            rows = slice(done, done + len(of_chunk))
            scales[rows] = of_chunk
            codes[rows] = columns.numbers("codes", np.int8, width=dim)
            done += len(of_chunk)
    writer.save_array("passage_scales.npy", scales)


@contextmanager
def _without_threads_of_tokenizers() -> Generator[None]:
    """Turn off threads of tokenizers: they do not survive a fork, and warn on stderr."""
    before = os.environ.get(_TOKENIZER_THREADS)
    os.environ[_TOKENIZER_THREADS] = "false"
    try:
        yield
    finally:
        del os.environ[_TOKENIZER_THREADS]
        if before is not None:
            os.environ[_TOKENIZER_THREADS] = before


class _RememberingEncoder:
    """An encoder that caches its results, in the float16 that an index stores."""

    def __init__(self, encoder: Encoder, cache: StageCache) -> None:
        self.name, self.dim, self.fingerprint = encoder.name, encoder.dim, encoder.fingerprint
        self._encoder = encoder
        self._cache = cache

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [text_key(text) for text in texts]
        found = self._cache.get(keys, self.fingerprint)
        known = {key: data for key, data in found.items() if self._is_row(data)}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            rows = self._encoder.encode(list(new.values())).astype("<f2")
            made = {key: row.tobytes() for key, row in zip(new, rows, strict=True)}
            self._cache.put(made.items(), self.fingerprint)
            known |= made
        data = b"".join(known[key] for key in keys)
        return np.frombuffer(data, "<f2").reshape(len(texts), self.dim).astype(np.float32)

    def _is_row(self, data: bytes) -> bool:
        """Return whether a result is a vector: a cache from elsewhere may hold anything."""
        return len(data) == 2 * self.dim and bool(np.isfinite(np.frombuffer(data, "<f2")).all())
