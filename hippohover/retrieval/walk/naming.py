"""Nodes and facts in words: inside a scope, as its own passages write them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType
from hippohover.names.normal_forms import entity_key, token_spans, tokens
from hippohover.names.titles import title_keys
from hippohover.records import Passage, PassageId, Triple
from hippohover.retrieval.walk.inside import Inside
from hippohover.store.tables import IndexTables

_TEXTS_READ = 3


def node_name(tables: IndexTables, node: int, inside: Inside | None = None) -> str:
    """Title of a passage node, name of an entity node.

    An index writes an entity as the first passage that has it. Where that is outside, the name is
    that of the first passage inside which goes by it, or as the first texts inside have it.
    """
    name, n = tables.node_name(node), tables.arrays.n_rows
    if inside is None or node < n or node - n >= len(inside.entity_df):
        return name
    graph = tables.arrays.graph
    row = slice(*graph.spans[node])
    neighbours, kinds = graph.neighbours[row], graph.types[row]
    key = entity_key(name)
    if inside.knows(node - n):
        owners = tables.arrays.by_key(neighbours[kinds == EdgeType.TITLE])
        within = owners[inside.passages[owners]]
        if not len(within) or within[0] == owners[0]:
            return name
        own = title_keys(_passage(tables, int(within[0])))
        return next((title.written for title in own if title.key == key), name)
    passages = tables.arrays.by_key(np.unique(neighbours[neighbours < n]))
    texts = passages[inside.passages[passages]][:_TEXTS_READ].tolist()
    return next(filter(None, (_written(tables.texts[text], key) for text in texts)), key)


def triples_of(
    tables: IndexTables, facts: NDArray[np.int64], inside: Inside | None = None
) -> tuple[Triple, ...]:
    """Facts in words, by their rows; of a scope, facts that a passage inside states."""
    triples = tables.triples(facts)
    if inside is None:
        return triples
    n = tables.arrays.n_rows
    ends = tables.arrays.facts[facts][:, [0, 2]].tolist()
    return tuple(
        Triple(
            node_name(tables, n + subject, inside),
            triple.predicate,
            node_name(tables, n + target, inside),
        )
        for (subject, target), triple in zip(ends, triples, strict=True)
    )


def _written(text: str, key: str) -> str:
    """A name as a text has it; "" where it does not."""
    folded, wanted = tokens(text)[0], key.split(" ")
    for at in range(len(folded) - len(wanted) + 1):
        if folded[at : at + len(wanted)] == wanted:
            spans = token_spans(text)[at : at + len(wanted)]
            return " ".join(text[spans[0][0] : spans[-1][1]].split())
    return ""


def _passage(tables: IndexTables, row: int) -> Passage:
    columns = ("pid", "title", "document", "aliases")
    values: list[Any] = [tables.passages.column(name)[row].as_py() for name in columns]
    pid, title, document, aliases = values
    return Passage(
        PassageId(pid), title, tables.texts[row], document=document, aliases=tuple(aliases)
    )
