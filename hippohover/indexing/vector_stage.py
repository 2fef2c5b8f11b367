"""Stores the vectors of passages and facts in a build."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.columns import Columns, chunks
from hippohover.indexing.chunk_stages import VectorStage, is_whole, texts_of
from hippohover.indexing.work_folder import VECTORS, WorkFolder, cache_of
from hippohover.indexing.workers.runners import Runner, Stage
from hippohover.indexing.workers.stage_cache import StageCache, text_key
from hippohover.store.tables import fact_texts
from hippohover.store.version_files import VersionFiles
from hippohover.vectors.embedding import Encoder, encode_all, passage_vectors, save_encoder
from hippohover.vectors.static_encoder import StaticEncoder

OnDone = Callable[[int], None]

_TOKENIZER_THREADS: Final = "TOKENIZERS_PARALLELISM"
_TEXTS_KEPT_AT_ONCE: Final = 128  # what a killed build encodes again, at most: a second's work


def write_vectors(
    work: WorkFolder,
    encoder: Encoder,
    files: VersionFiles,
    *,
    of_facts: bool,
    runner: Runner,
    on_done: Callable[[int, int], None],
) -> None:
    """Write a vector for each passage and, if asked for, for each fact.

    ``encoder`` is one that ``remembering`` gives. A table encodes in all processes, another one in
    this process, or in all the processes of a cluster, without its cache. ``on_done`` is called
    with (done, total), of passages and facts together.

    Raises
    ------
    BuildError
        The cache cannot be written.
    IndexStoreError
        The index cannot be written.
    """
    n = work.passages.n_passages
    n_facts = len(files.array("facts.npy")) if of_facts else 0

    def told(done: int) -> None:
        on_done(done, n + n_facts)

    if runner.shares_memory and isinstance(encoder, _RememberingEncoder):
        texts = (text for at in range(work.passages.n_chunks) for text in texts_of(work, at))
        write_texts_vectors(texts, n, encoder, files, told)
    else:
        own = encoder.encoder if isinstance(encoder, _RememberingEncoder) else encoder
        _write_chunks(work, own, files, runner=runner, on_done=told)
    write_fact_vectors(n_facts, encoder, files, lambda done: told(n + done))


def _write_chunks(
    work: WorkFolder, encoder: Encoder, files: VersionFiles, *, runner: Runner, on_done: OnDone
) -> None:
    store, made_by = work.passages, encoder.fingerprint
    missing = [n for n in range(store.n_chunks) if not is_whole(work.vectors(n, made_by))]
    done = store.n_passages - sum(map(store.length, missing))
    make = _stage_of(work, encoder, runner)
    with (
        _without_threads_of_tokenizers(),
        closing(runner(make, work.folder, missing)) as finished,
    ):
        for number, _ in zip(missing, finished, strict=True):
            done += store.length(number)
            on_done(done)
    parts = (Columns(work.vectors(n, made_by)) for n in range(store.n_chunks))
    rows = (
        (one.numbers("codes", np.int8, width=encoder.dim), one.numbers("scales", np.float32))
        for one in parts
    )
    _write_rows(files, rows, (store.n_passages, encoder.dim))


def write_texts_vectors(
    texts: Iterable[str], n: int, encoder: Encoder, files: VersionFiles, on_done: OnDone
) -> None:
    """Write a vector for each of ``n`` passages, encoded in this process."""

    def encoded() -> Iterator[tuple[NDArray[np.int8], NDArray[np.float32]]]:
        done = 0
        for some in chunks(texts, _TEXTS_KEPT_AT_ONCE):
            vectors = passage_vectors(encoder, some)
            done += len(some)
            on_done(done)
            yield vectors.codes, vectors.scales

    _write_rows(files, encoded(), (n, encoder.dim))


def write_fact_vectors(n: int, encoder: Encoder, files: VersionFiles, on_done: OnDone) -> None:
    """Write vectors of the first ``n`` facts: all of them, or none."""
    facts = encode_all(encoder, islice(fact_texts(files), n), n, on_done=on_done)
    files.save_array("fact_vectors.npy", facts)


def write_none(files: VersionFiles) -> None:
    """Write the empty vectors of an index without an encoder."""
    files.save_array("passage_codes.npy", np.zeros((0, 0), np.int8))
    files.save_array("passage_scales.npy", np.zeros(0, np.float32))
    files.save_array("fact_vectors.npy", np.zeros((0, 0), np.float16))


def _stage_of(work: WorkFolder, encoder: Encoder, runner: Runner) -> Callable[[], Stage]:
    if runner.shares_memory:
        return partial(VectorStage, work, encoder)
    save_encoder(encoder, work.encoder())
    return partial(VectorStage.opened, work, encoder.name)


def _write_rows(
    files: VersionFiles,
    parts: Iterable[tuple[NDArray[np.int8], NDArray[np.float32]]],
    shape: tuple[int, int],
) -> None:
    scales, done = np.empty(shape[0], np.float32), 0
    with files.new_array("passage_codes.npy", np.int8, shape) as codes:
        for of_part, scales_of_part in parts:
            rows = slice(done, done + len(of_part))
            codes[rows], scales[rows] = of_part, scales_of_part
            done += len(of_part)
    files.save_array("passage_scales.npy", scales)


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


@contextmanager
def remembering(encoder: Encoder, root: Path) -> Generator[Encoder]:
    """Yield an encoder whose vectors are cached beside the index, so that none is made twice.

    A stopped build then continues where it was. A table is so fast that it is yielded as it is.

    Raises
    ------
    BuildError
        The cache cannot be written.
    """
    if isinstance(encoder, StaticEncoder):
        yield encoder
        return
    cache = StageCache(cache_of(root) / VECTORS)
    with closing(cache), _without_threads_of_tokenizers():
        yield _RememberingEncoder(encoder, cache)


class _RememberingEncoder:
    """An encoder that caches its results, in the float16 that an index stores."""

    def __init__(self, encoder: Encoder, cache: StageCache) -> None:
        self.name, self.dim, self.fingerprint = encoder.name, encoder.dim, encoder.fingerprint
        self.encoder, self._cache = encoder, cache

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        parts = map(self._some, chunks(texts, _TEXTS_KEPT_AT_ONCE))
        return np.concatenate([np.zeros((0, self.dim), np.float32), *parts])

    def _some(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [text_key(text) for text in texts]
        found = self._cache.get(keys, self.fingerprint)
        known = {key: data for key, data in found.items() if self._is_row(data)}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            rows = self.encoder.encode(list(new.values())).astype("<f2")
            made = {key: row.tobytes() for key, row in zip(new, rows, strict=True)}
            self._cache.put(made.items(), self.fingerprint)
            known |= made
        data = b"".join(known[key] for key in keys)
        return np.frombuffer(data, "<f2").reshape(len(texts), self.dim).astype(np.float32)

    def _is_row(self, data: bytes) -> bool:
        """Return whether a result is a vector: a cache from elsewhere may hold anything."""
        return len(data) == 2 * self.dim and bool(np.isfinite(np.frombuffer(data, "<f2")).all())
