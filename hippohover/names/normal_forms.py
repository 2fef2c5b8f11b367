"""The normal forms of titles and entity names.

Two forms, for two purposes, both total functions of the text:

- ``normal_title`` is the metric's: it decides whether a retrieved title *is* a gold title.
- ``entity_key`` is the graph's: names with the same key are one entity. It keeps every script.
"""

import html
import re
import string
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex

# A connector ("_") is a blank: "The_Gilded_Archive". A sign is part of a name where it tells names
# apart and is no punctuation: "C++", "C#", "Disney+" and ".NET" (but not "a.net", "1+1", "x#1").
_SIGNS = r"(?:[+#](?<=[A-Za-z].)\+?(?![\w+]))?"
# Blanks are listed: ``re`` and ``regex`` differ over control characters.
_DOT = r"\.(?<![^ \t\n\r\f\v(\[\"'{}].)(?=[A-Za-z])"
_OPENERS = "\u00a0\u3000“‘«（「『《"
_ASCII_TOKEN = re.compile(rf"[^\W_]+{_SIGNS}|{_DOT.format('')}[^\W_]+{_SIGNS}")
# Shows nothing inside a word, or a hyphen where a line breaks it, which may be broken there.
_UNSEEN = re.compile("\u00ad\n|[\u00ad\u200b\u2060\ufeff]")
# Scripts written without blanks give one token a letter, with its marks (halfwidth ones too);
# elsewhere a mark (a vowel sign of Devanagari, say) is inside its word, but begins none. A mark of
# another script is too: NFD puts marks in another order, and none of the letter's own may be lost.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ーｰ\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_IN_WORD = rf"[[\w\u00ad\u200b\u2060\ufeff--[\p{{Pc}}{UNSPACED}]]\p{{M}}]*+"
_TOKEN = regex.compile(
    rf"[[{UNSPACED}§¶]--\p{{M}}][\p{{M}}ﾞﾟ]*"
    rf"|(?:{_DOT.format(_OPENERS)}(?!.\p{{M}}))?"
    rf"[\w--[\p{{M}}\p{{Pc}}\p{{Join_Control}}{UNSPACED}]]"
    rf"{_IN_WORD}(?:\n(?<=\u00ad\n)(?=\p{{L}}){_IN_WORD})*+{_SIGNS}",
    regex.V1,
)
_UNSPACED = regex.compile(rf"[{UNSPACED}]", regex.V1)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_QUALIFIER = re.compile(r"[(（][^()（）]*[)）]$")
# What a name does not go on behind: the end of a sentence or a clause, a bracket, a quotation
# mark. A full stop behind fewer than three letters is an initial's or an abbreviation's, and so is
# one before a small letter.
_BREAK = re.compile(
    r"""(?<=\w{3})[.!?…]+["'”’)\]]*(?:\s(?![a-z])|$)|[,;:()\[\]{}"“”„«»\n](?<!\u00ad\n)"""
    r"""|(?<=\s)[-–—]+(?=\s)|—"""
)
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_FOLDED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")


def without_unseen(text: str) -> str:
    """Remove soft hyphens and other invisible characters without meaning.

    They say where a line may be broken, or may not. What joins letters of Persian or of Indic
    scripts, or keeps them apart, stays.
    """
    return text if text.isascii() else _UNSEEN.sub("", text)


def normal_title(title: str) -> str:
    """Return a title as HoVer's metric compares it.

    HTML entities are resolved and unseen characters removed; then Unicode NFD, lower case, ASCII
    punctuation and the articles *a, an, the* removed, whitespace collapsed (the steps of DSPy's
    ``normalize_text``). A title of only punctuation or articles keeps its lower-case NFD form, so
    that two such titles are not taken for one.
    """
    plain = unicodedata.normalize("NFD", without_unseen(html.unescape(title))).lower()
    bare = " ".join(_ARTICLES.sub(" ", plain.translate(_PUNCTUATION)).split())
    return bare or " ".join(plain.split())


def tokens(text: str) -> tuple[list[str], list[str]]:
    """Split running text into tokens: (folded as ``entity_key`` folds them, as written).

    Both lists have one item a token, without unseen characters. HTML entities are not resolved:
    offsets stay those of the text.
    """
    return _tokens(text, 0, len(text))


def tokens_and_breaks(text: str) -> tuple[list[str], list[str], list[int]]:
    """Return ``tokens(text)``, and, ascending, those at which a name cannot continue.

    A break stands before token ``at`` when a sentence, a clause, a bracket or a quotation begins
    or ends between it and the token before; 0 and the number of tokens may be among them.
    """
    folded: list[str] = []
    written: list[str] = []
    breaks: list[int] = []
    start = 0
    for end, after in [*(match.span() for match in _BREAK.finditer(text)), (len(text), 0)]:
        words = _tokens(text, start, end)
        folded += words[0]
        written += words[1]
        breaks.append(len(folded))
        start = after
    return folded, written, breaks


def _tokens(text: str, start: int, end: int) -> tuple[list[str], list[str]]:
    """Return ``tokens`` of part of a text; the text before it says if a dot begins a name."""
    if text.isascii():
        written: list[str] = _ASCII_TOKEN.findall(text, start, end)
        folded: list[str] = " ".join(written).lower().split(" ") if written else []
        return folded, written
    written = _TOKEN.findall(text, start, end)
    if _UNSEEN.search(text, start, end):
        written = [without_unseen(token) for token in written]
    return [token.lower() if token.isascii() else _fold(token) for token in written], written


def is_letter(token: str) -> bool:
    """Return whether a token is a letter of a script without blanks; two are a word, about."""
    return not token.isascii() and _is_unspaced(token[0])


def with_next_letters(tokens: Iterable[str]) -> Sequence[str]:
    """Join each letter of a script without blanks to the letter that follows it, if one does."""
    units = list(tokens)
    if not "".join(units).isascii():
        for at, token in enumerate(units[1:]):
            if is_letter(units[at]) and is_letter(token):
                units[at] += token
    return units


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end, in characters, of each of ``tokens(text)``."""
    pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
    return [match.span() for match in pattern.finditer(text)]


def entity_key(name: str) -> str:
    """Return a name's key in the graph: folded tokens joined by one blank.

    HTML entities are resolved. Case, punctuation (but "C++", "C#", ".NET"), whitespace and, in
    Latin, Greek and Cyrillic, diacritics do not count. Other scripts keep their marks, which are
    letters there. A name without a single letter or digit ("!!!") is its own key, so no name is
    lost; only a blank name has an empty key. The key of a key is itself.
    """
    plain = html.unescape(name)
    key = " ".join(tokens(plain)[0])
    if key:
        return key
    compatible = unicodedata.normalize("NFKC", plain)  # "⑶" becomes "(3)"
    return " ".join(tokens(compatible)[0]) or " ".join(compatible.split())


def without_qualifier(title: str) -> str:
    """Remove a closing bracketed qualifier: "Unbreakable (film)" -> "Unbreakable"."""
    trimmed = title.rstrip()
    bare = _QUALIFIER.sub("", trimmed)
    return title if bare == trimmed else bare.rstrip() or title


@lru_cache(maxsize=1 << 14)
def _is_unspaced(char: str) -> bool:
    return _UNSPACED.match(char) is not None


@lru_cache(maxsize=1 << 16)
def _fold(token: str) -> str:
    """Case-fold a token in NFKC, without diacritics that are not letters of their own.

    A character that stands for several words ("㍍", "ﷺ") is kept as it is: one token stays one.
    """
    folded = unicodedata.normalize("NFKC", token).casefold()
    if not _TOKEN.fullmatch(folded):
        folded = unicodedata.normalize("NFC", token).lower()
    return _without_diacritics(folded)


def _without_diacritics(folded: str) -> str:
    """Remove combining marks after Latin, Greek or Cyrillic letters; NFC."""
    bare: list[str] = []
    base_is_folded = False
    for char in unicodedata.normalize("NFD", folded):
        if unicodedata.combining(char):
            if not base_is_folded:
                bare.append(char)
            continue
        base_is_folded = unicodedata.name(char, "").startswith(_FOLDED_SCRIPTS)
        bare.append(char)
    return unicodedata.normalize("NFC", "".join(bare))
