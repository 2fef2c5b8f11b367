"""Finds who "a composer" is in "was designed by a composer": the evidence names who did it."""

from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.said import FORMS_OF_BE, MARKS, Said
from hippohover.verification.against.frames import same_name
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.meant.bridges import named_as
from hippohover.verification.against.meant.described import is_listed, who_did

_ARTICLES: Final = frozenset(["a", "an"])
_ANYBODY: Final = frozenset(["man", "woman", "person", "somebody", "someone"])
"""Nouns that say nothing of what somebody is."""
_BORN: Final = "born"
_RELATIVES: Final = frozenset(["who", "which", "that"])
_ENDS: Final = MARKS | {"and", "but", "while", "after", "before"}
_PREPOSITIONS: Final = word_list("prepositions")
_BACK: Final = 4
"""Words from "by" back to its verb: "founded in 1921 by"."""


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Somebody whom a claim does not name, and who the evidence says it is.

    Attributes
    ----------
    name : frozenset of str
        Stems of the name.
    sentence : int
        Place of the sentence that names it.
    told : tuple of str
        What the claim says of somebody, each behind a name: "is a composer", "was born in Telk".
    """

    name: frozenset[str]
    sentence: int
    told: tuple[str, ...]


def unnamed(grounds: Grounds) -> Unnamed | None:
    """Return who did a deed that the claim says "a composer" did; None where nobody is named."""
    claim = grounds.claim
    by = next((at for at in range(1, len(claim.words)) if _is_by_somebody(claim, at)), 0)
    verb = _verb_before(claim, by)
    if not by or verb < 0 or not grounds.subject or any(claim.denied):
        return None
    of, stem = grounds.subject, claim.stems[verb]
    names = {one for one, named in zip(claim.stems, claim.named, strict=True) if named and one}
    found = _doers(grounds, stem, of)
    longest, at = max(found, key=lambda pair: len(pair[0]), default=(frozenset[str](), -1))
    alone = bool(found) and all(same_name(longest, name) for name, _ in found)
    if not alone or is_listed(grounds.evidence[at].said, longest) or longest & names:
        return None
    return Unnamed(longest, at, _said_of(claim, by + 1))


def _doers(grounds: Grounds, verb: str, of: frozenset[str]) -> list[tuple[frozenset[str], int]]:
    """Return names of those who did it, with the sentences that say so."""
    places = range(len(grounds.evidence))
    return [(name, at) for at in places for name in who_did(grounds, at, verb, of)] or [
        (name, at)
        for at in places
        for noun in (verb, *sorted(grounds.cues.doers.get(verb, ())))
        for name in named_as(grounds, grounds.evidence[at], noun, of)
        if not any(grounds.evidence[at].said.denied)
    ]


def _verb_before(claim: Said, by: int) -> int:
    """Return the place of the verb of "by", which tells of the claim's subject; -1 without one."""
    places = range(by - 1, max(-1, by - 1 - _BACK), -1)
    verb = next((at for at in places if claim.stems[at] and _is_verb(claim, at)), -1)
    begin = claim.verb + 1
    is_it = claim.words[claim.verb : begin] and claim.words[claim.verb] in FORMS_OF_BE
    between = (_ENDS | _PREPOSITIONS | _RELATIVES) & set(claim.words[begin:verb])
    return verb if is_it and not between and not any(claim.named[begin:verb]) else -1


def _is_by_somebody(claim: Said, at: int) -> bool:
    behind = claim.words[at + 1 : at + 2]
    return claim.words[at] == "by" and bool(_ARTICLES & set(behind))


def _said_of(claim: Said, article: int) -> tuple[str, ...]:
    """Return what is said of somebody from an article on."""
    words, n = claim.words, len(claim.words)
    stop = next((at for at in range(article, n) if words[at] in _ENDS), n)
    cut = next((at for at in range(article + 2, stop) if _begins_clause(claim, at)), stop)
    noun = _noun(claim, article + 1)
    told: list[str] = []
    if noun not in _ANYBODY:
        told.append(f"is {_text(claim, article, cut)}")
    if cut < stop and words[cut] in _RELATIVES:
        told.append(_text(claim, cut + 1, stop))
    elif cut < stop or noun in _ANYBODY:
        start = cut if cut < stop else article + 2
        told.append(f"was {_text(claim, start, stop)}" if start < stop else "")
    return tuple(one for one in told if one)


def _noun(said: Said, start: int) -> str:
    """Return the stem of the last word of a noun that begins at a place."""
    n = len(said.words)
    ends = _ENDS | _PREPOSITIONS | _RELATIVES
    stop = next(
        (at for at in range(start, n) if said.words[at] in ends or _begins_clause(said, at)), n
    )
    return said.stems[stop - 1] if stop > start and not said.named[stop - 1] else ""


def _begins_clause(said: Said, at: int) -> bool:
    """Return whether more is said of a noun from a word on: "who", "born in"."""
    behind = said.words[at + 1 : at + 2]
    verb = _is_verb(said, at) and bool(_PREPOSITIONS & set(behind))
    return said.words[at] in _RELATIVES or verb


def _text(said: Said, start: int, stop: int) -> str:
    return said.text[said.spans[start][0] : said.spans[stop - 1][1]]


def _is_verb(said: Said, at: int) -> bool:
    """Return whether a word may be a participle: "designed", "born", "written"."""
    word, stem = said.words[at], said.stems[at]
    return word == _BORN or stem in cues().forms or cues().is_verb(word)
