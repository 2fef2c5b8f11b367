"""Finds that no sentence says all of a claim, nor several that names join.

Words of a claim are not ticked off across documents: who pays in francs, where something else has
cost euros, does not pay in euros.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.sentence import name_runs
from hippohover.verification.against.comparison import CARRIES, SHORT, Comparison
from hippohover.verification.against.findings import EvidenceSentence, Finding

_JOINS: Final = frozenset(
    ["and", "both", "than", "or", "but", "who", "whose", "which", "that", "where", "when"]
)
"""Words of a claim that several sentences may tell, or that compares what they tell."""
_HOPS: Final = 3
_NEARLY: Final = 0.1
_CLOSEST: Final = 5
"""Sentences in which other words for the claim's are sought."""
_ALIKE: Final = 0.45
"""Cosine of two words that may say the same."""
_ROOT: Final = 6
"""Letters that they begin with otherwise: "supervised", "supervisor"."""
_TOLD: Final = 0.7
"""Share of it that one sentence holds."""


def apart(beside: Comparison) -> list[Finding]:
    """Find a name or number of the claim that only a sentence about something else has.

    That is one which names join with none that says the rest; fires for 1 of 38 true claims and 9
    of 33 false ones about notes.
    """
    claim = beside.claim
    names = {stem for stem, named in zip(claim.stems, claim.named, strict=True) if named and stem}
    wanted = frozenset(names) - beside.subject - {claim.stems[at] for at in claim.counted}
    numbers = [one for one in claim.quantities if not one.written]
    held = [_exact_in(beside, at, wanted, numbers) for at in range(len(beside.evidence))]
    anywhere = frozenset[str | Quantity]().union(*held)
    about = [at for at in range(len(held)) if _may_say_it(beside, at)]
    most = max((beside.share(at) for at in about), default=0.0) - _NEARLY
    starts = [at for at in about if beside.share(at) >= most][:_CLOSEST]
    lost = [anywhere.difference(*(held[n] for n in chain(beside, at))) for at in starts]
    if not lost or not all(lost):
        return []
    told = min(lost, key=len)
    stems = {one for one in told if isinstance(one, str)}
    stems.update(stem for one in told if isinstance(one, Quantity) for stem in claim.stems_in(one))
    where = next(at for at in range(len(held)) if told & held[at])
    words = claim.written(stems)
    told_ = f"the evidence says “{words}” of something else"
    return [Finding("scattered", where, "", told_, sure=False, mine=words)]


def _may_say_it(beside: Comparison, at: int) -> bool:
    """Return whether a sentence has the claim's subject, and is not about a namesake: a sister."""
    told, mine = beside.evidence[at], beside.subject
    namesake = bool(mine & told.subject) and beside.is_another(at)
    held = beside.share_of(mine, told.stems) >= CARRIES
    return held and not (namesake and not mine <= told.said.held.keys())


def _exact_in(
    beside: Comparison, at: int, names: frozenset[str], numbers: Sequence[Quantity]
) -> frozenset[str | Quantity]:
    """Return the claim's names and numbers that a sentence has, or what it is about."""
    told = beside.evidence[at]
    found = (*told.said.quantities, *told.above)
    same = (one for one in numbers if any(likeness(one, other) == "same" for other in found))
    return frozenset([*(names & with_forms(beside, beside.stems[at] | told.title)), *same])


def chain(beside: Comparison, start: int) -> list[int]:
    """Return places of a sentence and of those that names join with it, over three hops.

    A name joins that is not the claim's subject, nor both sentences' title; or the other's title
    stands in the claim, of which it says more, or which compares several. Only sentences with words
    of the claim are of use.
    """
    chain, added, first = [start], [start], beside.evidence[start]
    names: list[frozenset[str]] = []
    for _ in range(_HOPS):
        names += [name for at in added for name in _names(beside.evidence[at])]
        added = [
            at
            for at, told in enumerate(beside.evidence)
            if at not in chain and beside.share(at) > 0 and _joins(beside, names, first, told)
        ]
        chain += added
    return chain


def _joins(
    beside: Comparison,
    names: Sequence[frozenset[str]],
    first: EvidenceSentence,
    told: EvidenceSentence,
) -> bool:
    """Return whether one of some names, or the claim, joins a sentence with the first one."""
    same = told.title == first.title
    titled = not same and told.title <= beside.claim.held.keys() and told.title - beside.subject
    more = (stem in told.said.held for stem in beside.content if stem not in told.title)
    if titled and (_JOINS & set(beside.claim.words) or any(more)):
        return True
    known = beside.subject | (first.title if same else frozenset[str]())
    return any(name <= told.stems and not name <= known for name in names)


def _names(told: EvidenceSentence) -> list[frozenset[str]]:
    """Return the names in a sentence, and its title; of a row or field no label is one."""
    said = told.said
    runs = () if ":" in said.words else name_runs(said)
    found = (frozenset(said.stems[a:b]) - {""} for a, b in runs)
    return [name for name in (*found, told.title) if name]


def scattered_words(beside: Comparison) -> list[Finding]:
    """Find that no sentence about its subject holds what a short claim says of it.

    A claim of one clause is told by one sentence; a longer one may follow from several.
    """
    claim = beside.claim
    is_short = beside.alone and len(claim.words) <= SHORT and not _JOINS & set(claim.words)
    if not is_short:
        return []
    places = [at for at, stem in enumerate(claim.stems) if stem and at not in claim.counted]
    own = [at for at in places if claim.stems[at] in beside.content or at < claim.verb]
    wanted = {
        claim.stems[at]: claim.words[at] for at in own if claim.stems[at] not in beside.subject
    }
    shares = [_share_said(beside, at, wanted) for at in range(len(beside.evidence))]
    closest = sorted(range(len(shares)), key=lambda at: (-shares[at], at))[:_CLOSEST]
    left = {at: _left_bychain(beside, at, wanted) for at in closest if shares[at] > 0}
    if not closest or any(
        beside.share_of(wanted, wanted.keys() - lost) >= _TOLD for lost in left.values()
    ):
        return []
    lost = claim.written(left.get(closest[0], frozenset(wanted)))
    told = f"no sentence about it says “{lost}”"
    return [Finding("scattered", closest[0], "", told, sure=False)]


def _left_bychain(beside: Comparison, at: int, wanted: Mapping[str, str]) -> frozenset[str]:
    """Return stems that a sentence does not say, nor those that names join with it.

    Of a claim about a name it is one sentence: with several 25 of 96 false short claims were called
    supported, and not 21.
    """
    left = left_unsaid(beside, at, wanted)
    return (
        left
        if beside.subject
        else left.intersection(*(left_unsaid(beside, n, wanted) for n in chain(beside, at)[1:]))
    )


def _share_said(beside: Comparison, at: int, wanted: Collection[str]) -> float:
    """Return the share of some stems in a sentence about the claim's subject; 0 in another."""
    held = with_forms(beside, beside.stems[at] | beside.evidence[at].title)
    is_about = beside.share_of(beside.subject, held) >= CARRIES
    return beside.share_of(wanted, held) if is_about else 0.0


def left_unsaid(beside: Comparison, at: int, wanted: Mapping[str, str]) -> frozenset[str]:
    """Return stems that a sentence does not say, by no word like theirs either.

    Nothing is like a name or a number; and what is one word of the claim is not like another.
    """
    said, claim = beside.evidence[at].said, beside.claim
    held = with_forms(beside, beside.stems[at] | beside.evidence[at].title)
    kin = cues().kin
    has_kin = any(word in kin for word in (*said.words, *said.stems))
    exact = {claim.stems[n] for n, named in enumerate(claim.named) if named or n in claim.counted}
    words = zip(said.words, said.stems, strict=True)
    plain = [(word, stem) for word, stem in words if stem and stem not in claim.held]
    return frozenset(
        stem
        for stem, word in wanted.items()
        if stem not in held
        and not (stem in kin and has_kin)
        and (stem in exact or not any(_is_like(beside, (word, stem), one) for one in plain))
    )


def _is_like(beside: Comparison, mine: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two words, each with its stem, may say the same: "intends", "plans"."""
    if other[1] in beside.opposites(mine[1]):
        return False
    return have_one_root(mine[0], other[0]) or beside.alike(mine[0], other[0]) >= _ALIKE


def have_one_root(word: str, other: str) -> bool:
    """Return whether two words begin alike: "director", "directed"."""
    return min(len(word), len(other)) >= _ROOT and word[:_ROOT] == other[:_ROOT]


def with_forms(beside: Comparison, stems: frozenset[str]) -> frozenset[str]:
    """Return stems of a clause, and those of the claim that it has in another form."""
    return stems | {
        stem
        for stem in beside.content
        if (
            beside.cues.forms.get(stem, frozenset())
            | beside.cues.doers.get(stem, frozenset())
            | beside.opposites(stem)
        )
        & stems
    }
