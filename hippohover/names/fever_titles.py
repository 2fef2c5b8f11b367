"""FEVER's way of writing titles and texts, and how people write them."""

from typing import Final

_SIGNS: Final = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "-COLON-": ":",
}  # fmt: skip


def fever_title(title: str) -> str:
    """A title as FEVER writes it, as it is: "Dune_-LRB-film-RRB-" -> "Dune (film)"."""
    return with_signs(title.replace("_", " "))


def with_signs(text: str) -> str:
    """A text with the brackets and colons that FEVER writes as words."""
    for written, sign in _SIGNS.items():
        text = text.replace(written, sign)
    return text
