"""What sentences deny of a claim whose subject they have as object, or as their passage's title."""

from typing import Final

from hippohover.verification.against.denied.agreements import SPARING
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import frames_of, name_behind
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.clauses import ASIDE
from hippohover.verification.reading.quantities.quantity import likeness
from hippohover.verification.reading.said import FORMS_OF_BE, STOPS, Said

_SAYS: Final = 0.8
"""Share of a claim, with its subject, that such a sentence holds."""
_POSSESSIVE: Final = frozenset(["his", "her", "its", "their"])
_NOUN_REACH: Final = 3
_BORDERS: Final = STOPS | {",", "and", "but", "while"}
_EACH: Final = frozenset(["both", "either", "also", "all", "only"])


def denials_beside(grounds: Grounds) -> list[Finding]:
    """Find "Its capital is not Brun" against "Brun is the capital of Ralia", and the reverse.

    Sure where the two stand in the same roles, and the sentence has all of the claim.
    """
    whole = [*grounds.subject, *grounds.content]
    if not grounds.subject or _EACH & set(grounds.claim.words):
        return []
    shares = {
        at: grounds.share_of(whole, grounds.stems[at])
        for at in range(len(grounds.evidence))
        if grounds.share_of(grounds.subject, grounds.evidence[at].stems) >= CARRIES
    }
    says = [at for at, share in shares.items() if share >= _SAYS]
    against = [at for at in says if at not in grounds.about and _turns(grounds, at, whole)]
    if not against or any(not _turns(grounds, at, whole) for at in says):
        return []
    at = max(against, key=lambda one: shares[one])
    said = grounds.evidence[at].said
    cue = said.cue or grounds.claim.cue
    told = f"“{cue}”" if said.cue else f"it says so without “{cue}”"
    sure = shares[at] >= 1.0 and _same_numbers(grounds, said) and _same_roles(grounds, at)
    return [Finding("denied", at, cue, told, sure=sure)]


def _turns(grounds: Grounds, at: int, whole: list[str]) -> bool:
    """Return whether a sentence denies a word of the claim, or affirms all that the claim denies.

    Only by words that it has itself, and not where it excepts something.
    """
    said = grounds.evidence[at].said
    if tuple(said.cue.split()) in ASIDE or said.hedge:
        return False
    if SPARING & set(said.words) and tuple(said.cue.split()) in grounds.cues.deny_clause:
        return False  # "nobody except Ann Roe"
    denied = [stem for stem in whole if grounds.claim.held[stem] == (False, True)]
    ways = [grounds.ways(at, stem) for stem in denied or whole if _has(grounds, said, stem)]
    turned = [way == {False} for way in ways]
    return bool(turned) and (all(turned) if denied else any(turned))


def _has(grounds: Grounds, said: Said, stem: str) -> bool:
    return bool({stem, *grounds.cues.forms.get(stem, ())} & said.held.keys())


def _same_numbers(grounds: Grounds, said: Said) -> bool:
    return all(
        any(likeness(mine, one) == "same" for one in said.quantities)
        for mine in grounds.claim.quantities
    )


def _same_roles(grounds: Grounds, at: int) -> bool:
    """Return whether a sentence has the claim's two names in the claim's places."""
    told = grounds.evidence[at]
    if grounds.frame is None:
        return _of_possession(grounds.claim, told)
    agent, patient = grounds.frame.agent_and_patient
    stem = grounds.claim.stems[grounds.frame.at]
    return any(
        frame.has(agent, patient)
        for form in (stem, *grounds.cues.forms.get(stem, ()))
        for frame in frames_of(told.said, form, (told.subject,))
    )


def _of_possession(claim: Said, told: Told) -> bool:
    """Return whether "is the capital of Ralia" is "Its capital" in the passage of Ralia."""
    mine = claim.subject
    of = claim.words.index("of") if "of" in claim.words[claim.verb :] else 0
    owner = name_behind(claim, of + 1) if of else frozenset[str]()
    noun = claim.stems[of - 1] if of else ""
    said = told.said
    owned = (
        noun in said.stems[place + 1 : place + 1 + _NOUN_REACH]
        and mine <= {said.stems[n] for n in _beside(said, place)}
        for place, word in enumerate(said.words)
        if word in _POSSESSIVE
    )
    is_noun = bool(FORMS_OF_BE & set(claim.words[claim.verb : claim.verb + 1])) and bool(noun)
    return is_noun and bool(owner) and owner <= told.title and any(owned)


def _beside(said: Said, at: int) -> range:
    """Return places around one, up to the nearest "and" or mark on each side."""
    borders = [n for n, word in enumerate(said.words) if word in _BORDERS]
    begin = max((n for n in borders if n < at), default=-1) + 1
    return range(begin, min((n for n in borders if n > at), default=len(said.words)))
