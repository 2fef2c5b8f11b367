"""Finds the words of a sentence that are written as names."""

import re
from collections.abc import Sequence
from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.sentence import FORMS_OF_BE, MARKS, STOPS

_NO_NAME: Final = word_list("no_name")
_OPENERS: Final = word_list("openers")
_DENIES: Final = frozenset(["no", "not", "never", "nothing", "nobody", "none", "without"])
"""With a capital inside a sentence they are of a name: "the film Never Look Back"."""


def names_in(
    text: str, told: Sequence[tuple[str, int, int]], names: Sequence[str] = ()
) -> list[bool]:
    """Return which words are written as names, or are in one of some names.

    The first of a sentence only where no list of common words has it.
    """
    found: list[bool] = []
    is_field = not FORMS_OF_BE & {word for word, _, _ in told}
    inside = [span for name in names for span in _places_of(name, text)]
    for at, (word, start, stop) in enumerate(told):
        capital = text[start : start + 1].isupper() and word not in _NO_NAME and word not in MARKS
        first = at == 0 or told[at - 1][0] in STOPS
        digits = (
            word.replace(".", "").isdigit()
            and bool(found)
            and found[-1]
            and (text[start - 1] == " " or (text[start - 1] == "-" and told[at - 1][0].isalpha()))
        )
        known = any(begin <= start and stop <= end for begin, end in inside) and word not in MARKS
        if first and told[at + 1 : at + 2] and told[at + 1][0] in cues().pronouns:
            capital = False  # "Previously she"
        if (
            first
            and is_field
            and (":" in [one for one, _, _ in told[at + 1 : at + 3]] or _is_value(told, at))
        ):
            capital = False  # "Superseded-By: PEP 649", "Status: Accepted"
        capital = capital or (first and _has_version(told, at))
        capital = capital or (word in _DENIES and not first and text[start:stop].istitle())
        found.append((capital and (not first or word not in _OPENERS)) or digits or known)
    for at in range(1, len(found) - 1):  # "Bank of England", but not "Pelmouth and Carvick"
        if told[at][0] in {"of", "de", "la", "von", "van"}:
            found[at] = found[at] or (found[at - 1] and found[at + 1])
    return found


def _has_version(told: Sequence[tuple[str, int, int]], at: int) -> bool:
    """Return whether a word is what a version is of, written small: "zub 1.5 was released"."""
    number, verb = (told[n][0] if n < len(told) else "" for n in (at + 1, at + 2))
    dotted = "." in number and number.replace(".", "").isdigit()
    return dotted and told[at][0].isalpha() and cues().is_verb(verb)


def _is_value(told: Sequence[tuple[str, int, int]], at: int) -> bool:
    """Return whether a word after a colon may be a verb."""
    return at > 0 and told[at - 1][0] == ":" and cues().is_verb(told[at][0])


def _places_of(name: str, text: str) -> list[tuple[int, int]]:
    """Return spans at which a name of several words occurs in a text, as a whole."""
    if " " not in name:
        return []
    return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
