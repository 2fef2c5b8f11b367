"""What sentences say only as what may be, or as what was so, and the claim outright."""

from itertools import pairwise
from typing import Final

from hippohover.language.sentence import MARKS, Sentence
from hippohover.verification.against.comparison import ABOUT, CARRIES, Comparison
from hippohover.verification.against.denials import ENDED, NOW, WAS
from hippohover.verification.against.findings import Finding

_FUTURE: Final = "will"
_ACCORDING: Final = ("according", "to")
_SOURCE: Final = 5
"""Words of a source at most: "according to his elder sister"."""
_MODALS: Final = frozenset(["may", "might", "could"])
_PLANNED: Final = frozenset(["planned", "scheduled", "announced", "intended", "due", "cancelled"])
"""What was called off was so."""
_MUCH: Final = 0.3
"""Share of a claim that must be hedged."""


def hedges(beside: Comparison) -> list[Finding]:
    """Find what the claim states outright and the evidence as possible, or the reverse."""
    if beside.claim.cue == ENDED:
        return []
    if any(beside.claim.hedged) and beside.claim.hedge != _FUTURE:
        return _of_another_source(beside) or _said_outright(beside)
    now = _is_now(beside.claim)
    firm: set[str] = set()
    soft: dict[str, int] = {}
    for at in range(len(beside.evidence)):
        said = beside.evidence[at].said
        modal = said.hedge in _MODALS
        past = tuple(said.hedge.split()) in beside.cues.past
        same = bool(said.hedge) and said.hedge == beside.claim.hedge
        undone = tuple(said.hedge.split()) in beside.cues.dropped and any(beside.claim.denied)
        called_off = tuple(said.hedge.split()) in beside.cues.near
        planned = called_off and bool(_PLANNED & set(beside.claim.words))
        skips = (past and not now) or same or undone or planned
        if skips or not _may_hedge(beside, at, loose=past or modal):
            continue
        for stem, hedged in zip(said.stems, said.hedged, strict=True):
            for mine in {stem, *beside.cues.forms.get(stem, ())} & set(beside.content):
                if hedged:
                    soft.setdefault(mine, at)
                else:
                    firm.add(mine)
    ended = _ended(beside) if now else -1
    if ended >= 0:
        return [Finding("hedged", ended, "until", _told("until"), sure=False)]
    left = [stem for stem in soft if stem not in firm]
    if not left or beside.share_of(beside.content, left) < _MUCH:
        return []
    at = soft[left[0]]
    cue = beside.evidence[at].said.hedge
    return [Finding("hedged", at, cue, _told(cue), sure=False)]


def _told(cue: str) -> str:
    return f"the evidence says it only with “{cue}”"


def _ended(beside: Comparison) -> int:
    """Return the place of a sentence that ends a state of the claim; -1 without one."""
    for at in beside.carriers:
        said = beside.evidence[at].said
        if said.words[said.verb : said.verb + 1] in NOW:
            return -1
    untils = (
        at
        for at in beside.carriers
        if "until" in beside.evidence[at].said.words and WAS & set(beside.evidence[at].said.words)
    )
    return -1 if "until" in beside.claim.words else next(untils, -1)


def _may_hedge(beside: Comparison, at: int, *, loose: bool) -> bool:
    """Return whether a sentence says the claim; if loose, whether it is about the same."""
    said = beside.evidence[at].said
    names_it = bool(beside.subject) and beside.subject <= said.held.keys()
    if at in beside.carriers or (names_it and beside.share(at) >= CARRIES):
        return True
    return loose and bool(beside.subject) and at in beside.about and beside.share(at) >= ABOUT


def _is_now(claim: Sentence) -> bool:
    """Return whether a claim states what is so today, by its verb."""
    word = claim.words[claim.verb : claim.verb + 1]
    return word in NOW or (bool(word) and word[0].endswith("s") and word[0] != "was")


def _said_outright(beside: Comparison) -> list[Finding]:
    """Find what the claim says was nearly, was to be or was formerly so, and the evidence is so."""
    cue = beside.claim.hedge
    words = beside.claim.words
    at = words.index(cue) + 1 if cue in words else -1
    if any(at in beside.claim.places_in(one) for one in beside.claim.quantities):
        return []  # "almost 3,000 m high"
    unreal = tuple(cue.split()) in beside.cues.unreal
    if not unreal and tuple(cue.split()) not in beside.cues.past:
        return []
    told = [
        stem
        for stem, hedged in zip(beside.claim.stems, beside.claim.hedged, strict=True)
        if hedged and stem in beside.content
    ]
    for at in beside.carriers:
        said = beside.evidence[at].said
        present = unreal or _is_now(said)
        if (
            told
            and present
            and not _hedges_any(said, told)
            and beside.share_of(told, beside.stems[at]) >= 1
        ):
            return [Finding("hedged", at, cue, f"the evidence says it without “{cue}”", sure=False)]
    return []


def _hedges_any(said: Sentence, stems: list[str]) -> bool:
    return any(hedged and one in stems for one, hedged in zip(said.stems, said.hedged, strict=True))


def _of_another_source(beside: Comparison) -> list[Finding]:
    """Find "according to his sister" where a sentence with the rest has it from his brother."""
    mine = _source(beside.claim)
    found: list[Finding] = []
    for at, told in enumerate(beside.evidence if mine else ()):
        theirs = _source(told.said)
        rest = [stem for stem in beside.content if stem not in mine]
        if not theirs or beside.share_of(rest, beside.stems[at]) < CARRIES:
            continue
        if mine & theirs:
            return []
        source = told.said.written(theirs)
        found.append(
            Finding(
                "hedged", at, source, f"the evidence has it according to “{source}”", sure=False
            )
        )
    return found[:1]


def _source(said: Sentence) -> frozenset[str]:
    """Return stems of whom "according to" names, up to the next mark; empty without one."""
    at = next((n for n, pair in enumerate(pairwise(said.words)) if pair == _ACCORDING), -1)
    places = range(at + 2, min(at + 2 + _SOURCE, len(said.words))) if at >= 0 else range(0)
    stop = next((n for n in places if said.words[n] in MARKS), places.stop)
    return frozenset(said.stems[n] for n in places if n < stop and said.stems[n])
