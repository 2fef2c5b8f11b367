"""Groups of claims made from one question, and folds that keep each group whole."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from operator import itemgetter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.names.normal_forms import normal_title


class Groupable(Protocol):
    """The fields by which claims are grouped; ``hover.Claim`` has them."""

    @property
    def uid(self) -> str: ...
    @property
    def hpqa_id(self) -> str: ...
    @property
    def gold_titles(self) -> tuple[str, ...]: ...


def groups(claims: Sequence[Groupable], *, by_one_title: bool = False) -> list[str]:
    """Return each claim's group id: the smallest ``uid`` in its group.

    HoVer makes several claims from one HotpotQA question: whoever learned from one of them knows
    half of the next, so every split must keep a group on one side. Claims are joined, directly or
    through others, if they have the same ``uid``, the same ``hpqa_id`` (an empty one joins nothing)
    or two gold titles in common; with ``by_one_title`` also if one of them has a single gold title
    that the other has too. The ids depend only on the set of claims, not on their order.
    """
    from networkx.utils import UnionFind

    joined: Any = UnionFind(range(len(claims)))
    first_with: dict[tuple[str, ...], int] = {}
    titles = [{normal_title(title) for title in claim.gold_titles} for claim in claims]
    single = {title for one in titles if len(one) == 1 for title in one if by_one_title}
    for number, claim in enumerate(claims):
        for key in _keys(claim, single):
            joined.union(number, first_with.setdefault(key, number))
    smallest: dict[int, str] = {}
    for number, claim in enumerate(claims):
        smallest[joined[number]] = min(smallest.get(joined[number], claim.uid), claim.uid)
    return [smallest[joined[number]] for number in range(len(claims))]


def folds(group_ids: Sequence[str], n_folds: int = 5, seed: int = 0) -> NDArray[np.int64]:
    """Assign fold numbers, 0 to ``n_folds - 1``; each group stays in one fold.

    Groups go, largest first and in an order drawn by ``seed`` among equals, to the fold with the
    fewest claims, so two folds differ by at most the size of the largest group.

    Raises
    ------
    UsageError
        ``n_folds`` is below 2, or there are fewer groups than folds.
    """
    members: defaultdict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(group_ids):
        members[group].append(number)
    if not 2 <= n_folds <= len(members):
        raise UsageError(
            f"n_folds is {n_folds} for {len(members)} groups: give 2 or more, at most one a group"
        )
    names = sorted(members)
    shuffled = [names[i] for i in np.random.default_rng(seed).permutation(len(names))]
    sizes = [0] * n_folds
    fold_of = np.zeros(len(group_ids), dtype=np.int64)
    # Stable sorting keeps the drawn order among groups of one size.
    for _, group in sorted(((-len(members[name]), name) for name in shuffled), key=itemgetter(0)):
        smallest = sizes.index(min(sizes))
        fold_of[members[group]] = smallest
        sizes[smallest] += len(members[group])
    return fold_of


def _keys(claim: Groupable, single: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield the keys that a claim shares with the other claims of its group.

    ``single`` are titles that are all that some claim is about.
    """
    yield ("uid", claim.uid)
    if claim.hpqa_id:
        yield ("hpqa_id", claim.hpqa_id)
    titles = sorted({normal_title(title) for title in claim.gold_titles})
    for first, second in combinations(titles, 2):
        yield ("titles", first, second)
    for title in titles:
        if title in single:
            yield ("title", title)
