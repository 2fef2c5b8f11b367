"""A text -> its atomic claims, each with the characters that it takes in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hippohover.errors import UsageError
from hippohover.sentences import sentence_spans
from hippohover.verification.payloads import Claim

RULE: Final = "rule_sentence_split_v1"
WHOLE: Final = "whole_text_v1"
MODEL: Final = "model_split_v1"
MAX_DRAFT_CHARS: Final = 100_000
MAX_CLAIMS: Final = 200

_MARKER = re.compile(r"\[(\d{1,3})\]")
_MARKERS = re.compile(r"(?:\s*\[\d{1,3}\])+")
_LEADING_MARKERS = re.compile(r"(?:\s*\[\d{1,3}\])+\s*")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class CitedText:
    """A claim's words without citation markers, and the numbers of the markers, in order."""

    text: str
    citations: tuple[int, ...]


def check_draft(text: object) -> None:
    """``UsageError`` unless this is a text with words, of 100,000 characters at most."""
    if not isinstance(text, str):
        raise UsageError(f"the draft is of type {type(text).__name__}: give a str")
    if len(text) > MAX_DRAFT_CHARS:
        raise UsageError(
            f"the draft has {len(text):,} characters: give at most {MAX_DRAFT_CHARS:,}, in parts"
        )
    if not _WORD.search(text):
        raise UsageError("the draft has no words: give a statement to verify")
    if text.encode("utf-8", "ignore").decode() != text:
        raise UsageError("the draft holds a lone surrogate, which no text has: mend its encoding")


def rule_sentence_split_v1(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a text that hold a word, in order.

    Citation markers at a sentence's start belong to the sentence before, as CiteEval reads them.
    """
    spans: list[tuple[int, int]] = []
    for begin, end in sentence_spans(text):
        start = begin
        leading = _LEADING_MARKERS.match(text, start, end)
        if leading is not None and spans:
            stop = start + len(text[start : leading.end()].rstrip())
            spans[-1] = (spans[-1][0], stop)
            start = leading.end()
        stop = start + len(text[start:end].rstrip())
        if _WORD.search(_MARKERS.sub("", text[start:stop])):
            spans.append((start, stop))
        elif spans and stop > start:
            spans[-1] = (spans[-1][0], stop)
    return spans


def spans_of_parts(text: str, parts: Sequence[str]) -> list[tuple[int, int]]:
    """Spans of the ``parts`` that a model named, where they stand in the text word for word.

    A part that does not is left out; a sentence of which no part stands is a span by itself, so
    that nothing of the text goes unverified.
    """
    spans: list[tuple[int, int]] = []
    at = 0
    for part in parts:
        wanted = part.strip()
        start = text.find(wanted, at) if _WORD.search(wanted) else -1
        if start >= 0:
            at = start + len(wanted)
            spans.append((start, at))
    for start, stop in rule_sentence_split_v1(text):
        if not any(begin < stop and start < end for begin, end in spans):
            spans.append((start, stop))
    return sorted(spans)


def claims_of(
    text: str, answer_id: str, spans: Sequence[tuple[int, int]], method: str
) -> list[Claim]:
    """Claims of a text, numbered from 1; ``UsageError`` when there are more than 200."""
    if len(spans) > MAX_CLAIMS:
        raise UsageError(
            f"the draft has {len(spans):,} claims: give at most {MAX_CLAIMS} at once, in parts"
        )
    return [
        Claim(
            claim_id=f"c_{number:04d}", answer_id=answer_id, text=text[start:stop],
            answer_char_span=(start, stop), extraction_method=method,
        )
        for number, (start, stop) in enumerate(spans, start=1)
    ]  # fmt: skip


def without_markers(text: str) -> CitedText:
    """A claim's words, and what it cites."""
    numbers = tuple(dict.fromkeys(int(number) for number in _MARKER.findall(text)))
    return CitedText(" ".join(_MARKERS.sub("", text).split()), numbers)
