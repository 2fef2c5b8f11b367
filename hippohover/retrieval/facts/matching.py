"""Match the facts in a language model's answer to its candidates."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from hippohover.names.normal_forms import entity_key

Words = tuple[str, ...]
"""Subject, predicate and object; a model may answer with fewer or more."""


@dataclass(frozen=True, slots=True)
class MatchedFacts:
    """The candidates that an answer names.

    Attributes
    ----------
    kept : tuple of int
        Places among the candidates, in the order of the answer, each once.
    invented : tuple of Words
        What the answer holds and no candidate is close to.
    """

    kept: tuple[int, ...]
    invented: tuple[Words, ...]


def match_facts(
    answered: Sequence[Sequence[str]],
    candidates: Sequence[Words],
    *,
    min_closeness: float,
    max_kept: int,
) -> MatchedFacts:
    """Match each answered fact to a candidate: the same once normalised, else the closest.

    Closeness is the ratio 2 M / T of ``difflib`` (Ratcliff and Metzener, 1988) over the joined
    words: M characters match of T in both. Below ``min_closeness`` the fact counts as invented.

    Parameters
    ----------
    answered : sequence of sequences of str
        As the model gave them, best first, any number of parts each.
    candidates : sequence of Words
    min_closeness : float
        In [0, 1].
    max_kept : int
        Candidates named after that many are left out.
    """
    keys = [_key(words) for words in candidates]
    place_of = {key: place for place, key in reversed([*enumerate(keys)])}
    kept: dict[int, None] = {}
    invented: list[Words] = []
    for words in answered:
        place = place_of.get(_key(words), -1)
        if place < 0:
            place = _closest(" ".join(_key(words)), keys, min_closeness)
        if place < 0:
            invented.append(tuple(words))
        else:
            kept.setdefault(place)
    return MatchedFacts(tuple(kept)[:max_kept], tuple(invented))


def _key(words: Sequence[str]) -> Words:
    return tuple(entity_key(word) for word in words)


def _closest(text: str, keys: Sequence[Words], min_closeness: float) -> int:
    """Return the place of the closest key, the first of equals; -1 without a close one."""
    if not text.strip():
        return -1
    best, place = min_closeness, -1
    for at, key in enumerate(keys):
        ratio = difflib.SequenceMatcher(None, text, " ".join(key), autojunk=False).ratio()
        if ratio > best or (ratio == best and place < 0):
            best, place = ratio, at
    return place
