"""Bytes of a text file -> its text, in UTF-8 or whatever else they are most likely in."""

from codecs import (
    BOM_UTF8,
    BOM_UTF16_BE,
    BOM_UTF16_LE,
    BOM_UTF32_BE,
    BOM_UTF32_LE,
    getincrementaldecoder,
)
from typing import Final

_OF_MARK: Final = {
    BOM_UTF8: "utf-8",
    BOM_UTF32_LE: "utf-32-le",  # begins as the mark of UTF-16 does: it comes first
    BOM_UTF32_BE: "utf-32-be",
    BOM_UTF16_LE: "utf-16-le",
    BOM_UTF16_BE: "utf-16-be",
}
NOT_TEXT: Final = "not text in any encoding"


def decoded(content: bytes, declared: str = "") -> tuple[str, str]:
    r"""The text, with ``"\n"`` for each end of a line, and its encoding; "" for UTF-8.

    A byte order mark decides; else UTF-8 if all of it is; else what is declared, if that fits;
    else what the bytes are most likely in, found by chardet from the first 200,000 of them.

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
    try:
        return _lines(content.decode()), ""
    except UnicodeDecodeError:
        name = declared.lower() if _fits(content, declared) else _likely(content)
    return _lines(content.decode(name)), name


def encoding_of(head: bytes, declared: str = "") -> str:
    """The encoding of a text that begins so, found as ``decoded`` does; the head may be cut."""
    for mark, name in _OF_MARK.items():
        if head.startswith(mark):
            return name
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return declared.lower() if _fits(head, declared) else _likely(head)
    return "utf-8"


def _fits(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except (LookupError, ValueError):
        return False
    return bool(encoding)


def _likely(content: bytes) -> str:
    import chardet

    eras = chardet.EncodingEra.MODERN_WEB | chardet.EncodingEra.LEGACY_ISO
    name = chardet.detect(content, encoding_era=eras, prefer_superset=True)["encoding"]
    if name is None or not _fits(content, name):
        raise UnicodeError(NOT_TEXT)
    return name.lower()


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
