"""The YAML that stands before the text of a note, between two lines of ``---``."""

import re
from typing import Final, cast

_FRONT: Final = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M | re.S)
_MAX_CHARS: Final = 20_000


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Fields of a text's front matter, by name in lower case, and the text behind it.

    Values are texts, lists and mappings: a date or a number is what is written. What is no mapping
    in YAML, or too long to be one, is text.
    """
    match = _FRONT.match(text)
    if match is None or len(match[1]) > _MAX_CHARS:
        return {}, text
    import yaml

    # Nothing is made of a scalar but text, and what an alias stands for is there once.
    loader: type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        fields = cast("object", loader(match[1]).get_single_data())
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    if not isinstance(fields, dict | None):
        return {}, text
    named = cast("dict[object, object]", fields or {})
    return {str(name).lower(): value for name, value in named.items()}, text[match.end() :]
