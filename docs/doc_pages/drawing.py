"""Pictures of the worked example, as SVG files: they show in the repository and on the site.

Each stands on a light ground of its own, so that it can be read on a light and on a dark page, and
carries a title and a description for who does not see it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

WIDTH: Final = 720
_MARKS: Final = {"title": "**", "mention": "*"}
_LABELS: Final = 250
_BARS: Final = 380
_ROW: Final = 24
_LINE: Final = 30
_GLYPH: Final = 6.7  # width of a letter, on the average, of the pictures' type
_STYLE: Final = """
text { fill: #1f2328; font-family: system-ui, sans-serif; font-size: 13px; }
.strong { font-weight: 700; }
.small { font-size: 11.5px; fill: #59636e; }
.ground { fill: #fdfdfb; }
rect.mention { fill: #d98e04; }
rect.passage, rect.phrase { fill: #4f8fd0; }
rect.fact, rect.source { fill: #8a6fc9; }
rect.title { fill: #2f9e62; }
rect.synonymy { fill: #8c8c8c; }
rect.box { fill-opacity: 0.22; stroke-width: 1; }
rect.box.claim { fill: #d98e04; stroke: #d98e04; }
rect.box.entity { fill: #8c8c8c; stroke: #8c8c8c; }
rect.box.passage { fill: #4f8fd0; stroke: #4f8fd0; }
rect.box.gold { fill: #2f9e62; stroke: #2f9e62; }
path.arrow, path.line { fill: none; stroke: #8c8c8c; stroke-width: 1.4; }
path.head { fill: #8c8c8c; }
path.line.title { stroke: #2f9e62; stroke-width: 2.4; }
path.line.mention { stroke: #d98e04; stroke-width: 1.8; }
path.line.phrase { stroke: #4f8fd0; }
path.line.source { stroke: #8a6fc9; stroke-dasharray: 4 3; }
path.line.fact, path.line.synonymy { stroke-dasharray: 2 3; }
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a label, and parts that add up, each with the name of its colour."""

    label: str
    parts: tuple[tuple[str, float], ...]
    is_gold: bool = False

    @property
    def value(self) -> float:
        return sum(value for _, value in self.parts)


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between a node on the left and one on the right, and its type."""

    left: int
    right: int
    kind: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """A fact: from its subject, along its predicate, to its object."""

    start: str
    label: str
    end: str


@dataclass(frozen=True, slots=True)
class Stop:
    """A node of a path, its colour, and what leads on from it; "" at the end."""

    name: str
    kind: str
    label: str = ""


def bars(rows: Sequence[Bar], legend: Sequence[tuple[str, str]], *, title: str) -> str:
    """Horizontal bars, each with its value; ``legend`` pairs a colour with what it means."""
    longest = max((row.value for row in rows), default=1.0) or 1.0
    shapes: list[str] = []
    for number, row in enumerate(rows):
        y = number * _ROW
        shapes.append(
            _text(
                _LABELS - 8, y + 16, _cut(row.label, 36), anchor="end", kind="strong" * row.is_gold
            )
        )
        x = float(_LABELS)
        for colour, value in row.parts:
            width = _BARS * value / longest
            shapes.append(_box(x, y + 3, width, _ROW - 6, colour))
            x += width
        shapes.append(_text(x + 6, y + 16, _shown(row.value)))
    height = len(rows) * _ROW + 8
    shapes += _legend(legend, height)
    said = "; ".join(f"{row.label} {_shown(row.value)}" for row in rows)
    return _picture(shapes, height + (_LINE if legend else 0), title, said)


def two_columns(
    left: Sequence[tuple[str, bool]],
    right: Sequence[str],
    links: Sequence[Link],
    legend: Sequence[tuple[str, str]],
    *,
    title: str,
) -> str:
    """Passages on the left, True where one is gold, entities on the right, links between."""
    height = _LINE * max(len(left), len(right))
    y_left = [height * (at + 0.5) / len(left) for at in range(len(left))]
    y_right = [height * (at + 0.5) / len(right) for at in range(len(right))]
    shapes: list[str] = []
    for link in links:
        a, b = y_left[link.left], y_right[link.right]
        shapes.append(
            f'<path class="line {link.kind}" '
            f'd="M230 {a:.1f} C330 {a:.1f} 370 {b:.1f} 470 {b:.1f}"/>'
        )
    for (name, is_gold), y in zip(left, y_left, strict=True):
        shapes += _named_box(0, y, 230, name, "gold" if is_gold else "passage")
    for name, y in zip(right, y_right, strict=True):
        shapes += _named_box(470, y, 250, name, "entity")
    shapes += _legend(legend, height + 6)
    said = "; ".join(
        f"{left[link.left][0]} is joined with {right[link.right]} by {link.kind}" for link in links
    )
    return _picture(shapes, height + 6 + _LINE, title, said)


def arrows(groups: Sequence[tuple[str, Sequence[Arrow]]], *, title: str) -> str:
    """Facts, a line each, under the title of the passage that states them."""
    shapes: list[str] = []
    said: list[str] = []
    y = 0
    for name, facts in groups:
        shapes.append(_text(0, y + 20, name, kind="strong"))
        y += _LINE
        for fact in facts:
            start, end = _cut(fact.start, 26), _cut(fact.end, 34)
            x = _width_of(start)
            label = _cut(fact.label, 24)
            reach = max(_GLYPH * len(label) + 16, 40)
            shapes += _named_box(0, y + 14, x, start, "entity")
            shapes.append(f'<path class="arrow" d="M{x:.0f} {y + 14} h{reach:.0f}"/>')
            shapes.append(f'<path class="head" d="M{x + reach:.0f} {y + 14} l-7 -4 v8 z"/>')
            shapes.append(_text(x + reach / 2 - 3, y + 9, label, anchor="middle", kind="small"))
            shapes += _named_box(x + reach, y + 14, _width_of(end), end, "entity")
            said.append(f"{fact.start} {fact.label} {fact.end}")
            y += _LINE
        y += 8
    return _picture(shapes, y, title, "; ".join(said))


def chains(paths: Sequence[Sequence[Stop]], *, title: str) -> str:
    """Paths side by side, each from the claim down to a passage."""
    step, box = 62, 26
    column = WIDTH / len(paths)
    width = column - 14
    shapes: list[str] = []
    said: list[str] = []
    for number, path in enumerate(paths):
        x = number * column
        middle = x + width / 2
        for at, stop in enumerate(path):
            y = 16 + at * step
            shapes += _named_box(x, y, width, stop.name, stop.kind)
            if at + 1 < len(path):
                top = y + box / 2
                shapes.append(
                    f'<path class="arrow" d="M{middle:.0f} {top:.0f} v{step - box - 4}"/>'
                )
                tip = y + step - box / 2
                shapes.append(f'<path class="head" d="M{middle:.0f} {tip:.0f} l-4 -7 h8 z"/>')
                shapes.append(_text(middle + 9, y + step / 2 + 4, stop.label, kind="small"))
        said.append(", then ".join(f"{one.name} ({one.label})".replace(" ()", "") for one in path))
    height = 32 + step * (max(map(len, paths)) - 1)
    return _picture(shapes, height, title, "; ".join(said))


def marked_text(title: str, text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    """A passage as a quotation, its names marked by the kinds of their edges."""
    words: list[str] = []
    done = 0
    for start, stop, kind in spans:
        sign = _MARKS.get(kind, "`")
        words.append(f"{text[done:start]}{sign}{text[start:stop]}{sign}")
        done = stop
    words.append(text[done:])
    return f"> **{title}**: {''.join(words)}"


def _picture(shapes: Sequence[str], height: float, title: str, said: str) -> str:
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title words" '
            f'viewBox="-8 -8 {WIDTH + 16} {height + 16:.0f}">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="words">{escape(said)}</desc>',
            f"<style>{_STYLE}</style>",
            f'<rect class="ground" x="-8" y="-8" width="{WIDTH + 16}" height="{height + 16:.0f}" '
            'rx="8"/>',
            *shapes,
            "</svg>\n",
        ]
    )


def _legend(legend: Sequence[tuple[str, str]], y: float) -> list[str]:
    shapes: list[str] = []
    x = 0.0
    for colour, meaning in legend:
        shapes.append(_box(x, y + 8, 12, 12, colour))
        shapes.append(_text(x + 18, y + 18, meaning, kind="small"))
        x += 34 + _GLYPH * len(meaning)
    return shapes


def _named_box(x: float, y: float, width: float, name: str, kind: str) -> list[str]:
    shown = _cut(name, int((width - 12) / _GLYPH))
    return [
        f'<rect class="box {kind}" x="{x:.0f}" y="{y - 12:.0f}" width="{width:.0f}" height="24" '
        'rx="5"/>',
        _text(x + width / 2, y + 4, shown, anchor="middle"),
    ]


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect class="{colour}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.0f}"/>'
    )


def _text(x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> str:
    given = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{given}>{escape(words)}</text>'


def _width_of(words: str) -> float:
    return _GLYPH * len(words) + 20


def _shown(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "below 0.001"


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[: longest - 1]}…"
