"""Keys of services, which nothing that is shown may hold: a server may quote what it was sent."""

import os
import re
from binascii import b2a_base64
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_KEYS: Final = re.compile(r"_(?:API_KEY|ACCESS_KEY|TOKEN|SECRET)\Z")
_SHORTEST: Final = 6  # a shorter one would stand in words that are none
_LIKE_A_KEY: Final = re.compile(r"(?<=Bearer )\S+|\b(?:(?:sk|gsk|xai|hf)[-_]|AIza)[\w-]{8,}")
_named: Final[set[str]] = set()


def holds_a_key(variable: str) -> None:
    """Remember that an environment variable holds a key, whatever its name is."""
    _named.add(variable)


def without_keys(text: str, keys: Iterable[str] = ()) -> str:
    """Replace these keys in a text, and those in variables of the environment, by "***".

    In whichever form they are quoted: with letters of the other case, as in an address, in JSON, in
    HTML, or in base64.
    """
    every = {value for name, value in os.environ.items() if name in _named or _KEYS.search(name)}
    hidden = frozenset(key for key in every.union(keys) if len(key) >= _SHORTEST)
    return _any_of(hidden).sub("***", text) if hidden else text


def without_likely_keys(text: str, keys: Iterable[str] = ()) -> str:
    """Do as ``without_keys``, and replace what looks like a key of somebody else."""
    return _LIKE_A_KEY.sub("***", without_keys(text, keys))


@lru_cache(maxsize=8)
def _any_of(keys: frozenset[str]) -> re.Pattern[str]:
    packed = {b2a_base64(key.encode("utf-8", "replace")).decode().rstrip("=\n") for key in keys}
    longest_first = sorted(keys | packed, key=lambda key: (-len(key), key))
    forms = ("".join(map(_forms, key)) for key in longest_first)
    return re.compile("|".join(forms), re.IGNORECASE)


def _forms(char: str) -> str:
    """Match a character as it is, behind a backslash, or as an address, JSON or HTML writes it."""
    from html import escape

    code = ord(char)
    in_html = rf"{re.escape(escape(char))}|&#(?:x0*{code:x}|0*{code});"
    in_bytes = "".join(
        rf"(?:%(?:25)*|\\{{1,4}}x){byte:02x}" for byte in char.encode("utf-8", "replace")
    )
    return rf"(?:{in_html}|\\{{0,4}}{re.escape(char)}|{in_bytes}|\\{{1,4}}u{code:04x})"
