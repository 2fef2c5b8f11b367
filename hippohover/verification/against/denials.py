"""What sentences deny that the claim says, or say that it denies, and what only looks like that."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from hippohover.language.clauses import ASIDE
from hippohover.language.cues import word_list
from hippohover.language.quantities.quantity import likeness
from hippohover.language.quantities.table import ordinal_value
from hippohover.language.sentence import CLAUSE_BORDERS, Sentence
from hippohover.verification.against.comparison import CARRIES, Comparison
from hippohover.verification.against.findings import Finding, instead

_NO_DEGREES: Final = frozenset(["never", "always", "all", "every", "only", "famous"])
_SUPERLATIVES: Final = word_list("superlatives") - _NO_DEGREES
_NO_RANKS: Final = frozenset(
    ["first", "last", "most", "best", "interest", "forest", "west", "guest", "test"]
)
_CLOSER: Final = 0.15
"""So much more of a claim a sentence holds that denies it, where another says it."""
WAS: Final = frozenset(["was", "were", "had"])
NOW: Final = frozenset({("is",), ("are",), ("has",), ("have",)})
ENDED: Final = "no longer"
_ALL: Final = frozenset(["all", "every", "most", "each"])
_WITHOUT: Final = "without"
_CONDITION: Final = 2
"""Words behind "without" that say what has to be there."""
_BUT: Final = frozenset([",", "but"])
_NOT: Final = frozenset(["not", "never", "no"])
SPARING: Final = frozenset(["except", "but"])


def denials(beside: Comparison) -> list[Finding]:
    """Find words that all sentences with the claim's words deny."""
    unsure: list[Finding] = []
    for stem in beside.content:
        ways = {at: beside.ways(at, stem) for at in beside.carriers}
        against = [
            at for at, said in ways.items() if said == {False} and not agrees(beside, at, stem)
        ]
        agreeing = [beside.share(at) for at, said in ways.items() if True in said]
        best = max((beside.share(at) for at in against), default=0.0)
        if not against or any(share > best - _CLOSER for share in agreeing):
            continue
        framed = tuple(beside.claim.cue.split()) in beside.cues.frames
        twice = framed and max(beside.claim.denied) > 1  # "it is not so that it was not"
        against = [at for at in against if not leaves_out(beside, at, stem)]
        if (
            not against
            or are_presupposed(beside, against, stem)
            or (twice and beside.claim.held[stem][1])
        ):
            continue
        at = against[0]
        said = beside.evidence[at].said
        opposite = next(
            (w for w, s in zip(said.words, said.stems, strict=True) if s in beside.opposites(stem)),
            "",
        )
        mine = beside.claim.held[stem] == (False, True)
        cue = "" if mine and stem in said.held else said.cue if stem in said.held else opposite
        cue = cue or beside.claim.cue or opposite
        sure = not any(beside.claim.denied)  # what it denies itself may be another's
        found = replace(_of_word(beside.claim.written([stem]), at, cue, opposite), sure=sure)
        if mine and cue == beside.claim.cue:
            told = f"the claim denies “{found.mine}”, and the evidence does not"
            found = replace(found, told=told, mine=cue, theirs="")
        if not any(True in beside.ways(at, stem) for at in beside.about):
            return [found]
        unsure.append(replace(found, sure=False))  # another sentence may say it of the same thing
    return unsure[:1]


def _of_word(word: str, at: int, cue: str, opposite: str) -> Finding:
    """Return the finding that a sentence says the opposite of a word of the claim, or denies it."""
    if cue == opposite:
        return instead("denied", at, cue, word)
    told = f"the evidence denies “{word}” (“{cue}”)"
    return Finding("denied", at, cue, told, mine=word, theirs=f"{cue} {word}")


def denies_alone(beside: Comparison, checks: Callable[[Comparison], list[Finding]]) -> bool:
    """Return whether a clause of the claim denies words, and no sentence about these does.

    By the cues of ``cues.toml``, in the claim and in the sentences alike: "did not sign" is what
    "refused to sign" says. What a sentence denies of other words, or of another, does not count.
    Another value denies as well, where ``checks`` find it sure against the claim without its
    denial: who was born in Leeds was not born in Dover.
    """
    denied = _denied(beside.claim)
    if not denied or any(_denies(beside, at, denied) for at in range(len(beside.evidence))):
        return False
    return not any(one.sure for one in checks(_affirmed(beside)))


def _denied(claim: Sentence) -> list[str]:
    """Return stems that a claim only denies, without the words that deny them."""
    cue = claim.cue.split()
    told = dict(zip(claim.stems, claim.words, strict=True))
    return [
        stem for stem, said in claim.held.items() if said == (False, True) and told[stem] not in cue
    ]


def _denies(beside: Comparison, at: int, denied: list[str]) -> bool:
    """Return whether a sentence has the denied words, of the same subject, and denies them."""
    if beside.share_of(beside.subject, beside.evidence[at].stems) < CARRIES:
        return False
    said = beside.evidence[at].said
    if beside.claim.cue == ENDED and any(is_former(beside, said, stem) for stem in denied):
        return True
    came_to_nothing = tuple(said.hedge.split()) in beside.cues.dropped
    if came_to_nothing and all(is_hedged(beside, said, stem) for stem in denied):
        return True  # "the plan to build it was scrapped"
    plain = {one for stem in denied for one in (stem, *beside.cues.forms.get(stem, ()))}
    if at not in beside.about and not plain & said.held.keys():
        return False  # "Avocet bought it from Plover" does not say that Plover did not sell it
    return beside.share_of(denied, beside.stems[at]) >= CARRIES and any(
        True in beside.ways(at, stem) for stem in denied
    )


def _affirmed(beside: Comparison) -> Comparison:
    """Return the same clause without its denial, beside the same evidence."""
    claim = beside.claim
    plain = replace(claim, denied=(0,) * len(claim.words), cue="")
    return Comparison(plain, beside.evidence, beside.worth, beside.alike, alone=beside.alone)


def agrees(beside: Comparison, at: int, stem: str) -> bool:
    """Return whether a sentence says all of it, or its predicate, as the claim does.

    "It did not win the prize, although it was shortlisted for it."
    """
    said, claim = beside.evidence[at].said, beside.claim
    if _no_more(beside, said, stem) or _opposed(beside, at):
        return True
    if (
        _is_excepted(beside, said)
        or _not_until(beside, said, stem)
        or _by_its_word(beside, said)
        or _is_condition(claim, said)
    ):
        return True
    if claim.held[stem] == (False, True) and (
        has_another_rank(claim, said) or _only_hedged(beside, said, stem)
    ):
        return True
    length = len(claim.words) - (claim.words[-1:] == (".",))
    if said.words[:length] == claim.words[:length]:
        return True
    if _in_another_clause(beside, said, stem) and beside.ways(at, beside.predicate) == {True}:
        return True
    held = beside.held_beside(said, {stem})
    return any(one == (False, True) and held.get(word) == one for word, one in claim.held.items())


def _by_its_word(beside: Comparison, said: Sentence) -> bool:
    """Return whether a claim denies in a word what a sentence denies with a phrase, or spares.

    "Opposed the Act" is "voted against the Act"; "nobody except Ann Roe" is Ann Roe.
    """
    cue = tuple(said.cue.split())
    spares = cue in beside.cues.deny_clause and bool(SPARING & set(said.words))
    if spares and beside.subject and beside.subject <= said.held.keys():
        return True
    return cue in beside.cues.things and bool(beside.cues.denying & set(beside.claim.words))


def _is_condition(claim: Sentence, said: Sentence) -> bool:
    """Return whether a sentence denies it only without a thing of the claim: "not without a key".

    Then with a key it is so, or a key is needed.
    """
    without = [
        at
        for at, word in enumerate(said.words)
        if word == _WITHOUT and at and said.denied[at] % 2 and _WITHOUT not in claim.words
    ]
    return any(
        claim.held.get(one) == (True, False)
        for at in without
        for one in [stem for stem in said.stems[at + 1 :] if stem][:_CONDITION]
    )


def _no_more(beside: Comparison, said: Sentence, stem: str) -> bool:
    """Return whether the claim ends a state of the sentence: "no longer", "was once", "former"."""
    if beside.claim.cue != ENDED:
        return False
    ended = bool(WAS & set(said.words)) or any(said.hedged)
    return is_former(beside, said, stem) or (
        ended and said.words[said.verb : said.verb + 1] not in NOW
    )


def is_former(beside: Comparison, said: Sentence, stem: str) -> bool:
    """Return whether a sentence says that something was so, and is so no more."""
    if "until" in said.words and WAS & set(said.words):
        return stem in said.held
    return tuple(said.hedge.split()) in beside.cues.past and is_hedged(beside, said, stem)


def _is_excepted(beside: Comparison, said: Sentence) -> bool:
    """Return whether the claim says the opposite of what is excepted: closed on Sunday.

    The sentence says "open every day except Sunday".
    """
    if tuple(said.cue.split()) not in ASIDE:
        return False
    spared = {stem for stem, one in said.held.items() if one == (False, True)}
    turned = any(
        stem not in said.held and beside.opposites(stem) & said.held.keys()
        for stem in beside.content
    )
    return turned and bool(spared & set(beside.content))


def _not_until(beside: Comparison, said: Sentence, stem: str) -> bool:
    """Return whether a sentence says when the claim came about: "not printed until 1974"."""
    if said.cue not in {"not", "n't"} or "until" not in said.words:
        return False
    until = said.words.index("until")
    behind = [one for one in said.quantities if until in {n - 1 for n in said.places_in(one)}]
    return beside.claim.held[stem] == (True, False) and any(
        likeness(mine, replace(one, end="")) == "same"
        for mine in beside.claim.quantities
        for one in behind
    )


def leaves_out(beside: Comparison, at: int, stem: str) -> bool:
    """Return whether a sentence only excepts some: "all except one of the films".

    Of what it excepts, a claim about just that is denied: "all except the library are heated".
    """
    said = beside.evidence[at].said
    claim = beside.claim
    of_all = _ALL & set(claim.words) or any(claim.denied)
    if stem in claim.stems[: claim.verb] and not of_all:
        return False
    names = {one for one, named in zip(said.stems, said.named, strict=True) if named}
    return tuple(said.cue.split()) in ASIDE and stem in said.held and stem not in names


def _only_hedged(beside: Comparison, said: Sentence, stem: str) -> bool:
    """Return whether a sentence says a word only as what did not come about: "would have won"."""
    if tuple(said.hedge.split()) in beside.cues.past or said.hedge == beside.claim.hedge:
        return False  # "may keep", "may not keep"
    return is_hedged(beside, said, stem)


def is_hedged(beside: Comparison, said: Sentence, stem: str) -> bool:
    """Return whether a sentence has a word, and hedges it in each place."""
    forms = {stem, *beside.cues.forms.get(stem, ())}
    places = [at for at, one in enumerate(said.stems) if one in forms]
    return bool(places) and all(said.hedged[at] for at in places)


def _opposed(beside: Comparison, at: int) -> bool:
    """Return whether the claim denies the opposite of the sentence: "not convicted"."""
    held = beside.evidence[at].said.held
    return any(
        said == (False, True) and stem not in held and beside.ways(at, stem) == {True}
        for stem, said in beside.claim.held.items()
    )


def are_presupposed(beside: Comparison, against: Sequence[int], stem: str) -> bool:
    """Return whether sentences that deny a word of the subject still say that it exists.

    "It failed to win back its budget" has a budget.
    """
    return stands_in_subject(beside, stem) and all(
        tuple(beside.evidence[at].said.cue.split()) in beside.cues.deny_verbs for at in against
    )


def stands_in_subject(beside: Comparison, stem: str) -> bool:
    """Return whether a word is nowhere after the claim's verb, and something else is."""
    claim = beside.claim
    behind = [one for one in claim.stems[claim.verb :] if one]
    return bool(behind) and stem not in behind


def _in_another_clause(beside: Comparison, said: Sentence, stem: str) -> bool:
    """Return whether a clause's beginning separates a word from the claim's predicate.

    What follows "but not" is denied of the predicate itself: "in the Union, but not in Norland". Of
    several forms of the predicate the nearest counts: "won the cup but failed to win the shield".
    """
    if beside.predicate == stem or not {stem, beside.predicate} <= said.held.keys():
        return False
    between = _between(beside, said, stem)
    if CLAUSE_BORDERS & set(_between(beside, beside.claim, stem)):
        return False  # "when it is full, the server retries"
    if any(one in _BUT and other in _NOT for one, other in pairwise(between)):
        return False
    return bool(CLAUSE_BORDERS & set(between))


def _between(beside: Comparison, said: Sentence, stem: str) -> tuple[str, ...]:
    """Return the words from a word to the nearest form of the claim's predicate, either way."""
    forms = {beside.predicate, *beside.cues.forms.get(beside.predicate, ())}
    own = said.stems.index(stem)
    places = [at for at, one in enumerate(said.stems) if one in forms]
    verb = min(places, key=lambda at: abs(at - own), default=own)
    return said.words[min(verb, own) : max(verb, own)]


def has_another_rank(claim: Sentence, said: Sentence) -> bool:
    """Return whether a sentence gives another rank by the same word: second, not first."""
    ranks, others = set(_ranks(claim)), set(_ranks(said))
    return bool({word for word, _ in ranks} & {word for word, _ in others}) and not ranks & others


def _ranks(said: Sentence) -> Iterator[tuple[str, int]]:
    """Yield superlatives of a sentence with their ranks, from 1; none for "one of"."""
    for at, word in enumerate(said.words):
        ends = word.endswith("est") and len(word) > 4
        if word in _NO_RANKS or said.named[at] or not (ends or word in _SUPERLATIVES):
            continue
        if "of" not in said.words[max(0, at - 2) : at]:
            yield word, max(1, ordinal_value(said.words[at - 1]) if at else 1)
