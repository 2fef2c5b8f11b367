"""Decides whether a text claims anything: a question, an order or a phrase gets no verdict."""

import re
from itertools import pairwise
from typing import Final

from hippohover.names.mentions import STOP_TOKENS
from hippohover.verification.reading.cues import cues, word_list, words_of

_QUESTION = re.compile(r"(?<![.!])[?？؟]\s*[\"'”’)\]]*\s*$")
_ASKS: Final = word_list("auxiliaries")
_WITH_AUXILIARY: Final = word_list("questions")
_ENGLISH: Final = word_list("english")
_BEFORE_NOUN: Final = word_list("before_noun")
_FINITE: Final = frozenset(["is", "are", "was", "were", "has", "had"])
_RELATIVE: Final = frozenset(["who", "which", "that", "where", "whose"])
_TELL_WHY: Final = frozenset(["why", "how", "what"])
"""Without a full stop a heading begins with them: "How the mill was built"."""
_NOT: Final = frozenset(["not", "n't"])
_MANY: Final = frozenset(["people", "men", "women", "children", "police", "majority", "most"])
_SHORT: Final = 3
_LONG: Final = 8

QUESTION: Final = "it is a question, not a claim"
ORDER: Final = "it asks for something and claims nothing"
PHRASE: Final = "it is a phrase without a verb and claims nothing"
NAMELESS: Final = "none of its words says what it is about"


def why_no_claim(text: str) -> str:
    """Say why a text claims nothing, in words; "" where it may claim something.

    By words of English: a text without any is taken for a claim.
    """
    if _QUESTION.search(text):
        return QUESTION
    words = [word for word, start, _ in words_of(text) if text[start : start + 1].isalnum()]
    if STOP_TOKENS.issuperset(words):
        return NAMELESS if words else ""
    first, second = words[0], words[1] if len(words) > 1 else ""
    stops = text.rstrip().endswith((".", "!"))
    asks = first in _WITH_AUXILIARY and (second in _ASKS or cues().is_verb(second))
    asks = asks or first in _TELL_WHY
    if not stops and (first in _ASKS or asks) and not _begins_with_title(text):
        return QUESTION
    forbids = first == "do" and second in _NOT
    if forbids or (first in cues().orders and _is_order(text, second)):
        return ORDER
    english = bool(_ENGLISH & set(words))
    sentence = not english or len(words) > _LONG or not {first, second} & _ENGLISH
    if _has_verb(words) or (stops and (sentence or _has_plain_verb(text))):
        return ""
    return PHRASE if english or (len(words) <= _SHORT and text.isascii()) else ""


def called(text: str) -> str:
    """Return what to call a text that was asked: "question", "claim", or "query" for a phrase."""
    why = why_no_claim(text)
    return "question" if why == QUESTION else "query" if why else "claim"


def _begins_with_title(text: str) -> bool:
    """Return whether a name and a predicate follow the first word: "Do the Odd Job is a film"."""
    told = words_of(text)
    rest = told[1:]
    while rest and rest[0][0] in _BEFORE_NOUN:
        rest = rest[1:]
    named = bool(rest) and text[rest[0][1]].isupper()
    behind = [word for word, _, _ in rest[1:]]
    relative = next((at for at, word in enumerate(behind) if word in _RELATIVE), len(behind))
    return named and bool(_FINITE & set(behind[:relative]))


def _is_order(text: str, second: str) -> bool:
    """Return whether a text is an order: "List the towns", not "Show Boat is a film"."""
    if not second or cues().is_verb(second) or _FINITE & {word for word, _, _ in words_of(text)}:
        return False
    place = text.casefold().find(second, len(text.split(maxsplit=1)[0]))
    return place >= 0 and text[place].islower()


def _has_plain_verb(text: str) -> bool:
    """Return whether a plural's verb may stand behind "of" and its noun: "rules of it forbid this".

    It is a small word behind a noun, and not the last one.
    """
    told = [one for one in words_of(text) if text[one[1]].isalnum()]
    words = [word for word, _, _ in told]
    subject = next((word for word in words if word not in _BEFORE_NOUN), "")
    if subject not in _MANY and (not subject.endswith("s") or subject.endswith("ss")):
        return False
    behind = words.index(subject) + 1
    return any(
        text[told[at][1]].islower()
        and not {words[at - 1], words[at]} & (_BEFORE_NOUN | STOP_TOKENS)
        for at in range(behind + 1, len(words) - 1)
    )


def _has_verb(words: list[str]) -> bool:
    """Return whether a later word may be a verb: by the list, or by its ending and place."""
    known = cues()
    for before, word in pairwise(words):
        if known.is_verb(word):
            return True
        ends = word.endswith("s") and not word.endswith(("ss", "us", "is"))
        if ends and len(word) > 3 and before not in _BEFORE_NOUN:
            return True
    return known.is_verb(words[0]) and words[0] in known.verbs
