"""The same index with other numbers: rows, entities, terms and facts shuffled, spare ones between.

What is spare or between two rows is filled with what must not be read.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.entity_graph import OUTSIDE
from hippohover.names.mentions import CaseRule
from hippohover.spans import Spans
from hippohover.store.tables import IndexArrays, IndexTables

Array = NDArray[Any]


class Numbering:
    """New numbers of old things, and which are spare."""

    def __init__(self, rng: np.random.Generator, n: int, n_spare: int, *, first: int = 0) -> None:
        self.n = n + n_spare
        self.of: NDArray[np.int64] = first + rng.permutation(self.n)[:n]
        self.first = first

    def moved(self, values: Array, spare: Any) -> Array:  # noqa: ANN401
        """An array that has a value a number, in the new order."""
        new = np.full((self.n, *values.shape[1:]), spare, values.dtype)
        new[self.of - self.first] = values
        return new

    def table(self, table: pa.Table) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
        """A table likewise; a spare row says what the first old one says."""
        places = np.zeros(self.n, np.int64)
        places[self.of - self.first] = np.arange(len(self.of))
        return table.take(places)


def scattered(
    rng: np.random.Generator, spans: Spans, *columns: Array
) -> tuple[Spans, tuple[Array, ...]]:
    """The same rows in another order, with gaps between that hold what other rows do."""
    places: list[NDArray[np.int64]] = []
    new = np.zeros_like(spans)
    end = 0
    for row in rng.permutation(len(spans)):
        own = np.arange(*spans[row])
        gap = rng.integers(0, max(len(columns[0]), 1), int(rng.integers(0, 3)))
        places += [gap if len(columns[0]) else own, own]
        start = end + len(places[-2])
        end = start + len(own)
        new[row] = start, end
    every = np.concatenate([np.zeros(0, np.int64), *places])
    return new, tuple(column[every] for column in columns)


def renumbered(tables: IndexTables, seed: int, n_spare: int = 7) -> IndexTables:
    """Tables of the same index under other numbers."""
    rng = np.random.default_rng(seed)
    old = tables.arrays
    rows = Numbering(rng, old.n_rows, n_spare)
    linked = Numbering(rng, len(old.entity_df), n_spare)
    n_rest = tables.entities.num_rows - len(old.entity_df)
    rest = Numbering(rng, n_rest, n_spare, first=linked.n)
    entities = Numbering(rng, 0, linked.n + rest.n)
    entities.of = np.concatenate([linked.of, rest.of])
    terms = Numbering(rng, len(old.term_df), n_spare)
    facts = Numbering(rng, len(old.facts), n_spare)
    predicates = Numbering(rng, tables.predicates.num_rows, n_spare)
    arrays = replace(
        old,
        passage_keys=rows.moved(old.passage_keys, 0),
        documents=rows.moved(old.documents, -1),
        title_entities=rows.moved(named(entities, old.title_entities), -1),
        **vectors(old, rows),
        entity_standing=linked.moved(old.entity_standing, OUTSIDE),
        entity_df=linked.moved(old.entity_df, 0),
        name_values=linked.of[old.name_values].astype(np.int32),
        form_names=linked.of[old.form_names].astype(np.int32),
        gazetteer_rules=linked.moved(old.gazetteer_rules[: linked.n - n_spare], CaseRule.NEVER),
        term_values=terms.of[old.term_values].astype(np.int32),
        facts=moved_facts(old, entities, facts, predicates),
        fact_vectors=facts.moved(old.fact_vectors, 0)
        if len(old.fact_vectors)
        else old.fact_vectors,
        **words(old, rng, rows, terms),
        **texts(old, rows),
        **lists(old, rng, rows, linked, facts),
        **graph(old, rng, rows, linked),
    )
    return IndexTables(
        arrays=arrays,
        passages=rows.table(tables.passages),
        entities=entities.table(tables.entities),
        predicates=predicates.table(tables.predicates),
    )


def vectors(old: IndexArrays, rows: Numbering) -> dict[str, Array]:
    """Vectors of passages, those of spare rows near every claim, if there are any."""
    if not len(old.passage_codes):
        return {}
    return {
        "passage_codes": rows.moved(old.passage_codes, 100),
        "passage_scales": rows.moved(old.passage_scales, 0.001),
    }


def named(numbering: Numbering, numbers: Array) -> Array:
    """New numbers of old ones; -1 stays."""
    return np.append(numbering.of, -1)[numbers].astype(numbers.dtype)


def moved_facts(
    old: IndexArrays, entities: Numbering, facts: Numbering, predicates: Numbering
) -> Array:
    columns = [
        entities.of[old.facts[:, 0]], predicates.of[old.facts[:, 1]], entities.of[old.facts[:, 2]]
    ]  # fmt: skip
    return facts.moved(np.column_stack(columns).astype(np.int32), 0)


def words(
    old: IndexArrays, rng: np.random.Generator, rows: Numbering, terms: Numbering
) -> dict[str, Array]:
    """Terms of passages in the order of the rows, and their postings, with some of no passage."""
    lengths = rows.moved(np.diff(old.term_indptr), 0)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    new = np.empty(len(old.terms), np.int32)
    for row, at in enumerate(rows.of):
        own = old.terms[slice(*old.term_indptr[row : row + 2])]
        new[indptr[at] : indptr[at + 1]] = named(terms, own)
    spare = np.setdiff1d(np.arange(rows.n), rows.of)
    spans, passages, weights = np.zeros((len(old.term_df), 2), np.int64), [], []
    for term in range(len(old.term_df)):
        own = slice(*old.posting_spans[term])
        gone = spare[: rng.integers(0, 3)]
        every = np.concatenate([rows.of[old.posting_passages[own]], gone])
        weighed = np.concatenate([old.posting_weights[own], np.zeros(len(gone), np.float16)])
        order = np.argsort(every)
        spans[term, 0] = spans[term - 1, 1] if term else 0
        spans[term, 1] = spans[term, 0] + len(every)
        passages.append(every[order].astype(np.int32))
        weights.append(weighed[order])
    spans, columns = scattered(rng, spans, np.concatenate(passages), np.concatenate(weights))
    return {
        "term_indptr": indptr,
        "terms": new,
        "title_lengths": rows.moved(old.title_lengths, 0),
        "term_df": terms.moved(old.term_df, 0),
        "posting_spans": terms.moved(spans, 0),
        "posting_passages": columns[0],
        "posting_weights": columns[1],
    }


def texts(old: IndexArrays, rows: Numbering) -> dict[str, Array]:
    frames = [old.text_frames[slice(*old.text_indptr[row : row + 2])] for row in range(old.n_rows)]
    every = [np.zeros(0, np.uint8)] * rows.n
    for row, at in enumerate(rows.of):
        every[at] = frames[row]
    indptr = np.concatenate([[0], np.cumsum([len(frame) for frame in every])])
    return {"text_indptr": indptr, "text_frames": np.concatenate(every)}


def lists(
    old: IndexArrays,
    rng: np.random.Generator,
    rows: Numbering,
    linked: Numbering,
    facts: Numbering,
) -> dict[str, Array]:
    """Owners of names, mentions and facts of passages."""
    owner_spans, (owners,) = scattered(rng, old.owner_spans, old.owner_passages)
    mention_spans, (mentions,) = scattered(rng, old.mention_spans, old.mentions)
    fact_spans, (stated,) = scattered(rng, old.fact_spans, old.passage_facts)
    mentions[:, 0] = linked.of[mentions[:, 0]]
    stated[:, 0] = facts.of[stated[:, 0]]
    owners = rows.of[owners].astype(np.int32)
    for start, stop in owner_spans:
        owners[start:stop].sort()
    return {
        "owner_spans": linked.moved(owner_spans, 0),
        "owner_passages": owners,
        "mention_spans": rows.moved(mention_spans, 0),
        "mentions": mentions,
        "fact_spans": rows.moved(fact_spans, 0),
        "passage_facts": stated,
    }


def graph(
    old: IndexArrays, rng: np.random.Generator, rows: Numbering, linked: Numbering
) -> dict[str, Array]:
    spans, columns = scattered(
        rng, old.graph_spans, old.graph_neighbours, old.graph_weights, old.graph_types
    )
    neighbours, weights, types = columns
    nodes = np.concatenate([rows.of, rows.n + linked.of])
    neighbours[:] = nodes[neighbours]
    for start, stop in spans:
        order = start + np.lexsort((types[start:stop], neighbours[start:stop]))
        for column in columns:
            column[start:stop] = column[order]
    new_spans = np.zeros((rows.n + linked.n, 2), np.int64)
    degrees = np.zeros(len(new_spans))
    new_spans[nodes], degrees[nodes] = spans, old.graph_degrees
    return {
        "graph_spans": new_spans,
        "graph_neighbours": neighbours,
        "graph_weights": weights,
        "graph_types": types,
        "graph_degrees": degrees,
    }
