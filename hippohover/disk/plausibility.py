"""Decides whether decoded bytes are a text that somebody wrote.

Nearly any bytes can be read in nearly any encoding of one byte per character. A wrong reading shows
in how characters combine: capitals inside words, letters of two scripts in one word, signs among
letters, characters of no script, and ideographs that are hardly ever used.
"""

import re
import unicodedata
from typing import Final

_MOST_CHARACTERS: Final = 50_000
_SLACK: Final = 2  # odd places that a short text may have: a quoted word, a sign of its own
_MOST_ODD: Final = 0.1  # of all pairs; bytes drawn at random have 0.3 to 0.9
_LATIN_MARKS: Final = "\u036f"  # those up to here stand on letters of several scripts
_BESIDE_WORDS: Final = "ªº°µ´©®"  # "nº", "µm", "geht´s", "Heron®"
_NOBODY_WRITES: Final = "¤"  # where others have the sign of the euro
_FRACTIONS: Final = "¼½¾"  # where others have letters of French
_BOXES: Final = ("\u2500", "\u259f")
_CONTROL: Final = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_COMMON_ROWS: Final = (("gb2312", 0xD7), ("big5", 0xC6), ("shift_jis", 0x97), ("euc_kr", 0xC8))

# How a character counts: "e" and "E" for ASCII's letters, "a" and "A" for others of Latin, "l" and
# "L" for those of other scripts that have capitals, "x" for letters of scripts that have none, "h"
# for ideographs and syllables that are in use, "r" for the rest, "y" for signs, "c" for what is
# no character or none of a text, and "." for all else.
_ODD: Final = re.compile(
    r"(?=e[Al]|a[EALlx]|l[LEaAex]|L[eaEAx]|A[lLx]|E[lL]|x[eaEAlLhk]|[eE]x|[hk][aAlLx]"
    r"|[aAlLx][hk]|hk|kh|r|[eEaAlLxhk]y|y[aAlLxhk]|c)"
)
_PAIR: Final = re.compile(r"(?=[aAlLxhkryc]|[eE][aAlLxy])")


def holds_controls(text: str) -> bool:
    """Return whether more than a tenth of a text is control codes."""
    head = text[:_MOST_CHARACTERS]
    return len(_CONTROL.findall(head)) > _SLACK + _MOST_ODD * len(head)


def plausibility(text: str) -> float:
    """Score how much a text from bytes of unknown encoding reads like one, [0, 1].

    0 for what does not: it has more odd places than a text has. Only its beginning is read, and
    ASCII says nothing.
    """
    head = text[:_MOST_CHARACTERS]
    classes = head.translate({ord(char): _class_of(char) for char in set(head)})
    n_pairs = sum(1 for _ in _PAIR.finditer(classes))
    n_odd = sum(1 for _ in _ODD.finditer(classes)) + classes.count("c")
    if n_odd > _SLACK + _MOST_ODD * n_pairs:
        return 0.0
    return (1 - min(n_odd, n_pairs) / (n_pairs + 1)) ** 3


def _class_of(char: str) -> str:
    if char.isascii():
        return _of_ascii(char)
    category = unicodedata.category(char)
    if category in ("Cc", "Cn", "Co", "Cs") or char == _NOBODY_WRITES:
        return "." if char == "\x85" else "c"
    if char in _BESIDE_WORDS:
        return "."
    if category[0] == "S" or char in _FRACTIONS:
        # Others than those of Latin-1 and the boxes are bullets and arrows, in any text.
        return "y" if char < "\u0100" or _BOXES[0] <= char <= _BOXES[1] else "."
    if category[0] == "L" or (category[0] == "M" and char > _LATIN_MARKS):
        return _of_letter(char)
    return "."


def _of_ascii(char: str) -> str:
    if char.isalpha():
        return "e" if char.islower() else "E"
    return "c" if _CONTROL.match(char) else "."


def _of_letter(char: str) -> str:
    name = unicodedata.name(char, "")
    if name.startswith(("CJK", "HANGUL")):
        return "r" if not _is_common(char) else "k" if name.startswith("H") else "h"
    if name.startswith(("HIRAGANA", "KATAKANA", "IDEOGRAPHIC")):
        return "h"
    if name.startswith("FULLWIDTH"):
        return "."
    if not (char.islower() or char.isupper()):
        return "x"
    small, large = ("a", "A") if name.startswith("LATIN") else ("l", "L")
    return small if char.islower() else large


def _is_common(char: str) -> bool:
    """Return whether an ideograph or syllable is of a national standard's first level."""
    for encoding, last_row in _COMMON_ROWS:
        try:
            if char.encode(encoding)[0] <= last_row:
                return True
        except UnicodeEncodeError:
            continue
    return False
