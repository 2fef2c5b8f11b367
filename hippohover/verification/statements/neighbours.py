"""Puts beside retrieved passages what they belong to: question, reply, document.

A message of a chat, and a question of a list of them, is a passage of its own; by itself it does
not say what it answers, nor whom it is about.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hippohover.records import RankedPassage
from hippohover.retrieval.answers import passages_of
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.statements.replies import is_question

_PART: Final = re.compile(r"(?P<document>.+)#(?P<number>\d+|[\w-]+)")


def with_neighbours(
    engine: HippoHover, passages: Sequence[RankedPassage]
) -> tuple[RankedPassage, ...]:
    """Return passages in order, a question before its reply; what is added has the same rank."""
    found: dict[str, RankedPassage] = {}
    for passage in passages:
        part = _PART.fullmatch(str(passage.metadata.get("id", "")))
        number = part["number"] if part else ""
        own = _under_document(engine, passage, part["document"]) if part else passage
        beside = [own]
        if number.isdecimal() and part:
            before, behind = (
                _of_document(engine, f"{part['document']}#{int(number) + step}") for step in (-1, 1)
            )
            if is_question(passage.text):
                beside += [behind] if behind else []
            elif before and is_question(before.text):
                beside = [before, own]
        for one in beside:
            found[one.pid] = replace(one, rank=passage.rank, score=passage.score)
    return tuple(_in_turn([*found.values()]))


def follows(first: RankedPassage, second: RankedPassage) -> bool:
    """Return whether a message is the next one of the same file."""
    parts = [_PART.fullmatch(str(one.metadata.get("id", ""))) for one in (first, second)]
    if not all(part and part["number"].isdecimal() for part in parts):
        return False
    [before, behind] = [(part["document"], int(part["number"])) for part in parts if part]
    return before[0] == behind[0] and before[1] + 1 == behind[1]


def _in_turn(passages: list[RankedPassage]) -> list[RankedPassage]:
    """Put each message behind the one that it follows."""
    for passage in [*passages]:
        before = next((one for one in passages if follows(one, passage)), None)
        if before is not None:
            passages.remove(passage)
            passages.insert(passages.index(before) + 1, passage)
    return passages


def _under_document(engine: HippoHover, passage: RankedPassage, document: str) -> RankedPassage:
    """Return a passage with its document's title for a heading, if its own title is a question."""
    whole = _of_document(engine, document) if is_question(passage.title) else None
    return passage if whole is None else replace(passage, heading=whole.title)


def _of_document(engine: HippoHover, document: str) -> RankedPassage | None:
    rows = engine.tables.rows_equal("document", document)
    return passages_of(engine.tables, rows[:1], np.zeros(1))[0] if len(rows) else None
