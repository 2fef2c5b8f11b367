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
_PART: Final = re.compile(
    r"%(?:25)*([0-9a-f]{2})|\\{1,4}(?:x([0-9a-f]{2})|u([0-9a-f]{4}))|(&#?\w{1,8};)|.",
    re.IGNORECASE | re.DOTALL,
)
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
    hidden = sorted((key for key in every.union(keys) if len(key) >= _SHORTEST), key=len)
    for key in reversed(hidden):
        text = re.sub(re.escape(key), "***", text, flags=re.IGNORECASE)
    return _without_encoded(text, hidden) if hidden else text


def without_likely_keys(text: str, keys: Iterable[str] = ()) -> str:
    """Do as ``without_keys``, and replace what looks like a key of somebody else."""
    return _LIKE_A_KEY.sub("***", without_keys(text, keys))


def _without_encoded(text: str, keys: Iterable[str]) -> str:
    """Replace keys by where their bytes stand, once all that is encoded is read."""
    folded, spans = _folded(text)
    places = [
        (spans[found.start()][0], spans[found.end() - 1][1])
        for key in keys
        for form in _forms(key)
        for found in re.finditer(re.escape(form), folded)
    ]
    shown, end = list[str](), 0
    for start, stop in sorted(places):
        shown += [text[end:start], "***"] if start >= end else []
        end = max(end, stop)
    return "".join([*shown, text[end:]])


@lru_cache(maxsize=64)
def _forms(key: str) -> list[bytes]:
    packed = b2a_base64(key.encode("utf-8", "replace")).decode().rstrip("=\n")
    return [form for one in (key, packed) if len(form := _folded(one)[0]) >= _SHORTEST]


def _folded(text: str) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the bytes of a text in lower case and without backslashes, and where each is from."""
    folded, spans = bytearray(), list[tuple[int, int]]()
    for part in _PART.finditer(text):
        for byte in _read(part).lower():
            if byte != ord("\\"):
                folded.append(byte)
                spans.append(part.span())
    return bytes(folded), spans


def _read(part: re.Match[str]) -> bytes:
    """Return the bytes of a character, or of what stands for one in an address, JSON or HTML."""
    if code := part[1] or part[2]:
        return bytes.fromhex(code)
    read = chr(int(part[3], 16)) if part[3] else part[0]
    if part[4]:
        from html import unescape

        read = unescape(part[4])
    return read.lower().encode("utf-8", "surrogatepass")
