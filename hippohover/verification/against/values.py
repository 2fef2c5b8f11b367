"""Another name in the place of a claim's: of a relation with one value, country or capital."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.sentence import MARKS, Sentence, is_described_by
from hippohover.verification.against.comparison import CARRIES, Comparison
from hippohover.verification.against.findings import Finding, instead
from hippohover.verification.against.frames import frames_of, name_before, name_behind, same_name

_COPULAS: Final = frozenset({("is",), ("are",), ("was",)})
_TIMED: Final = frozenset(["until", "since", "before", "after", "afterwards", "then", "formerly"])
_HOLDER_ENDS: Final = frozenset([",", ";", ":", ".", "and", "but", "while", "whose", "which"])
_CLAUSE_ENDS: Final = frozenset([";", "who", "which", "whose", "while", "but"])
_ARTICLES: Final = word_list("determiners")
_BESIDE: Final = frozenset(["next", "close"])
_ROLE: Final = 4
"""Words of what somebody or something is at most: "second largest city"."""
_PREPOSITION: Final = 9
"""Words from a relation's word to its preposition: "born on 3 May 1960 in"."""
_LANDS: Final = word_list("lands")
_LISTED: Final = 16
"""Words behind a relation among which a second value may stand: "directed by A, B and C"."""


def other_values(beside: Comparison) -> list[Finding]:
    """Find another name after a relation that has one value: "born in", "directed by"."""
    capital = _other_capital(beside)
    for at, stem in () if capital else enumerate(beside.claim.stems):
        wanted = _value(beside, beside.claim, at)
        if wanted:
            places = beside.about if beside.subject else _of_its_names(beside, stem)
            found = _other_value(beside, stem, wanted, places, beside.claim.held.keys())
            return [] if found is None else [found]
    return [*capital, *_other_agent(beside), *_other_holder(beside)]


def _of_its_names(beside: Comparison, stem: str) -> Sequence[int]:
    """Return places of sentences with the names before the claim's verb and a value.

    All where there is none: the mayor of Norland's capital is named in another passage.
    """
    names = beside.claim.subject
    found = [
        at
        for at, told in enumerate(beside.evidence)
        if names and names <= told.stems
        for place, one in enumerate(told.said.stems)
        if one == stem and _value(beside, told.said, place)
    ]
    return found or range(len(beside.evidence))


def _other_agent(beside: Comparison) -> list[Finding]:
    """Find "Ann Lee directed Low Tide" where another one directed Low Tide."""
    frame = beside.frame
    if frame is None or frame.passive or not frame.second:
        return []
    stem = beside.claim.stems[frame.at]
    if "by" not in beside.cues.one_valued.get(stem, ()):
        return []
    told_of = [
        at
        for at, told in enumerate(beside.evidence)
        if frame.second <= told.subject  # exactly this name, not a longer one or another
        and beside.share_of(told.subject, frame.second) >= CARRIES
    ]
    said_of_it = (frames_of(told.said, stem, (told.subject,)) for told in beside.evidence)
    if any(one.has(beside.subject, frame.second) for frames in said_of_it for one in frames):
        return []
    found = _other_value(beside, stem, beside.subject, told_of, beside.subject)
    return [] if found is None else [found]


def _other_capital(beside: Comparison) -> list[Finding]:
    """Find another capital of the same country: "X is the capital of Y", "Y's capital is X"."""
    [*mine] = _capitals_in(beside.claim, frozenset())
    if len(mine) != 1 or {"was", "until", "former"} & set(beside.claim.words):
        return []
    city, country = mine[0]
    others = [
        (at, one)
        for at, told in enumerate(beside.evidence)
        for one, of in _capitals_in(told.said, told.title)
        if same_name(country, of)
    ]
    if any(same_name(city, one) for _, one in others):
        return []
    for at, one in others:
        told = f"the evidence calls “{beside.evidence[at].said.written(one)}” the capital"
        for_a_time = bool(_TIMED & set(beside.evidence[at].said.words))
        return [Finding("object", at, "capital", told, sure=not for_a_time)]
    return []


def _past_kind(said: Sentence, of: int) -> int:
    """Return the place of the second "of" in "of the county of Norland"; else of the first."""
    at = of + 1 + (said.words[of + 1 : of + 2] == ("the",))
    kind = said.words[at : at + 1]
    return at + 1 if kind and kind[0] in _LANDS and said.words[at + 1 : at + 2] == ("of",) else of


def _other_holder(beside: Comparison) -> list[Finding]:
    """Find another holder of a role: "the mayor of Norland is Ann Lee", "its mayor is"."""
    mine = _holder_in(beside.claim, beside.claim.verb)
    frame = beside.frame
    by = frame is not None and frame.passive and not any(beside.claim.denied)
    if mine is None and frame is not None and by:  # "is managed by Ann Lee"
        mine = frozenset([beside.claim.stems[frame.at]]), frame.second
    if mine is None:
        return []
    role, name = mine
    of = beside.claim.subject
    if is_described_by(beside.claim):
        return []
    against: Finding | None = None
    for at, told in enumerate(beside.evidence):
        about = of <= told.stems if of else at in beside.about
        found = (_holder_in(told.said, place) for place in range(len(told.said.words)))
        for one in found if about else ():
            if one is None or not role <= one[0] | told.title | told.said.subject:
                continue
            if same_name(name, one[1]) or name <= _listed_with(told.said, one[1]):
                return []
            sure = of <= told.title and not by
            theirs, mine_ = told.said.written(one[1]), beside.claim.written(name)
            against = against or instead("object", at, theirs, mine_, sure=sure)
    return [] if against is None else [against]


def _holder_in(said: Sentence, at: int) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words before "is" or "was", without names, and the name after it; or None."""
    if said.words[at : at + 1] not in _COPULAS:
        return None
    begin = max((n for n in range(at) if said.words[n] in _HOLDER_ENDS), default=-1) + 1
    role = frozenset(said.stems[n] for n in range(begin, at) if not said.named[n]) - {""}
    run = said.run_of_name(at + 1)
    if not any(said.named[at + 1 : at + 2]):
        run = list(_plain_value(said, at)) if role & cues().plain_valued else []
    name = frozenset(said.stems[one] for one in run if said.stems[one])
    return (role, name) if name and 0 < len(role) <= _ROLE else None


def _listed_with(said: Sentence, name: frozenset[str]) -> set[str]:
    """Return stems of a list of names that begins with one: "are Akkan, Breeish and Orm"."""
    at = next((n for n, stem in enumerate(said.stems) if stem in name), len(said.words))
    stop = at
    while stop < len(said.words) and (said.named[stop] or said.words[stop] in {",", "and"}):
        stop += 1
    return {stem for stem in said.stems[at:stop] if stem}


def _plain_value(said: Sentence, at: int) -> Iterator[int]:
    """Yield places behind "is" up to the end of its phrase: "its currency is the crown"."""
    for place in range(at + 1, min(at + 1 + _ROLE, len(said.words))):
        if said.words[place] in _HOLDER_ENDS:
            return
        yield place


def other_nationality(beside: Comparison) -> list[Finding]:
    """Find another country in what a sentence says the same subject is."""
    mine = beside.claim.nationality
    if not beside.subject or not mine:
        return []
    kin = frozenset[str]().union(mine, *(one for one in beside.cues.together if one & mine))
    words = {word for at in beside.about for word in beside.evidence[at].said.words}
    for at in () if kin & words else beside.about:
        other = beside.evidence[at].said.nationality
        if other:
            return [instead("object", at, min(other), min(mine))]
    return []


def _other_value(
    beside: Comparison,
    stem: str,
    wanted: frozenset[str],
    places: Sequence[int],
    held: Collection[str],
) -> Finding | None:
    """Return another value in some sentences, none of which has the claim's."""
    against: Finding | None = None
    for number in places:
        said = beside.evidence[number].said
        values = [
            (at, _value(beside, said, at)) for at, one in enumerate(said.stems) if one == stem
        ]
        for place, value in values:
            if not value:
                continue
            behind = set(listed_behind(said, _first_in(beside, said, place)))
            if value & set(held) or beside.share_of(wanted, behind) >= CARRIES:
                return None
            if against is None:
                sure = bool(beside.subject) or beside.share(number) >= CARRIES
                sure = sure and stem not in beside.cues.repeated
                theirs, mine = said.written(value), beside.claim.written(wanted)
                against = instead("object", number, theirs, mine, sure=sure)
    return against


def listed_behind(said: Sentence, at: int) -> Iterator[str]:
    """Yield stems after a preposition, up to the end of what it governs: "by A, B and C".

    The next verb or participle begins something else: "born in Dover and died in Leeds".
    """
    aside = _descriptions(said, at)
    for place in range(at + 1, min(at + _LISTED, len(said.words))):
        if said.words[place] in _CLAUSE_ENDS or _goes_on(said, place):
            return
        if said.stems[place] and place not in aside:
            yield said.stems[place]


def _descriptions(said: Sentence, at: int) -> set[int]:
    """Return places of descriptions between commas behind a place: ", the brother of Ann Lee"."""
    found: set[int] = set()
    for place in range(at + 1, len(said.words) - 1):
        if said.words[place] == "," and said.words[place + 1] in _ARTICLES:
            ends = (n for n in range(place + 1, len(said.words)) if said.words[n] in MARKS)
            inside = range(place + 1, next(ends, len(said.words)))
            found |= set(inside) if "of" in {said.words[n] for n in inside} else set()
    return found


def _goes_on(said: Sentence, at: int) -> bool:
    """Return whether a word says something else: a verb, "starring", "to Ann", "with offices"."""
    word, before = said.words[at], said.words[at - 1]
    if said.named[at] or before in _ARTICLES:
        return False
    named = any(said.named[at + 1 : at + 2])
    if word in {"to", "with"}:
        return before not in _BESIDE if word == "to" else not named
    known = cues().is_verb(word) or said.stems[at] in cues().forms
    return known or (word.endswith("ing") and before in MARKS | {"and"})


def _first_in(beside: Comparison, said: Sentence, at: int) -> int:
    """Return the place of the first preposition of a relation; that of its word without one."""
    prepositions = beside.cues.one_valued.get(said.stems[at], frozenset[str]())
    places = range(at + 1, min(at + _PREPOSITION, len(said.words)))
    return next((place for place in places if said.words[place] in prepositions), at)


def _value(beside: Comparison, said: Sentence, at: int) -> frozenset[str]:
    """Return stems of the name that is a relation's value at a word; empty without one."""
    if said.stems[at] in beside.cues.made_by and said.words[at + 1 : at + 2] == ("by",):
        return frozenset(said.stems[one] for one in said.run_of_name(at + 2) if said.stems[one])
    prepositions = beside.cues.one_valued.get(said.stems[at])
    if not prepositions or said.named[at]:
        return frozenset()
    for place in range(at + 1, min(at + _PREPOSITION, len(said.words))):
        if said.words[place] not in prepositions:
            continue
        after = place + 1
        if _is_described(said, after):
            return name_behind(said, after)
        name = [one for one in said.run_of_name(after) if one not in said.counted]
        if name:
            return frozenset(said.stems[one] for one in name if said.stems[one])
    return frozenset()


def _is_described(said: Sentence, at: int) -> bool:
    """Return whether "by" or "to" governs a noun and a name: "married to the skater Ann Lee"."""
    governs = said.words[at - 1] in {"by", "to"} and said.words[at : at + 1] == ("the",)
    return governs and said.named[at + 1 : at + 3] == (False, True) and bool(said.stems[at + 1])


def _capitals_in(
    said: Sentence, title: frozenset[str]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield capitals and their countries, in either form. "Its capital" is the title's."""
    for at, word in enumerate(said.words):
        former = {"former", "old", "until"} & set(said.words[max(0, at - 2) : at])
        if word == "capital" and not former:
            city, country = _capital_at(said, at, title)
            if country and city and country != city:
                yield city, country


def _capital_at(
    said: Sentence, at: int, title: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the capital and the country around the word; empty without them."""
    words = said.words
    behind = at + 2 if words[at + 1 : at + 2] == ("city",) else at + 1
    if words[behind : behind + 1] == ("of",):
        behind = _past_kind(said, behind)
        country = name_behind(said, behind + 1)
        before = name_before(said, at)
        city = before or name_behind(said, behind + 1 + len(country) + 1)
        return city or (title if words[0] in {"it", "this"} else frozenset()), country
    country = name_before(said, at) if at and words[at - 1] != "its" else title
    places = range(behind, min(behind + _LISTED // 2, len(words)))
    copula = next((n for n in places if words[n : n + 1] in _COPULAS), behind)
    return name_behind(said, copula), country or title
