"""A text -> its atomic claims, each with its characters in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hippohover.errors import NoWordsError, UsageError
from hippohover.names.normal_forms import tokens
from hippohover.names.sentences import sentence_spans
from hippohover.retrieval.walk.claim import check_text
from hippohover.verification.payloads import Claim

RULE: Final = "rule_sentence_split_v1"
WHOLE: Final = "whole_text_v1"
MODEL: Final = "model_split_v1"
MAX_DRAFT_CHARS: Final = 100_000
MAX_CLAIMS: Final = 200
MAX_WORDS: Final = 120
"""Words of a claim that is compared, and marks: comparing takes longer than in proportion."""
MAX_CHARS: Final = 1_500
"""Characters of such a claim: twice those of 120 words."""
MAX_TEXT_WORDS: Final = 4_000
"""Words of all claims that are compared, or marks: those of 200 sentences."""

_NUMBERS = r"[1-9]\d{0,2}(?:\s*[,;–-]\s*[1-9]\d{0,2})*"
_MARKER = re.compile(rf"\[({_NUMBERS})\]")
# A run of blanks is tried once, from its beginning: a text may be nothing else.
_MARKERS = re.compile(rf"(?<!\s)(?:\s*+\[{_NUMBERS}\])+")
_RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
_LONGEST_RANGE = 50
_ITEM_MARK = r"[^\S\n]*(?:[-*+•‣–|]|#{1,6}|\d{1,3}[.)])[^\S\n]+"
_ITEM = re.compile(rf"^{_ITEM_MARK}", re.MULTILINE)
_LAST_MARK = re.compile(rf"(?:^|(?<=\n)){_ITEM_MARK}$")
_HEADING = re.compile(r"^[^\S\n]*#{1,6}[^\S\n][^\n]*\n", re.MULTILINE)
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"\w+")
_MARK = re.compile(r"[^\w\s]|_")
_LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class CitedText:
    """A claim's words without citation markers, and the numbers of the markers, in order."""

    text: str
    citations: tuple[int, ...]


def check_draft(text: object) -> None:
    """Raise ``UsageError`` unless a text can be written, and has 100,000 characters at most."""
    check_text("draft", text, MAX_DRAFT_CHARS, ", in parts")


def rule_sentence_split_v1(text: str) -> list[tuple[int, int]]:
    """Return spans of the sentences of a text that hold a word, in order.

    Citation markers behind a sentence belong to it, before its full stop or after, as CiteEval
    reads them. Each item of a list, heading and row of a table begins a new claim; what marks it
    is in no span.
    """
    # Markers are no words, and where one stands at a full stop the sentence ends all the same.
    bare = _MARKER.sub(lambda match: " " * len(match[0]), text)
    spans = [span for start, stop in _blocks(bare) for span in _sentences(bare, start, stop)]
    ends = [*(start for start, _ in spans), len(text)]
    return [
        (start, _after_markers(text, stop, end))
        for (start, stop), end in zip(spans, ends[1:], strict=True)
    ]


def _blocks(text: str) -> list[tuple[int, int]]:
    """Return spans of list items, without their marks, and of the text between them."""
    items = [item.span() for item in _ITEM.finditer(text)]
    headings = [(heading.end(), heading.end()) for heading in _HEADING.finditer(text)]
    borders = sorted([*items, *headings])  # a heading ends with its line
    starts = [0, *(stop for _, stop in borders)]
    return list(zip(starts, [*(start for start, _ in borders), len(text)], strict=True))


def without_mark(between: str) -> str:
    """Remove a list item's mark from the text before it."""
    return _LAST_MARK.sub("", between)


def _sentences(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in sentence_spans(text[start:stop]):
        span = start + begin, start + end
        if _WORD.search(text, *span):
            joined.append(span)
        elif joined:
            joined[-1] = joined[-1][0], span[1]
    return joined


def _after_markers(text: str, stop: int, end: int) -> int:
    """Return a span's end with the markers after it, if there are any before ``end``."""
    markers = _MARKERS.match(text, stop, end)
    return stop if markers is None else markers.end()


def spans_of_parts(text: str, parts: Sequence[str]) -> list[tuple[int, int]]:
    """Return spans of a model's ``parts`` that occur in the text word for word.

    A part that does not is left out. What two words or more of a sentence are in no part are a
    span by themselves, so that nothing that is said goes unverified; a single word, such as "and",
    joins nothing. Markers behind a part belong to it.
    """
    named: list[tuple[int, int]] = []
    at = 0
    for part in parts:
        wanted = part.strip()
        start = text.find(wanted, at) if _has_words(wanted) else -1
        if start >= 0:
            at = _after_markers(text, start + len(wanted), len(text))
            named.append((start, at))
    spans: list[tuple[int, int]] = []
    at = 0
    for start, stop in rule_sentence_split_v1(text):
        inside = [span for span in named if span[0] < stop and span[1] > max(start, at)]
        at = max(at, start)
        for begin, end in inside:
            spans += _left_over(text, at, begin)
            spans.append((begin, end))
            at = end
        left = _left_over(text, at, stop)
        if not left and inside and at < stop:  # a full stop, or markers behind it
            spans[-1] = spans[-1][0], stop
        spans += left
        at = max(at, stop)
    return spans


def _left_over(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return the span between two parts, if it says something."""
    between = text[start:stop]
    if len(_WORDS.findall(_MARKERS.sub("", between))) < _LEAST_WORDS:
        return []
    begin = start + len(between) - len(between.lstrip())
    return [(begin, start + len(between.rstrip()))]


def claims_of(
    text: str, answer_id: str, spans: Sequence[tuple[int, int]], method: str
) -> list[Claim]:
    """Split a text into claims, numbered from 1.

    Raises
    ------
    NoWordsError
        There is none.
    UsageError
        There are more than 200.
    """
    if not spans:
        raise NoWordsError("the text has no words: give a statement to verify")
    if len(spans) > MAX_CLAIMS:
        raise UsageError(
            f"the draft has {len(spans):,} claims: give at most {MAX_CLAIMS} at once, in parts"
        )
    return [
        Claim(
            claim_id=f"c_{number:04d}",
            answer_id=answer_id,
            text=text[start:stop],
            answer_char_span=(start, stop),
            extraction_method=method,
        )
        for number, (start, stop) in enumerate(spans, start=1)
    ]


def whole_span(text: str) -> list[tuple[int, int]]:
    """Return the span of a text without the blanks around it; none where it holds no word."""
    return [(len(text) - len(text.lstrip()), len(text.rstrip()))] if _has_words(text) else []


def _has_words(text: str) -> bool:
    return _WORD.search(_MARKER.sub("", text)) is not None


def why_not_compared(claims: Sequence[str]) -> list[str]:
    """Say of each claim why it is too long to be compared, by its size; "" where it is not.

    Raises
    ------
    UsageError
        The others have more than 4,000 words or marks together.
    """
    limits = (MAX_WORDS, MAX_WORDS, MAX_CHARS)
    why: list[str] = []
    n_words = 0
    for claim in claims:
        sizes = len(tokens(claim)[0]), len(_MARK.findall(claim)), len(claim)
        told = (
            f"it has {n:,} {units}, and up to {most:,} are compared: split it into sentences"
            for n, most, units in zip(sizes, limits, ("words", "marks", "characters"), strict=True)
            if n > most
        )
        why.append(next(told, ""))
        n_words += 0 if why[-1] else max(sizes[:2])
    if n_words > MAX_TEXT_WORDS:
        raise UsageError(
            f"the draft's claims have {n_words:,} words or marks: give at most {MAX_TEXT_WORDS:,} "
            "at once, in parts"
        )
    return why


def without_markers(text: str) -> CitedText:
    """Split a claim into its words and its citations."""
    numbers = [number for marker in _MARKER.findall(text) for number in _cited_in(marker)]
    return CitedText(" ".join(_MARKERS.sub("", text).split()), tuple(dict.fromkeys(numbers)))


def _cited_in(marker: str) -> list[int]:
    """Return the numbers of "1, 3-5"; of a reverse or very long range, its two ends."""
    numbers: list[int] = []
    for first, last in _RANGE.findall(marker):
        start, stop = int(first), int(last or first)
        near = start <= stop <= start + _LONGEST_RANGE
        numbers += range(start, stop + 1) if near else (start, stop)
    return numbers
