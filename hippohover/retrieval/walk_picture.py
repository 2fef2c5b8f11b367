"""The paths of an explanation, drawn: claim on the left, the passage on the right."""

import warnings
from pathlib import Path as FilePath
from typing import Final

import networkx

from hippohover.errors import UsageError
from hippohover.retrieval.explanation import Explanation
from hippohover.retrieval.path_words import Path, PathEdge, PathNode

FORMATS: Final = (".png", ".svg", ".pdf")

_CLAIM: Final = PathNode("claim", "claim")
_COLOURS: Final = {"claim": "#e8b04a", "passage": "#9cc3e6", "entity": "#d9d9d9"}
_TARGET: Final = "#7ec98f"
_BEND: Final = "arc3,rad=0.12"  # an edge past a node does not run through it
_LONGEST_NAME: Final = 26


def walk_graph(paths: tuple[Path, ...]) -> "networkx.DiGraph[PathNode]":
    """Directed graph of paths that end at one passage.

    A node has ``layer``, its least number of steps from the claim; the passage is alone in the
    last layer. An edge has ``label``: its fact's predicate, or else its types; one that leaves the
    claim says what made a seed of its end.
    """
    graph: networkx.DiGraph[PathNode] = networkx.DiGraph()
    for path in paths:
        for step, node in enumerate((_CLAIM, *path.nodes)):
            known = graph.nodes[node]["layer"] if node in graph else step
            graph.add_node(node, layer=min(step, known))
        graph.add_edge(_CLAIM, path.nodes[0], label=path.seed)
        for one, edge, other in zip(path.nodes[:-1], path.edges, path.nodes[1:], strict=True):
            graph.add_edge(one, other, label=_label(edge))
    if paths:
        target = paths[0].nodes[-1]
        others = [graph.nodes[node]["layer"] for node in graph if node != target]
        graph.nodes[target]["layer"] = max(others) + 1
    return graph


def draw(explanation: Explanation, file: FilePath) -> None:
    """Draw the strongest paths of an explanation into a .png, .svg or .pdf file.

    Raises
    ------
    UsageError
        The file's name has another ending, it cannot be written, there is no path to draw, or
        matplotlib is not installed.
    """
    if file.suffix.lower() not in FORMATS:
        raise UsageError(f"{file}: a picture ends in {', '.join(FORMATS)}: name it so")
    if not explanation.paths:
        raise UsageError(f"{explanation.title!r} has no path to draw: {explanation.reason}")
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("drawing needs matplotlib: pip install 'hippohover[pictures]'") from error
    graph = walk_graph(explanation.paths)
    target = explanation.paths[0].nodes[-1]
    n_layers = 1 + graph.nodes[target]["layer"]
    figure = Figure(figsize=(2.4 * n_layers, 1.5 + 0.7 * len(explanation.paths)), dpi=120)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.9))
    axes.set_axis_off()
    axes.margins(0.12)
    axes.set_title(_shown(explanation.claim, 90), fontsize=9, loc="left")
    places = networkx.multipartite_layout(graph, subset_key="layer", align="vertical")
    networkx.draw_networkx_edges(
        graph, places, ax=axes, edge_color="#888888", node_size=1400, connectionstyle=_BEND
    )
    networkx.draw_networkx_nodes(
        graph, places, ax=axes, node_size=1400,
        node_color=[_TARGET if node == target else _COLOURS[node.kind] for node in graph],
    )  # fmt: skip
    names = {node: _shown(node.name or "(untitled)", _LONGEST_NAME) for node in graph}
    networkx.draw_networkx_labels(graph, places, names, ax=axes, font_size=7)
    labels = {(one, other): _shown(label, 20) for one, other, label in graph.edges(data="label")}
    networkx.draw_networkx_edge_labels(
        graph, places, labels, ax=axes, font_size=6, connectionstyle=_BEND
    )
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(file)
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror}): check the path") from error


def _label(edge: PathEdge) -> str:
    if edge.facts and "title" not in edge.types:
        return edge.facts[0].predicate
    return "+".join(edge.types)


def _shown(text: str, longest: int) -> str:
    """Text on one line, cut; matplotlib would read a dollar as the start of a formula."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    short = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return short.replace("$", r"\$")
