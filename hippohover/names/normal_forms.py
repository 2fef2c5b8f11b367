"""The normal forms of titles and entity names.

Two forms, for two purposes, both total functions of the text:

- ``normal_title`` is the metric's: it decides whether a retrieved title *is* a gold title.
- ``entity_key`` is the graph's: names with the same key are one entity. It keeps every script.
"""

import html
import re
import string
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import regex

# A connector ("_") is a blank: "The_Gilded_Archive". A sign is part of a name where it tells names
# apart and is no punctuation: "C++", "C#", "Disney+" and ".NET" (but not "a.net", "1+1", "x#1").
_SIGNS = r"(?:[+#](?<=[A-Za-z].)\+?(?![{}+]))?"
# Blanks are listed: ``re`` and ``regex`` differ over control characters.
_DOT = r"\.(?<![^ \t\n\r\f\v(\[\"'{}].)(?=[A-Za-z])"
_OPENERS = "\u00a0\u3000“‘«（「『《"
_LATIN = "0-9A-Za-zªµºÀ-ÖØ-öø-ˁ"
# Shows nothing inside a word, or a hyphen where a line breaks it, which may be broken there.
_UNSEEN = re.compile("\u00ad\n|[\u00ad\u200b\u2060\ufeff]")
# Scripts written without blanks give one token a letter, with its marks (halfwidth ones too);
# elsewhere a mark (a vowel sign of Devanagari, say) is inside its word, but begins none. A mark of
# another script is too: NFD puts marks in another order, and none of the letter's own may be lost.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ーｰ\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_IN_WORD = rf"[[\w\u00ad\u200b\u2060\ufeff--[\p{{Pc}}{UNSPACED}]]\p{{M}}]*+"
_TOKEN = regex.compile(
    rf"([[{UNSPACED}§¶]--\p{{M}}][\p{{M}}ﾞﾟ]*"
    rf"|(?:{_DOT.format(_OPENERS)}(?!.\p{{M}}))?"
    rf"[\w--[\p{{M}}\p{{Pc}}\p{{Join_Control}}{UNSPACED}]]"
    rf"{_IN_WORD}(?:\n(?<=\u00ad\n)(?=\p{{L}}){_IN_WORD})*+" + _SIGNS.format(r"\w") + ")",
    regex.V1,
)
_UNSPACED = regex.compile(rf"[{UNSPACED}]", regex.V1)
# The same for texts of Latin letters, which are found several times as fast. What stands between
# the tokens is found too: all patterns have a group, for ``split``.
_LATIN_TEXT = re.compile(r"[\0-\xac\xae-\u02c1\u2010-\u203e\u20a0-\u20cf]*")
_LATIN_TOKEN, _ASCII_TOKEN = (
    re.compile(
        rf"({alone}(?:[{letters}]|{_DOT.format(openers)})[{letters}]*"
        rf"{_SIGNS.format(letters + '_')})"
    )
    for alone, letters, openers in (("[§¶]|", _LATIN, _OPENERS), ("", "0-9A-Za-z", ""))
)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_QUALIFIER = re.compile(r"[(（][^()（）]*[)）]$")
# What a name does not go on behind: the end of a sentence or a clause, a bracket, a quotation
# mark. A full stop behind fewer than three letters is an initial's or an abbreviation's, and so is
# one before a small letter.
# The leading character class makes the scan between two breaks a table look-up.
_BREAK = re.compile(
    r"""[.!?…,;:()\[\]{}"“”„«»\n–—-]"""
    r"""(?:(?<=[.!?…])(?<=\w{3}.)[.!?…]*["'”’)\]]*(?:\s(?![a-z])|$)"""
    r"""|(?<=[^.!?…–—-])(?<!\u00ad\n)|(?<=[-–—])(?<=\s.)[-–—]*(?=\s)|(?<=—))"""
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


class PlacedTokens(NamedTuple):
    """Tokens of a text, folded and as written, where no name continues, and their characters.

    A break stands before token ``at`` when a sentence, a clause, a bracket or a quotation begins
    or ends between it and the token before; 0 and the number of tokens may be among them.
    """

    folded: list[str]
    written: list[str]
    breaks: list[int]
    starts: list[int]
    stops: list[int]


def tokens(text: str) -> tuple[list[str], list[str]]:
    """Split running text into tokens: (folded as ``entity_key`` folds them, as written).

    Both lists have one item a token, without unseen characters. HTML entities are not resolved:
    offsets stay those of the text.
    """
    return _folded(text, _pattern(text).findall(text))


def placed_tokens(text: str) -> PlacedTokens:
    """Return ``tokens(text)``, the breaks between them, and the characters of each."""
    parts: list[str] = _pattern(text).split(text)
    folded, written = _folded(text, parts[1::2])
    ends = list(accumulate(map(len, parts)))
    starts = ends[:-1:2]
    breaks = [bisect_left(starts, match.start()) for match in _BREAK.finditer(text)]
    return PlacedTokens(folded, written, [*breaks, len(folded)], starts, ends[1::2])


def tokens_and_breaks(text: str) -> tuple[list[str], list[str], list[int]]:
    """Return ``tokens(text)``, and the breaks between them."""
    placed = placed_tokens(text)
    return placed.folded, placed.written, placed.breaks


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
    ends = list(accumulate(map(len, _pattern(text).split(text))))
    return list(zip(ends[:-1:2], ends[1::2], strict=True))


def _pattern(text: str) -> Any:  # noqa: ANN401  (of two libraries)
    if text.isascii():
        return _ASCII_TOKEN
    return _LATIN_TOKEN if _LATIN_TEXT.fullmatch(text) else _TOKEN


def _folded(text: str, written: list[str]) -> tuple[list[str], list[str]]:
    """Return tokens of a text, folded and as written."""
    if text.isascii():
        return " ".join(written).lower().split(" ") if written else [], written
    if _UNSEEN.search(text):
        written = [without_unseen(token) for token in written]
    return list(map(folded_token, written)), written


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
def folded_token(token: str) -> str:
    """Case-fold a token in NFKC, without diacritics that are not letters of their own.

    A character that stands for several words ("㍍", "ﷺ") is kept as it is: one token stays one.
    """
    if token.isascii():
        return token.lower()
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
