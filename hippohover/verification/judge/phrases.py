"""Compares how a claim's phrases join its words with how the evidence does.

A phrase is a run of words that tell something, between words that only join ("the", "of", "was")
and marks; its head is its last word, as in English nouns. Words of one phrase are joined, and so
are heads of phrases that stand side by side: much of what a parser would say, without one.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from hippohover.language.sentence import Sentence

_JOINS_A_PHRASE: Final = frozenset(["-", "'s", "’s"])
_ABOUT_THE_TITLE: Final = 3
"""Phrases at a sentence's beginning that are about what its passage is called."""
_HOW: Final = ("within", "to head", "between", "to first", "over")
_SHOWN: Final = ("within", "between", "over")


class Joined(NamedTuple):
    """Two stems that phrases join.

    Attributes
    ----------
    how : str
        "within" neighbours in a phrase; "to head" a word and its phrase's head; "between" heads of
        neighbouring phrases; "to first" a head and the next phrase's first word; "over" heads with
        one phrase between them.
    """

    how: str
    first: str
    second: str


def phrases_of(said: Sentence) -> list[list[str]]:
    """Return the stems of each phrase, in order."""
    found: list[list[str]] = [[]]
    for word, stem in zip(said.words, said.stems, strict=True):
        if stem:
            found[-1].append(stem)
        elif found[-1] and word not in _JOINS_A_PHRASE:
            found.append([])
    return [phrase for phrase in found if phrase]


def joined(phrases: Sequence[Sequence[str]]) -> Iterator[Joined]:
    """Yield all pairs of stems that phrases join."""
    for phrase in phrases:
        yield from (Joined("within", a, b) for a, b in pairwise(phrase))
        yield from (Joined("to head", word, phrase[-1]) for word in phrase[:-2])
    for left, right in pairwise(phrases):
        yield Joined("between", left[-1], right[-1])
        if len(right) > 1:
            yield Joined("to first", left[-1], right[0])
    for left, right in zip(phrases, phrases[2:], strict=False):
        yield Joined("over", left[-1], right[-1])


def joined_in(
    sentences: Sequence[Sentence], titles: Sequence[frozenset[str]]
) -> set[tuple[str, str]]:
    """Return pairs that any sentence joins, in any order; titles join sentence beginnings."""
    found: set[tuple[str, str]] = set()
    for said, title in zip(sentences, titles, strict=True):
        phrases = phrases_of(said)
        pairs = [(one.first, one.second) for one in joined(phrases)]
        pairs += [(stem, one[-1]) for one in phrases[:_ABOUT_THE_TITLE] for stem in title]
        for first, second in pairs:
            found |= {(first, second), (second, first)}
    return found


def phrase_features(
    claim: Sentence,
    sentences: Sequence[Sentence],
    titles: Sequence[frozenset[str]],
    worth: dict[str, float],
    otherwise: frozenset[str] = frozenset(),
) -> dict[str, float]:
    """Return how many of the claim's joined pairs the evidence joins as well, by name.

    A pair weighs as much as its more frequent word, by ``worth`` (stem -> rarity, [0, 1]). What the
    evidence says ``otherwise`` alone ("67,000,000", "not closed") is joined as the claim joins it.
    """
    held = joined_in(sentences, titles)
    otherwise = otherwise.difference(*(said.held for said in sentences))
    total: dict[str, float] = dict.fromkeys(_HOW, 0.0)
    kept, n_lost = dict(total), dict(total)
    for how, first, second in joined(phrases_of(claim)):
        if first != second:
            weight, has = (
                min(worth[first], worth[second]),
                ((first, second) in held or first in otherwise or second in otherwise),
            )
            total[how] += weight
            kept[how] += weight * has
            n_lost[how] += not has
    near = [how for how in total if how != "over"]
    whole, whole_kept = (sum(some[how] for how in near) for some in (total, kept))
    found = {"joined": _share(whole_kept, whole), "joined_lost": whole - whole_kept}
    for how in _SHOWN:
        found |= {
            f"joined_{how}": _share(kept[how], total[how]),
            f"joined_{how}_lost": total[how] - kept[how],
            f"joined_{how}_n": n_lost[how],
        }
    return found


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0
