"""Converts titles and texts from FEVER's spelling to people's."""

from typing import Final

_SIGNS: Final = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "-COLON-": ":",
}  # fmt: skip


def fever_title(title: str) -> str:
    """Convert a title from FEVER's spelling: "Dune_-LRB-film-RRB-" -> "Dune (film)"."""
    return with_signs(title.replace("_", " "))


def with_signs(text: str) -> str:
    """Restore the brackets and colons that FEVER writes as words."""
    for written, sign in _SIGNS.items():
        text = text.replace(written, sign)
    return text
