"""The words that are exchanged for each other, as ``words.json`` has them."""

import json
from pathlib import Path
from typing import Any, Final

WORDS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "words.json").read_text(encoding="utf-8")
)
"""By kind: numbers, ordinals and months in order, pairs of opposites, what a word may become."""
