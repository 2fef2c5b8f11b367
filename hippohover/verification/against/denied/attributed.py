"""What sentences only report that somebody said, and the claim states or has from another."""

from typing import Final

from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.said import Said
from hippohover.verification.reading.speech import Speech, speech_in

_CLOSE: Final = 0.15
"""So much less of a claim another sentence may hold that says it as well."""
_ACCORDING: Final = "according"


def attributions(grounds: Grounds) -> list[Finding]:
    """Find "Tim Orr fixed the leak" where only Ann Roe said so, and words of another's mouth.

    What somebody says of themselves counts as said.
    """
    mine = speech_in(grounds.claim)
    if mine is not None:
        return _of_another_speaker(grounds, mine)
    claim = grounds.claim
    if any(claim.hedged) or any(claim.denied) or _ACCORDING in claim.words:
        return []
    whole = [*grounds.subject, *grounds.content]
    shares = [grounds.share_of(whole, stems) for stems in grounds.stems]
    best = max(shares, default=0.0)
    likely = [at for at, share in enumerate(shares) if share >= max(CARRIES, best - _CLOSE)]
    found = [_only_said(grounds, at) for at in likely]
    return [one for one in found[:1] if one is not None and None not in found]


def _only_said(grounds: Grounds, at: int) -> Finding | None:
    """Return what a sentence reports of the claim, unless the claim's subject says it of itself."""
    told = grounds.evidence[at]
    speech = speech_in(told.said)
    if speech is None or not _holds(grounds, told.said, speech):
        return None
    verb = told.said.words[speech.at]
    speaker = _speaker(told, speech)
    own = frozenset(stem for stem in grounds.claim.stems[: grounds.claim.verb] if stem)
    if not speaker or not speaker & (grounds.subject or own):
        who = told.said.written(speech.speaker) if speech.speaker else "somebody"
        return Finding("hedged", at, verb, f"“{who} {verb}” so", sure=False)
    other = _subject_of(told.said, speech)
    if not other or other & (speaker | own):
        return None
    name = told.said.written(other)
    return Finding("hedged", at, verb, f"“{verb}” of “{name}”", sure=False)


def _holds(grounds: Grounds, said: Said, speech: Speech) -> bool:
    """Return whether most of the claim is among the reported words."""
    body = {said.stems[place] for place in speech.body}
    body |= {form for stem in body for form in grounds.cues.forms.get(stem, ())}
    return grounds.share_of(grounds.content, body) >= CARRIES


def _speaker(told: Told, speech: Speech) -> frozenset[str]:
    """Return stems of who speaks; for a pronoun of the passage's title."""
    return speech.speaker or told.title


def _subject_of(said: Said, speech: Speech) -> frozenset[str]:
    """Return stems of the name with which the reported words begin; empty without one."""
    begin = speech.body.start
    while begin < speech.body.stop and said.words[begin] == "the":
        begin += 1
    stop = begin
    while stop < speech.body.stop and said.named[stop]:
        stop += 1
    return frozenset(stem for stem in said.stems[begin:stop] if stem)


def _of_another_speaker(grounds: Grounds, mine: Speech) -> list[Finding]:
    """Find reported words of the claim that a sentence has from another speaker alone."""
    claim = grounds.claim
    if not mine.speaker or claim.denied[mine.at] % 2:
        return []
    wanted = {claim.stems[place] for place in mine.body if claim.stems[place]}
    others: list[tuple[int, Speech]] = []
    for at, told in enumerate(grounds.evidence):
        speech = speech_in(told.said)
        if mine.speaker & _all_stems(told, speech, mine):
            wanted -= grounds.stems[at]
        elif speech is not None:
            others.append((at, speech))
    for at, speech in others:
        told = grounds.evidence[at]
        if wanted & {told.said.stems[place] for place in speech.body}:
            who = told.said.written(speech.speaker) if speech.speaker else "another"
            verb = told.said.words[speech.at]
            return [Finding("hedged", at, verb, f"“{who} {verb}” so", sure=False)]
    return []


def _all_stems(told: Told, speech: Speech | None, mine: Speech) -> frozenset[str]:
    """Return stems of a sentence's speaker; of a sentence that reports nothing, all of them."""
    if speech is not None:
        return _speaker(told, speech)
    return told.stems if mine.speaker <= told.stems else frozenset()
