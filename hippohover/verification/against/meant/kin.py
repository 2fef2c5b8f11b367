"""Finds what the evidence says of somebody's kin, or of a part: "the niece of the painter"."""

from collections.abc import Iterator
from typing import Final

from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import same_name
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.cues import word_list
from hippohover.verification.reading.said import FORMS_OF_BE, MARKS, Said

_ARTICLES: Final = frozenset(["a", "an", "the", "his", "her", "its", "their"])
_ENDS: Final = MARKS | word_list("prepositions") | {"who", "which", "that", "and"}
_COLLECTIVE: Final = word_list("collective")


def said_of_kin(grounds: Grounds) -> list[Finding]:
    """Find "Ann Roe is a painter" where only "the painter Tim Orr", or her father, is one.

    And "the hall was replaced" where the roof of the hall was.
    """
    claim = grounds.claim
    if any(claim.denied) or any(claim.hedged):
        return []
    return _of_another_person(grounds) or _of_a_part(grounds)


def _of_another_person(grounds: Grounds) -> list[Finding]:
    noun = _description(grounds.claim)
    if not grounds.subject or not noun:
        return []
    found: list[int] = []
    for at, told in enumerate(grounds.evidence):
        of_it = grounds.share_of(grounds.subject, told.stems) >= CARRIES
        for place in [n for n, stem in enumerate(told.said.stems) if stem == noun] if of_it else []:
            if not _is_of_another(grounds, told, place):
                return []
            found.append(at)
    word = grounds.claim.written({noun})
    return [Finding("object", at, word, f"“{word}” is another", sure=False) for at in found[:1]]


def _description(claim: Said) -> str:
    """Return the stem of what a claim says its subject is: "is a Danish painter"; "" without."""
    at = claim.verb
    if claim.words[at : at + 1] and claim.words[at] not in FORMS_OF_BE:
        return ""
    if claim.words[at + 1 : at + 2] not in {("a",), ("an",), ("the",)}:
        return ""
    behind = range(at + 2, len(claim.words))
    stop = next((n for n in behind if claim.words[n] in _ENDS), len(claim.words))
    nouns = [n for n in range(at + 2, stop) if claim.stems[n] and not claim.named[n]]
    return claim.stems[nouns[-1]] if nouns and nouns[-1] == stop - 1 else ""


def _is_of_another(grounds: Grounds, told: Told, at: int) -> bool:
    """Return whether a noun is another's: "the painter Tim Orr", "Her father was a painter"."""
    said = told.said
    run = said.run_of_name(at + 1) if any(said.named[at + 1 : at + 2]) else []
    name = frozenset(said.stems[n] for n in run if said.stems[n])
    if name and not same_name(name, grounds.subject) and not said.named[at]:
        return not name & grounds.subject or bool(name - grounds.subject)
    before = said.words[max(0, at - 2) : at]
    if before[:1] == ("of",) and before[1:] in {("a",), ("an",)}:
        return True
    return bool(told.owned) and not told.owned & grounds.claim.held.keys()


def _of_a_part(grounds: Grounds) -> list[Finding]:
    """Find what all sentences with most of the claim say of a part of its subject."""
    claim = grounds.claim
    own = frozenset(stem for stem in claim.stems[: claim.verb] if stem)
    verb = {grounds.predicate, *grounds.cues.forms.get(grounds.predicate, ())}
    told = [at for at in grounds.carriers if verb & grounds.evidence[at].said.held.keys()]
    parts = [next(_parts(grounds, at, own), "") for at in told]
    if not (own and grounds.has_verb and parts and all(parts)) or "of" in claim.words[: claim.verb]:
        return []
    at, part = told[0], parts[0]
    return [Finding("object", at, part, f"it is said of “{part}”", sure=False)]


def _parts(grounds: Grounds, at: int, own: frozenset[str]) -> Iterator[str]:
    """Yield the noun that a sentence is about before "of" and some of the claim's subject."""
    said = grounds.evidence[at].said
    for place in range(1, said.verb if said.words[0] in _ARTICLES else 0):
        of = said.words[place] == "of" and said.words[place - 1] not in _COLLECTIVE
        noun = said.stems[place - 1]
        if not of or not noun or said.named[place - 1] or noun in grounds.claim.held:
            continue
        if own & set(said.stems[place + 1 : said.verb]) and not own & set(said.stems[:place]):
            yield said.words[place - 1]
