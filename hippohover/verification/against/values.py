"""Another name where a claim has one: of a relation with one value, a country, a capital."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import frames_of, name_before, name_behind, same_name
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.said import Said

_COPULAS: Final = frozenset({("is",), ("are",), ("was",)})
_HOLDER_ENDS: Final = frozenset([",", ";", ":", ".", "and", "but", "while", "whose", "which"])
_CLAUSE_ENDS: Final = frozenset([";", "who", "which", "whose", "while", "but"])
_ROLE: Final = 4
"""Words of what somebody or something is at most: "second largest city"."""
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
    return [*capital, *_other_agent(grounds), *_other_holder(grounds), *_of_an_apposition(grounds)]


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
    [*mine] = _capitals_in(grounds.claim, frozenset())
    if len(mine) != 1 or {"was", "until", "former"} & set(grounds.claim.words):
        return []
    city, country = mine[0]
    others = [
        (at, one)
        for at, told in enumerate(grounds.evidence)
        for one, of in _capitals_in(told.said, told.title)
        if same_name(country, of)
    ]
    if any(same_name(city, one) for _, one in others):
        return []
    for at, one in others:
        told = f"“{grounds.evidence[at].said.written(one)}” is the capital"
        return [Finding("object", at, "capital", told)]
    return []


def _other_holder(grounds: Grounds) -> list[Finding]:
    """Another name where the claim has one: "the mayor of Norland is Ann Lee", "its mayor is"."""
    mine = _holder_in(grounds.claim, grounds.claim.verb)
    if mine is None:
        return []
    role, name = mine
    of = grounds.claim.subject
    against: Finding | None = None
    for at, told in enumerate(grounds.evidence):
        about = of <= told.stems if of else at in grounds.about
        found = (_holder_in(told.said, place) for place in range(len(told.said.words)))
        for one in found if about else ():
            if one is None or not role <= one[0] | told.title | told.said.subject:
                continue
            if same_name(name, one[1]):
                return []
            told_ = f"“{told.said.written(one[1])}”, not “{grounds.claim.written(name)}”"
            sure = of <= told.title
            cue = told.said.written(role)
            against = against or Finding("object", at, cue, told_, sure=sure)
    return [] if against is None else [against]


def _holder_in(said: Said, at: int) -> tuple[frozenset[str], frozenset[str]] | None:
    """What is said before "is" or "was", names aside, and the name behind it; or None."""
    if said.words[at : at + 1] not in _COPULAS or not any(said.named[at + 1 : at + 2]):
        return None
    name = frozenset(said.stems[one] for one in said.run_of_name(at + 1) if said.stems[one])
    begin = max((n for n in range(at) if said.words[n] in _HOLDER_ENDS), default=-1) + 1
    role = [said.stems[n] for n in range(begin, at) if said.stems[n] and not said.named[n]]
    return (frozenset(role), name) if name and 0 < len(role) <= _ROLE else None


def _of_an_apposition(grounds: Grounds) -> list[Finding]:
    """What is said of a noun right before it: "its rival was Tab, produced by Norland Foods"."""
    frame = grounds.frame
    if frame is None or not frame.passive:
        return []
    stem = grounds.claim.stems[frame.at]
    found: Finding | None = None
    for at, told in enumerate(grounds.evidence):
        for one in frames_of(told.said, stem, ()):
            if not (one.passive and same_name(frame.second, one.second)):
                continue
            before = _name_touching(told.said, one.at)
            if not before or same_name(grounds.subject, before):
                return []
            name = told.said.written(before)
            found = found or Finding("object", at, name, f"it is said of “{name}”", sure=False)
    return [] if found is None else [found]


def _name_touching(said: Said, at: int) -> frozenset[str]:
    """Stems of a name that a comma alone parts from a place."""
    if said.words[at - 1 : at] != (",",) or at < 2 or not said.named[at - 2]:
        return frozenset()
    return name_before(said, at - 1)


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
    """All that the claim says, of another alone: of one who shares the name, or of any other.

    "His sister Eva Lund was". Of two that the claim names, neither says all of it.
    """
    claim = grounds.claim
    several = {"and", "both", "or", "nor"} & set(claim.words[: claim.verb])
    if not grounds.subject or not grounds.content or grounds.carriers or several:
        return []
    if not grounds.alone or any(claim.denied):
        return []
    if any(_is_agent(grounds, told) for told in grounds.evidence):
        return []
    for at, told in enumerate(grounds.evidence):
        held = told.said.held
        kin = grounds.is_another(at) and bool(grounds.subject & told.subject)
        other = kin and not grounds.subject <= held.keys()
        other = other or not grounds.subject & told.stems
        if other and any(held.get(stem) == (False, True) for stem in grounds.content):
            continue
        own = (grounds.stems[at] - told.title) | held.keys()
        wanted = grounds.content
        if _is_behind(grounds, at):
            wanted = [stem for stem in wanted if stem not in told.title]
            own |= told.title
            other = len(wanted) > 1
        if other and grounds.share_of(wanted, own) >= 1.0:
            name = told.said.written(told.subject)
            return [Finding("object", at, name, "it is said of another", sure=False)]
    return []


def _is_agent(grounds: Grounds, told: Told) -> bool:
    """Whether a sentence has the claim's predicate, done by its subject: "was kept by Ann Roe"."""
    frames = frames_of(told.said, grounds.predicate, ()) if grounds.predicate else []
    return any(one.passive and same_name(grounds.subject, one.second) for one in frames)


def _is_behind(grounds: Grounds, at: int) -> bool:
    """Whether a sentence has the claim's subject behind the verb alone, and another before it."""
    said, told = grounds.evidence[at].said, grounds.evidence[at]
    verbs = {grounds.predicate, *grounds.cues.forms.get(grounds.predicate, ())}
    verb = next((n for n, stem in enumerate(said.stems) if stem in verbs), -1)
    places = [n for n, stem in enumerate(said.stems) if stem in grounds.subject]
    behind = verb > 0 and bool(places) and min(places) > verb
    if not grounds.has_verb or grounds.cues.symmetric & set(grounds.claim.words):
        return False
    if not behind or grounds.claim.passive or grounds.subject & told.title:
        return False
    by = "by" in said.words[verb : min(places)]
    before = name_before(said, verb)
    return grounds.is_another(at) and not by and bool(before) and not before & grounds.subject


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
            behind = set(_listed_behind(said, place))
            if value & set(held) or grounds.share_of(wanted, behind) >= CARRIES:
                return None
            if against is None:
                cue = " ".join(said.words[place : place + 8])
                sure = bool(grounds.subject) or grounds.share(number) >= CARRIES
                against = Finding("object", number, cue, f"“{cue} …”", sure=sure)
    return against


def _listed_behind(said: Said, at: int) -> Iterator[str]:
    """Stems behind a word, as far as its clause goes."""
    for place in range(at, min(at + _LISTED, len(said.words))):
        if said.words[place] in _CLAUSE_ENDS:
            return
        if said.stems[place]:
            yield said.stems[place]


def _value(grounds: Grounds, said: Said, at: int) -> frozenset[str]:
    """Stems of the name that is the value of the relation at a word; empty where none is."""
    if said.stems[at] in grounds.cues.made_by and said.words[at + 1 : at + 2] == ("by",):
        return frozenset(said.stems[one] for one in said.run_of_name(at + 2) if said.stems[one])
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


def _capitals_in(
    said: Said, title: frozenset[str]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Capitals and their countries, in either form. "Its capital" is the title's."""
    for at, word in enumerate(said.words):
        former = {"former", "old", "until"} & set(said.words[max(0, at - 2) : at])
        if word == "capital" and not former:
            city, country = _capital_at(said, at, title)
            if country and city and country != city:
                yield city, country


def _capital_at(
    said: Said, at: int, title: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """The capital and the country that stand around the word; empty where none does."""
    words = said.words
    behind = at + 2 if words[at + 1 : at + 2] == ("city",) else at + 1
    if words[behind : behind + 1] == ("of",):
        country = name_behind(said, behind + 1)
        before = name_before(said, at)
        city = before or name_behind(said, behind + 1 + len(country) + 1)
        return city or (title if words[0] in {"it", "this"} else frozenset()), country
    country = name_before(said, at) if at and words[at - 1] != "its" else title
    places = range(behind, min(behind + _LISTED // 2, len(words)))
    copula = next((n for n in places if words[n : n + 1] in _COPULAS), behind)
    return name_behind(said, copula), country or title
