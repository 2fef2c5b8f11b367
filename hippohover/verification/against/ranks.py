"""Ranks, directions and quantifiers: the second highest, to the north, all and some."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from hippohover.language.cues import word_list
from hippohover.language.quantities.table import ordinal_value
from hippohover.language.said import Said
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import name_before, name_behind, same_name
from hippohover.verification.against.grounds import CARRIES, Grounds

_SUPERLATIVES: Final = word_list("superlatives") - {
    "never",
    "always",
    "all",
    "every",
    "only",
    "famous",
}
_FIRST: Final = "first"
_NO_RANKS: Final = frozenset(
    ["first", "last", "most", "best", "interest", "forest", "west", "guest", "test"]
)
_DIRECTIONS: Final = frozenset(["north", "south", "east", "west"])
_WHOLE: Final = frozenset(["all", "every", "always", "everyone", "everybody"])
_SOME: Final = frozenset(
    ["some", "only", "few", "most", "many", "several", "half", "sometimes", "often"]
)
_ALONE: Final = frozenset(["only", "sole", "solely", "alone", "just", "exclusively", "single"])
_ONE: Final = frozenset(
    ["one", "except", "unique", "lone", "other", "never", "no", "none", "nobody"]
)
"""They may say that it is alone as well."""
_FULL: Final = 100.0
_FEW: Final = frozenset(["few", "some", "hardly", "none", "nobody"])
_OF_SOME: Final = frozenset({("of", "which"), ("of", "them"), ("of", "whom"), ("per", "cent")})


def has_another_rank(claim: Said, said: Said) -> bool:
    """Return whether a sentence gives another rank by the same word: second, not first."""
    ranks = {(word, max(rank, 1)) for word, _, rank in _ranks(claim)}
    others = {(word, max(rank, 1)) for word, _, rank in _ranks(said)}
    return bool({word for word, _ in ranks} & {word for word, _ in others}) and not ranks & others


def _ranks(said: Said) -> Iterator[tuple[str, str, int]]:
    """Yield superlatives of a sentence, the stem described, and the rank; none for "one of"."""
    for at, word in enumerate(said.words):
        ends = word.endswith("est") and len(word) > 4
        if word in _NO_RANKS or said.named[at] or not (ends or word in _SUPERLATIVES):
            continue
        noun = next((stem for stem in said.stems[at + 1 :] if stem), "")
        if "of" not in said.words[max(0, at - 2) : at]:
            yield word, noun, ordinal_value(said.words[at - 1]) if at else 1


def other_directions(grounds: Grounds) -> list[Finding]:
    """Find another direction of a place, or the same with the two places exchanged."""
    mine = dict(_directions(grounds.claim))
    for at, told in enumerate(grounds.evidence if mine else ()):
        others = _directions(told.said)
        for name, direction in mine.items():
            theirs = {other for one, other in others if same_name(name, one)}
            if at in grounds.about and theirs and direction not in theirs:
                return [_turned(at, direction, f"“{min(theirs)}”, not “{direction}”")]
    for at, told in enumerate(grounds.evidence):
        if _is_crossed(grounds, told):
            return [_turned(at, "of", "the two change places")]
    return []


def _turned(at: int, cue: str, told: str) -> Finding:
    return Finding("roles", at, cue, told)


def _directions(said: Said) -> list[tuple[frozenset[str], str]]:
    """Return names with the text after them: "Ombria to the west and Tarn to the north"."""
    return [
        (name, word)
        for at, word in enumerate(said.words)
        if word in _DIRECTIONS
        and said.words[at - 2 : at] == ("to", "the")
        and said.words[at + 1 : at + 2] != ("of",)
        and said.named[at - 3 : at - 2] == (True,)
        and (name := name_before(said, at - 2))
    ]


def _is_crossed(grounds: Grounds, told: Told) -> bool:
    """Return whether B lies north of A in a sentence, and A north of B in the claim."""
    mine, other = _direction_of(grounds.claim), _direction_of(told.said)
    if mine is None or other is None or mine[0] != other[0] or not grounds.subject:
        return False
    theirs = other[1] or told.title
    return same_name(grounds.subject, theirs) and same_name(mine[1], told.subject)


def _direction_of(said: Said) -> tuple[str, frozenset[str]] | None:
    """Return a direction and its reference: "north of Norland"; empty for "of it"."""
    for at, word in enumerate(said.words):
        if word in _DIRECTIONS and said.words[at + 1 : at + 2] == ("of",):
            return word, name_behind(said, at + 2)
    return None


def quantifiers(grounds: Grounds) -> list[Finding]:
    """Find what the claim says of all or most, and sentences of some alone."""
    claim = grounds.claim
    if found := _excepted(grounds) or _of_few(grounds) or _not_alone(grounds):
        return found
    wide = next((word for word in claim.words[: max(2, claim.verb + 2)] if word in _WHOLE), "")
    if not wide or (any(claim.denied) and tuple(claim.cue.split()) not in grounds.cues.deny_verbs):
        return []
    for at in grounds.carriers:
        said = grounds.evidence[at].said
        if "except" in said.words and "except" not in claim.words:
            return [Finding("number", at, "except", f"“except”, not “{wide}”", sure=False)]
        if _WHOLE & set(said.words):
            return []
        some = next((word for word in said.words if word in _SOME), "")
        pairs = set(zip(said.words, said.words[1:], strict=False))
        cue = some or " ".join(min(_OF_SOME & pairs, default=()))
        cue = cue or _part_of(said)
        if cue:
            return [Finding("number", at, cue, f"“{cue}”, not “{wide}”", sure=False)]
    return []


def _part_of(said: Said) -> str:
    """Return "two thirds" where a sentence says something of "two thirds of" a whole; or ""."""
    shares = (one for one in said.quantities if one.unit == "share" and one.high < _FULL)
    for one in shares:
        behind = max(said.places_in(one), default=len(said.words)) + 1
        if said.words[behind : behind + 1] == ("of",):
            return said.text[one.start : one.stop]
    return ""


def _not_alone(grounds: Grounds) -> list[Finding]:
    """Find "only" where no sentence with most of the claim says that it is alone in it.

    And "the only painter" where one is "the only woman".
    """
    claim = grounds.claim
    at = claim.words.index("only") if "only" in claim.words else -1
    numbers = {place for one in claim.quantities for place in claim.places_in(one)}
    about = [n for n in grounds.about if _ALONE & set(grounds.evidence[n].said.words)]
    places = grounds.carriers or about
    if at < 0 or at + 1 in numbers or any(claim.denied) or not places:
        return []
    noun = next((stem for stem in claim.stems[at + 1 :] if stem), "")
    for place in places:
        said = grounds.evidence[place].said
        nouns = {
            next((stem for stem in said.stems[n + 1 :] if stem), "")
            for n, word in enumerate(said.words)
            if word in _ALONE
        }
        if noun in nouns or (nouns and claim.words[at - 1 : at] != ("the",)):
            return []
        if _ONE & set(said.words):
            return []
    return [Finding("number", places[0], "", "it is not said of it alone", sure=False)]


def _excepted(grounds: Grounds) -> list[Finding]:
    """Find "every day" where a sentence has "every day except Sunday"."""
    mine = {pair for pair in pairwise(grounds.claim.words) if pair[0] in _WHOLE}
    if not mine or "except" in grounds.claim.words or any(grounds.claim.denied):
        return []
    for at in grounds.carriers:
        words = grounds.evidence[at].said.words
        for place, pair in enumerate(pairwise(words)):
            if pair in mine and words[place + 2 : place + 3] == ("except",):
                told = f"“except”, not “{' '.join(pair)}”"
                return [Finding("number", at, "except", told, sure=False)]
    return []


def _of_few(grounds: Grounds) -> list[Finding]:
    """Find "most" where the part of a sentence with most of the claim says "few" or "some"."""
    if grounds.claim.words[:1] != ("most",) or any(grounds.claim.denied):
        return []
    found: list[Finding] = []
    for at in grounds.about:
        said = grounds.evidence[at].said
        part = max(
            said.segments,
            key=lambda one: grounds.share_of(grounds.content, {said.stems[n] for n in one}),
        )
        words = [said.words[n] for n in part]
        if "most" in words and grounds.share(at) >= CARRIES:
            return []
        cue = next((word for word in words if word in _FEW), "")
        if cue:
            found.append(Finding("number", at, cue, f"“{cue}”, not “most”", sure=False))
    return found[:1]
