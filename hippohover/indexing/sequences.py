"""Finds documents that follow each other: turns of a talk, blocks of a meeting, rules of a book.

Names that differ by their numbers alone are a series: "Meeting 12, block 7" and "Meeting 12, block
8". Rows of a table and articles about years are numbered too, and in no order that says anything.
So a series counts where its neighbours share more words than documents that stand far apart.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.indexing.corpus.passage_table import column_values
from hippohover.lexical import NO_TERM

Terms = Collection[int]

_NUMBER: Final = re.compile(r"\d{1,18}")
_WITHIN: Final = re.compile(r".*(?:[,;:|>] | [-–—] |/)")
_SAMPLED: Final = 200
"""Neighbours of a kind of series that are compared: they tell 60 from 50 in 100 apart."""
_DEVIATIONS: Final = 3.0


class Place(NamedTuple):
    """The place of a document in a series.

    Attributes
    ----------
    kind : str
        What is numbered, with 0 for each number: ", block 0".
    series : str
        The whole name with 0 for each: "Meeting 0, block 0".
    numbers : tuple of int
    """

    kind: str
    series: str
    numbers: tuple[int, ...]


class Member(NamedTuple):
    """A passage whose document has a place in a series.

    Attributes
    ----------
    place : Place
    part : int
        Which passage of its document it is.
    key : int
        Its id, or any number that sorts as that.
    document : str
        What tells its document from others of its place.
    """

    place: Place
    part: int
    key: int
    document: str


def members_in(table: Any, keys: Iterable[int]) -> Iterator[Member]:  # noqa: ANN401
    """Yield members among the passages of a table, whose keys are given beside it."""
    columns = [column_values(table, name, "") for name in ("title", "document", "path", "part")]
    for title, document, path, part, key in zip(*columns, keys, strict=False):
        place = place_of(title, document, path)
        if place:
            yield Member(place, part, key, f"{document}\0{path}\0{title}")


def name_of(title: str, document: str, path: str) -> str:
    """Return the name that numbers a document: its title, else its id; of a file, its path."""
    return document if path or not _NUMBER.search(title) else title


def place_of(title: str, document: str, path: str) -> Place | None:
    """Return a document's place, by the name that numbers it.

    A number alone, as in "Order 17", numbers records: a place is one within something, which other
    words or further numbers name. Rows of a file have none.
    """
    name = name_of(title, document, path)
    numbers = _NUMBER.findall(name)
    if not numbers or (path and "#" in name):
        return None
    series = _NUMBER.sub("0", name)
    within = _WITHIN.match(series)
    kind = series[within.end() :] if within else series
    if "0" not in kind:
        kind, within = series, None
    if not within and len(numbers) == 1:
        return None
    return Place(kind, series, tuple(map(int, numbers)))


def kind_pattern(kind: str) -> str:
    """Return a regular expression (RE2) that the end of names of a kind of series matches."""
    return r"\p{Nd}+".join(map(re.escape, kind.split("0"))) + "$"


def names_between(name: str, first: int, last: int) -> list[str]:
    """Return the names that differ from one by its last number alone, with all from one to another.

    They have leading zeros if it has.
    """
    *_, number = _NUMBER.finditer(name)
    head, tail = name[: number.start()], name[number.end() :]
    width = len(number[0]) if number[0].startswith("0") else 0
    return [f"{head}{at:0{width}}{tail}" for at in range(max(first, 0), last + 1)]


def text_terms(terms: NDArray[np.int32], start: int, stop: int) -> set[int]:
    """Return the distinct search terms between two tokens."""
    return set(terms[start:stop].tolist()) - {NO_TERM}


def pairs_in_order(
    members: Iterable[Member], terms_of: Callable[[int], Terms]
) -> Iterator[tuple[int, int]]:
    """Yield keys of passages that follow each other in series; all members of a kind are needed.

    ``terms_of`` gives the distinct search terms of a passage's text.
    """
    kinds: defaultdict[str, defaultdict[str, list[Member]]] = defaultdict(lambda: defaultdict(list))
    for member in members:
        kinds[member.place.kind][member.place.series].append(member)
    for of_kind in kinds.values():
        series = [_ordered(some) for some in of_kind.values()]
        if _is_in_order(series, terms_of):
            yield from ((a.key, b.key) for a, b in _follow(series))


def pairs_of_series(members: list[Member]) -> list[tuple[int, int]]:
    """Return keys of passages that follow each other in one series; some of it that has no gap."""
    return [(one.key, other.key) for one, other in _follow([_ordered(members)])]


def _ordered(members: list[Member]) -> list[Member]:
    """Return members by number and part, without those whose place is another document's too."""
    holders: defaultdict[tuple[int, ...], set[str]] = defaultdict(set)
    for member in members:
        holders[member.place.numbers].add(member.document)
    alone = (member for member in members if len(holders[member.place.numbers]) == 1)
    return sorted(alone, key=lambda member: (member.place.numbers, member.part, member.key))


def _follow(series: Iterable[Sequence[Member]]) -> Iterator[tuple[Member, Member]]:
    """Yield the last passage of each document with the first of the next one."""
    for members in series:
        yield from ((a, b) for a, b in pairwise(members) if a.document != b.document)


def _is_in_order(series: Sequence[Sequence[Member]], terms_of: Callable[[int], Terms]) -> bool:
    """Return whether neighbours are more often alike than documents half the series apart.

    By three standard deviations, as one in 700 kinds without an order would be by chance.
    """
    far = {
        member.key: members[(at + len(members) // 2) % len(members)]
        for members in series
        for at, member in enumerate(members)
    }
    sampled = sorted(_follow(series), key=lambda pair: pair[0].key)[:_SAMPLED]
    n_alike = n_unlike = 0
    for one, following in sampled:
        own = terms_of(one.key)
        near, apart = (_likeness(own, terms_of(other.key)) for other in (following, far[one.key]))
        n_alike += near > apart
        n_unlike += near < apart
    return n_alike - n_unlike >= _DEVIATIONS * sqrt(max(n_alike + n_unlike, 1))


def _likeness(one: Terms, other: Terms) -> float:
    """Return the cosine of two sets."""
    return len(set(one) & set(other)) / sqrt(max(len(one) * len(other), 1))
