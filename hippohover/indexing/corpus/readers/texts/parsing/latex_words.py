"""Titles and headings of LaTeX: what stands in braces, without its commands."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_HEADING = re.compile(
    r"^[ \t]*\\(?:part|chapter|(?:sub){0,2}section|frametitle)\*?[ \t]*(?:\[[^\[\]\n]{0,200}\])?"
    r"[ \t]*\n?[ \t]*(?=\{)|^[ \t]*\\begin\{frame\}(?:<[^<>\n]{0,30}>)?(?:\[[^\[\]\n]{0,200}\])?"
    r"(?=\{)",
    re.M,
)
_TITLE = re.compile(r"^[ \t]*\\title\*?[ \t]*(?:\[[^\[\]]{0,300}\])?[ \t]*\n?[ \t]*(?=\{)", re.M)
_LONGEST: Final = 1000  # characters between braces

_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?[ \t]*")
_NO_WORDS = re.compile(
    r"\\(?:thanks|footnote(?:mark|text)?|label|index|vspace|hspace|inst|href|url)"
    r"\*?[ \t]*(?:\[[^\[\]]{0,100}\])?(?=\{)"
)
_FOR_PDF = re.compile(r"\\texorpdfstring[ \t]*(?=\{)")
_ACCENT = re.compile(
    r"\\(?:([\"'`^~=.])|([uvHcdbkr])(?=[ {]))[ ]?(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))"
)
_ACCENTS: Final = dict(
    zip(
        "\"'`^~=.uvHcdbkr",
        "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0323\u0331\u0328\u030a",
        strict=True,
    )
)
_LETTERS: Final = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å",
    "AA": "Å", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "TeX": "TeX", "LaTeX": "LaTeX",
    "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "dots": "…", "ldots": "…", "textendash": "–",
    "textemdash": "—", "textquoteright": "’", "S": "§", "copyright": "©",
}  # fmt: skip
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?(?:[ \t]+|\[[^\[\]]{0,100}\](?=\{)|\{\})?")
_SIGN = re.compile(r"\\([&%$#_{}])|\\\\(?:\[[^\[\]]{0,20}\])?|\\[,;:!/ @-]|~")


def latex_title(text: str) -> str:
    """Return the words of the title that a text gives itself; "" without one."""
    match = _TITLE.search(text)
    return latex_words(_braced(text, match.end())) if match else ""


def latex_headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield where a part, section or slide begins, and the words of its heading."""
    for match in _HEADING.finditer(text):
        if words := latex_words(_braced(text, match.end())):
            yield match.start(), words


def _braced(text: str, start: int) -> str:
    """Return what stands in the braces that open at a place; "" where they do not close."""
    depth = 0
    at = start
    while at < min(start + _LONGEST, len(text)):
        if text[at] == "\\":
            at += 1
        else:
            depth += (text[at] == "{") - (text[at] == "}")
        at += 1
        if not depth:
            return text[start + 1 : at - 1]
    return ""


def latex_words(source: str) -> str:
    r"""Return the words of a line of LaTeX: "The \emph{Heron}" is "The Heron"."""
    source = _COMMENT.sub("", source)
    while match := _NO_WORDS.search(source):
        end = match.end() + len(_braced(source, match.end())) + 2
        source = f"{source[: match.start()]} {source[end:]}"
    while match := _FOR_PDF.search(source):  # two versions of the same: the second is plain
        end = match.end() + len(_braced(source, match.end())) + 2
        source = source[: match.start()] + source[end:]
    source = _ACCENT.sub(_accented, source)
    source = _SIGN.sub(_sign, source)
    source = _COMMAND.sub(lambda command: _LETTERS.get(command[1], ""), source)
    source = re.sub(r"[{}\ue000\ue001]", lambda brace: _BRACES.get(brace[0], ""), source)
    source = source.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    return " ".join(source.split()).replace(" ,", ",")


_BRACES: Final = {"\ue000": "{", "\ue001": "}"}


def _sign(match: re.Match[str]) -> str:
    written = {"{": "\ue000", "}": "\ue001"}.get(match[1] or "", match[1])
    return written or ("" if match[0] in ("\\-", "\\/", "\\!", "\\@") else " ")


def _accented(match: re.Match[str]) -> str:
    mark = _ACCENTS[match[1] or match[2]]
    return unicodedata.normalize("NFC", (match[3] or match[4]) + mark)
