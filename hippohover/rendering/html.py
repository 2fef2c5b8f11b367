"""HTML from values: any text is shown, never run."""

import re
from collections.abc import Sequence
from typing import Final
from xml.etree.ElementTree import Element, tostring

_PAGE_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1f24;background:#fff}h1{font-size:1.4rem}svg{max-width:100%;height:auto}"
)


def element(tag: str, *content: Element | str, **attributes: str | float) -> Element:
    """Make an element with these contents, class and text-anchor."""
    names = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    made = Element(tag, {name: shown(str(value)) for name, value in names.items()})
    for part in content:
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + shown(part)
        else:
            made.text = (made.text or "") + shown(part)
    return made


def as_html(*elements: Element) -> str:
    """Write the elements as HTML."""
    return "".join(tostring(part, encoding="unicode", method="html") for part in elements)


def page(title: str, *content: Element) -> str:
    """Write a whole page that fetches nothing and runs nothing."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", _PAGE_STYLE),
    )
    return (
        f"<!doctype html>\n{as_html(element('html', head, element('body', *content), lang='en'))}"
    )


def table(header: Sequence[str], rows: Sequence[Sequence[Element | str]], caption: str) -> Element:
    """Write a table; each cell is a text or an element."""
    head = element("tr", *(element("th", name, scope="col", style=_LEFT) for name in header))
    lines = [element("tr", *(element("td", cell, style=_LEFT) for cell in row)) for row in rows]
    return element(
        "table",
        element("caption", caption, style=_LEFT),
        element("thead", head),
        element("tbody", *lines),
    )


_UNWANTED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_LEFT: Final = "text-align:left;vertical-align:top"


def shown(text: str) -> str:
    """Remove control characters, lone surrogates and direction marks from a text.

    Joiners and non-joiners stay: some scripts need them inside words.
    """
    return _UNWANTED.sub(" ", text).encode("utf-8", "replace").decode()
