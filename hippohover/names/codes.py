"""Codes in running text, whole: serials, hashes, addresses, long numbers, functions, paths.

What makes a code is its form: letters and digits in one, or parts that signs join without blanks.
"HX-1007" is one code, and neither "HX" nor a number. Quantities, ordinals, years, decimals, dates
of two parts and words with a hyphen are none.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

import regex

from hippohover.names.mentions import Mention, Phrase, is_findable
from hippohover.names.normal_forms import UNSPACED, token_spans

_MAX_CHARS: Final = 120
_FEWEST_DIGITS: Final = 5
"""Digits of a number that is a code by itself: shorter ones are years and amounts."""

_JOINERS: Final = r"._@/\\:+#~=-"
_SIGN = re.compile(r"[\d_@/\\]|\.[^\W\d]|\(\)")
_GROUPS = re.compile(r"(?<![\w,.])\+?[A-Z]{0,2}\d{2,5}(?: \d{2,5}){2,7}(?![\w,.]\w)")
_ASCII_CHUNK = re.compile(rf"[\w{_JOINERS}]+(?:\(\))?", re.A)
_CHUNK = regex.compile(rf"[[\w{_JOINERS}]--[{UNSPACED}]]+(?:\(\))?", regex.V1)
_PARTS = re.compile(r"[^\W_]+")
_QUANTITY = re.compile(r"\d+[^\W\d_]{0,2}")


def find_codes(text: str, folded: Sequence[str], known: Sequence[Mention]) -> list[Phrase]:
    """Find codes in a text of these tokens that no known name covers."""
    if _SIGN.search(text) is None:
        return []
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
    end, pattern = 0, _ASCII_CHUNK if text.isascii() else _CHUNK
    for sign in _SIGN.finditer(text):
        if sign.start() < end:
            continue
        first = max(text.rfind(" ", end, sign.start()) + 1, end)
        if groups := _GROUPS.match(text, first):
            end = groups.end()
            yield groups.span()
            continue
        blank = text.find(" ", sign.end())
        end = blank if blank >= 0 else len(text)
        for match in pattern.finditer(text, first, end):
            chunk = match[0]
            is_plain = chunk.isalpha() or (chunk.isdecimal() and len(chunk) < _FEWEST_DIGITS)
            if not is_plain and len(chunk) <= _MAX_CHARS and _is_code(chunk):
                yield match.span()


def _is_code(chunk: str) -> bool:
    """Return whether characters without blanks have a code's form."""
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
