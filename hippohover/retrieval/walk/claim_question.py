"""Finds the question in a long claim: pasted text around it is not searched."""

import re
from collections.abc import Iterator

from hippohover.names.sentences import sentence_spans

_LONG_WORDS = 60
"""Claims of fewer words are read whole: few pasted sentences drown no question."""
_MAX_SENTENCES = 3
_ASKS = re.compile(r"""[?？؟]["'”’»)\]*_]*$""")
_MARK = re.compile(r"""[?？؟]["'”’»)\]*_]*(?=\s)""")
_ASKING = re.compile(
    r"\W*(?:(?:and|so|now|then|please|but)\W+)*"
    r"(?:who|whom|whose|what|when|where|which|why|how|name|find|list|tell|show|explain|describe)\b",
    re.IGNORECASE,
)


def asking_parts(text: str) -> Iterator[str]:
    """Yield the part of a claim that asks, then more and more sentences around it.

    In a claim of more than 60 words: the last sentence that ends with a question mark, else the
    last or the first one that begins like an English question or request. Nothing for other claims.
    """
    if len(text.split()) <= _LONG_WORDS:
        return
    spans = _sentences(text)
    at = _asking(text, spans)
    if at is None:
        return
    for more in range(min(_MAX_SENTENCES, len(spans))):
        first, last = (at - more, at) if at else (0, more)
        if first >= 0 and (first, last) != (0, len(spans) - 1):
            yield text[spans[first][0] : spans[last][1]]


def _sentences(text: str) -> list[tuple[int, int]]:
    """Split into sentences, also behind a question put in the middle of one; long ones in lines."""
    spans: list[tuple[int, int]] = []
    for start, stop in _at_questions(text):
        if len(text[start:stop].split()) <= _LONG_WORDS:
            spans.append((start, stop))
            continue
        lines = re.finditer(r"\S[^\n]*", text[start:stop])
        spans += [(start + line.start(), start + line.end()) for line in lines]
    return spans


def _at_questions(text: str) -> Iterator[tuple[int, int]]:
    for start, stop in sentence_spans(text):
        begin = start
        for mark in _MARK.finditer(text, start, stop):
            yield begin, mark.end()
            begin = (
                mark.end() + len(text[mark.end() : stop]) - len(text[mark.end() : stop].lstrip())
            )
        if begin < stop:
            yield begin, stop


def _asking(text: str, spans: list[tuple[int, int]]) -> int | None:
    """Return the number of the sentence that asks."""
    for at in range(len(spans) - 1, -1, -1):
        if _ASKS.search(text[slice(*spans[at])]):
            return at
    for at in (len(spans) - 1, 0):
        if _ASKING.match(text[slice(*spans[at])]):
            return at
    return None
