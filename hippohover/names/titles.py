"""The names that a passage is known by: its title and the bare title, or the name it opens with."""

from enum import IntEnum

from hippohover.names.mentions import MAX_NAME_TOKENS, STOP_TOKENS, find_phrases
from hippohover.names.normal_forms import entity_key, tokens_and_breaks, without_qualifier
from hippohover.records import Passage

_ARTICLES = frozenset(("a", "an", "the"))
_HEAD_CHARS = 400


class TitleKind(IntEnum):
    """Which of a passage's own names a key is."""

    FULL = 0
    """The title as it stands."""
    BARE = 1
    """The title without its bracketed qualifier, where it has one."""
    OPENING = 2
    """The name that the text opens with, where there is no title."""


def title_keys(passage: Passage) -> dict[TitleKind, str]:
    """Entity keys of the names that a passage is known by."""
    keys: dict[TitleKind, str] = {}
    if passage.title:
        keys[TitleKind.FULL] = entity_key(passage.title)
        bare = entity_key(without_qualifier(passage.title))
        if bare != keys[TitleKind.FULL]:
            keys[TitleKind.BARE] = bare
    elif opening := opening_name(passage.text):
        keys[TitleKind.OPENING] = opening
    return keys


def opening_name(text: str) -> str:
    """Key of the capitalised phrase that a text opens with, an article aside; "" without one."""
    folded, written, breaks = tokens_and_breaks(text[:_HEAD_CHARS])
    skip = 1 if folded and folded[0] in _ARTICLES else 0
    if len(folded) <= skip or folded[skip] in STOP_TOKENS:
        return ""
    for key, start, stop in find_phrases(
        folded[skip:], written[skip:], (), [at - skip for at in breaks]
    ):
        return key if start == 0 and stop <= MAX_NAME_TOKENS else ""
    return ""
