"""The paths of an explanation, drawn: what was asked left, passage right."""

from pathlib import Path
from typing import Final

import networkx

from hippohover.errors import UsageError
from hippohover.explanation.explain import Explanation
from hippohover.explanation.layout import layout
from hippohover.explanation.svg import colour_of
from hippohover.rendering.figures import check_format, new_figure, save

_BEND: Final = "arc3,rad=0.12"  # an edge past a node does not run through it
_LONGEST_NAME: Final = 26
_LONGEST_LABEL: Final = 20


def draw(explanation: Explanation, file: Path) -> None:
    """Draw the strongest paths of an explanation into a .png, .svg or .pdf file.

    Raises
    ------
    UsageError
        The file's name has another ending, it cannot be written, there is no path to draw, or
        matplotlib is not installed.
    """
    check_format(file)
    if not explanation.paths:
        raise UsageError(f"{explanation.title!r} has no path to draw: {explanation.reason}")
    drawing = layout(explanation.paths)
    figure = new_figure(2.4 * drawing.n_layers, 1.5 + 0.8 * drawing.n_rows)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.9))
    axes.set_axis_off()
    axes.set_xlim(-0.6, drawing.n_layers - 0.4)
    axes.set_ylim(-drawing.n_rows / 2 - 0.3, drawing.n_rows / 2 + 0.3)
    axes.set_title(_shown(explanation.claim, 90), fontsize=9, loc="left")
    graph = networkx.DiGraph((edge.start, edge.end) for edge in drawing.edges)
    places = {at: (node.layer, -node.place) for at, node in enumerate(drawing.nodes)}
    networkx.draw_networkx_edges(
        graph, places, ax=axes, edge_color="#888888", node_size=1400, connectionstyle=_BEND
    )
    networkx.draw_networkx_nodes(
        graph,
        places,
        list(places),
        ax=axes,
        node_size=1400,
        node_color=[colour_of(node) for node in drawing.nodes],
    )
    names = {
        at: _shown(node.cut(_LONGEST_NAME), _LONGEST_NAME) for at, node in enumerate(drawing.nodes)
    }
    networkx.draw_networkx_labels(graph, places, names, ax=axes, font_size=7)
    labels = {(edge.start, edge.end): _shown(edge.label, _LONGEST_LABEL) for edge in drawing.edges}
    networkx.draw_networkx_edge_labels(
        graph, places, labels, ax=axes, font_size=6, connectionstyle=_BEND
    )
    save(figure, file)


def _shown(text: str, longest: int) -> str:
    """Put a text on one line, cut it, and escape "$", a formula in matplotlib."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    short = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return short.replace("$", r"\$")
