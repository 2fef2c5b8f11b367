"""A walk as HTML: a drawing of its paths, and the paths in words."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from hippohover.explanation.layout import layout
from hippohover.explanation.svg import walk_svg
from hippohover.explanation.words import WalkPath
from hippohover.records import Seed
from hippohover.rendering.html import element, table

_SEEDS_SHOWN = 8


def walk_elements(paths: Sequence[WalkPath], seeds: Sequence[Seed]) -> list[Element]:
    """Return HTML of the strongest paths to one passage, and of the walk's seeds."""
    elements: list[Element] = []
    if paths:
        drawing = element("div", walk_svg(layout(paths)), style="overflow-x:auto")
        told = [[f"{path.share:.1%}", path.sentence()] for path in paths]
        elements += [drawing, table(["share", "path"], told, "Strongest paths")]
    strongest = [[f"{seed.mass:.1%}", seed.kind, seed.shown] for seed in seeds[:_SEEDS_SHOWN]]
    elements.append(table(["mass", "kind", "seed"], strongest, "Strongest seeds of the walk"))
    return elements
