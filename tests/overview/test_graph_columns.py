"""Columns come block by block, and are the same whatever the size of a block."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hippohover.overview import graph_columns
from hippohover.overview.graph_columns import GraphColumns
from hippohover.store.tables import IndexTables
from hippohover.testing.indexes import built
from tests.overview.overview_samples import ROWS, WEIGHTS, tables_at


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    return tables_at(built(ROWS, tmp_path_factory.mktemp("columns") / "index"))


def joined(blocks: Iterator[dict[str, Any]]) -> dict[str, list[Any]]:
    whole: dict[str, list[Any]] = {}
    for columns in blocks:
        assert len({len(values) for values in columns.values()}) == 1
        for name, values in columns.items():
            whole.setdefault(name, []).extend(values)
    return whole


def columns_of(tables: IndexTables) -> GraphColumns:
    return GraphColumns(tables, WEIGHTS, communities=True, texts=True)


def test_blocks_of_any_size_hold_the_same(tables: IndexTables, monkeypatch: pytest.MonkeyPatch):
    whole = joined(columns_of(tables).nodes()), joined(columns_of(tables).edges())
    monkeypatch.setattr(graph_columns, "_ROWS_AT_ONCE", 3)
    monkeypatch.setattr("hippohover.entity_graph._ROWS_A_BLOCK", 2)
    parts = joined(columns_of(tables).nodes()), joined(columns_of(tables).edges())
    assert parts == whole


def test_every_edge_leads_from_a_node_to_a_node(tables: IndexTables):
    graph = columns_of(tables)
    edges = joined(graph.edges())
    assert len(edges["source"]) == graph.n_edges
    assert set(edges["source"]) | set(edges["target"]) <= set(range(graph.n_nodes))
    assert all(weight >= 0 for weight in edges["weight"])


def test_an_edge_type_that_weighs_nothing_is_written_with_0(tables: IndexTables):
    silent = WEIGHTS.model_copy(update={"mention": 0.0})
    edges = joined(GraphColumns(tables, silent, communities=False, texts=False).edges())
    of_kind = zip(edges["kind"], edges["weight"], strict=True)
    assert {weight for kind, weight in of_kind if kind == "mention"} == {0.0}


def test_an_index_without_facts_has_none(tmp_path: Path):
    tables = tables_at(built([{"title": "bread", "text": "eat it."}], tmp_path / "index"))
    assert "fact" not in joined(columns_of(tables).edges()).get("kind", [])
