"""An explanation as HTML: the paths drawn, and told in words below."""

from pathlib import Path
from xml.etree.ElementTree import Element

from hippohover.html_text import element, page, table
from hippohover.retrieval.explanation import Explanation
from hippohover.retrieval.walk_layout import layout
from hippohover.retrieval.walk_svg import walk_svg
from hippohover.text_files import write_lines

_SEEDS_SHOWN = 8


def explanation_elements(explanation: Explanation) -> list[Element]:
    """What an explanation says: rank, drawing, paths and seeds."""
    place = explanation.reason
    if explanation.rank is not None:
        place = f"rank {explanation.rank:,}, score {explanation.score:.4g}. {place}"
    found = [
        element("h1", explanation.title or "(untitled)"),
        element("p", element("em", explanation.claim)),
        element("p", place),
    ]
    if explanation.paths:
        drawing = element("div", walk_svg(layout(explanation.paths)), style="overflow-x:auto")
        paths = [[f"{path.share:.1%}", path.sentence()] for path in explanation.paths]
        found += [drawing, table(["share", "path"], paths, "Strongest paths")]
    seeds = [
        [f"{seed.mass:.1%}", seed.kind, seed.label] for seed in explanation.seeds[:_SEEDS_SHOWN]
    ]
    found.append(table(["mass", "kind", "seed"], seeds, "Strongest seeds of the walk"))
    return found


def write_page(explanation: Explanation, file: Path) -> None:
    """Write an explanation as a page that runs nothing and fetches nothing.

    ``UsageError`` when the file cannot be written.
    """
    title = f"{explanation.title or '(untitled)'}: why it was found"
    write_lines(file, [page(title, *explanation_elements(explanation))])
