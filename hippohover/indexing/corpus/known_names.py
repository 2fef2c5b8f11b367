"""What programs and people call files, fields and parts of pages: ``known_names.toml``."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

KNOWN: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("known_names.toml").read_text("utf-8")
)


def one_of(patterns: Iterable[str]) -> str:
    """Return the pattern of any of these."""
    return f"(?:{'|'.join(patterns)})"
