"""Nodes and facts in words; in a scope, as its own passages write them."""

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType
from hippohover.names.normal_forms import entity_key, token_spans, tokens
from hippohover.records import Triple
from hippohover.retrieval.walk.inside import Inside
from hippohover.retrieval.walk.recut import own_name
from hippohover.store.tables import IndexTables

_TEXTS_READ = 3


def node_name(tables: IndexTables, node: int, inside: Inside | None = None) -> str:
    """Return the title of a passage node, or the name of an entity node.

    An index writes an entity as the first passage that has it. Where that is outside, the name is
    that of the first passage inside which goes by it, or as the first texts inside have it.
    """
    n = tables.arrays.n_rows
    if inside is None or node < n:
        return tables.node_name(node)
    graph = inside.arrays.graph
    row = slice(*graph.spans[node])
    neighbours, kinds = graph.neighbours[row], graph.types[row]
    new = inside.new_key(node - n)
    name = new or tables.node_name(node)
    key = new or entity_key(name)
    by_key = tables.arrays.by_key
    if inside.known[node - n]:
        owners = by_key(neighbours[kinds == EdgeType.TITLE]).tolist()
        if not owners or owners[0] == _first_owner(tables, node - n):
            return name
        return own_name(tables, owners[0], key) or name
    texts = by_key(np.unique(neighbours[neighbours < n]))[:_TEXTS_READ].tolist()
    return next(filter(None, (_written(tables.texts[text], key) for text in texts)), key)


def triples_of(
    tables: IndexTables, facts: NDArray[np.int64], inside: Inside | None = None
) -> tuple[Triple, ...]:
    """Return facts in words, by row; in a scope, those stated inside."""
    triples = tables.triples(facts)
    if inside is None:
        return triples
    ends = tables.arrays.facts[facts][:, [0, 2]].tolist()
    return tuple(
        Triple(
            _written_inside(tables, subject, triple.subject, inside),
            triple.predicate,
            _written_inside(tables, target, triple.object, inside),
        )
        for (subject, target), triple in zip(ends, triples, strict=True)
    )


def _written_inside(tables: IndexTables, entity: int, name: str, inside: Inside) -> str:
    """Write an end of a fact; one that a single fact has, as its passage writes it."""
    arrays = tables.arrays
    if entity >= len(arrays.entity_df):
        return name
    return node_name(tables, arrays.n_rows + entity, inside)


def _first_owner(tables: IndexTables, entity: int) -> int:
    """Return the passage whose spelling of its name the index has."""
    arrays = tables.arrays
    return int(arrays.by_key(arrays.owner_passages[slice(*arrays.owner_spans[entity])])[0])


def _written(text: str, key: str) -> str:
    """Return a name as a text writes it; "" where it does not."""
    folded, wanted = tokens(text)[0], key.split(" ")
    for at in range(len(folded) - len(wanted) + 1):
        if folded[at : at + len(wanted)] == wanted:
            spans = token_spans(text)[at : at + len(wanted)]
            return " ".join(text[spans[0][0] : spans[-1][1]].split())
    return ""
