"""Characters that show nothing, or turn lines around, and that a model reads all the same."""

import re
from typing import Final

_SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_HIDDEN: Final = re.compile(
    f"[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]|(?<=[{_SELECTORS}])[{_SELECTORS}]+"
)
"""Tags of Unicode, which spell a text that nobody sees, and embeddings, overrides and isolates of
directions, which show a text that is another one. A variation selector chooses a form of the letter
before it; behind another selector it chooses nothing, and a run of them may hold a message."""


def without_hidden(text: str) -> str:
    """Remove hidden characters from a text that leaves for a model."""
    return text if text.isascii() else _HIDDEN.sub("", text)
