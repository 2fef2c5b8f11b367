"""Damage that lets an input past the first check: a few small changes of a whole example."""

import json
import math
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

HUGE: Final = (
    b"0", b"-0", b"-1", b"1.5", b"1e400", b"-1e400", b"1e-400", b"NaN", b"nan", b"Infinity",
    b"-inf", b"null", b"true", b"255", b"65536", b"2147483647", b"2147483648", b"-2147483649",
    b"4294967296", b"9223372036854775808", b"99999999999999999999999999", b"0xffffffffffffffffff",
    b"1_000", b"010", b"9" * 400, b"9" * 5000, b"0x" + b"f" * 5000,
)  # fmt: skip
"""What a number is swapped for."""

TOKENS: Final = (
    # bytes and characters that end, hide or break something
    b"\0", b"\n", b"\r", b"\r\n", b"\t", b"\x1b[31m", b"\x7f", b"\xff", b"\xc0\x80", b"\xc3",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff",
    *map(str.encode, "\x85\xa0\u200d\u2028\u202e\u2066\ufeff\ufffe\U0010ffff\u0301\u0345\u3099"),
    *map(str.encode, ("ﬁ", "İ", "ẞ", "ﷺ", "㍍", "⑶", "ｶﾞ", "각", "각", "Å", "𝔄", "𐐀", "ⅷ")),
    # JSON
    b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b"\\udfff", b"\\ud83d\\ude00", b"\\u000a", b"\\x",
    b"{", b"}", b"[", b"]", b",", b":", b"[]", b"{}", b'""', b"null", b"true",
    b'"title": ', b'"text": ', b'"links": ["a", 1]', b'"claim": "", ', b'"uid": ', b'"label": [],',
    b'"supporting_facts": [["T", 0]], ', b'{"key": "T", "value": 0}', b'"num_hops": -1, ',
    b'<a href="%FF%00#x">', b"&lt;", b"&#0;", b"&#x110000;", b"&amp;amp;",
    # TOML, NumPy's and Arrow's headers, tar, gzip, bzip2, SQLite
    b"[query]\n", b"[[a]]\n", b"a.b.c = 1\n", b"= ", b'"""', b"'''", b"# ", b"1979-05-27T07:32:00Z",
    b"<f8", b"|O", b"<U0", b"|V0", b"True", b"(", b"-1,", b"\x93NUMPY\x02\x00", b"ARROW1",
    b"ustar\x0000", b"ustar  \0", b"\x80\0\0\0", b"\xff" * 12, b"../", b"/etc/", b"path=",
    b"GNU.sparse.major=1", b"\x1f\x8b\x08\x00", b"BZh91AY&SY", b"SQLite format 3\0",
)  # fmt: skip
"""What is put in."""

VALUES: Final[Sequence[Any]] = (
    None, True, 0, -1, 2**31, 2**63, 2**64, 10**400, 0.5, 1e308, math.nan, -math.inf, "", " ", "x",
    "x" * 5000, "a\nb", "\0", "\ud800", "\u2028", "&#0;", "../x", "a" * 64, [], {}, [[]], [""],
    ["T", 0], [["T", 0]], {"a": {}}, {"key": "T", "value": 0},
    json.loads("[" * 300 + "]" * 300),
)  # fmt: skip
"""What a value of JSON is swapped for."""

_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_ENCODINGS: Final = ("utf-16", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp037", "utf-7")
_OPENINGS: Final = ((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b'{"title":', b""), (b"a.", b""))

Damage = Callable[[bytearray, Random], None]


def mutated(sample: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """The sample with a few damages; pieces of ``others`` may stand in it."""
    content = bytearray(sample)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        if random.randrange(8) == 0:
            _splice(content, random.choice(others), random)
        else:
            random.choice(_DAMAGES)(content, random)
    return bytes(content)


def _place(content: bytearray, random: Random) -> int:
    return random.randrange(len(content) + 1)


def _stretch(content: bytearray, random: Random) -> tuple[int, int]:
    """A piece of the content, mostly a short one."""
    start = _place(content, random)
    return start, min(len(content), start + random.choice((1, 2, 4, 8, 30, 200, 2000)))


def _flip(content: bytearray, random: Random) -> None:
    at = _place(content, random)
    if at < len(content):
        content[at] ^= 1 << random.randrange(8)


def _write_over(content: bytearray, random: Random) -> None:
    at = _place(content, random)
    if at < len(content):
        content[at] = random.choice((0, 1, 0x0A, 0x20, 0x7F, 0x80, 0xFF))


def _cut(content: bytearray, random: Random) -> None:
    del content[_place(content, random) :]


def _take_out(content: bytearray, random: Random) -> None:
    start, stop = _stretch(content, random)
    del content[start:stop]


def _put_in(content: bytearray, random: Random) -> None:
    at = _place(content, random)
    content[at:at] = random.choice(TOKENS)


def _put_over(content: bytearray, random: Random) -> None:
    at = _place(content, random)
    token = random.choice(TOKENS)
    content[at : at + len(token)] = token


def _repeat(content: bytearray, random: Random) -> None:
    start, stop = _stretch(content, random)
    content[start:start] = bytes(content[start:stop]) * random.choice((1, 1, 2, 40))


def _move(content: bytearray, random: Random) -> None:
    start, stop = _stretch(content, random)
    piece = bytes(content[start:stop])
    del content[start:stop]
    at = _place(content, random)
    content[at:at] = piece


def _renumber(content: bytearray, random: Random) -> None:
    numbers = list(_NUMBER.finditer(content))
    if numbers:
        start, stop = random.choice(numbers).span()
        content[start:stop] = random.choice(HUGE)


def _nest(content: bytearray, random: Random) -> None:
    start, stop = _stretch(content, random)
    opening, closing = random.choice(_OPENINGS)
    depth = random.choice((1, 2, 30, 1000, 5000))
    content[start:stop] = opening * depth + bytes(content[start:stop]) + closing * depth


def _recode(content: bytearray, random: Random) -> None:
    text = content.decode("utf-8", "replace")
    content[:] = text.encode(random.choice(_ENCODINGS), "replace")


def _double_line(content: bytearray, random: Random) -> None:
    lines = content.split(b"\n")
    line = random.choice(lines)
    lines.insert(random.randrange(len(lines) + 1), line)
    content[:] = b"\n".join(lines)


def _double_key(content: bytearray, random: Random) -> None:
    """A piece from one comma to the next stands there twice."""
    pieces = content.split(b",")
    pieces.insert(random.randrange(len(pieces) + 1), random.choice(pieces))
    content[:] = b",".join(pieces)


def _revalue(content: bytearray, random: Random) -> None:
    """A value in one line of JSON, or in all of it, becomes another, or is gone."""
    lines = bytes(content).split(b"\n")
    at = random.randrange(len(lines))
    for start, stop in ((0, len(lines)), (at, at + 1)):
        try:
            root = [json.loads(b"\n".join(lines[start:stop]))]
            _change(root, random)
            text = json.dumps(root[0], ensure_ascii=random.random() < 0.5) if root else ""
        except (ValueError, RecursionError):  # it is no JSON
            continue
        lines[start:stop] = [text.encode("utf-8", "surrogatepass")]
        content[:] = b"\n".join(lines)
        return


def _change(node: Any, random: Random) -> None:  # noqa: ANN401  (JSON)
    """Somewhere below a list or an object that is not empty."""
    key: Any = random.choice(list(node) if isinstance(node, dict) else range(len(node)))
    child: Any = node[key]
    if isinstance(child, dict | list) and child and random.random() < 0.8:
        _change(child, random)
    elif random.randrange(4) == 0:
        del node[key]
    else:
        node[key] = random.choice(VALUES)


def _splice(content: bytearray, other: bytes, random: Random) -> None:
    start, stop = _stretch(bytearray(other), random)
    first, last = _stretch(content, random)
    content[first:last] = other[start:stop]


_DAMAGES: Final[Sequence[Damage]] = (
    _flip, _flip, _write_over, _cut, _take_out, _put_in, _put_in, _put_over, _repeat, _move,
    _renumber, _renumber, _nest, _recode, _double_line, _double_key,
    _revalue, _revalue, _revalue,
)  # fmt: skip
