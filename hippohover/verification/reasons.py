"""What is said of a verdict: sentences that name what was compared."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hippohover.verification.payloads import MarkedWords

_NAMED: Final = 4
_QUOTED: Final = re.compile("“([^”]*)”")


def quoted(words: Iterable[str]) -> str:
    """Quote words for a reader: “a”, “b” and “c”; the first four of many."""
    told = [f"“{word}”" for word in dict.fromkeys(words)]
    if len(told) > _NAMED + 1:
        told = [*told[:_NAMED], f"{len(told) - _NAMED} more"]
    return " and ".join(filter(None, (", ".join(told[:-1]), *told[-1:])))


def without_repeats(reasons: Iterable[str]) -> list[str]:
    """Return the reasons that quote words which none before them quoted, or quote nothing."""
    kept: list[str] = []
    for one in reasons:
        words = _quotes(one)
        if one not in kept and not (words and words <= _quotes("; ".join(kept))):
            kept.append(one)
    return kept


def _quotes(reason: str) -> set[str]:
    return {word for quote in _QUOTED.findall(reason) for word in quote.split()}


def said_instead(marks: Sequence[MarkedWords]) -> list[str]:
    """Say what the evidence has in the place of words that it does not say."""
    others = [one for one in marks if one.mark == "not said" and one.said]
    return [f"the evidence says “{one.said}”, not “{one.text}”" for one in others]


def unsaid(marks: Sequence[MarkedWords]) -> list[str]:
    """Say which words of a claim no sentence about it has, and no other in their place."""
    words = [one.text for one in marks if one.mark == "not said" and one.evidence is None]
    return [f"no sentence about it says {quoted(words)}"] if words else []


def held_by(
    marks: Sequence[MarkedWords], titles: Mapping[str, str], *, enough: bool = True
) -> list[str]:
    """Say which passages have a claim's words, by their titles; nothing if none has any.

    Parameters
    ----------
    titles : mapping of str to str
        doc_id -> title.
    enough : bool
        Whether that supports the claim; else it is said if no single sentence has them.
    """
    keys = {one.evidence for one in marks if one.mark == "held"}
    named = list(dict.fromkeys(_title(one, titles) for one in marks if one.mark == "held"))
    which = "its words" if all(one.mark == "held" for one in marks) else "its other words"
    if len(keys) > 1 and not enough:
        return [f"no single sentence has {which}, but {len(keys)} of {quoted(named)}"]
    return [f"{quoted(named)} {'have' if len(named) > 1 else 'has'} {which}"] if named else []


def _title(one: MarkedWords, titles: Mapping[str, str]) -> str:
    return titles.get((one.evidence or "").rpartition("#")[0]) or "the evidence"
