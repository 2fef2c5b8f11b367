"""Detects parts of an HTML page beside its text: hidden, or on every page of its site."""

import re
from typing import Any, Final

_NO_WORDS: Final = frozenset(
    ["script", "style", "noscript", "template", "svg", "iframe", "object", "embed", "canvas",
     "audio", "video", "button", "select", "textarea", "input", "dialog", "head", "nav", "footer",
     "map", "frameset", "datalist", "progress", "meter"]
)  # fmt: skip
_ROLES: Final = frozenset(
    ["navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog"]
)
# Names that sites give to what is on every page.
_FURNITURE = re.compile(
    r"(?<![\w-])(?:nav|navbar|navigation|nav-menu|side-?bar|sphinxsidebar|breadcrumbs?|pagination"
    r"|toc|toctree-wrapper|table-of-contents|(?:site|page|global)-(?:header|footer|nav)|footer"
    r"|cookie-(?:banner|consent|notice)|skip-link|skip-to-content|sr-only|visually-hidden"
    r"|screen-reader-text|mw-editsection|mw-jump-link|navbox|catlinks|printfooter|noprint"
    r"|headerlink|hash-link|anchorjs-link|advertisement|social-share|share-buttons|newsletter)"
    r"(?![\w-])",
    re.I,
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_NOTE = re.compile(r"note|tip|warning|admonition|callout|important|caution|info", re.I)


_PERMALINKS: Final = ("#", "¶", "§", "\uf0c1", "🔗", "")


def is_furniture(element: Any) -> bool:  # noqa: ANN401 - an element of lxml, untyped
    """Return whether an element is hidden, or repeated beside the text of each page."""
    tag, said = element.tag, element.attrib
    if tag in _NO_WORDS:
        return True
    if tag == "header" and (element.find(".//h1") is None or element.find(".//nav") is not None):
        return True
    if (tag == "a" and _is_permalink(element)) or (tag in ("ul", "ol") and _is_contents(element)):
        return True
    if not said:
        return tag == "aside"
    if said.get("role", "").lower() in _ROLES or "hidden" in said:
        return True
    names = f"{said.get('class', '')} {said.get('id', '')}"
    is_beside = tag == "aside" or said.get("role") == "complementary"
    return bool(
        said.get("aria-hidden") == "true"
        or _HIDDEN.search(said.get("style", ""))
        or (not _NOTE.search(names) if is_beside else _FURNITURE.search(names))
    )


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
