"""Pictures of the worked example, as SVG that stands in the page.

They take their colours from ``_static/pictures.css``, so that they suit the page by day and by
night, and they carry a title and a description for who does not see them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from typing import Final

WIDTH: Final = 720
_LABELS: Final = 250
_BARS: Final = 380
_ROW: Final = 24
_LINE: Final = 30
_GLYPH: Final = 6.7  # width of a letter, on the average, of the pictures' type
_serial = count(1)


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
    """A passage as a paragraph, its names marked with the colours of their edges."""
    words: list[str] = []
    done = 0
    for start, stop, kind in spans:
        words.append(escape(text[done:start]))
        words.append(f'<mark class="{kind}">{escape(text[start:stop])}</mark>')
        done = stop
    words.append(escape(text[done:]))
    return f'<p class="passage-text"><strong>{escape(title)}</strong> {"".join(words)}</p>'


def _picture(shapes: Sequence[str], height: float, title: str, said: str) -> str:
    name = f"picture-{next(_serial)}"
    return "\n".join(
        [
            f'<svg class="walk" viewBox="-1 -1 {WIDTH + 2} {height + 2:.0f}" role="img" '
            f'aria-labelledby="{name}-title {name}-words">',
            f'<title id="{name}-title">{escape(title)}</title>',
            f'<desc id="{name}-words">{escape(said)}</desc>',
            *shapes,
            "</svg>",
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
