"""Another name where a claim has one: of a relation with one value, a country, a capital."""

from collections.abc import Collection, Sequence
from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.frames import frames_of, name_before, name_behind, same_name
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.clauses import Said

_LISTED: Final = 16
"""Words behind a relation among which a second value may stand: "directed by A, B and C"."""


def other_values(grounds: Grounds) -> list[Finding]:
    """Another name behind a relation that has one value: "born in", "directed by"."""
    capital = _other_capital(grounds)
    for at, stem in () if capital else enumerate(grounds.claim.stems):
        wanted = _value(grounds, grounds.claim, at)
        if wanted:
            places = grounds.about if grounds.subject else range(len(grounds.evidence))
            found = _other_value(grounds, stem, wanted, places, grounds.claim.held.keys())
            return [] if found is None else [found]
    return [*capital, *_other_agent(grounds)]


def _other_agent(grounds: Grounds) -> list[Finding]:
    """ "Ann Lee directed Low Tide" where Low Tide was directed by another."""
    frame = grounds.frame
    if frame is None or frame.passive or not frame.second:
        return []
    stem = grounds.claim.stems[frame.at]
    if "by" not in grounds.cues.one_valued.get(stem, ()):
        return []
    told_of = [
        at
        for at, told in enumerate(grounds.evidence)
        if _is_named(grounds, frame.second, told.subject)
    ]
    said_of_it = (frames_of(told.said, stem, (told.subject,)) for told in grounds.evidence)
    if any(one.has(grounds.subject, frame.second) for frames in said_of_it for one in frames):
        return []
    found = _other_value(grounds, stem, grounds.subject, told_of, grounds.subject)
    return [] if found is None else [found]


def _is_named(grounds: Grounds, name: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a sentence's subject is what a name says, and not a longer one or another."""
    return name <= other and grounds.share_of(other, name) >= CARRIES


def _other_capital(grounds: Grounds) -> list[Finding]:
    """Another capital of the same country: "X is the capital of Y", "Y's capital is X"."""
    mine = _capital_in(grounds.claim, frozenset())
    if mine is None or {"was", "until", "former"} & set(grounds.claim.words):
        return []
    found = [(at, _capital_in(told.said, told.title)) for at, told in enumerate(grounds.evidence)]
    others = [(at, one[0]) for at, one in found if one is not None and same_name(mine[1], one[1])]
    if any(same_name(mine[0], city) for _, city in others):
        return []
    for at, city in others:
        told = f"“{' '.join(sorted(city))}” is the capital"
        return [Finding("object", at, "capital", told)]
    return []


def other_nationality(grounds: Grounds) -> list[Finding]:
    """Another country in what a sentence says the same subject is."""
    mine = grounds.claim.nationality
    if not grounds.subject or not mine:
        return []
    kin = frozenset[str]().union(mine, *(one for one in grounds.cues.together if one & mine))
    words = {word for at in grounds.about for word in grounds.evidence[at].said.words}
    for at in () if kin & words else grounds.about:
        other = grounds.evidence[at].said.nationality
        if other:
            told = f"“{' '.join(sorted(other))}”, not “{' '.join(sorted(mine))}”"
            return [Finding("object", at, min(other), told)]
    return []


def said_of_another(grounds: Grounds) -> list[Finding]:
    """All that the claim says, of one who shares the name: "His sister Eva Lund was"."""
    if not grounds.subject or not grounds.content or grounds.carriers:
        return []
    for at, told in enumerate(grounds.evidence):
        own = told.said.held.keys()
        kin = grounds.is_another(at) and bool(grounds.subject & told.subject)
        if kin and not grounds.subject <= own and grounds.share_of(grounds.content, own) >= 1.0:
            name = " ".join(sorted(told.subject))
            return [Finding("object", at, name, "it is said of another", sure=False)]
    return []


def _other_value(
    grounds: Grounds,
    stem: str,
    wanted: frozenset[str],
    places: Sequence[int],
    held: Collection[str],
) -> Finding | None:
    """Another value in some sentences, none of which has the claim's."""
    against: Finding | None = None
    for number in places:
        said = grounds.evidence[number].said
        values = [
            (at, _value(grounds, said, at)) for at, one in enumerate(said.stems) if one == stem
        ]
        for place, value in values:
            if not value:
                continue
            behind = {one for one in said.stems[place : place + _LISTED] if one}
            if value & set(held) or grounds.share_of(wanted, behind) >= CARRIES:
                return None
            if against is None:
                cue = " ".join(said.words[place : place + 8])
                sure = bool(grounds.subject) or grounds.share(number) >= CARRIES
                against = Finding("object", number, cue, f"“{cue} …”", sure=sure)
    return against


def _value(grounds: Grounds, said: Said, at: int) -> frozenset[str]:
    """Stems of the name that is the value of the relation at a word; empty where none is."""
    prepositions = grounds.cues.one_valued.get(said.stems[at])
    if not prepositions or said.named[at]:
        return frozenset()
    dates = {place for one in said.quantities for place in said.places_in(one)}
    for place in range(at + 1, min(at + 9, len(said.words))):
        if said.words[place] not in prepositions:
            continue
        after = place + 1
        name = [one for one in said.run_of_name(after) if one not in dates]
        if name:
            return frozenset(said.stems[one] for one in name if said.stems[one])
    return frozenset()


def _capital_in(said: Said, title: frozenset[str]) -> tuple[frozenset[str], frozenset[str]] | None:
    """A capital and its country, in either form; None where a sentence names none.

    "Its capital" is the title's.
    """
    words = said.words
    for at, word in enumerate(words):
        if word != "capital" or {"former", "old", "until"} & set(words[max(0, at - 2) : at]):
            continue
        behind = at + 2 if words[at + 1 : at + 2] == ("city",) else at + 1
        if words[behind : behind + 1] == ("of",):
            country = name_behind(said, behind + 1)
            before = name_before(said, at)
            city = before or name_behind(said, behind + 1 + len(country) + 1)
            city = city or (title if words[0] in {"it", "this"} else frozenset())
        else:
            country = name_before(said, at) if at and words[at - 1] != "its" else title
            country = country or title
            city = name_behind(said, behind)
        if country and city and country != city:
            return city, country
    return None
