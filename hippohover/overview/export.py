"""The graph of an index in files that other programs read: GraphML, GEXF, Parquet."""

import os
import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from hippohover.errors import UsageError
from hippohover.overview.graph_columns import GraphColumns
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables

if TYPE_CHECKING:
    import networkx

GraphFormat = Literal["graphml", "gexf", "parquet"]
MOST_EDGES: Final = {"graphml": 2_000_000, "gexf": 500_000}
"""networkx holds them in memory whole, at about 1 KB an edge of GraphML and 3 KB of GEXF."""

_NODE_COLUMNS: Final = {
    "id": "int64",
    "kind": "string",
    "label": "large_string",
    "n_passages": "int32",
    "passage_id": "string",
    "document": "large_string",
    "heading": "large_string",
}
_EDGE_COLUMNS: Final = {
    "source": "int64",
    "target": "int64",
    "kind": "string",
    "weight": "float64",
    "predicate": "large_string",
    "n_passages": "int32",
}
# What XML 1.0 cannot hold.
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class Exported:
    """How many nodes and edges were written."""

    n_nodes: int
    n_edges: int


def export_graph(
    index: str | Path,
    out: str | Path,
    *,
    format: GraphFormat,
    communities: bool = False,
    texts: bool = False,
) -> Exported:
    """Write the graph of an index to files that other programs read.

    Parameters
    ----------
    index : str or Path
        Folder of an index, or of one version of it.
    out : str or Path
        A new file of GraphML or GEXF; or a new folder, in which ``nodes.parquet`` and
        ``edges.parquet`` are written.
    format : {"graphml", "gexf", "parquet"}
    communities : bool
        Whether each node has the number of its community, as ``themes`` finds them.
    texts : bool
        Whether each passage has its text.

    Notes
    -----
    A node is a passage (id, kind, label: its title, passage_id, document, heading) or an entity
    (id, kind, label: its name, n_passages that name it). An edge leads from source to target, and
    has a kind and a weight, which is 0 if no walk uses the edge; the walk follows it both ways.
    Each fact is an edge from its subject to its object, with its predicate and the number of
    passages that state it.

    Raises
    ------
    UsageError
        The format is unknown, the graph is too large for it, or the file or folder exists already
        or cannot be written.
    IndexStoreError
        There is no index, it was made by another format version, or is damaged.
    """
    if format not in get_args(GraphFormat):
        raise UsageError(
            f"{format!r}: is not a format: name one of {', '.join(get_args(GraphFormat))}"
        )
    with StoredIndex.open(index) as stored:
        weights = stored.recipe().query.weights
        tables = opened_tables(stored)
        graph = GraphColumns(tables, weights, communities=communities, texts=texts)
        return write_graph(graph, Path(out), format)


def write_graph(graph: GraphColumns, out: Path, format: GraphFormat) -> Exported:
    """Write a graph; see ``export_graph``."""
    if format == "parquet":
        _write_parquet(graph, out)
    else:
        _write_xml(graph, out, format)
    return Exported(n_nodes=graph.n_nodes, n_edges=graph.n_edges)


def _write_parquet(graph: GraphColumns, out: Path) -> None:
    """Write both tables into a folder that appears when it is complete."""
    import pyarrow as pa

    schemas = _NODE_COLUMNS | graph.further_columns, _EDGE_COLUMNS
    with _beside(out) as beside:
        beside.mkdir()
        for name, columns, blocks in zip(
            ("nodes", "edges"), schemas, (graph.nodes(), graph.edges()), strict=True
        ):
            schema = pa.schema([(column, getattr(pa, kind)()) for column, kind in columns.items()])
            _write_table(beside / f"{name}.parquet", schema, blocks)


def _write_table(path: Path, schema: Any, blocks: Iterator[dict[str, Any]]) -> None:  # noqa: ANN401
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema) as writer:
        for columns in blocks:
            writer.write_table(pa.table(columns, schema))


def _write_xml(graph: GraphColumns, out: Path, format: str) -> None:
    import networkx

    if graph.n_edges > (most := MOST_EDGES[format]):
        fix = "write parquet, which holds any number"
        raise UsageError(f"{graph.n_edges:,} edges: {most:,} can be written as {format}: {fix}")
    with _beside(out) as beside:
        drawn = _networkx(graph)
        if format == "graphml":
            networkx.write_graphml(drawn, beside, named_key_ids=True)
        else:
            networkx.write_gexf(drawn, beside)


def _networkx(graph: GraphColumns) -> "networkx.MultiDiGraph[int]":
    """Convert the graph to networkx, without characters that XML cannot hold."""
    import networkx

    drawn: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
    for columns in graph.nodes():
        for node in _rows(columns):
            drawn.add_node(node.pop("id"), **node)
    for columns in graph.edges():
        for edge in _rows(columns):
            drawn.add_edge(edge.pop("source"), edge.pop("target"), **edge)
    return drawn


def _rows(columns: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield rows of columns, each without its missing values."""
    for values in zip(*columns.values(), strict=True):
        named = zip(columns, values, strict=True)
        yield {name: _in_xml(value) for name, value in named if value is not None}


def _in_xml(value: object) -> object:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value


@contextmanager
def _beside(out: Path) -> Generator[Path]:
    """Yield a temporary path whose file or folder gets the final name once written."""
    if not out.parent.is_dir():
        raise UsageError(f"{out}: there is no folder {str(out.parent)!r}: make it first")
    if os.path.lexists(out):
        raise UsageError(f"{out}: exists already: choose another name, or remove it first")
    beside = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        yield beside
        beside.replace(out)
    except OSError as error:
        fix = "check the path, and the space on that disk"
        raise UsageError(f"{out}: cannot be written ({error.strerror or error}): {fix}") from error
    finally:
        if beside.is_dir():
            shutil.rmtree(beside, ignore_errors=True)
        beside.unlink(missing_ok=True)
