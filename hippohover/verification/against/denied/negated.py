"""Whether a claim denies what no sentence about it denies."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from hippohover.language.clauses import ASIDE
from hippohover.language.said import Said
from hippohover.verification.against.denied.agreements import ENDED, is_former, is_hedged
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import CARRIES, Grounds

_NOT_BOTH = ("both", "all")


def denies_alone(grounds: Grounds, checks: Callable[[Grounds], list[Finding]]) -> bool:
    """Return whether a clause of the claim denies words, and no sentence about these does.

    By the cues of ``cues.toml``, in the claim and in the sentences alike: "did not sign" is what
    "refused to sign" says. What a sentence denies of other words, or of another, does not count.
    Another value denies as well, where ``checks`` find it sure against the claim without its
    denial: who was born in Leeds was not born in Dover.
    """
    denied = _denied(grounds.claim)
    if not denied or any(_denies(grounds, at, denied) for at in range(len(grounds.evidence))):
        return False
    if _is_not_both(grounds.claim):
        return all(_says_of(grounds, name, denied) for name in _members(grounds.claim))
    return not any(one.sure for one in checks(_affirmed(grounds)))


def _denied(claim: Said) -> list[str]:
    """Return stems that a claim only denies, without the words that deny them."""
    cue = claim.cue.split()
    told = dict(zip(claim.stems, claim.words, strict=True))
    return [
        stem for stem, said in claim.held.items() if said == (False, True) and told[stem] not in cue
    ]


def _denies(grounds: Grounds, at: int, denied: list[str]) -> bool:
    """Return whether a sentence has the denied words, of the same subject, and denies them."""
    if grounds.share_of(grounds.subject, grounds.evidence[at].stems) < CARRIES:
        return False
    said = grounds.evidence[at].said
    if grounds.claim.cue == ENDED and any(is_former(grounds, said, stem) for stem in denied):
        return True
    came_to_nothing = tuple(said.hedge.split()) in grounds.cues.dropped
    if came_to_nothing and all(is_hedged(grounds, said, stem) for stem in denied):
        return True  # "the plan to build it was scrapped"
    if tuple(said.cue.split()) in ASIDE and said.cue != grounds.claim.cue:
        return _excepts(grounds, at, denied)
    plain = {one for stem in denied for one in (stem, *grounds.cues.forms.get(stem, ()))}
    if at not in grounds.about and not plain & said.held.keys():
        return False  # "Avocet bought it from Plover" does not say that Plover did not sell it
    return grounds.share_of(denied, grounds.stems[at]) >= CARRIES and any(
        True in grounds.ways(at, stem) for stem in denied
    )


def _excepts(grounds: Grounds, at: int, denied: list[str]) -> bool:
    """Return whether a sentence affirms the denied words of all but something in the claim."""
    held = grounds.evidence[at].said.held
    spared = {stem for stem, said in held.items() if said == (False, True)}
    return bool(spared & grounds.claim.held.keys()) and any(
        grounds.ways(at, stem) == {False} for stem in denied if stem not in spared
    )


def _affirmed(grounds: Grounds) -> Grounds:
    """Return the same clause without its denial, beside the same evidence."""
    claim = grounds.claim
    plain = replace(claim, denied=(0,) * len(claim.words), cue="")
    return Grounds(
        plain, grounds.evidence, grounds.cues, grounds.worth, grounds.alike, alone=grounds.alone
    )


def _is_not_both(claim: Said) -> bool:
    """Return whether a claim only denies that something is so of each: "are not both pilots"."""
    return any(word in _NOT_BOTH and claim.denied[at] for at, word in enumerate(claim.words))


def _members(claim: Said) -> Iterator[frozenset[str]]:
    """Yield the names before a claim's verb, each by its stems."""
    name: set[str] = set()
    for at in range(claim.verb):
        if claim.named[at] and claim.stems[at]:
            name.add(claim.stems[at])
        elif name and not claim.named[at]:
            yield frozenset(name)
            name = set()
    if name:
        yield frozenset(name)


def _says_of(grounds: Grounds, name: frozenset[str], denied: list[str]) -> bool:
    """Return whether a sentence says the denied words of a name, without denying them."""
    return any(
        grounds.share_of(name, told.stems) >= CARRIES
        and all(grounds.ways(at, stem) == {False} for stem in denied)
        for at, told in enumerate(grounds.evidence)
    )
