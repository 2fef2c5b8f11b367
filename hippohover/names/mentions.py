"""Names in running text: in passages during a build, in claims during a query.

A *known* name is an entity key of the index (a title, a title without its qualifier, an alias). A
*phrase* is a run of capitalised words that is not a known name. It still links two passages that
share it; if titles are hidden, or are file names, nothing else does.

Both find the same names. They scan from the left; at the first token that is written like the
beginning of a name and begins a known one, the longest name wins, and the scan continues after it.
``names.gazetteer`` uses a table of beginnings, ``find_by_lookup`` n-grams; a test checks that they
agree.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

from hippohover.names.normal_forms import folded_token, is_letter, tokens

_ARTICLES = frozenset(("a", "an", "the"))
MAX_NAME_TOKENS = 16
MAX_NAME_CHARS = 1000
"""Longer names are never looked for: no running text writes a title of 17 words in full."""
TOKENS_A_NAME = 10
"""Tokens for each name of a text from which on rows of words join it too: nine in ten texts of an
encyclopedia have more names, and half of those of chats, meetings and papers have fewer."""


CONNECTORS = frozenset(
    "of the and de la le du des von van der den di da del al el for in on at".split()  # noqa: SIM905
)
STOP_TOKENS = frozenset(
    """a about after all also although an and another any are as at be because been before being
    between both but by can could did do does during each few for from further had has have he her
    here hers him his how however i if in into is it its itself many may more most much my no nor
    not now of on one only or other our out over own same she should since so some such than that
    the their them then there these they this those through to too two under until up upon very was
    we were what when where which while who whom whose why will with would you your""".split()  # noqa: SIM905
)
"""Tokens that by themselves are neither a name nor a search term."""


ROW_MARK = "¶ "
"""Begins the key of words in a row, which are no name: a token, so that a key stays its key."""


# What is known of a token, one bit each: of itself, and of its place in a text.
_CAPITAL: Final = 1
SMALL: Final = 2
_NUMBERING: Final = 4  # may number a name: a longer number is a year, as a rule
_CONNECTOR: Final = 8
_STOP: Final = 16  # a stop token, or one that a name has taken
ARTICLE: Final = 32
_LETTER: Final = 64  # of a script without blanks
_BROKEN: Final = 128  # a break stands before it
_REMEMBERED: Final = 1 << 18


def _in_run(kind: int) -> str:
    if kind & _CAPITAL:
        return "C" if kind & _BROKEN else "c"
    if kind & (_NUMBERING | _CONNECTOR) and not kind & _BROKEN:
        return "n" if kind & _NUMBERING else "o"
    return "."


def _in_row(kind: int) -> str:
    if kind & (_STOP | _CONNECTOR):
        return "."
    return "W" if kind & _BROKEN else "w"


# Runs are found by patterns over one character a token; none continues across a break.
_IN_RUNS: Final = "".join(map(_in_run, range(256))).encode()
_IN_ROWS: Final = "".join(map(_in_row, range(256))).encode()
_NO_LETTERS: Final = bytes(kind for kind in range(256) if not kind & _LETTER)
_RUN = re.compile(rb"[Cc](?:o{0,2}c)*")
_RUN_WITH_NUMBERS = re.compile(rb"[Cc](?:o{0,2}[cn])*")
_ROW = re.compile(rb"[Ww]w+")


class Mention(NamedTuple):
    """A mention: tokens ``start:stop`` of a text are the known name number ``name``."""

    name: int
    start: int
    stop: int


class Phrase(NamedTuple):
    """A capitalised phrase: tokens ``start:stop`` of a text, and its entity key."""

    key: str
    start: int
    stop: int


class CaseRule(IntEnum):
    """Where a known name counts that is not written as a name."""

    NEVER = 0
    IN_LOWER_CASE_TEXTS = 1
    """In a text that has no capital: a name of two words or more."""
    ALWAYS = 2
    """Names that are themselves written with small letters."""
    NOWHERE = 3
    """Numbers that are files' names, written "/5": texts are full of numbers."""


def case_rule(name: str) -> CaseRule:
    """Return the rule of a name, by its spelling.

    Two words or more are needed, stop words aside. "match statement", "Daily notes", "db-14" and
    "orders.py" always count; "Lantern Hill" does in texts without capitals.
    """
    if name[:1] == "/" and name[1:].isdecimal():
        return CaseRule.NOWHERE
    folded, written = tokens(name)
    pairs = zip(folded, written, strict=True)
    words = [word for token, word in pairs if token not in STOP_TOKENS | CONNECTORS]
    if len(words) < 2:
        return CaseRule.NEVER
    has_digit = any(char.isdigit() for word in words for char in word)
    if has_digit or not any(word[0].isupper() for word in words[1:]):
        return CaseRule.ALWAYS
    return CaseRule.IN_LOWER_CASE_TEXTS


def least_rule(written: Sequence[str]) -> CaseRule:
    """Return the least rule by which a name counts in a text that does not write it as one."""
    has_capital = any(word != word.lower() for word in written)
    return CaseRule.ALWAYS if has_capital else CaseRule.IN_LOWER_CASE_TEXTS


def find_by_lookup(
    folded: Sequence[str], written: Sequence[str], lookup: Callable[[str], int]
) -> list[Mention]:
    """Find names that a short text writes as such, by looking up every n-gram.

    They are those of a ``Gazetteer`` without rules. ``lookup`` gives the number of an entity key,
    or -1.
    """
    mentions: list[Mention] = []
    start = 0
    while start < len(folded):
        stop, number = start + 1, -1
        if is_written_as_name(folded, written, start):
            stop, number = _longest_from(folded, start, lookup)
        if number >= 0:
            mentions.append(Mention(number, start, stop))
        start = stop
    return mentions


def find_phrases(
    folded: Sequence[str],
    written: Sequence[str],
    taken: Iterable[Mention | Phrase],
    breaks: Iterable[int] = (),
    *,
    with_numbers: bool = False,
) -> list[Phrase]:
    """Find runs of capitalised tokens outside ``taken``; "of", "the", "de" may be inside.

    So may numbers be, if they are asked for: "Pier 4".

    A single token counts only if it is longer than one letter and not a stop token. No run
    continues across one of ``breaks``, from ``names.tokens_and_breaks``.
    """
    text = _placed(written, taken, breaks).translate(_IN_RUNS)
    phrases: list[Phrase] = []
    for match in (_RUN_WITH_NUMBERS if with_numbers else _RUN).finditer(text):
        start, stop = match.span()
        words = folded[start:stop]
        if is_findable(words) and len(key := " ".join(words)) > 1:
            phrases.append(Phrase(key, start, stop))
    return phrases


def pairs_within(
    written: Sequence[str], folded: Sequence[str], runs: Iterable[Phrase]
) -> list[Phrase]:
    """Return two capitalised words in a row within longer runs.

    Where words like "in" are of another language, or nouns are capitalised, a run goes on behind
    a name: "Thea Korn in Grauheim", "Thea Korns Amt".
    """
    return [
        Phrase(f"{folded[at]} {folded[at + 1]}", at, at + 2)
        for run in runs
        if run.stop - run.start > 2
        for at in range(run.start, run.stop - 1)
        if written[at][0].isupper() and written[at + 1][0].isupper()
    ]


def find_word_runs(
    folded: Sequence[str], taken: Sequence[Mention | Phrase], breaks: Iterable[int]
) -> list[Phrase]:
    """Find two or three words in a row outside ``taken``, in any case, in a text that names little.

    Of letters in a script without blanks it is three. Stop tokens and ``breaks`` end a row.
    A text that has names of its own is joined by these: what else two such texts share is chance.
    Their keys begin with ``ROW_MARK``.
    """
    n_letters = len(kinds_of(folded).translate(None, _NO_LETTERS))
    if len(taken) * TOKENS_A_NAME > len(folded) - n_letters // 2:
        return []
    kinds = _placed(folded, taken, breaks)
    found: list[Phrase] = []
    for match in _ROW.finditer(kinds.translate(_IN_ROWS)):
        first, end = match.span()
        for start in range(first, end - 1):
            fewest = 3 if kinds[start] & _LETTER else 2
            for stop in range(start + fewest, min(start + 3, end) + 1):
                words = folded[start:stop]
                if not (words[0].isdecimal() and all(map(str.isdecimal, words))):
                    found.append(Phrase(f"{ROW_MARK}{' '.join(words)}", start, stop))
    return found


def turned_round(runs: Sequence[Phrase]) -> list[Phrase]:
    """Return runs that may be one name turned round: "Kelgate, Wanda", "Kelgate, W."."""
    return [
        Phrase(f"{one.key} {other.key}", one.start, other.stop)
        for one, other in pairwise(runs)
        if one.stop == other.start and " " not in one.key
    ]


def is_findable(words: Sequence[str]) -> bool:
    """Return whether names of these tokens are searched in text: very long ones are not."""
    if len(words) > MAX_NAME_TOKENS or sum(map(len, words)) > MAX_NAME_CHARS:
        return False
    return not (len(words) == 1 and words[0] in STOP_TOKENS)


def is_written_as_name(folded: Sequence[str], written: Sequence[str], start: int) -> bool:
    """Return whether a name begins here: upper case, a digit, or a script without case.

    A leading article may be in lower case: "a song by the Beatles".
    """
    if folded[start] in _ARTICLES and start + 1 < len(written):
        start += 1
    return not written[start][0].islower()


def kinds_of(words: Sequence[str]) -> bytes:
    """Return what is known of each token, folded or as written: bits, one byte a token."""
    return bytes(map(_KINDS.__getitem__, words))


_OF_WORDS: Final = {
    word: _CONNECTOR * (word in CONNECTORS)
    | _STOP * (word in STOP_TOKENS)
    | ARTICLE * (word in _ARTICLES)
    for word in CONNECTORS | STOP_TOKENS | _ARTICLES
}


class _Kinds(dict[str, int]):
    """The bits of each token; it is looked at once, however many texts have it."""

    def __missing__(self, token: str) -> int:
        first = token[0]
        kind = _CAPITAL if first.isupper() else SMALL if first.islower() else 0
        kind |= _OF_WORDS.get(folded := folded_token(token), 0)
        if first.isdecimal() and _is_number(token):
            kind |= _NUMBERING
        if is_letter(folded):
            kind |= _LETTER
        if len(self) < _REMEMBERED:
            self[token] = kind
        return kind


_KINDS: Final = _Kinds()


def _placed(
    words: Sequence[str], taken: Iterable[Mention | Phrase], breaks: Iterable[int]
) -> bytearray:
    """Return the kinds of tokens, with those that are taken and those behind breaks."""
    kinds = bytearray(kinds_of(words))
    for one in taken:
        kinds[one.start : one.stop] = bytes((_STOP,)) * (one.stop - one.start)
    for at in breaks:
        if 0 <= at < len(kinds):
            kinds[at] |= _BROKEN
    return kinds


def _longest_from(
    folded: Sequence[str], start: int, lookup: Callable[[str], int]
) -> tuple[int, int]:
    """Return (stop, number) of the longest known name at ``start``; else (start + 1, -1)."""
    for stop in range(min(len(folded), start + MAX_NAME_TOKENS), start, -1):
        if is_findable(folded[start:stop]):
            number = lookup(" ".join(folded[start:stop]))
            if number >= 0:
                return stop, number
    return start + 1, -1


def _is_number(token: str) -> bool:
    """Return whether a token may number a name: a longer one is a year, as a rule."""
    return token[0].isdecimal() and len(token) < 5 and not (len(token) == 4 and token.isdecimal())
