"""Finds words not said of the claim's names: a verb, one of two in a list, what follows "by"."""

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.said import CLAUSE_BORDERS, Said, name_runs
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.frames import same_name
from hippohover.verification.against.grounds import CARRIES, SHORT, Grounds
from hippohover.verification.against.meant.described import named
from hippohover.verification.against.owners import with_forms
from hippohover.verification.against.values import listed_behind, other_values

_SLOTS: Final = frozenset(["by", "at", "on", "to", "from", "in"])
_PLACE: Final = "in"
"""What only the whole of a claim says: a part may name a larger place than the evidence."""
_REACH: Final = 6
_JOINS: Final = frozenset(
    ["and", "both", "than", "or", "but", "who", "whose", "which", "that", "where", "when"]
)
"""Words of a claim that several sentences may tell, or that compares what they tell."""
_CLOSEST: Final = 5
"""Sentences in which other words for the claim's are sought."""
_ALIKE: Final = 0.45
"""Cosine of two words that may say the same."""
_ROOT: Final = 6
"""Letters that they begin with otherwise: "supervised", "supervisor"."""
_TOLD: Final = 0.7
"""Share of it that one sentence holds."""


def other_slots(grounds: Grounds) -> list[Finding]:
    """Find another name after the claim's verb and preposition: "climbed by", "lies on"."""
    if any(grounds.claim.denied) or not grounds.predicate:
        return []
    if any(one.sure for one in other_values(grounds)):
        return []
    mine = dict(_slots(grounds.claim, grounds.predicate))
    with_verb = [
        at for at in range(len(grounds.evidence)) if grounds.predicate in grounds.stems[at]
    ]
    for slot, name in mine.items():
        if slot == _PLACE and not grounds.alone:
            continue
        if any(_has_behind(grounds, at, slot, name) for at in with_verb):
            continue
        told_of = [at for at in with_verb if grounds.subject <= grounds.evidence[at].stems]
        for at in dict.fromkeys([*grounds.about, *(told_of if grounds.subject else ())]):
            other = dict(_slots(grounds.evidence[at].said, grounds.predicate)).get(slot)
            if other and not same_name(other, name):
                there = grounds.evidence[at].said.written(other)
                told = f"“{slot} {there}”, not “{grounds.claim.written(name)}”"
                return [Finding("object", at, slot, told, sure=False)]
    return []


def scattered_words(grounds: Grounds) -> list[Finding]:
    """Find that no sentence about its subject holds what a short claim says of it.

    A claim of one clause is told by one sentence; a longer one may follow from several.
    """
    claim = grounds.claim
    is_short = grounds.alone and len(claim.words) <= SHORT and not _JOINS & set(claim.words)
    if not is_short or named(grounds) is not None:
        return []
    counted = {at for one in claim.quantities for at in claim.places_in(one)}
    places = [at for at, stem in enumerate(claim.stems) if stem and at not in counted]
    own = [at for at in places if claim.stems[at] in grounds.content or at < claim.verb]
    wanted = {
        claim.stems[at]: claim.words[at] for at in own if claim.stems[at] not in grounds.subject
    }
    shares = [_share_said(grounds, at, wanted) for at in range(len(grounds.evidence))]
    closest = sorted(range(len(shares)), key=lambda at: (-shares[at], at))[:_CLOSEST]
    left = {at: left_unsaid(grounds, at, wanted) for at in closest if shares[at] > 0}
    if not closest or any(
        grounds.share_of(wanted, wanted.keys() - lost) >= _TOLD for lost in left.values()
    ):
        return []
    told = "none is about it, and the first says"
    if closest[0] in left:
        told = f"“{claim.written(left[closest[0]])}” is not said there"
    return [Finding("scattered", closest[0], "", told, sure=False)]


def _share_said(grounds: Grounds, at: int, wanted: Collection[str]) -> float:
    """Return the share of some stems in a sentence about the claim's subject; 0 in another."""
    held = with_forms(grounds, grounds.stems[at] | grounds.evidence[at].title)
    is_about = grounds.share_of(grounds.subject, held) >= CARRIES
    return grounds.share_of(wanted, held) if is_about else 0.0


def left_unsaid(grounds: Grounds, at: int, wanted: Mapping[str, str]) -> frozenset[str]:
    """Return stems that a sentence does not say, by no word like theirs either."""
    said = grounds.evidence[at].said
    held = with_forms(grounds, grounds.stems[at] | grounds.evidence[at].title)
    kin = cues().kin
    has_kin = any(word in kin for word in (*said.words, *said.stems))
    plain = [(word, stem) for word, stem in zip(said.words, said.stems, strict=True) if stem]
    return frozenset(
        stem
        for stem, word in wanted.items()
        if stem not in held
        and not (stem in kin and has_kin)
        and not any(_is_like(grounds, (word, stem), one) for one in plain)
    )


def _is_like(grounds: Grounds, mine: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two words, each with its stem, may say the same: "intends", "plans"."""
    if other[1] in grounds.opposites(mine[1]):
        return False
    begins = min(len(mine[0]), len(other[0])) >= _ROOT and mine[0][:_ROOT] == other[0][:_ROOT]
    return begins or grounds.alike(mine[0], other[0]) >= _ALIKE


def _has_behind(grounds: Grounds, at: int, slot: str, name: frozenset[str]) -> bool:
    """Return whether a sentence has a name; behind "by", in what it governs: no other agent."""
    said = grounds.evidence[at].said
    verb = said.stems.index(grounds.predicate) if grounds.predicate in said.stems else -1
    places = range(verb + 1, min(verb + 1 + _REACH, len(said.words)))
    by = next((place for place in places if said.words[place] == "by"), -1)
    if slot != "by" or verb < 0 or by < 0:
        return _names(grounds, at, name)
    return grounds.share_of(name, set(listed_behind(said, by))) >= CARRIES


def _names(grounds: Grounds, at: int, name: frozenset[str]) -> bool:
    """Return whether a sentence, or the title of its passage, has most of a name."""
    return grounds.share_of(name, grounds.evidence[at].stems) >= CARRIES


def _lists(said: Said) -> Iterator[list[frozenset[str]]]:
    """Yield names that "and" joins, at least two of one list."""
    runs = list(name_runs(said))
    for (begin, stop), (start, end) in pairwise(runs):
        if said.words[stop:start] == ("and",):
            yield [
                frozenset(stem for stem in said.stems[a:b] if stem)
                for a, b in ((begin, stop), (start, end))
            ]


def _slots(said: Said, verb: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield prepositions shortly after a verb, each with the stems of the name after it."""
    forms = {verb, *cues().forms.get(verb, ())}
    at = next((n for n, stem in enumerate(said.stems) if stem in forms), len(said.words))
    dates = {place for one in said.quantities for place in said.places_in(one)}
    for place in range(at + 1, min(at + 1 + _REACH, len(said.words))):
        if said.words[place] in CLAUSE_BORDERS | {"and", "or"}:
            return
        if said.words[place] in _SLOTS:
            run = [one for one in said.run_of_name(place + 1) if one not in dates]
            name = frozenset(said.stems[one] for one in run if said.stems[one])
            if name:
                yield said.words[place], name
