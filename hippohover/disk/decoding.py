"""Bytes of a text file -> its text, from UTF-8 or the most likely other encoding."""

import re
from codecs import (
    BOM_UTF8,
    BOM_UTF16_BE,
    BOM_UTF16_LE,
    BOM_UTF32_BE,
    BOM_UTF32_LE,
    getincrementaldecoder,
)
from collections.abc import Iterator
from typing import Final

from hippohover.disk.plausibility import holds_controls, plausibility

_OF_MARK: Final = {
    BOM_UTF8: "utf-8",
    BOM_UTF32_LE: "utf-32-le",  # begins as the mark of UTF-16 does: it comes first
    BOM_UTF32_BE: "utf-32-be",
    BOM_UTF16_LE: "utf-16-le",
    BOM_UTF16_BE: "utf-16-be",
}
_OF_ESCAPE: Final = (
    (re.compile(rb"\x1b\$[@B]|\x1b\$\(D"), "iso-2022-jp-2"),
    (re.compile(rb"\A\x1b\$\)C"), "iso-2022-kr"),
)
_OF_THE_WEST: Final = {"windows-1252": 1.05, "iso-8859-1": 1.0}
"""Their weights: if a few words read equally well, the usual encoding is meant. The second has the
bytes that the first lacks."""
_OF_SOME_WORDS_OF_THE_WEST: Final = 1.19
"""A further weight of both: some words of Italian or Catalan read nearly as well in another one."""
_FEW: Final = 2  # bytes beyond ASCII: where they stand in words tells nothing of an encoding
_LETTERS_BESIDE_ONE: Final = 8  # of ASCII, for each of these: they tell of a language
_OF_LATIN: Final = re.compile(r"windows-125[0247]|iso-?8859-(?:1|2|9|15)")
_IN_USE: Final = re.compile(
    r"windows-125\d|koi8-[ru]|iso-?8859-[57]|gb\d+|big5|cp9\d\d|euc.*|utf.*"
)
_ONE_OF_THE_WEST_WEIGHS: Final = 1.1
_RARE: Final = re.compile(r"iso-?8859-(?:3|4|10|14|16)")
_RARE_WEIGHS: Final = 0.7
_OTHERS_WEIGH: Final = 0.25  # of few bytes, which damage makes more often
_NOBODY_WRITES: Final = "¤"
_MADE_BY_CHANCE: Final = 2  # characters of UTF-8 for each byte that is none
_OF_ONE_BYTE: Final = re.compile(r"windows-\d+|iso-?8859-\d+|cp874|tis-620")
"""Nearly any bytes are a text of one of these, where they are none of what they are in."""
_OF_TWO_BYTES: Final = ("gb18030", "cp932", "big5", "cp949")
_LAST_OF_ONE_BYTE: Final = "\u2e7f"  # those of the alphabets; ideographs and syllables follow
_MADE_WELL: Final = 4  # of these for each byte that is none
_READS_WELL: Final = 0.8
_LOST: Final = "\ufffd"
NOT_TEXT: Final = "not text in any encoding"


def decoded(content: bytes, declared: str = "") -> tuple[str, str]:
    r"""Return the text, lines ending in ``"\n"``, and its encoding; "" for UTF-8.

    A byte order mark decides; else UTF-8 if all of it is; else what is declared, if that fits;
    else the likeliest encoding, as chardet says of the first 200,000 bytes, in which they read like
    a text.

    Raises
    ------
    UnicodeError
        It is not text in any encoding.
    """
    if name := _escaped(content):
        return _lines(content.decode(name)), name
    for mark, name in _OF_MARK.items():
        if content.startswith(mark):
            if not _fits(content, name):
                raise UnicodeError(NOT_TEXT)
            return _lines(content.removeprefix(mark).decode(name)), "" if name == "utf-8" else name
    if _is_utf8(content):
        return _lines(content.decode()), ""
    name = declared.lower() if _fits(content, declared) else _likely(content)
    return _lines(content.decode(name)), name


def encoding_of(head: bytes, declared: str = "") -> str:
    """Return the encoding of a text with this beginning, as ``decoded`` finds it."""
    if name := _escaped(head, is_cut=True):
        return name
    for mark, name in _OF_MARK.items():
        if head.startswith(mark):
            return name
    if _is_utf8(head, is_cut=True):
        return "utf-8"
    return declared.lower() if _fits(head, declared) else _likely(head, is_cut=True)


def _escaped(content: bytes, *, is_cut: bool = False) -> str:
    """Return the seven-bit encoding that a text's escapes name; else ""."""
    for escape, name in _OF_ESCAPE:
        if escape.search(content) and _text(content, name, is_cut=is_cut) is not None:
            return name
    return ""


def _is_utf8(content: bytes, *, is_cut: bool = False) -> bool:
    """Return whether all of it is UTF-8 text; UTF-16 without a mark is not."""
    text = _text(content, "utf-8", is_cut=is_cut)
    return text is not None and not holds_controls(text)


def _fits(content: bytes, encoding: str) -> bool:
    return bool(encoding) and _text(content, encoding) is not None


def _text(content: bytes, encoding: str, *, is_cut: bool = False) -> str | None:
    """Decode bytes; None if they do not fit. The last character may be cut."""
    try:
        return (
            getincrementaldecoder(encoding)().decode(content)
            if is_cut
            else content.decode(encoding)
        )
    except (LookupError, ValueError):
        return None


def _is_damaged_utf8(content: bytes) -> bool:
    """Return whether most bytes beyond ASCII are valid UTF-8, and some are not.

    In another encoding hardly any two or three follow each other so by chance.
    """
    text = content.decode(errors="replace")
    n_lost = text.count(_LOST)
    n_made = sum(not char.isascii() for char in text) - n_lost
    return n_made >= _MADE_BY_CHANCE * n_lost > 0


def _is_damaged_in(content: bytes, encoding: str) -> bool:
    """Return whether bytes are a damaged text in an encoding of two bytes a character."""
    text = content.decode(encoding, "replace")
    n_lost = text.count(_LOST)
    made = text.replace(_LOST, "")
    n_made = sum(char > _LAST_OF_ONE_BYTE for char in made)
    return n_made > _MADE_WELL * n_lost > 0 and plausibility(made) > _READS_WELL


def _likely(content: bytes, *, is_cut: bool = False) -> str:
    """Return the likeliest encoding of those in which the bytes read like a text."""
    if _is_damaged_utf8(content):
        raise UnicodeError(NOT_TEXT)
    likeliest: dict[str, float] = {}
    n_few = _n_few(content)
    for name, confidence in _guesses(content):
        text = _text(content, name, is_cut=is_cut)
        plausible = 0.0 if text is None else plausibility(text)
        if text and plausible:
            if n_few and name in _OF_THE_WEST and _NOBODY_WRITES not in text:
                plausible = 1.0
            likeliest.setdefault(name, confidence * plausible * _weight(name, n_few))
    if not likeliest:
        raise UnicodeError(NOT_TEXT)
    likeliest_one = max(likeliest, key=likeliest.__getitem__)
    if not is_cut and _OF_ONE_BYTE.fullmatch(likeliest_one):
        reads = plausibility(content.decode(likeliest_one))
        if reads < _READS_WELL and any(_is_damaged_in(content, name) for name in _OF_TWO_BYTES):
            raise UnicodeError(NOT_TEXT)
    return likeliest_one


def _n_few(content: bytes) -> int:
    """Count bytes beyond ASCII if only one or two occur among many letters; else 0.

    They may be damage, and read odd in the right encoding: what language the letters are in says
    more.
    """
    n_beyond = sum(byte > 0x7F for byte in content)
    n_letters = len(re.findall(rb"[A-Za-z]", content))
    return n_beyond if n_beyond <= _FEW and n_letters >= _LETTERS_BESIDE_ONE * n_beyond else 0


def _weight(encoding: str, n_few: int) -> float:
    """Return the weight of an encoding before the bytes are examined."""
    if encoding in _OF_THE_WEST:
        by_bytes = {0: _OF_SOME_WORDS_OF_THE_WEST, 1: _ONE_OF_THE_WEST_WEIGHS}
        return _OF_THE_WEST[encoding] * by_bytes.get(n_few, 1.0)
    if not n_few or _OF_LATIN.fullmatch(encoding):
        return _RARE_WEIGHS if _RARE.fullmatch(encoding) else 1.0
    return 1.0 if n_few > 1 and _IN_USE.fullmatch(encoding) else _OTHERS_WEIGH


def _guesses(content: bytes) -> Iterator[tuple[str, float]]:
    """Yield encodings, and how sure chardet is of each.

    Of two of which one holds the other it tells of one alone: it is asked for either.
    """
    from chardet import EncodingEra, detect_all

    eras = EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO
    for is_wide in (True, False):
        for guess in detect_all(
            content, ignore_threshold=True, encoding_era=eras, prefer_superset=is_wide
        ):
            if guess["encoding"]:
                yield guess["encoding"].lower(), guess["confidence"]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
