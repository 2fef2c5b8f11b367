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
    r"%(?:25)*(?P<of_address>[0-9a-f]{2})|\\{1,4}(?:x(?P<escaped>[0-9a-f]{2})|u(?P<unit>[0-9a-f]{4}))"
    r"|(?P<name>&#?\w{1,8};)|.",
    re.IGNORECASE | re.DOTALL,
)
# What stands for a byte in a mail, and where that breaks a line. It is read apart: in other texts
# "=ab" is a sign and the first letters of a value.
_IN_MAIL: Final = r"=(?P<of_mail>[0-9a-f]{2})|(?P<border>=?(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n))"
_MAIL_PART: Final = re.compile(f"{_IN_MAIL}|{_PART.pattern}", _PART.flags)
_MAIL: Final = re.compile(_IN_MAIL, re.IGNORECASE)
_named: Final[set[str]] = set()


def holds_a_key(variable: str) -> None:
    """Remember that an environment variable holds a key, whatever its name is."""
    _named.add(variable)


def without_keys(text: str, keys: Iterable[str] = ()) -> str:
    """Replace these keys in a text, and those in variables of the environment, by "***".

    In whichever form they are quoted: with letters of the other case, as in an address, in JSON, in
    HTML, in hexadecimal digits, quoted-printable, or anywhere within a text in base64.
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
    forms = [form for key in keys for form in _forms(key)]
    readings = [_folded(text, _PART), *([_folded(text, _MAIL_PART)] if _MAIL.search(text) else [])]
    places = [
        (spans[found.start()][0], spans[found.end() - 1][1])
        for folded, spans in readings
        for form in forms
        for found in form.finditer(folded)
    ]
    shown, end = list[str](), 0
    for start, stop in sorted(places):
        shown += [text[end:start], "***"] if start >= end else []
        end = max(end, stop)
    return "".join([*shown, text[end:]])


@lru_cache(maxsize=64)
def _forms(key: str) -> list[re.Pattern[bytes]]:
    """Return what a key's bytes, their digits and their base64 look like in a folded text."""
    sent = key.encode("utf-8", "replace")
    plain = {_folded(key, _PART)[0], key.lower().encode("utf-8", "replace").replace(b"\\", b"")}
    spaced = rb"(?:[\s:,-]{0,2}(?:0x)?)".join(b"%02x" % byte for byte in sent)
    patterns = [re.escape(one) for one in plain if len(one) >= _SHORTEST]
    return [
        re.compile(one) for one in [*patterns, spaced, *(_in_base64(sent, n) for n in range(3))]
    ]


def _in_base64(sent: bytes, before: int) -> bytes:
    """Return a pattern of base64 in which some bytes stand before a key: of all that it decides."""
    whole = b2a_base64(bytes(before) + sent, newline=False).lower()
    first, stop = -(-before * 8 // 6), (before + len(sent)) * 8 // 6
    pattern = re.escape(whole[first:stop]).replace(b"\\+", b"[+-]").replace(b"/", b"[/_]")
    return pattern + (rb"[\w+/-]?={0,2}" if (before + len(sent)) % 3 else b"")


def _folded(text: str, parts: re.Pattern[str]) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the bytes of a text in lower case and without backslashes, and where each is from."""
    folded, spans = bytearray(), list[tuple[int, int]]()
    for part in parts.finditer(text):
        for byte in _read(part).lower():
            if byte != ord("\\"):
                folded.append(byte)
                spans.append(part.span())
    return bytes(folded), spans


def _read(part: re.Match[str]) -> bytes:
    """Return the bytes of a character, or of what stands for one in an address, JSON or HTML."""
    kind, read = part.lastgroup, part[0]
    if kind == "border":
        return b""
    if kind == "unit":
        read = chr(int(part[kind], 16))
    elif kind == "name":
        from html import unescape

        read = unescape(part[kind])
    elif kind:
        return bytes.fromhex(part[kind])
    return read.lower().encode("utf-8", "surrogatepass")
