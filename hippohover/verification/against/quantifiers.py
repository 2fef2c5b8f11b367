"""Ranks, directions and quantifiers: the second highest, to the north, all and some."""

from collections.abc import Iterator
from typing import Final

from hippohover.language.cues import word_list
from hippohover.language.quantities.table import ordinal_value
from hippohover.language.sentence import Sentence
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.findings import TURNED, Finding, instead
from hippohover.verification.against.frames import name_behind, same_name

_NO_DEGREES: Final = frozenset(["never", "always", "all", "every", "only", "famous"])
_SUPERLATIVES: Final = word_list("superlatives") - _NO_DEGREES
_NO_RANKS: Final = frozenset(
    ["first", "last", "most", "best", "interest", "forest", "west", "guest", "test"]
)
_DIRECTIONS: Final = frozenset(["north", "south", "east", "west"])
_WHOLE: Final = frozenset(["all", "every", "always", "everyone", "everybody"])
_SOME: Final = frozenset(
    ["some", "only", "few", "most", "many", "several", "half", "sometimes", "often"]
)
_OF_SOME: Final = frozenset({("of", "which"), ("of", "them"), ("of", "whom"), ("per", "cent")})


def has_another_rank(claim: Sentence, said: Sentence) -> bool:
    """Return whether a sentence gives another rank by the same word: second, not first."""
    ranks, others = set(_ranks(claim)), set(_ranks(said))
    return bool({word for word, _ in ranks} & {word for word, _ in others}) and not ranks & others


def _ranks(said: Sentence) -> Iterator[tuple[str, int]]:
    """Yield superlatives of a sentence with their ranks, from 1; none for "one of"."""
    for at, word in enumerate(said.words):
        ends = word.endswith("est") and len(word) > 4
        if word in _NO_RANKS or said.named[at] or not (ends or word in _SUPERLATIVES):
            continue
        if "of" not in said.words[max(0, at - 2) : at]:
            yield word, max(1, ordinal_value(said.words[at - 1]) if at else 1)


def other_directions(beside: Comparison) -> list[Finding]:
    """Find B north of A in a sentence, where the claim has A north of B."""
    mine = _direction_of(beside.claim)
    for at, told in enumerate(beside.evidence if mine and beside.subject else ()):
        other = _direction_of(told.said)
        if other is not None and mine is not None and mine[0] == other[0]:
            theirs = other[1] or told.title
            if same_name(beside.subject, theirs) and same_name(mine[1], told.subject):
                return [Finding("roles", at, "of", TURNED)]
    return []


def _direction_of(said: Sentence) -> tuple[str, frozenset[str]] | None:
    """Return a direction and its reference: "north of Norland"; empty for "of it"."""
    for at, word in enumerate(said.words):
        if word in _DIRECTIONS and said.words[at + 1 : at + 2] == ("of",):
            return word, name_behind(said, at + 2)
    return None


def quantifiers(beside: Comparison) -> list[Finding]:
    """Find what the claim says of all or most, and sentences of some alone."""
    claim = beside.claim
    wide = next((word for word in claim.words[: max(2, claim.verb + 2)] if word in _WHOLE), "")
    if not wide or (any(claim.denied) and tuple(claim.cue.split()) not in beside.cues.deny_verbs):
        return []
    for at in beside.carriers:
        said = beside.evidence[at].said
        if "except" in said.words and "except" not in claim.words:
            return [instead("number", at, "except", wide, sure=False)]
        if _WHOLE & set(said.words):
            return []
        some = next((word for word in said.words if word in _SOME), "")
        pairs = set(zip(said.words, said.words[1:], strict=False))
        cue = some or " ".join(min(_OF_SOME & pairs, default=()))
        if cue:
            return [instead("number", at, cue, wide, sure=False)]
    return []
