"""Detects parts of an HTML page beside its text: hidden, or on every page of its site."""

import re
from typing import Any, Final

from hippohover.indexing.corpus.known_names import KNOWN, one_of

_NAMES: Final[dict[str, list[str]]] = KNOWN["pages"]
_NO_WORDS, _ROLES = frozenset(_NAMES["no_words"]), frozenset(_NAMES["roles"])
_FURNITURE = re.compile(rf"(?<![\w-]){one_of(_NAMES['furniture'])}(?![\w-])", re.I)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_NOTE = re.compile(one_of(_NAMES["notes"]), re.I)
_BESIDE = re.compile(rf"(?<![a-z]){one_of(_NAMES['beside'])}(?![a-z])", re.I)
_PERMALINKS: Final = ("#", "¶", "§", "\uf0c1", "🔗", "")


def is_furniture(element: Any) -> bool:  # noqa: ANN401 - an element of lxml, untyped
    """Return whether an element is hidden, or repeated beside the text of each page."""
    tag, said = element.tag, element.attrib
    if tag in _NO_WORDS:
        around = element.getparent()  # who is quoted stands in a footer
        return tag != "footer" or around is None or around.tag != "blockquote"
    if tag == "header" and _is_head_of_site(element):
        return True
    if (tag == "a" and _is_permalink(element)) or (tag in ("ul", "ol") and _is_contents(element)):
        return True
    if not said:
        return tag == "aside" and _is_beside(element)
    if said.get("role", "").lower() in _ROLES or "hidden" in said:
        return True
    names = f"{said.get('class', '')} {said.get('id', '')}"
    is_beside = tag == "aside" or said.get("role") == "complementary"
    return bool(
        said.get("aria-hidden") == "true"
        or _HIDDEN.search(said.get("style", ""))
        or (_is_beside(element) if is_beside else _FURNITURE.search(names))
    )


def _is_head_of_site(header: Any) -> bool:  # noqa: ANN401
    """Return whether a header opens no text: one without a title, or with navigation."""
    in_article = next(header.iterancestors("article"), None) is not None
    titles = ("h1", "h2", "h3") if in_article else ("h1",)
    return all(header.find(f".//{tag}") is None for tag in titles) or (
        header.find(".//nav") is not None
    )


def _is_beside(aside: Any) -> bool:  # noqa: ANN401
    """Return whether an aside is no note: in no article, named as furniture, or mostly links."""
    names = f"{aside.get('class', '')} {aside.get('id', '')}"
    if _NOTE.search(names):
        return False
    if next(aside.iterancestors("article"), None) is None or _BESIDE.search(names):
        return True
    n_linked = sum(len("".join(link.itertext()).strip()) for link in aside.iter("a"))
    return 2 * n_linked > len("".join(aside.itertext()).strip())


def _is_permalink(link: Any) -> bool:  # noqa: ANN401
    """Return whether a link is the sign beside a heading that leads to it."""
    return (
        link.get("href", "").startswith("#")
        and len(link) == 0
        and (link.text or "").strip() in _PERMALINKS
    )


def _is_contents(items: Any) -> bool:  # noqa: ANN401
    """Return whether a list holds only links to places in the page."""
    n_links = 0
    for element in items.iter():
        if element.tag == "a":
            n_links += 1
            if not element.get("href", "").startswith("#"):
                return False
        elif (element.text or "").strip() and element.getparent().tag != "a":
            return False
        if element is not items and (element.tail or "").strip():
            return False
    return n_links > 1
