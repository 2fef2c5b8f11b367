"""Vectors of passages and facts, as a build stores them."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hippohover.embedding import Encoder, encode_all
from hippohover.index_tables import IndexTables
from hippohover.indexing.stage_cache import StageCache, text_key


def with_vectors(
    tables: IndexTables,
    encoder: Encoder,
    *,
    of_facts: bool,
    cache_path: Path,
    on_done: Callable[[int, int], None],
) -> IndexTables:
    """The tables with a vector for each passage and, if asked for, for each fact.

    A text that the cache has the vector of is not encoded. ``on_done`` is told (done, total),
    both of passages and facts together.

    Raises
    ------
    BuildError
        The cache cannot be written.
    """
    n = tables.arrays.n_passages
    n_facts = len(tables.arrays.facts) if of_facts else 0
    with closing(StageCache(cache_path)) as cache:
        remembering = _RememberingEncoder(encoder, cache)
        passages = encode_all(
            remembering, tables.passage_texts(), n, on_done=lambda done: on_done(done, n + n_facts)
        )
        facts = encode_all(
            remembering, islice(tables.fact_texts(), n_facts), n_facts,
            on_done=lambda done: on_done(n + done, n + n_facts),
        )  # fmt: skip
    return replace(
        tables, arrays=replace(tables.arrays, passage_vectors=passages, fact_vectors=facts)
    )


class _RememberingEncoder:
    """An encoder that keeps what it returns, in the float16 that an index stores."""

    def __init__(self, encoder: Encoder, cache: StageCache) -> None:
        self.name, self.dim, self.fingerprint = encoder.name, encoder.dim, encoder.fingerprint
        self._encoder = encoder
        self._cache = cache

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [text_key(text) for text in texts]
        known = self._cache.get(keys, self.fingerprint)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            rows = self._encoder.encode(list(new.values())).astype("<f2")
            made = {key: row.tobytes() for key, row in zip(new, rows, strict=True)}
            self._cache.put(made.items(), self.fingerprint)
            known |= made
        data = b"".join(known[key] for key in keys)
        return np.frombuffer(data, "<f2").reshape(len(texts), self.dim).astype(np.float32)
