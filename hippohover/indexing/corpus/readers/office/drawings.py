"""Charts and diagrams of Office's files: a chart's title and its values, a diagram's texts."""

from collections.abc import Iterator, Mapping
from typing import Final

from hippohover.indexing.corpus.readers.office.package import (
    Element,
    Package,
    Relation,
    attribute,
    child,
    elements,
    tag,
)
from hippohover.indexing.corpus.readers.text_builder import TextBuilder, Words

DRAWINGS: Final = {"chart": "id", "relIds": "dm"}
"""What in a ``graphicData`` leads to another part, and by which attribute."""

_CHARTS: Final = ("chart", "chartEx")


def read_drawing(
    data: Element | None, package: Package, relations: Mapping[str, Relation], body: TextBuilder
) -> None:
    """Read what a ``graphicData`` leads to into a body: a chart, or a diagram (SmartArt)."""
    for mark in elements(data):
        name = DRAWINGS.get(tag(mark), "")
        relation = relations.get(attribute(mark, name)) if name else None
        root = package.xml(relation.target) if relation and not relation.is_external else None
        if relation and relation.kind in _CHARTS:
            _read_chart(child(root, "chart"), body)
        elif root is not None:
            for text in root.iter("{*}p"):
                body.paragraph(_words_in(text))


def _read_chart(chart: Element | None, body: TextBuilder) -> None:
    if chart is None:
        return
    body.paragraph(_words_in(child(chart, "title")))
    plots = elements(child(chart, "plotArea"))
    series = [part for plot in plots for part in elements(plot) if tag(part) == "ser"]
    columns = [
        (_words_of(child(one, "tx")), _points(one, "cat", "xVal"), _points(one, "val", "yVal"))
        for one in series
    ]
    names = {at: name for _, categories, _ in reversed(columns) for at, name in categories.items()}
    header = [Words(), *(name for name, _, _ in columns)]
    rows = [
        [Words(names.get(at, "")), *(Words(values.get(at, "")) for _, _, values in columns)]
        for at in sorted({at for _, _, values in columns for at in values} | set(names))
    ]
    if rows:
        body.table([header, *rows] if any(header) else [[Words("Category")], *rows])


def _points(series: Element, *names: str) -> dict[int, str]:
    """Return what a chart keeps of its cells, by their numbers."""
    found = next((part for part in elements(series) if tag(part) in names), None)
    return {} if found is None else dict(_numbered(found))


def _numbered(values: Element) -> Iterator[tuple[int, str]]:
    for point in values.iter("{*}pt"):
        number, value = attribute(point, "idx"), child(point, "v")
        if number.isdecimal() and value is not None:
            yield int(number), value.text or ""


def _words_of(name: Element | None) -> Words:
    """Return the name of a series: the text of its cell."""
    words = Words()
    for value in () if name is None else name.iter("{*}v"):
        words.add(f" {value.text or ''}")
    return words


def _words_in(element: Element | None) -> Words:
    words = Words()
    for part in () if element is None else element.iter("*"):
        kind = tag(part)
        words.add(" " if kind == "p" else (part.text or "") * (kind == "t"))
    return words
