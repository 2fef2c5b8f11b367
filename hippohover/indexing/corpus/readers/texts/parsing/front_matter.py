"""What stands before the text of a note: YAML between two lines of ``---``, or TOML of ``+++``."""

import re
import tomllib
from datetime import date, time
from typing import Final, cast

_FRONT: Final = re.compile(
    r"\A(?:---[ \t]*\n(.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\n(.*?)^\+\+\+)[ \t]*(?:\n|\Z)", re.M | re.S
)
_MAX_CHARS: Final = 20_000
_MAX_NAME_CHARS: Final = 40  # a longer one is a sentence before a colon

# title: C++: a tour, which YAML refuses and people write; not what begins a list or a block.
_BARE_VALUE = re.compile(r"^([\w][\w .-]{0,39}):[ \t]+([^\s\"'\[{>|&*!#][^\n]*)$", re.M)


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Fields of a text's front matter, by name in lower case, and the text behind it.

    Values are texts, lists and mappings: a date or a number of YAML is what is written. What is no
    mapping, or too long to be one, is text.
    """
    match = _FRONT.match(text)
    if match is None or match.end() > _MAX_CHARS:
        return {}, text
    fields = _yaml(match[1]) if match[2] is None else _toml(match[2])
    if fields is None or any(len(str(name)) > _MAX_NAME_CHARS for name in fields):
        return {}, text
    return {str(name).lower(): value for name, value in fields.items()}, text[match.end() :]


def _yaml(text: str) -> dict[object, object] | None:
    """The mapping that a text is; nothing when it is none."""
    import yaml

    # Nothing is made of a scalar but text, and what an alias stands for is there once.
    loader: type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    for written in (text, _BARE_VALUE.sub(_quoted, text)):
        try:
            fields = cast("object", loader(written).get_single_data())
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        if isinstance(fields, dict | None):
            return cast("dict[object, object]", fields or {})
        return None
    return None


def _quoted(line: re.Match[str]) -> str:
    value = line[2].rstrip().replace("'", "''")
    return f"{line[1]}: '{value}'"


def _toml(text: str) -> dict[object, object] | None:
    """The mapping that a text is, dates as texts; nothing when it is none."""
    try:
        return {name: _plain(value) for name, value in tomllib.loads(text).items()}
    except (ValueError, RecursionError):
        return None


def _plain(value: object) -> object:
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return {name: _plain(item) for name, item in pairs}
    return value
