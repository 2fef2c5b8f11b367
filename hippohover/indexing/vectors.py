"""Vectors of passages and facts, as a build stores them."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from hippohover.embedding import Encoder, encode_all
from hippohover.index_tables import IndexTables


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
    n = tables.arrays.n_passages
    n_facts = len(tables.arrays.facts) if of_facts else 0
    passages = encode_all(
        encoder, tables.passage_texts(), n, on_done=lambda done: on_done(done, n + n_facts)
    )
    facts = encode_all(
        encoder, islice(tables.fact_texts(), n_facts), n_facts,
        on_done=lambda done: on_done(n + done, n + n_facts),
    )  # fmt: skip
    return replace(
        tables, arrays=replace(tables.arrays, passage_vectors=passages, fact_vectors=facts)
    )
