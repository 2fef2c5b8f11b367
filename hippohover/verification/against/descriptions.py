"""Finds who "the director of Low Tide" is, and puts the name in the place of the description.

Only where the evidence names one for it: then what speaks against the claim in that name counts.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from hippohover.language.cues import cues
from hippohover.language.sentence import Sentence
from hippohover.verification.against.comparison import CARRIES, Comparison
from hippohover.verification.against.findings import EvidenceSentence, Finding
from hippohover.verification.against.frames import name_before, name_behind, same_name

_FORMER: Final = frozenset(["former", "previous", "late", "old", "first", "second", "last"])
_WORDS: Final = 3
"""Words of the noun of a description at most: "the chief executive"."""
_SAYS: Final = 0.8
"""Share of what a claim says of somebody that a sentence holds which says it."""
_NO_ROLES: Final = frozenset(
    ["north", "south", "east", "west", "centre", "center", "edge", "end", "capital"]
)
_ENDED: Final = frozenset(["formerly", "until", "once"])
"""Of such there may be several, one after the other."""
_MOVES: Final = frozenset(["from", "to", "into"])
_DESCRIPTION: Final = 6
"""Words from "is" to what it is at most."""
_PARTS: Final = frozenset(["of", "on", "in", "from", "to", ",", "("])
_ALIKE: Final = 5
"""Letters with which both words of a root begin: "director", "directed"."""


class Description(NamedTuple):
    """A description by a name, "the director of Low Tide": its places, its noun, the name."""

    start: int
    stop: int
    noun: str
    of: frozenset[str]


def named(beside: Comparison) -> tuple[Description, frozenset[str], int] | None:
    """Return a claim's description, the stems of the one it is, and the sentence; or None."""
    for one in _descriptions(beside.claim):
        if one.noun in beside.cues.kin:
            continue  # whose brother somebody is, a name beside the word does not tell
        found = [
            (name, at)
            for at, told in enumerate(beside.evidence)
            for name in named_as(beside, told, one.noun, one.of)
        ]
        found = [pair for pair in found if _has_word(beside, pair[1], one)] or found
        first = max(found, key=lambda pair: len(pair[0]), default=None)
        held = beside.claim.held.keys() - one.of
        if first is None or not all(same_name(first[0], name) for name, _ in found):
            continue
        if not first[0] & held and not is_listed(beside.evidence[first[1]].said, first[0]):
            return one, *first
    return None


def _has_word(beside: Comparison, at: int, one: Description) -> bool:
    """Return whether a sentence has the noun itself: of an engineer, not of an engine."""
    words = beside.claim.words[one.start : one.stop]
    stems = beside.claim.stems[one.start : one.stop]
    nouns = {word for word, stem in zip(words, stems, strict=True) if stem and stem == one.noun}
    return bool(nouns & set(beside.evidence[at].said.words))


def is_listed(said: Sentence, name: frozenset[str]) -> bool:
    """Return whether a sentence names others beside it: "directed by Ann Venn and Tim Orr"."""
    last = max((at for at, stem in enumerate(said.stems) if stem in name), default=-2)
    behind, then = said.words[last + 1 : last + 2], last + 2
    then += said.words[then : then + 1] == ("and",)
    return behind in {("and",), (",",)} and any(said.named[then : then + 1])


def _descriptions(claim: Sentence) -> Iterator[Description]:
    """Yield "the director of Low Tide", "Low Tide's director"."""
    for noun, run in _possessions(claim):
        of = _stems(claim, run)
        if run[0] < noun:
            yield Description(run[0], noun + 1, claim.stems[noun], of)
        elif (start := _start(claim, noun + 1)) >= 0:
            yield Description(start, run[-1] + 1, claim.stems[noun], of)


def _possessions(claim: Sentence) -> Iterator[tuple[int, list[int]]]:
    """Yield places of a noun and of its name: "director of Low Tide", "Low Tide's director"."""
    for at, word in enumerate(claim.words):
        if word == "of" and at and claim.stems[at - 1] and not claim.named[at - 1]:
            if run := claim.run_of_name(at + 1):
                yield at - 1, run
        elif at and claim.named[at - 1] and not claim.named[at] and claim.stems[at]:
            begin, stop = claim.spans[at - 1]
            owns = claim.text[begin:stop].replace("’", "'").endswith(("'s", "s'"))
            ends = not any(claim.stems[at + 1 : at + 2]) or cues().is_verb(claim.words[at + 1])
            if owns and ends:
                start = next((n for n in range(at - 1, -1, -1) if not claim.named[n]), -1) + 1
                yield at, list(range(start, at))


def _start(claim: Sentence, at: int) -> int:
    """Return the place of the article of the noun before a place; -1 without such a noun."""
    if not at or not claim.stems[at - 1] or claim.named[at - 1]:
        return -1
    for place in range(at - 2, max(-1, at - 2 - _WORDS), -1):
        if claim.words[place] == "the":
            return -1 if _FORMER & set(claim.words[place:at]) else place
        if not claim.stems[place] or claim.named[place]:
            return -1
    return -1


def _stems(claim: Sentence, run: list[int]) -> frozenset[str]:
    return frozenset(claim.stems[at] for at in run if claim.stems[at])


def wrong_bridges(beside: Comparison) -> list[Finding]:
    """Find what sentences say of another than they name as the claim's "director of Low Tide"."""
    described = _described(beside.claim)
    if described is None or any(beside.claim.denied) or not beside.alone:
        return []
    noun, of = described
    claim = beside.claim
    if {"both", "and"} & set(claim.words[: claim.verb]):
        return []  # the rest may be said of another as well
    at = claim.stems.index(noun)
    aside = {*of, *claim.stems[at - 1 : at + 1]}  # "chief executive"
    aside |= {stem for one in claim.quantities for stem in claim.stems_in(one)}
    rest = sorted(claim.held.keys() - aside)
    named = [one for told in beside.evidence for one in named_as(beside, told, noun, of)]
    says = [
        at for at, told in enumerate(beside.evidence) if beside.share_of(rest, told.stems) >= _SAYS
    ]
    if not rest or not named or not says or _is_named(beside, rest, named, says):
        return []
    names = {stem for stem, one in zip(claim.stems, claim.named, strict=True) if one and stem}
    mine = names & set(rest)
    if mine and any(mine <= told.stems for told in _telling(beside, noun, of)):
        return []  # it is one of a list, or behind a title: "her brother, Dr. Tim Orr"
    told_ = f"the evidence names another {claim.words[at]}"
    return [Finding("object", says[0], claim.words[at], told_, sure=False)]


def _described(claim: Sentence) -> tuple[str, frozenset[str]] | None:
    """Return noun and name of "the director of Low Tide", "Low Tide's director"; None without one.

    None with several, too, and where the noun may have had several holders one after the other.
    """
    if _ENDED & set(claim.words):
        return None
    counted = {stem for one in claim.quantities for stem in claim.stems_in(one)}
    found = [
        (claim.stems[noun], _stems(claim, run), run[0] > noun)
        for noun, run in _possessions(claim)
        if claim.words[noun] not in _NO_ROLES
        and claim.stems[noun] not in counted
        and not _FORMER & set(claim.words[max(0, noun - 2) : noun + 1])
    ]
    found = [one for one in found if one[2]] or found
    return found[0][:2] if len(found) == 1 and found[0][0] not in found[0][1] else None


def _telling(beside: Comparison, noun: str, of: frozenset[str]) -> Iterator[EvidenceSentence]:
    """Yield sentences that have the noun and are about the name that it is of."""
    for told in beside.evidence:
        if noun in told.said.held and beside.share_of(of, told.stems) >= CARRIES:
            yield told


def _is_named(
    beside: Comparison, rest: list[str], named: list[frozenset[str]], says: list[int]
) -> bool:
    """Return whether a named one is the claim's name, or is where the rest is said."""
    claim = beside.claim
    names = {stem for stem, one in zip(claim.stems, claim.named, strict=True) if one and stem}
    if names.issuperset(rest):
        return any(one & set(rest) for one in named)
    return any(
        beside.share_of(one, beside.evidence[at].stems) >= CARRIES for one in named for at in says
    )


def named_as(
    beside: Comparison, told: EvidenceSentence, noun: str, of: frozenset[str]
) -> Iterator[frozenset[str]]:
    """Yield names that a sentence gives to the noun of a thing: "directed by Ann Roe"."""
    said = told.said
    if beside.share_of(of, told.stems) < CARRIES:
        return
    if noun in beside.cues.makers:
        yield from _makers(beside, said)
    for at, stem in enumerate(said.stems):
        if not of_one_root(beside, stem, noun) or said.named[at]:
            continue
        by = said.words[at + 1 : at + 2] == ("by",)
        behind = name_behind(said, at + 2 if by else at + 1)
        before = name_before(said, at)
        if _MOVES & set(said.words[at + 1 : at + 4]):
            behind = frozenset[str]()  # "its office moved from Telk"
        for name in (behind, before, told.subject):
            if name and not same_name(name, of) and not name <= beside.cues.nationalities:
                yield name
                break


def _makers(beside: Comparison, said: Sentence) -> Iterator[frozenset[str]]:
    """Yield who made it: "is a novel by Ann Roe", not "is a cycle of poems by Ann Roe"."""
    for at, stem in enumerate(said.stems[:-1]):
        is_it = said.verb < at <= said.verb + _DESCRIPTION and not _PARTS & set(
            said.words[said.verb : at]
        )
        made = is_it and stem in beside.cues.made_by and said.words[at + 1] == "by"
        if made and (name := name_behind(said, at + 2)):
            yield name


def of_one_root(beside: Comparison, stem: str, noun: str) -> bool:
    """Return whether a word is the noun, or a verb or another form of its root."""
    if not stem:
        return False
    forms = {stem, *beside.cues.forms.get(stem, ())}
    return any(
        one == noun or (one[:_ALIKE] == noun[:_ALIKE] and len(one) >= _ALIKE) for one in forms
    )
