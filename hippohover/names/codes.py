"""Codes in running text, whole: serials, hashes, addresses, long numbers, functions, paths.

What makes a code is its form: letters and digits in one, or parts that signs join without blanks.
"HX-1007" is one code, and neither "HX" nor a number. Quantities, ordinals, years, decimals, dates
of two parts and words with a hyphen are none.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import regex

from hippohover.names.mentions import Mention, Phrase, is_findable
from hippohover.names.normal_forms import UNSPACED, token_spans

_MAX_CHARS: Final = 120
_FEWEST_DIGITS: Final = 5
"""Digits of a number that is a code by itself: shorter ones are years and amounts."""

_JOINERS: Final = r"._@/\\:+#~=-"
# One leading character class makes the scan between two signs a table look-up.
_ASCII_SIGN, _SIGN = (
    re.compile(rf"[{digits}_@/\\.(](?:(?<=[^.(])|(?<=\.)(?=[^\W\d])|(?<=\()(?=\)))")
    for digits in ("0-9", r"\d")
)
_GROUPS = re.compile(r"(?<![\w,.])\+?[A-Z]{0,2}\d{2,5}(?: \d{2,5}){2,7}(?![\w,.]\w)")
_ASCII_CHUNK = re.compile(rf"[\w{_JOINERS}]+(?:\(\))?", re.A)
_CHUNK = regex.compile(rf"[[\w{_JOINERS}]--[{UNSPACED}]]+(?:\(\))?", regex.V1)
_PARTS = re.compile(r"[^\W_]+")
_QUANTITY = re.compile(r"\d+[^\W\d_]{0,2}")


def find_codes(text: str, folded: Sequence[str], known: Sequence[Mention]) -> list[Phrase]:
    """Find codes in a text of these tokens that no known name covers."""
    places = list(_codes(text))
    if not places:
        return []
    starts = [start for start, _ in token_spans(text)]
    named = {at for mention in known for at in range(mention.start, mention.stop)}
    found: list[Phrase] = []
    for first, end in places:
        start, stop = bisect_left(starts, first), bisect_left(starts, end)
        if is_findable(folded[start:stop]) and not named.issuperset(range(start, stop)):
            found.append(Phrase(" ".join(folded[start:stop]), start, stop))
    return found


def _codes(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of codes, in characters; looks between the blanks around a sign alone."""
    end, sign = 0, _ASCII_SIGN if text.isascii() else _SIGN
    while found := sign.search(text, end):
        first = max(text.rfind(" ", end, found.start()) + 1, end)
        blank = text.find(" ", found.end())
        end = blank if blank >= 0 else len(text)
        groups = _GROUPS.match(text, first) if text[end - 1].isdecimal() else None
        if groups:
            end = groups.end()
            yield groups.span()
        else:
            piece = text[first:end]
            places = _known_codes(piece) if len(piece) <= _MAX_CHARS else _codes_in(piece)
            yield from ((first + at, first + stop) for at, stop in places)


def _codes_in(piece: str) -> list[tuple[int, int]]:
    """Return the places of codes in a text without blanks."""
    return [
        match.span()
        for match in (_ASCII_CHUNK if piece.isascii() else _CHUNK).finditer(piece)
        if len(match[0]) <= _MAX_CHARS and _is_code(match[0])
    ]


_known_codes = lru_cache(maxsize=1 << 16)(_codes_in)  # most are years, or stand in many texts


def _is_code(chunk: str) -> bool:
    """Return whether characters without blanks have a code's form."""
    if chunk.isalpha() or (chunk.isdecimal() and len(chunk) < _FEWEST_DIGITS):
        return False
    bare = chunk.strip(".:-=+#~")
    parts = _PARTS.findall(bare)
    if not parts:
        return False
    signs = _PARTS.sub("", bare)
    if all(map(str.isdecimal, parts)):
        n_digits = sum(map(len, parts))
        return len(parts) > 2 or (len(parts) == 1 and n_digits >= _FEWEST_DIGITS)
    if "()" in signs or "_" in signs.strip() or "@" in signs[:-1] or signs.count("/") > 1:
        return len(max(parts, key=len)) > 1
    return _mixes(parts) or _is_path(parts, signs)


def _mixes(parts: Sequence[str]) -> bool:
    """Return whether letters and digits make one code; "19th", "1990s", "20-year" are quantities.

    Where a number stands first, and words in small letters behind it, it counts something.
    """
    kinds = [_QUANTITY.fullmatch(part) is not None for part in parts]
    has_digits = [any(map(str.isdecimal, part)) for part in parts]
    if any(
        digits and not quantity and len(part) > 2
        for part, digits, quantity in zip(parts, has_digits, kinds, strict=True)
    ):
        return True
    counts = kinds[0] and all(part == part.lower() for part in parts)
    return any(map(str.isdecimal, parts)) and not all(kinds) and not counts


def _is_path(parts: Sequence[str], signs: str) -> bool:
    """Return whether parts in small letters are a file, a host or a member: "wire/config.yaml"."""
    is_joined = "." in signs and len(parts) > 1 and parts[-1].islower()
    return is_joined and all(len(part) > 1 for part in parts)
