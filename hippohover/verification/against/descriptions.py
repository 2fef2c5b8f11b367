"""Finds who "the director of Low Tide" is, and puts the name in the place of the description.

Only where the evidence names one for it: then what speaks against the claim in that name counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.said import FORMS_OF_BE, MARKS, Said
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import frames_of, name_before, name_behind, same_name
from hippohover.verification.against.grounds import CARRIES, Grounds

_RELATIVES: Final = frozenset(["who", "which", "that"])
_FORMER: Final = frozenset(["former", "previous", "late", "old", "first", "second", "last"])
_IN: Final = frozenset(["in", "at"])
_TIMES: Final = frozenset(["year", "month", "day", "decade", "century", "season", "time", "way"])
"""Nouns before "in which" that no place has."""
_PLACE: Final = 6
"""Words from a verb to the place at most: "born on 4 May 1968 in"."""
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
_ARTICLES: Final = frozenset(["the", "a", "an"])
_PLACES: Final = frozenset(["in", "at", "near", "of"])

Relation = tuple[frozenset[str], str, frozenset[str]]
_OWNERS: Final = frozenset(["his", "her", "its", "their"])
_ROLE: Final = 5
_FACTORS: Final = {"half": "twice", "twice": "half"}


@dataclass(frozen=True, slots=True)
class Description:
    """A description of a thing by a name.

    Attributes
    ----------
    start, stop : int
        Places of its words.
    verb, noun : str
        Stem of what the name is to it: "the director of Low Tide", "the man who taught Ann Roe".
    of : frozenset of str
        Stems of the name.
    where : bool
        Whether it is the place of the verb: "the town where Ann Roe was born".
    """

    start: int
    stop: int
    noun: str
    verb: str
    of: frozenset[str]
    where: bool = False


def named(grounds: Grounds) -> tuple[Description, frozenset[str], int] | None:
    """Return a claim's description, the stems of the one it is, and the sentence; or None."""
    for one in _descriptions(grounds.claim):
        found = [
            (name, at) for at in range(len(grounds.evidence)) for name in _names(grounds, at, one)
        ]
        found = [pair for pair in found if _has_word(grounds, pair[1], one)] or found
        first = max(found, key=lambda pair: len(pair[0]), default=None)
        held = grounds.claim.held.keys() - one.of
        if first is None or not all(same_name(first[0], name) for name, _ in found):
            continue
        if not first[0] & held and not is_listed(grounds.evidence[first[1]].said, first[0]):
            return one, *first
    return None


def _has_word(grounds: Grounds, at: int, one: Description) -> bool:
    """Return whether a sentence has the noun itself: of an engineer, not of an engine."""
    words = grounds.claim.words[one.start : one.stop]
    stems = grounds.claim.stems[one.start : one.stop]
    nouns = {word for word, stem in zip(words, stems, strict=True) if stem and stem == one.noun}
    return bool(nouns & set(grounds.evidence[at].said.words))


def _names(grounds: Grounds, at: int, one: Description) -> Iterator[frozenset[str]]:
    """Yield names that a sentence gives to what is described."""
    told, known = grounds.evidence[at], grounds.cues
    if one.where:
        yield from _where(grounds, at, one.verb, one.of)
        return
    if one.noun not in known.kin:
        yield from (
            named_as(grounds, told, one.noun, one.of)
            if one.noun
            else who_did(grounds, at, one.verb, one.of)
        )
        return
    kin = known.kin[one.noun]
    for holder, noun, of in () if any(told.said.denied) else kin_relations(told):
        theirs = known.kin.get(noun, "")
        if theirs == kin and same_name(of, one.of):
            yield holder
        elif kin in known.converse.get(theirs, ()) and same_name(holder, one.of):
            yield of


def who_did(grounds: Grounds, at: int, verb: str, of: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield who a sentence says did something to the name: "He taught Ann Roe"."""
    told = grounds.evidence[at]
    for stem in (verb, *sorted(grounds.cues.forms.get(verb, ()))):
        for frame in frames_of(told.said, stem, (told.subject,)):
            if told.said.denied[frame.at] or told.said.hedged[frame.at]:
                continue
            agent, patient = frame.agent_and_patient if frame.first else (frame.second, of)
            if frame.first and same_name(patient, of) and agent and not same_name(agent, of):
                yield agent


def _where(grounds: Grounds, at: int, verb: str, of: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield where a sentence says that the name did something: "She was born in Telk"."""
    told = grounds.evidence[at]
    said, forms = told.said, {verb, *grounds.cues.forms.get(verb, ())}
    mine = grounds.share_of(of, told.subject) >= CARRIES and not told.owned
    for place in range(len(said.words)) if mine and not any(said.denied) else ():
        behind = range(place + 1, min(place + 1 + _PLACE, len(said.words)))
        stop = next((n for n in behind if said.words[n] in MARKS), behind.stop)
        runs = [said.run_of_name(n + 1) for n in behind if n < stop and said.words[n] in _IN]
        if said.stems[place] in forms and any(runs):
            yield _stems(said, next(run for run in runs if run))


def is_listed(said: Said, name: frozenset[str]) -> bool:
    """Return whether a sentence names others beside it: "directed by Ann Venn and Tim Orr"."""
    last = max((at for at, stem in enumerate(said.stems) if stem in name), default=-2)
    behind, then = said.words[last + 1 : last + 2], last + 2
    then += said.words[then : then + 1] == ("and",)
    return behind in {("and",), (",",)} and any(said.named[then : then + 1])


def _descriptions(claim: Said) -> Iterator[Description]:
    """Yield "the director of Low Tide", "Low Tide's director", "the man who taught Ann Roe"."""
    for noun, run in _possessions(claim):
        of = _stems(claim, run)
        if run[0] < noun:
            yield Description(run[0], noun + 1, claim.stems[noun], "", of)
        elif (start := _start(claim, noun + 1)) >= 0:
            yield Description(start, run[-1] + 1, claim.stems[noun], "", of)
    for at, word in enumerate(claim.words):
        if word == "where" or claim.words[at - 1 : at + 1] == ("in", "which"):
            yield from _by_place(claim, _start(claim, at - (word == "which")), at + 1)
        elif word in _RELATIVES and (start := _start(claim, at)) >= 0:
            yield from _by_deed(claim, start, at + 1)


def _possessions(claim: Said) -> Iterator[tuple[int, list[int]]]:
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


def _by_deed(claim: Said, start: int, verb: int) -> Iterator[Description]:
    """Yield a description by a relative clause of a verb and a name, behind which a verb is."""
    of = name_behind(claim, verb + 1)
    if verb >= len(claim.words) or not claim.stems[verb] or not of or claim.named[verb]:
        return
    stop = next(n for n in range(verb + 1, len(claim.words)) if claim.named[n])
    while stop < len(claim.words) and claim.named[stop]:
        stop += 1
    if claim.words[stop : stop + 1] and cues().is_verb(claim.words[stop]):
        yield Description(start, stop, "", claim.stems[verb], of)


def _by_place(claim: Said, start: int, behind: int) -> Iterator[Description]:
    """Yield a description by what a name did in a place: "the town where Ann Roe was born"."""
    run = claim.run_of_name(behind)
    if start < 0 or not run or _TIMES & set(claim.words[start:behind]):
        return
    verb = run[-1] + 1
    while claim.words[verb : verb + 1] and claim.words[verb] in FORMS_OF_BE:
        verb += 1
    then = claim.words[verb + 1 : verb + 2]
    if then and claim.stems[verb] and cues().is_verb(then[0]):
        yield Description(start, verb + 1, "", claim.stems[verb], _stems(claim, run), where=True)


def _start(claim: Said, at: int) -> int:
    """Return the place of the article of the noun before a place; -1 without such a noun."""
    if not at or not claim.stems[at - 1] or claim.named[at - 1]:
        return -1
    for place in range(at - 2, max(-1, at - 2 - _WORDS), -1):
        if claim.words[place] == "the":
            return -1 if _FORMER & set(claim.words[place:at]) else place
        if not claim.stems[place] or claim.named[place]:
            return -1
    return -1


def _stems(claim: Said, run: list[int]) -> frozenset[str]:
    return frozenset(claim.stems[at] for at in run if claim.stems[at])


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


def _described(claim: Said) -> tuple[str, frozenset[str]] | None:
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
        by = said.words[at + 1 : at + 2] == ("by",)
        behind = name_behind(said, at + 2 if by else at + 1)
        before = name_before(said, at)
        if _MOVES & set(said.words[at + 1 : at + 4]):
            behind = frozenset[str]()  # "its office moved from Telk"
        for name in (behind, before, told.subject):
            if name and not same_name(name, of) and not name <= grounds.cues.nationalities:
                yield name
                break


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


def kin_relations(told: Told) -> Iterator[Relation]:
    """Yield who is what of whom; also by a description: "Ann Roe, the niece of Tim Orr"."""
    said = told.said
    yield from relations_of(said, told.subject, told.title)
    for at in range(1, len(said.words) - 1):
        if said.words[at] != "," or said.words[at + 1] not in _ARTICLES:
            continue
        begin = next((n for n in range(at - 1, -1, -1) if not said.named[n]), -1)
        near = name_before(said, at) if said.named[at - 1] else frozenset[str]()
        placed = begin >= 0 and said.words[begin] in _PLACES
        for noun, of in roles_behind(said, at):
            if holder := (near if near and not placed else told.subject):
                yield holder, noun, of


def relations_of(
    said: Said, subject: frozenset[str], title: frozenset[str]
) -> Iterator[tuple[frozenset[str], str, frozenset[str]]]:
    """Yield who is what of whom: "Ann Roe was the teacher of Tim", "Ann Roe was her teacher"."""
    for at, word in enumerate(said.words):
        if word not in FORMS_OF_BE:
            continue
        own = said.words[at + 1 : at + 2]
        roles = list(roles_behind(said, at))
        if roles:
            holder = subject if at == said.verb else name_before(said, at)
            yield from ((holder, noun, whose) for noun, whose in roles if holder)
        elif own and own[0] in _OWNERS and title:
            nouns = [stem for stem in said.stems[at + 2 : at + 2 + _ROLE] if stem]
            if nouns and (holder := name_before(said, at)):
                yield holder, nouns[0], title


def roles_behind(said: Said, at: int) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what and of whom behind "is": "the aunt of Kim and the teacher of Tim"."""
    while True:
        behind = range(at + 1, min(at + 1 + _ROLE, len(said.words)))
        of = next((n for n in behind if said.words[n] == "of"), -1)
        if of < 0 or not said.stems[of - 1] or said.named[of - 1]:
            return
        run = said.run_of_name(of + 1)
        if whose := name_behind(said, of + 1):
            factor = next((w for w in said.words[at + 1 : of] if w in _FACTORS), "")
            yield f"{factor} {said.stems[of - 1]}".strip(), whose
        at = run[-1] + 1 if run else len(said.words)
        if said.words[at : at + 1] != ("and",):
            return
