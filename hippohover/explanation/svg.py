"""A drawing of the walk as SVG, for pages and notebooks."""

from typing import Final
from xml.etree.ElementTree import Element

from hippohover.explanation.layout import PlacedEdge, PlacedNode, WalkDrawing
from hippohover.rendering.html import element

_COLUMN: Final = 230
_ROW: Final = 74
_BOX: Final = (156, 40)
_LONGEST_NAME: Final = 22
_LONGEST_LABEL: Final = 18
_COLOURS: Final = {"claim": "#f3c562", "passage": "#a9cdec", "entity": "#dfe1e4"}
_TARGET: Final = "#8fd3a0"


def colour_of(node: PlacedNode) -> str:
    """Return a node's colour as ``#rrggbb``: black text on it is readable."""
    return _TARGET if node.is_target else _COLOURS[node.kind]


def walk_svg(drawing: WalkDrawing) -> Element:
    """Draw the paths as an ``svg`` element; hovering shows whole texts."""
    width, height = drawing.n_layers * _COLUMN, drawing.n_rows * _ROW
    edges = [_edge(edge, drawing, height) for edge in drawing.edges]
    nodes = [_node(node, height) for node in drawing.nodes]
    labels = [_label(edge, drawing, height) for edge in drawing.edges]
    return element(
        "svg",
        element("title", f"The walk's strongest paths, from the {drawing.asked} to the passage"),
        element("rect", width=width, height=height, fill="#ffffff"),
        *edges,
        *nodes,
        *labels,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        role="img",
        font_family="system-ui, sans-serif",
        font_size=12,
    )


def _middle(node: PlacedNode, height: float) -> tuple[float, float]:
    return (node.layer + 0.5) * _COLUMN, height / 2 + node.place * _ROW


def _node(node: PlacedNode, height: float) -> Element:
    x, y = _middle(node, height)
    wide, high = _BOX
    corner = 4 if node.kind == "passage" else high / 2
    return element(
        "g",
        element("title", _told(node)),
        element(
            "rect",
            x=x - wide / 2,
            y=y - high / 2,
            width=wide,
            height=high,
            rx=corner,
            fill=colour_of(node),
            stroke="#5b6570",
        ),
        element(
            "text",
            node.cut(_LONGEST_NAME),
            x=x,
            y=y + 4,
            text_anchor="middle",
            fill="#111111",
        ),
    )


def _told(node: PlacedNode) -> str:
    return f"the {node.name}" if node.kind == "claim" else f"{node.kind}: {node.shown}"


def _edge(edge: PlacedEdge, drawing: WalkDrawing, height: float) -> Element:
    one, other = drawing.nodes[edge.start], drawing.nodes[edge.end]
    (x1, y1), (x2, y2) = _middle(one, height), _middle(other, height)
    half = _BOX[0] / 2 * (1 if x2 > x1 else -1)
    x1, x2 = x1 + half, x2 - half
    bend = (x1 + x2) / 2
    # An edge over several columns goes round what stands between.
    lift = -_ROW * 0.45 if abs(other.layer - one.layer) > 1 and y1 == y2 else 0.0
    way = f"M{x1:g} {y1:g}C{bend:g} {y1 + lift:g} {bend:g} {y2 + lift:g} {x2:g} {y2:g}"
    told = [" | ".join(fact.words()) for fact in edge.facts]
    return element(
        "path",
        element("title", "\n".join([", ".join(edge.types), *told])),
        d=way,
        fill="none",
        stroke="#5b6570",
        stroke_width=1.5,
    )


def _label(edge: PlacedEdge, drawing: WalkDrawing, height: float) -> Element:
    one, other = drawing.nodes[edge.start], drawing.nodes[edge.end]
    (x1, y1), (x2, y2) = _middle(one, height), _middle(other, height)
    lift = -_ROW * 0.34 if abs(other.layer - one.layer) > 1 and y1 == y2 else -4.0
    return element(
        "text",
        _cut(edge.label, _LONGEST_LABEL),
        x=(x1 + x2) / 2,
        y=(y1 + y2) / 2 + lift,
        text_anchor="middle",
        font_size=11,
        fill="#3d4650",
        stroke="#ffffff",
        stroke_width=4,
        paint_order="stroke",
    )


def _cut(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
