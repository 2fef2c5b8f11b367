"""Nodes and edges of an index as columns, for files of its graph."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, type_scale, type_weights
from hippohover.recipe import EdgeWeights
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexTables

_ROWS_AT_ONCE: Final = 1 << 16
# "pid" and "type" mean something else in GEXF.
_OF_PASSAGES: Final = {"passage_id": "pid", "document": "document", "heading": "heading"}


class GraphColumns:
    """Nodes and edges of an index as columns, block by block.

    Parameters
    ----------
    tables : IndexTables
    weights : EdgeWeights
        Of the edges by type, which multiply what each edge weighs.
    communities, texts : bool
        Whether nodes have the number of their community, and passages their text.
    """

    def __init__(
        self, tables: IndexTables, weights: EdgeWeights, *, communities: bool, texts: bool
    ) -> None:
        self._tables = tables
        self._arrays = tables.arrays
        self._graph = tables.arrays.graph
        self._weights = type_weights(weights)
        self._texts = texts
        self._members = self._graph.communities(self._weights).members if communities else None

    @property
    def further_columns(self) -> dict[str, str]:
        """Further columns of nodes that were asked for, with Arrow's name of their type."""
        text = {"text": "large_string"} if self._texts else {}
        return text | ({} if self._members is None else {"community": "int32"})

    @property
    def n_nodes(self) -> int:
        return int(np.count_nonzero(self._numbers >= 0))

    @cached_property
    def n_edges(self) -> int:
        return sum(len(nodes) for nodes, _ in self._lower_halves()) + len(self._facts)

    def nodes(self) -> Iterator[dict[str, Any]]:
        """Yield columns of nodes: lists, None where a node has no value."""
        there = np.flatnonzero(self._numbers >= 0)
        for first in range(0, len(there), _ROWS_AT_ONCE):
            yield self._columns_of(there[first : first + _ROWS_AT_ONCE])

    def edges(self) -> Iterator[dict[str, Any]]:
        """Yield columns of edges: the graph's without facts, then the facts."""
        kinds = np.array([kind.name.lower() for kind in EdgeType])
        for nodes, places in self._lower_halves():
            yield {
                "source": self._numbers[nodes].tolist(),
                "target": self._numbers[self._graph.neighbours[places]].tolist(),
                "kind": kinds[self._graph.types[places]].tolist(),
                "weight": self._weighed(places).tolist(),
                "predicate": [None] * len(nodes),
                "n_passages": [None] * len(nodes),
            }
        for first in range(0, len(self._facts), _ROWS_AT_ONCE):
            yield self._columns_of_facts(self._facts[first : first + _ROWS_AT_ONCE])

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """Number of each node in the files; -1 for spare nodes and removed names."""
        arrays = self._arrays
        is_there = lengths_of(arrays.graph_spans) > 0
        is_there[: arrays.n_rows] = arrays.documents >= 0
        ends = arrays.facts[self._facts][:, [0, 2]]
        is_there[arrays.n_rows + ends.reshape(-1)] = True
        return np.where(is_there, np.cumsum(is_there) - 1, -1)

    @cached_property
    def _facts(self) -> NDArray[np.int64]:
        """Rows of the facts that a passage states."""
        return np.flatnonzero(self._arrays.fact_df > 0)

    def _lower_halves(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield node and place of each edge once, at its lower end; leaves out facts."""
        for nodes, places in self._graph.blocks(self._graph.n_nodes):
            kept = nodes < self._graph.neighbours[places]
            kept &= self._graph.types[places] != EdgeType.FACT
            yield nodes[kept], places[kept]

    def _weighed(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        scale = type_scale(self._weights)
        weights = self._graph.weights[places] * scale[self._graph.types[places]]
        return np.round(weights.astype(np.float64), 6)

    def _columns_of(self, nodes: NDArray[np.int64]) -> dict[str, Any]:
        """Return columns of some nodes, all passages first."""
        n_rows = self._arrays.n_rows
        rows, entities = nodes[nodes < n_rows], nodes[nodes >= n_rows] - n_rows
        passages = self._tables.passages.take(rows)
        rest, before = [None] * len(entities), [None] * len(rows)
        names = self._tables.entities.column("name").take(entities).to_pylist()
        columns: dict[str, Any] = {
            "id": self._numbers[nodes].tolist(),
            "kind": ["passage"] * len(rows) + ["entity"] * len(entities),
            "label": passages.column("title").to_pylist() + names,
            "n_passages": before + self._arrays.entity_df[entities].tolist(),
        }
        for name, of_passages in _OF_PASSAGES.items():
            values = passages.column(of_passages).to_pylist()
            columns[name] = [value or None for value in values] + rest
        if self._texts:
            columns["text"] = [*(self._tables.texts[row] for row in rows.tolist()), *rest]
        if self._members is not None:
            columns["community"] = self._members[nodes].tolist()
        return columns

    def _columns_of_facts(self, facts: NDArray[np.int64]) -> dict[str, Any]:
        subjects, predicates, objects = self._arrays.facts[facts].T
        n_rows = self._arrays.n_rows
        ends = n_rows + np.sort(np.stack([subjects, objects]), axis=0).astype(np.int64)
        return {
            "source": self._numbers[n_rows + subjects].tolist(),
            "target": self._numbers[n_rows + objects].tolist(),
            "kind": [EdgeType.FACT.name.lower()] * len(facts),
            "weight": self._weights_between(ends[0], ends[1]).tolist(),
            "predicate": self._tables.predicates.column("name").take(predicates).to_pylist(),
            "n_passages": self._arrays.fact_df[facts].tolist(),
        }

    def _weights_between(
        self, lower: NDArray[np.int64], upper: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the weight of facts' edges between two entities; 0 for facts of only one."""
        codes, weights = self._fact_edges
        wanted = lower * self._graph.n_nodes + upper
        at = np.minimum(np.searchsorted(codes, wanted), max(len(codes) - 1, 0))
        if not len(codes):
            return np.zeros(len(wanted))
        return np.where(codes[at] == wanted, weights[at], 0.0)

    @cached_property
    def _fact_edges(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Code of the two ends of every edge of facts, ascending, and its weight."""
        codes, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
        for nodes, places in self._graph.blocks(self._graph.n_nodes):
            neighbours = self._graph.neighbours[places].astype(np.int64)
            kept = (nodes < neighbours) & (self._graph.types[places] == EdgeType.FACT)
            codes.append(nodes[kept] * self._graph.n_nodes + neighbours[kept])
            weights.append(self._weighed(places[kept]))
        return np.concatenate(codes), np.concatenate(weights)
