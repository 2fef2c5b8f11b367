"""Positions of the nodes of a picture of paths: what was asked left, passage right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import networkx

from hippohover.explanation.words import PathEdge, PathNode, WalkPath
from hippohover.metadata import part_words, titled
from hippohover.records import Triple

_SWEEPS: Final = 4


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A node of the picture.

    Attributes
    ----------
    kind : str
        ``"claim"``, ``"passage"`` or ``"entity"``.
    name : str
        That of a claim is what to call it, as of ``WalkPath.asked``.
    part : int
        Of a passage: which of its document it is, from 1.
    layer : int
        Column, from 0, the claim's.
    place : float
        Row: steps of 1, and 0 is the middle of the column.
    is_target : bool
        Whether this is the passage that is explained.
    """

    kind: str
    name: str
    part: int
    layer: int
    place: float
    is_target: bool

    @property
    def shown(self) -> str:
        """What it is called where there is room."""
        return titled(self.name, self.part)

    def cut(self, longest: int) -> str:
        """Return at most ``longest`` characters of its name on one line; its part is never cut."""
        part = part_words(self.part)
        line = " ".join((self.name or "(untitled)").split())
        room = longest - len(part)
        return (line if len(line) <= room else f"{line[: room - 1]}…") + part


@dataclass(frozen=True, slots=True)
class PlacedEdge:
    """A step of the walk: the numbers of its two nodes, ``start`` and ``end``.

    ``types`` are those of the edges between them, or what made a seed of the end.
    """

    start: int
    end: int
    label: str
    types: tuple[str, ...]
    facts: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class WalkDrawing:
    """Nodes and edges of a picture; empty without paths."""

    nodes: tuple[PlacedNode, ...]
    edges: tuple[PlacedEdge, ...]

    @property
    def asked(self) -> str:
        """What to call the text that was asked."""
        return next((node.name for node in self.nodes if node.kind == "claim"), "claim")

    @property
    def n_layers(self) -> int:
        return 1 + max((node.layer for node in self.nodes), default=-1)

    @property
    def n_rows(self) -> int:
        """Number of nodes in the fullest column."""
        return round(2 * max((node.place for node in self.nodes), default=-0.5)) + 1

    def as_dict(self) -> dict[str, Any]:
        """Return the drawing, ready for JSON."""
        return {
            "nodes": [
                {
                    "kind": node.kind,
                    "name": node.name,
                    "part": node.part,
                    "layer": node.layer,
                    "place": node.place,
                    "is_target": node.is_target,
                }
                for node in self.nodes
            ],
            "edges": [
                {
                    "start": edge.start,
                    "end": edge.end,
                    "label": edge.label,
                    "types": list(edge.types),
                    "facts": [fact.words() for fact in edge.facts],
                }
                for edge in self.edges
            ],
        }


def layout(paths: Sequence[WalkPath]) -> WalkDrawing:
    """Place the nodes of paths that end at one passage.

    A node's column is its greatest number of steps from the claim, so that steps lead to the right;
    the last column has only the passage. Nodes of a column are ordered by the mean place of their
    neighbours (the barycentre heuristic of Sugiyama, Tagawa and Toda, 1981), so that few edges
    cross.
    """
    graph = walk_graph(paths)
    steps = sorted({int(graph.nodes[node]["layer"]) for node in graph})  # no column is empty
    layer_of = {node: steps.index(graph.nodes[node]["layer"]) for node in graph}
    layers: list[list[PathNode]] = [[] for _ in range(1 + max(layer_of.values(), default=-1))]
    for node, layer in layer_of.items():
        layers[layer].append(node)
    place = {node: at - (len(row) - 1) / 2 for row in layers for at, node in enumerate(row)}
    for _ in range(_SWEEPS):
        for row in (*layers, *reversed(layers)):
            row.sort(key=lambda node: (_mean_place(graph, node, place), place[node]))
            place.update({node: at - (len(row) - 1) / 2 for at, node in enumerate(row)})
    numbers = {node: number for number, node in enumerate(n for row in layers for n in row)}
    target = paths[0].nodes[-1] if paths else None
    return WalkDrawing(
        tuple(
            PlacedNode(node.kind, node.name, node.part, layer_of[node], place[node], node == target)
            for node in numbers
        ),
        tuple(
            PlacedEdge(numbers[one], numbers[other], said["label"], said["types"], said["facts"])
            for one, other, said in graph.edges(data=True)
        ),
    )


def walk_graph(paths: Sequence[WalkPath]) -> "networkx.DiGraph[PathNode]":
    """Build the directed graph of paths that end at one passage.

    A node has ``layer``, its greatest number of steps from the claim; the passage is alone in the
    last layer. An edge has ``label``: its fact's predicate, or else its types; ``types``; and
    ``facts``. One that leaves the claim says what made a seed of its end.
    """
    graph: networkx.DiGraph[PathNode] = networkx.DiGraph()
    for path in paths:
        claim = PathNode("claim", path.asked)
        for step, node in enumerate((claim, *path.nodes)):
            known = graph.nodes[node]["layer"] if node in graph else step
            graph.add_node(node, layer=max(step, known))
        graph.add_edge(claim, path.nodes[0], label=path.seed, types=(path.seed,), facts=())
        for one, edge, other in zip(path.nodes[:-1], path.edges, path.nodes[1:], strict=True):
            graph.add_edge(one, other, label=_label(edge), types=edge.types, facts=edge.facts)
    if paths:
        target = paths[0].nodes[-1]
        others = [graph.nodes[node]["layer"] for node in graph if node != target]
        graph.nodes[target]["layer"] = max(others) + 1
    return graph


def _mean_place(
    graph: "networkx.DiGraph[PathNode]", node: PathNode, place: dict[PathNode, float]
) -> float:
    near = [place[neighbour] for neighbour in networkx.all_neighbors(graph, node)]
    return sum(near) / len(near) if near else place[node]


def _label(edge: PathEdge) -> str:
    if edge.facts and "title" not in edge.types:
        return edge.facts[0].predicate
    return edge.words()
