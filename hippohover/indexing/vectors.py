"""Vectors of passages and facts, written as an encoder reads them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hippohover.embedding import Encoder
from hippohover.index_tables import IndexTables
from hippohover.indexing.parallel import chunks

_TEXTS_A_BATCH = 8192


def with_vectors(
    tables: IndexTables,
    encoder: Encoder,
    *,
    of_facts: bool,
    on_done: Callable[[int, int], None],
) -> IndexTables:
    """The tables with a vector for each passage and, if asked for, for each fact.

    ``on_done`` is told (done, total), both of passages and facts together.
    """
    n_facts = len(tables.arrays.facts) if of_facts else 0
    total = tables.arrays.n_passages + n_facts

    def encode(texts: Iterable[str], n: int, first: int) -> NDArray[np.float16]:
        vectors = np.empty((n, encoder.dim), np.float16)
        done = 0
        for batch in chunks(texts, _TEXTS_A_BATCH):
            vectors[done : done + len(batch)] = encoder.encode(batch)
            done += len(batch)
            on_done(first + done, total)
        return vectors

    passages = encode(passage_texts(tables), tables.arrays.n_passages, 0)
    facts = encode(islice(fact_texts(tables), n_facts), n_facts, tables.arrays.n_passages)
    return replace(
        tables, arrays=replace(tables.arrays, passage_vectors=passages, fact_vectors=facts)
    )


def passage_texts(tables: IndexTables) -> Iterator[str]:
    """Passages as an encoder reads them: title, a full stop, text; the text where it has none."""
    for batch in tables.passages.select(["title", "text"]).to_batches(_TEXTS_A_BATCH):
        for title, text in zip(batch[0].to_pylist(), batch[1].to_pylist(), strict=True):
            yield f"{title}. {text}" if title else text


def fact_texts(tables: IndexTables) -> Iterator[str]:
    """Facts as an encoder reads them: subject, predicate and object, a blank between."""
    entities = tables.entities.column("name")
    predicates = tables.predicates.column("name")
    facts = tables.arrays.facts
    for first in range(0, len(facts), _TEXTS_A_BATCH):
        rows = facts[first : first + _TEXTS_A_BATCH]
        subjects = entities.take(rows[:, 0]).to_pylist()
        relations = predicates.take(rows[:, 1]).to_pylist()
        objects = entities.take(rows[:, 2]).to_pylist()
        for subject, relation, target in zip(subjects, relations, objects, strict=True):
            yield f"{subject} {relation} {target}"
