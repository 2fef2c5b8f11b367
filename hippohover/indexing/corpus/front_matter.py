"""The YAML that stands before the text of a note, between two lines of ``---``."""

import re
from datetime import date
from typing import Final, cast

_FRONT: Final = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M | re.S)
_MAX_CHARS: Final = 100_000


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Fields of a text's front matter, by name in lower case, and the text behind it.

    What is no mapping in YAML, or too long to be one, is text.
    """
    match = _FRONT.match(text)
    if match is None or len(match[1]) > _MAX_CHARS:
        return {}, text
    import yaml

    try:
        fields: object = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    if fields is None:
        fields = {}
    if not isinstance(fields, dict):
        return {}, text
    named = cast("dict[object, object]", fields)
    plain = {str(name).lower(): _plain(value) for name, value in named.items()}
    return plain, text[match.end() :]


def _plain(value: object) -> object:
    """A date as it is written in JSON; anything else as it is."""
    return value.isoformat() if isinstance(value, date) else value
