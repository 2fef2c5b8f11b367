"""The site's table of contents, made from the lists of links that a page has."""

import re
from typing import Final

_SECTION: Final = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
_LISTED: Final = re.compile(r"^(?:\| |- )((?:(?:, | and )?\[[^]]*\]\([^)]*\))+)", re.MULTILINE)
_PAGE: Final = re.compile(r"\]\(([\w/-]+)\.md\)")


def contents(page: str) -> str:
    """Hidden tables of contents, one a section, of the pages that its lists begin with."""
    tables: list[str] = []
    seen: set[str] = set()
    for section in _SECTION.finditer(page):
        first = " ".join(_LISTED.findall(section[2]))
        names = [name for name in _PAGE.findall(first) if name not in seen]
        seen.update(names)
        if names:
            caption = f":hidden:\n:caption: {section[1]}"
            tables.append("\n".join(["", "```{toctree}", caption, "", *names, "```", ""]))
    return "".join(tables)
