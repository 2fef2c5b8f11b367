"""Finds who "the director of Low Tide" is, for claims that go on from there."""

from collections.abc import Iterator
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.said import Said
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import name_before, name_behind, same_name
from hippohover.verification.against.grounds import CARRIES, Grounds

_SAYS: Final = 0.8
"""Share of what a claim says of somebody that a sentence holds which says it."""
_NO_ROLES: Final = frozenset(
    ["north", "south", "east", "west", "centre", "center", "edge", "end", "capital"]
)
_FORMER: Final = frozenset(["former", "previous", "late", "old"])
_ENDED: Final = frozenset(["formerly", "until", "once"])
"""Of such there may be several, one after the other."""
_MOVES: Final = frozenset(["from", "to", "into"])
_POSSESSIVES: Final = frozenset(["his", "her", "its", "their"])
_DESCRIPTION: Final = 6
"""Words from "is" to what it is at most."""
_PARTS: Final = frozenset(["of", "on", "in", "from", "to", ",", "("])
_ALIKE: Final = 5
"""Letters with which both words of a root begin: "director", "directed"."""


def wrong_bridges(grounds: Grounds) -> list[Finding]:
    """Find what sentences say of another than they name as the claim's "director of Low Tide"."""
    described = _described(grounds.claim)
    if described is None or any(grounds.claim.denied) or not grounds.alone:
        return []
    noun, of = described
    claim = grounds.claim
    if {"both", "and"} & set(claim.words[: claim.verb]):
        return []  # the rest may be said of another as well
    at = claim.stems.index(noun)
    aside = {*of, *claim.stems[at - 1 : at + 1]}  # "chief executive"
    aside |= {stem for one in claim.quantities for stem in claim.stems_in(one)}
    rest = sorted(claim.held.keys() - aside)
    named = [one for told in grounds.evidence for one in named_as(grounds, told, noun, of)]
    says = [at for at, told in enumerate(grounds.evidence) if _says(grounds, told, rest)]
    if not rest or not named or not says or _is_named(grounds, rest, named, says):
        return []
    names = {stem for stem, one in zip(claim.stems, claim.named, strict=True) if one and stem}
    mine = names & set(rest)
    if mine and any(mine <= told.stems for told in _telling(grounds, noun, of)):
        return []  # it is one of a list, or behind a title: "her brother, Dr. Tim Orr"
    told_ = f"the {claim.words[at]} of it is another"
    return [Finding("object", says[0], claim.words[at], told_, sure=False)]


def _telling(grounds: Grounds, noun: str, of: frozenset[str]) -> Iterator[Told]:
    """Yield sentences that have the noun and are about the name that it is of."""
    for told in grounds.evidence:
        if noun in told.said.held and grounds.share_of(of, told.stems) >= CARRIES:
            yield told


def _says(grounds: Grounds, told: Told, rest: list[str]) -> bool:
    return grounds.share_of(rest, told.stems) >= _SAYS


def _is_named(
    grounds: Grounds, rest: list[str], named: list[frozenset[str]], says: list[int]
) -> bool:
    """Return whether a named one is the claim's name, or is where the rest is said."""
    claim = grounds.claim
    names = {stem for stem, one in zip(claim.stems, claim.named, strict=True) if one and stem}
    if names.issuperset(rest):
        return any(one & set(rest) for one in named)
    return any(
        grounds.share_of(one, grounds.evidence[at].stems) >= CARRIES for one in named for at in says
    )


def _described(claim: Said) -> tuple[str, frozenset[str]] | None:
    """Return noun and name of "the director of Low Tide", "Low Tide's director"; None without one.

    None with several, too.
    """
    counted = {stem for one in claim.quantities for stem in claim.stems_in(one)}
    if _ENDED & set(claim.words):
        return None
    found = [
        (claim.stems[at - 1], name)
        for at, word in enumerate(claim.words)
        if word == "of"
        and at
        and claim.stems[at - 1]
        and not claim.named[at - 1]
        and claim.words[at - 1] not in _NO_ROLES
        and not _FORMER & set(claim.words[max(0, at - 3) : at])
        and claim.stems[at - 1] not in counted
        and (name := _name_at(claim, at + 1))
    ]
    found = found or list(_possessed(claim, counted))
    return found[0] if len(found) == 1 and found[0][0] not in found[0][1] else None


def _possessed(claim: Said, counted: set[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield noun and name of "Low Tide's director"; none where more words are between them."""
    for at in range(1, len(claim.words)):
        owner, noun = claim.spans[at - 1], claim.stems[at]
        owns = claim.text[owner[0] : owner[1]].replace("’", "'").endswith("'s")
        alone = not any(claim.stems[at + 1 : at + 2]) or cues().is_verb(claim.words[at + 1])
        if not (owns and alone and claim.named[at - 1]) or claim.named[at] or not noun:
            continue
        begin = next((n for n in range(at - 1, -1, -1) if not claim.named[n]), -1) + 1
        if noun not in counted:
            yield noun, frozenset(stem for stem in claim.stems[begin:at] if stem)


def _name_at(claim: Said, at: int) -> frozenset[str]:
    run = claim.run_of_name(at)
    return frozenset(claim.stems[one] for one in run if claim.stems[one])


def named_as(
    grounds: Grounds, told: Told, noun: str, of: frozenset[str]
) -> Iterator[frozenset[str]]:
    """Yield names that a sentence gives to the noun of a thing: "directed by Ann Roe"."""
    said = told.said
    if grounds.share_of(of, told.stems) < CARRIES:
        return
    if noun in grounds.cues.makers:
        yield from _makers(grounds, said)
    for at, stem in enumerate(said.stems):
        if not of_one_root(grounds, stem, noun) or said.named[at]:
            continue
        past = said.words[at + 1 : at + 2] == ("by",) or _is_apposed(said, at)
        behind = name_behind(said, at + 2 if past else at + 1)
        before = name_before(said, at)
        if _MOVES & set(said.words[at + 1 : at + 4]):
            behind = frozenset[str]()  # "its office moved from Telk"
        for name in (behind, before, told.subject):
            if name and not same_name(name, of) and not name <= grounds.cues.nationalities:
                yield name
                break


def _is_apposed(said: Said, at: int) -> bool:
    """Return whether a name stands right behind somebody's noun: "its director, Ann Roe,"."""
    begin, stop = said.spans[max(0, at - 1)]
    before = said.text[begin:stop].replace("’", "'")
    owned = said.words[max(0, at - 2) : at]
    return (
        said.words[at + 1 : at + 2] == (",",)
        and any(said.named[at + 2 : at + 3])
        and (before.endswith(("'s", "s'")) or bool(_POSSESSIVES & set(owned)))
    )


def _makers(grounds: Grounds, said: Said) -> Iterator[frozenset[str]]:
    """Yield who made it: "is a novel by Ann Roe", not "is a cycle of poems by Ann Roe"."""
    for at, stem in enumerate(said.stems[:-1]):
        is_it = said.verb < at <= said.verb + _DESCRIPTION and not _PARTS & set(
            said.words[said.verb : at]
        )
        made = is_it and stem in grounds.cues.made_by and said.words[at + 1] == "by"
        if made and (name := name_behind(said, at + 2)):
            yield name


def of_one_root(grounds: Grounds, stem: str, noun: str) -> bool:
    """Return whether a word is the noun, or a verb or another form of its root."""
    if not stem:
        return False
    forms = {stem, *grounds.cues.forms.get(stem, ())}
    return any(
        one == noun or (one[:_ALIKE] == noun[:_ALIKE] and len(one) >= _ALIKE) for one in forms
    )
