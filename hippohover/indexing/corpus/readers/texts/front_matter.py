"""The front matter of a note: YAML between two lines of ``---``, or TOML of ``+++``."""

import re
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, time
from math import isfinite
from typing import Any, Final, NamedTuple, cast

_FRONT: Final = re.compile(
    r"\A(?:---[ \t]*\n(.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\n(.*?)^\+\+\+)[ \t]*(?:\n|\Z)", re.M | re.S
)
_MAX_CHARS: Final = 20_000
_MAX_NAME_CHARS: Final = 40  # a longer one is a sentence before a colon

_MOST_BITS: Final = 63  # of a whole number, beside its sign

_KEY: Final = re.compile(r"([\w][\w .-]{0,39}):(?:[ \t]+([^\n]*))?")
_UNTAGGED: Final = "tag:yaml.org,2002:str"
_NAMES: Final = {"title", "alias", "aliases"}  # of which "1930" is a name

# title: C++: a tour, which YAML refuses and people write; not what begins a list or a block.
_BARE_VALUE = re.compile(r"^([\w][\w .-]{0,39}):[ \t]+([^\s\"'\[{>|&*!#][^\n]*)$", re.M)


class FrontMatter(NamedTuple):
    """Fields of a text's front matter, by name in lower case, and the text after it.

    Attributes
    ----------
    is_broken : bool
        Whether it is no YAML or TOML, and was read line by line.
    """

    fields: dict[str, object]
    text: str
    is_broken: bool = False


def split_front_matter(text: str) -> FrontMatter:
    """Split off the front matter of a text, which may have none.

    Values are texts, whole and decimal numbers, truth values, lists and mappings: a date of YAML is
    what is written, and so is a number that would be written otherwise, as "007" or "1.10" of a
    version. What is no mapping, or too long to be one, is text; but where most lines are fields and
    one is broken, those that are fields are read.
    """
    match = _FRONT.match(text)
    if match is None or match.end() > _MAX_CHARS:
        return FrontMatter({}, text)
    is_yaml = match[2] is None
    written = match[1] if is_yaml else match[2]
    fields = _yaml(written) if is_yaml else _toml(written)
    is_broken = fields is None
    if fields is None:
        fields = _line_by_line(written, ":" if is_yaml else "=")
    if fields is None or any(len(str(name)) > _MAX_NAME_CHARS for name in fields):
        return FrontMatter({}, text)
    named = {str(name).lower(): value for name, value in fields.items()}
    return FrontMatter(named, text[match.end() :], is_broken)


def _yaml(text: str) -> dict[object, object] | None:
    """Parse a text as a YAML mapping; return nothing when it is none."""
    import yaml

    # Nothing is made of a scalar but text, and what an alias stands for is there once.
    base: type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    for written in (text, _BARE_VALUE.sub(_quoted, text)):
        try:
            loader = base(written)
            node = loader.get_single_node()
            fields = cast("object", loader.construct_document(node)) if node else {}
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        if not isinstance(fields, dict):
            return None
        return cast("dict[object, object]", fields) | _plain_values(node.value if node else ())
    return None


def _plain_values(pairs: Iterable[tuple[Any, Any]]) -> dict[object, object]:
    """Return numbers and booleans among YAML nodes, written without quotes and tags."""
    return {
        name.value: _scalar(value.value)
        for name, value in pairs
        if isinstance(value.value, str)
        and not value.style
        and value.tag == _UNTAGGED
        and str(name.value).lower() not in _NAMES
    }


def _scalar(written: str) -> object:
    """Return a scalar's value, if it would be written the same: a number, boolean, or text."""
    if written.lower() in {"true", "false"}:
        return written.lower() == "true"
    for kind in (int, float):
        with suppress(ValueError):
            if str(number := kind(written)) == written and isfinite(number):
                return number
    return written


def _line_by_line(text: str, sign: str) -> dict[object, object] | None:
    """Read a broken mapping line by line, as texts; return nothing where most lines fail."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    fields: dict[object, object] = {}
    n_known = 0
    for line in lines:
        key = _KEY.fullmatch(line.replace(f" {sign} ", ": ", 1) if sign == "=" else line)
        if key:
            fields[key[1]] = _unquoted(key[2] or "")
        n_known += bool(key) or (bool(fields) and line.startswith((" ", "\t", "-", "]", "}")))
    return fields if fields and 2 * n_known > len(lines) else None


def _unquoted(value: str) -> object:
    """Return a value of a broken mapping: a text, or the list in one line."""
    value = value.strip()
    if value[:1] == "[":
        return [item for part in value.strip("[]").split(",") if (item := part.strip(" \t\"'"))]
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] in {'"', "'"} else _scalar(value)


def _quoted(line: re.Match[str]) -> str:
    if not isinstance(_scalar(line[2].rstrip()), str):
        return line[0]
    value = line[2].rstrip().replace("'", "''")
    return f"{line[1]}: '{value}'"


def _toml(text: str) -> dict[object, object] | None:
    """Parse a text as a TOML mapping, dates as texts; return nothing when it is none."""
    try:
        return {name: _plain(value) for name, value in tomllib.loads(text).items()}
    except (ValueError, RecursionError):
        return None


def _plain(value: object) -> object:
    """Convert dates to texts; ``ValueError`` for a number that TOML does not allow."""
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, int) and not -(2**_MOST_BITS) <= value < 2**_MOST_BITS:
        raise ValueError("a whole number of TOML has 64 bits")
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return {name: _plain(item) for name, item in pairs}
    return value
