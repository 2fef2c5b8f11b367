"""Bytes of a text file -> its text, in UTF-8 or whatever else they are most likely in."""

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

from hippohover.disk.plausible import holds_controls, plausibility

_OF_MARK: Final = {
    BOM_UTF8: "utf-8",
    BOM_UTF32_LE: "utf-32-le",  # begins as the mark of UTF-16 does: it comes first
    BOM_UTF32_BE: "utf-32-be",
    BOM_UTF16_LE: "utf-16-le",
    BOM_UTF16_BE: "utf-16-be",
}
_USUAL: Final = "windows-1252"
_USUAL_WEIGHS: Final = 1.05  # of encodings in which a few words read equally well, the usual one
_MADE_BY_CHANCE: Final = 2  # characters of UTF-8 for each byte that is none
NOT_TEXT: Final = "not text in any encoding"


def decoded(content: bytes, declared: str = "") -> tuple[str, str]:
    r"""The text, with ``"\n"`` for each end of a line, and its encoding; "" for UTF-8.

    A byte order mark decides; else UTF-8 if all of it is; else what is declared, if that fits;
    else the likeliest encoding, as chardet says of the first 200,000 bytes, in which they read like
    a text.

    Raises
    ------
    UnicodeError
        It is no text in any encoding.
    """
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
    """The encoding of a text that begins so, found as ``decoded`` does; the head may be cut."""
    for mark, name in _OF_MARK.items():
        if head.startswith(mark):
            return name
    if _is_utf8(head, is_cut=True):
        return "utf-8"
    return declared.lower() if _fits(head, declared) else _likely(head, is_cut=True)


def _is_utf8(content: bytes, *, is_cut: bool = False) -> bool:
    """Whether all of it is; UTF-16 without a mark is too, and is no text then."""
    text = _text(content, "utf-8", is_cut=is_cut)
    return text is not None and not holds_controls(text)


def _fits(content: bytes, encoding: str) -> bool:
    return bool(encoding) and _text(content, encoding) is not None


def _text(content: bytes, encoding: str, *, is_cut: bool = False) -> str | None:
    """What the bytes are in an encoding; None where they are none. A character may be cut."""
    try:
        return (
            getincrementaldecoder(encoding)().decode(content)
            if is_cut
            else content.decode(encoding)
        )
    except (LookupError, ValueError):
        return None


def _is_damaged_utf8(content: bytes) -> bool:
    """Whether most bytes beyond ASCII make characters of UTF-8, and some make none.

    In another encoding hardly any two or three follow each other so by chance.
    """
    text = content.decode(errors="replace")
    n_lost = text.count("\ufffd")
    n_made = sum(not char.isascii() for char in text) - n_lost
    return n_made > _MADE_BY_CHANCE * n_lost > 0


def _likely(content: bytes, *, is_cut: bool = False) -> str:
    """The likeliest encoding of those in which the bytes read like a text."""
    if _is_damaged_utf8(content):
        raise UnicodeError(NOT_TEXT)
    likeliest: dict[str, float] = {}
    for name, confidence in _guesses(content):
        text = _text(content, name, is_cut=is_cut)
        plausible = 0.0 if text is None else plausibility(text)
        if plausible:
            usual = _USUAL_WEIGHS if name == _USUAL else 1.0
            likeliest.setdefault(name, confidence * plausible * usual)
    if not likeliest:
        raise UnicodeError(NOT_TEXT)
    return max(likeliest, key=likeliest.__getitem__)


def _guesses(content: bytes) -> Iterator[tuple[str, float]]:
    """Encodings, and how sure chardet is of each.

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
