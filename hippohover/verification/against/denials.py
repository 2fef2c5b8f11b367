"""What sentences deny that the claim says, or say only as what may be."""

from dataclasses import replace
from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import ABOUT, CARRIES, Grounds
from hippohover.verification.reading.clauses import CLAUSE_BORDERS, Said

_BUT_NOT: Final = ((",", "not"), ("but", "not"), (",", "never"), ("but", "never"))
_WAS: Final = frozenset(["was", "were", "had"])
_NOW: Final = frozenset({("is",), ("are",), ("has",), ("have",)})
_FUTURE: Final = "will"
_PAST_IN_S: Final = frozenset(["was"])
_NOT_QUITE: Final = frozenset(["almost", "nearly"])
_MUCH: Final = 0.3
"""Share of a claim that must be hedged."""
_REACH: Final = 6


def denials(grounds: Grounds) -> list[Finding]:
    """A word of the claim that sentences which carry it say the other way, and none its way."""
    unsure: list[Finding] = []
    for stem in grounds.content:
        ways = {at: grounds.ways(at, stem) for at in grounds.carriers}
        against = [
            at for at, said in ways.items() if said == {False} and not _agrees(grounds, at, stem)
        ]
        if not against or any(True in said for said in ways.values()):
            continue
        at = against[0]
        said = grounds.evidence[at].said
        opposite = next(
            (
                w
                for w, s in zip(said.words, said.stems, strict=True)
                if s in grounds.opposites(stem)
            ),
            "",
        )
        cue = (said.cue if stem in said.held else opposite) or grounds.claim.cue or opposite
        sure = _sure_denial(grounds, at, said.cue)
        found = Finding("denied", at, cue, f"“{cue}”", sure=sure)
        if not any(True in grounds.ways(at, stem) for at in grounds.about):
            return [found]
        unsure.append(replace(found, sure=False))  # another sentence may say it of the same thing
    return unsure[:1]


def _agrees(grounds: Grounds, at: int, stem: str) -> bool:
    """Whether a sentence says all of it, or its predicate, as the claim does.

    "It did not win the prize, although it was shortlisted for it."
    """
    said, claim = grounds.evidence[at].said, grounds.claim
    length = len(claim.words) - (claim.words[-1:] == (".",))
    if said.words[:length] == claim.words[:length]:
        return True
    if _in_another_clause(grounds, said, stem) and grounds.ways(at, grounds.predicate) == {True}:
        return True
    return any(
        one == (False, True) and said.held.get(word) == one for word, one in claim.held.items()
    )


def _in_another_clause(grounds: Grounds, said: Said, stem: str) -> bool:
    """Whether a mark or a word that begins a clause parts a word from the claim's predicate.

    What follows "but not" is denied of the predicate itself: "in the Union, but not in Norland".
    """
    if grounds.predicate == stem or not {stem, grounds.predicate} <= said.held.keys():
        return False
    start, stop = sorted((said.stems.index(stem), said.stems.index(grounds.predicate)))
    between = said.words[start:stop]
    if any(between[at : at + len(cut)] == cut for cut in _BUT_NOT for at in range(len(between))):
        return False
    return bool(CLAUSE_BORDERS & set(between))


def _sure_denial(grounds: Grounds, at: int, cue: str) -> bool:
    """Not where the claim has the same cue, or denies of two things, or a thing not found.

    Nor where the sentence says only what came to nothing.
    """
    if tuple(grounds.evidence[at].said.hedge.split()) in grounds.cues.dropped:
        return False
    words = grounds.claim.words
    denied = [stem for stem, said in grounds.claim.held.items() if said == (False, True)]
    if {"both", "either", "also"} & set(words) or (cue and cue.split(maxsplit=1)[0] in words):
        return not denied and not (cue and cue.split(maxsplit=1)[0] in words)
    return not denied or grounds.share_of(denied, grounds.stems[at]) >= 1.0


def no_effects(grounds: Grounds) -> list[Finding]:
    """What the claim says that something does, where a sentence finds no effect on the same."""
    if not any(
        stem in grounds.cues.effects and not no for stem, (_, no) in grounds.claim.held.items()
    ):
        return []
    wanted = {stem for stem in grounds.content if stem not in grounds.cues.effects}
    for at in grounds.about:
        said = grounds.evidence[at].said
        for place in range(len(said.words)):
            for cue in grounds.cues.no_effect:
                end = place + len(cue)
                if said.words[place:end] == cue and wanted & set(said.stems[end : end + _REACH]):
                    return [Finding("denied", at, " ".join(cue), f"“{' '.join(cue)}”", sure=False)]
    return []


def hedges(grounds: Grounds) -> list[Finding]:
    """What the claim says outright, and the evidence only as what may be; or the other way."""
    if any(grounds.claim.hedged) and grounds.claim.hedge != _FUTURE:
        return _said_outright(grounds)
    now = _is_now(grounds.claim)
    firm: set[str] = set()
    soft: dict[str, int] = {}
    for at in range(len(grounds.evidence)):
        said = grounds.evidence[at].said
        past = tuple(said.hedge.split()) in grounds.cues.past
        same = bool(said.hedge) and said.hedge == grounds.claim.hedge
        if (past and not now) or same or not _may_hedge(grounds, at, past=past):
            continue
        for stem, hedged in zip(said.stems, said.hedged, strict=True):
            for mine in {stem, *grounds.cues.forms.get(stem, ())} & set(grounds.content):
                if hedged:
                    soft.setdefault(mine, at)
                else:
                    firm.add(mine)
    ended = _ended(grounds) if now else -1
    if ended >= 0:
        return [Finding("hedged", ended, "until", "“until”", sure=False)]
    left = [stem for stem in soft if stem not in firm]
    if not left or grounds.share_of(grounds.content, left) < _MUCH:
        return []
    at = soft[left[0]]
    cue = grounds.evidence[at].said.hedge
    return [Finding("hedged", at, cue, f"“{cue}”", sure=False)]


def _ended(grounds: Grounds) -> int:
    """Place of a sentence by which what the claim says is so was so until then; or -1."""
    for at in grounds.carriers:
        said = grounds.evidence[at].said
        if said.words[said.verb : said.verb + 1] in _NOW:
            return -1
    untils = (
        at
        for at in grounds.carriers
        if "until" in grounds.evidence[at].said.words
        and _WAS & set(grounds.evidence[at].said.words)
    )
    return -1 if "until" in grounds.claim.words else next(untils, -1)


def _may_hedge(grounds: Grounds, at: int, *, past: bool) -> bool:
    """Whether a sentence says the claim, or what is about the same in the past."""
    said = grounds.evidence[at].said
    names_it = bool(grounds.subject) and grounds.subject <= said.held.keys()
    if at in grounds.carriers or (names_it and grounds.share(at) >= CARRIES):
        return True
    return past and bool(grounds.subject) and at in grounds.about and grounds.share(at) >= ABOUT


def _is_now(claim: Said) -> bool:
    """Whether a claim says what is so today: by its verb."""
    word = claim.words[claim.verb : claim.verb + 1]
    return word in _NOW or (bool(word) and word[0].endswith("s") and word[0] not in _PAST_IN_S)


def _said_outright(grounds: Grounds) -> list[Finding]:
    """What a claim says was so nearly, or formerly, and the evidence says is so."""
    cue = grounds.claim.hedge
    if cue not in _NOT_QUITE and tuple(cue.split()) not in grounds.cues.past:
        return []
    told = [
        stem
        for stem, hedged in zip(grounds.claim.stems, grounds.claim.hedged, strict=True)
        if hedged and stem in grounds.content
    ]
    for at in grounds.carriers:
        said = grounds.evidence[at].said
        present = cue in _NOT_QUITE or _is_now(said)
        if (
            told
            and present
            and not any(said.hedged)
            and grounds.share_of(told, grounds.stems[at]) >= 1
        ):
            return [Finding("hedged", at, cue, f"said outright, not “{cue}”", sure=False)]
    return []
