"""Finds that no one sentence says all of a short claim, or gives the claim's reason."""

from collections.abc import Collection, Mapping
from typing import Final

from hippohover.language.cues import cues
from hippohover.verification.against.comparison import CARRIES, SHORT, Comparison
from hippohover.verification.against.descriptions import named
from hippohover.verification.against.findings import Finding

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
_BECAUSE: Final = (
    ("because", "of"),
    ("because",),
    ("due", "to"),
    ("owing", "to"),
    ("as", "a", "result", "of"),
)
_REASONS: Final = frozenset(
    ["because", "due", "owing", "result", "so", "for", "since", "as", "led", "caused", "made"]
)
"""Words of a sentence that may give a reason."""


def scattered_words(beside: Comparison) -> list[Finding]:
    """Find that no sentence about its subject holds what a short claim says of it.

    A claim of one clause is told by one sentence; a longer one may follow from several.
    """
    claim = beside.claim
    is_short = beside.alone and len(claim.words) <= SHORT and not _JOINS & set(claim.words)
    if not is_short or named(beside) is not None:
        return []
    places = [at for at, stem in enumerate(claim.stems) if stem and at not in claim.counted]
    own = [at for at in places if claim.stems[at] in beside.content or at < claim.verb]
    wanted = {
        claim.stems[at]: claim.words[at] for at in own if claim.stems[at] not in beside.subject
    }
    shares = [_share_said(beside, at, wanted) for at in range(len(beside.evidence))]
    closest = sorted(range(len(shares)), key=lambda at: (-shares[at], at))[:_CLOSEST]
    left = {at: left_unsaid(beside, at, wanted) for at in closest if shares[at] > 0}
    if not closest or any(
        beside.share_of(wanted, wanted.keys() - lost) >= _TOLD for lost in left.values()
    ):
        return []
    lost = claim.written(left.get(closest[0], frozenset(wanted)))
    told = f"no sentence about it says “{lost}”"
    return [Finding("scattered", closest[0], "", told, sure=False)]


def _share_said(beside: Comparison, at: int, wanted: Collection[str]) -> float:
    """Return the share of some stems in a sentence about the claim's subject; 0 in another."""
    held = with_forms(beside, beside.stems[at] | beside.evidence[at].title)
    is_about = beside.share_of(beside.subject, held) >= CARRIES
    return beside.share_of(wanted, held) if is_about else 0.0


def left_unsaid(beside: Comparison, at: int, wanted: Mapping[str, str]) -> frozenset[str]:
    """Return stems that a sentence does not say, by no word like theirs either."""
    said = beside.evidence[at].said
    held = with_forms(beside, beside.stems[at] | beside.evidence[at].title)
    kin = cues().kin
    has_kin = any(word in kin for word in (*said.words, *said.stems))
    plain = [(word, stem) for word, stem in zip(said.words, said.stems, strict=True) if stem]
    return frozenset(
        stem
        for stem, word in wanted.items()
        if stem not in held
        and not (stem in kin and has_kin)
        and not any(_is_like(beside, (word, stem), one) for one in plain)
    )


def _is_like(beside: Comparison, mine: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two words, each with its stem, may say the same: "intends", "plans"."""
    if other[1] in beside.opposites(mine[1]):
        return False
    return have_one_root(mine[0], other[0]) or beside.alike(mine[0], other[0]) >= _ALIKE


def have_one_root(word: str, other: str) -> bool:
    """Return whether two words begin alike: "director", "directed"."""
    return min(len(word), len(other)) >= _ROOT and word[:_ROOT] == other[:_ROOT]


def other_causes(beside: Comparison) -> list[Finding]:
    """Find a reason that no sentence gives for what the claim gives it for."""
    claim = beside.claim
    found = next(
        (
            (at, cue)
            for at in range(len(claim.words))
            for cue in _BECAUSE
            if claim.words[at : at + len(cue)] == cue
        ),
        None,
    )
    if found is None:
        return []
    at, cue = found
    stop = len(claim.words)
    if not at:  # "Because it rained, the match was stopped."
        stop = claim.words.index(",") if "," in claim.words else stop
    behind = range(at + len(cue), stop)
    reason = {claim.stems[place]: claim.words[place] for place in behind if claim.stems[place]}
    effect = {stem for stem in (*claim.stems[:at], *claim.stems[stop:]) if stem}
    if not reason or not effect:
        return []
    shares: list[float] = []
    for place, told in enumerate(beside.evidence):
        stems = with_forms(beside, beside.stems[place] | told.title)
        shares.append(beside.share_of(effect, stems))
        if _REASONS & set(told.said.words) and shares[-1] >= CARRIES:
            unsaid = left_unsaid(beside, place, reason)
            if beside.share_of(reason, reason.keys() - unsaid) >= CARRIES:
                return []
    best = max(range(len(shares)), key=shares.__getitem__, default=-1)
    if best < 0:
        return []
    told_ = f"no sentence gives “{claim.written(frozenset(reason))}” as the reason"
    return [Finding("scattered", best, cue[0], told_, sure=False)]


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
