"""Exported graphs are read again by the programs that they are for."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hippohover.errors import IndexStoreError, UsageError
from hippohover.overview import export
from hippohover.overview.export import Exported, GraphFormat, export_graph, write_graph
from hippohover.overview.graph_columns import GraphColumns
from hippohover.store.tables import IndexTables
from hippohover.testing.indexes import built
from tests.overview.overview_samples import ROWS, WEIGHTS, tables_at

XML: list[GraphFormat] = ["graphml", "gexf"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROWS, tmp_path_factory.mktemp("export") / "index")


@pytest.fixture(scope="module")
def tables(index: Path) -> IndexTables:
    return tables_at(index)


def export_tables(tables: IndexTables, out: Path, format: GraphFormat) -> None:
    write_graph(GraphColumns(tables, WEIGHTS, communities=False, texts=False), out, format)


def read_graph(path: Path, format: GraphFormat) -> Any:  # noqa: ANN401  (networkx has few types)
    if format == "gexf":
        return networkx.read_gexf(path, node_type=int)
    return networkx.read_graphml(path, node_type=int, force_multigraph=True)


def read_rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return parquet.read_table(folder / f"{name}.parquet").to_pylist()


def in_words(rows: list[dict[str, Any]], edges: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    label = {row["id"]: row["label"] for row in rows}
    return {(label[edge["source"]], edge["kind"], label[edge["target"]]) for edge in edges}


def test_parquet_has_every_passage_and_name_and_what_joins_them(
    index: Path, tables: IndexTables, tmp_path: Path
):
    written = export_graph(index, tmp_path / "out", format="parquet")
    nodes, edges = read_rows(tmp_path / "out", "nodes"), read_rows(tmp_path / "out", "edges")
    assert written == Exported(n_nodes=len(nodes), n_edges=len(edges))
    assert [node["id"] for node in nodes] == list(range(len(nodes)))
    passages = [node for node in nodes if node["kind"] == "passage"]
    assert sorted(node["passage_id"] for node in passages) == sorted(
        tables.passages.column("pid").to_pylist()
    )
    assert {node["label"] for node in passages} == {str(row["title"]) for row in ROWS}
    entity = next(
        node for node in nodes if (node["kind"], node["label"]) == ("entity", "Ivo Marek")
    )
    assert entity["n_passages"] == 3
    assert entity["passage_id"] is None
    words = in_words(nodes, edges)
    assert ("Ada Brunt", "mention", "Ivo Marek") in words
    assert ("Lake Sarn", "title", "Lake Sarn") in words


def test_the_edges_are_those_of_the_graph(index: Path, tables: IndexTables, tmp_path: Path):
    export_graph(index, tmp_path / "out", format="parquet")
    edges = read_rows(tmp_path / "out", "edges")
    counts = tables.arrays.graph.edge_counts()
    for kind in ("title", "mention", "phrase", "source", "synonymy", "link", "neighbour"):
        n = sum(edge["kind"] == kind and edge["weight"] > 0 for edge in edges)
        assert n == counts[kind], kind
    mention = next(edge for edge in edges if edge["kind"] == "mention")
    assert mention["weight"] > 0
    assert mention["predicate"] is None


def test_a_fact_leads_from_its_subject_to_its_object(
    index: Path, tables: IndexTables, tmp_path: Path
):
    export_graph(index, tmp_path / "out", format="parquet")
    nodes, edges = read_rows(tmp_path / "out", "nodes"), read_rows(tmp_path / "out", "edges")
    label = {row["id"]: row["label"] for row in nodes}
    facts = [edge for edge in edges if edge["kind"] == "fact"]
    told = [(label[f["source"]], f["predicate"], label[f["target"]]) for f in facts]
    rows = np.arange(len(tables.arrays.facts))
    assert sorted(told) == sorted(
        (triple.subject, triple.predicate, triple.object) for triple in tables.triples(rows)
    )
    assert ("Ada Brunt", "wrote", "Night Ferry") in told
    assert all(fact["n_passages"] >= 1 for fact in facts)
    walked = sum({(min(f["source"], f["target"]), max(f["source"], f["target"])): f["weight"] > 0
                  for f in facts}.values())  # fmt: skip
    assert walked == tables.arrays.graph.edge_counts()["fact"]


@pytest.mark.parametrize("format", XML)
def test_xml_holds_what_parquet_does(index: Path, tmp_path: Path, format: GraphFormat):
    written = export_graph(index, tmp_path / "out.xml", format=format)
    export_graph(index, tmp_path / "out", format="parquet")
    graph = read_graph(tmp_path / "out.xml", format)
    nodes, edges = read_rows(tmp_path / "out", "nodes"), read_rows(tmp_path / "out", "edges")
    assert graph.number_of_nodes() == written.n_nodes == len(nodes)
    assert graph.number_of_edges() == written.n_edges == len(edges)
    for node in nodes:
        told = {name: value for name, value in node.items() if value is not None and name != "id"}
        assert told.items() <= graph.nodes[node["id"]].items()
    ends = sorted((edge["source"], edge["target"], edge["kind"]) for edge in edges)
    found = graph.edges(data="kind")
    assert sorted((source, target, kind) for source, target, kind in found) == ends


def test_igraph_reads_graphml(index: Path, tmp_path: Path):
    written = export_graph(index, tmp_path / "out.graphml", format="graphml")
    graph = igraph.Graph.Read_GraphML(str(tmp_path / "out.graphml"))
    assert (graph.vcount(), graph.ecount()) == (written.n_nodes, written.n_edges)


def test_nodes_have_their_community_and_text_where_asked(index: Path, tmp_path: Path):
    export_graph(index, tmp_path / "out", format="parquet", communities=True, texts=True)
    nodes = {
        row["label"]: row
        for row in read_rows(tmp_path / "out", "nodes")
        if row["kind"] == "passage"
    }
    assert nodes["Lake Sarn"]["community"] == nodes["Mount Teld"]["community"]
    assert nodes["Lake Sarn"]["community"] != nodes["Ada Brunt"]["community"]
    assert nodes["Ivo Marek"]["text"] == "Ivo Marek met Ada Brunt before Night Ferry."


def test_a_passage_that_is_gone_is_not_written(tables: IndexTables, tmp_path: Path):
    row = tables.passages.column("title").to_pylist().index("A recipe")
    documents, spans = tables.arrays.documents.copy(), tables.arrays.graph_spans.copy()
    documents[row] = -1
    spans[row, 1] = spans[row, 0]
    arrays = replace(tables.arrays, documents=documents, graph_spans=spans)
    gone = IndexTables(
        arrays=arrays,
        passages=tables.passages,
        entities=tables.entities,
        predicates=tables.predicates,
    )
    export_tables(gone, tmp_path / "out", "parquet")
    nodes = read_rows(tmp_path / "out", "nodes")
    assert "A recipe" not in {node["label"] for node in nodes if node["kind"] == "passage"}
    assert [node["id"] for node in nodes] == list(range(len(nodes)))


@pytest.mark.parametrize("format", XML)
def test_what_xml_cannot_hold_is_replaced(tmp_path: Path, tables: IndexTables, format: GraphFormat):
    titles = tables.passages.column("title").to_pylist()
    titles[0] = 'nul\x00 <bell>\x07 "&"'
    at = tables.passages.column_names.index("title")
    passages = tables.passages.set_column(at, "title", pa.array(titles, pa.large_string()))
    odd = IndexTables(
        arrays=tables.arrays,
        passages=passages,
        entities=tables.entities,
        predicates=tables.predicates,
    )
    export_tables(odd, tmp_path / "out.xml", format)
    labels = {
        told["label"] for _, told in read_graph(tmp_path / "out.xml", format).nodes(data=True)
    }
    assert 'nul\ufffd <bell>\ufffd "&"' in labels


@pytest.mark.parametrize("format", XML)
def test_a_graph_too_large_for_xml_is_refused_before_anything_is_written(
    index: Path, tmp_path: Path, format: GraphFormat, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(export.MOST_EDGES, format, 3)
    with pytest.raises(UsageError, match=f"3 can be written as {format}: write parquet"):
        export_graph(index, tmp_path / "out", format=format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", [*XML, "parquet"])
def test_nothing_that_exists_is_replaced(index: Path, tmp_path: Path, format: GraphFormat):
    notes, folder, dangling = tmp_path / "notes.md", tmp_path / "folder", tmp_path / "dangling"
    notes.write_text("mine")
    folder.mkdir()
    dangling.symlink_to(tmp_path / "nowhere")
    for taken in (notes, folder, dangling):
        with pytest.raises(UsageError, match=r"exists already: choose another name, or remove it"):
            export_graph(index, taken, format=format)
    assert notes.read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"notes.md", "folder", "dangling"}


def test_a_folder_that_is_not_there_is_named(index: Path, tmp_path: Path):
    with pytest.raises(UsageError, match=r"there is no folder '.*nowhere': make it first"):
        export_graph(index, tmp_path / "nowhere" / "a", format="parquet")


def test_a_folder_without_an_index_is_named(tmp_path: Path):
    with pytest.raises(IndexStoreError, match="nothing"):
        export_graph(tmp_path / "nothing", tmp_path / "a.gexf", format="gexf")


def test_an_unknown_format_is_named_with_those_that_are_known(index: Path, tmp_path: Path):
    with pytest.raises(
        UsageError, match="'csv': is not a format: name one of graphml, gexf, parquet"
    ):
        export_graph(index, tmp_path / "a", format="csv")  # pyright: ignore[reportArgumentType]


def test_a_full_disk_leaves_nothing(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        (tmp_path / f".a.gexf.{os.getpid()}").write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(networkx, "write_gexf", full)
    with pytest.raises(UsageError, match=r"a.gexf: cannot be written \(No space left on device\)"):
        export_graph(index, tmp_path / "a.gexf", format="gexf")
    assert list(tmp_path.iterdir()) == []
