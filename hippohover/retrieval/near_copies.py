"""Passages that say the same: nearly the same search terms.

The distinct terms of texts and headings are compared. Two passages with the same name ("The Weir",
"The Weir (copy 2)") are copies if they share most terms. Any others must share nearly all, and no
term of a title may be in only its own text: articles of the same pattern about two villages are not
copies, however much of the pattern they share.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled
from hippohover.lexical import NO_TERM
from hippohover.names.titles import TitleKind
from hippohover.store.tables import IndexArrays

_ALIKE: Final = 0.9
_ALIKE_OF_ONE_NAME: Final = 0.8
"""Least share of the terms of two passages that both hold (Jaccard's index)."""
_FEWEST_TERMS: Final = 10
"""Shorter passages are alike too easily."""
_FEWEST_OF_SHORT: Final = 4
"""Even the same terms make no copies of still shorter ones, such as "Born in 1931."."""


def stand_ins(
    arrays: IndexArrays, rows: NDArray[np.int64], named: NDArray[np.int32], n: int
) -> NDArray[np.int64]:
    """Return each passage's representative: an earlier near-copy, else itself.

    Passages of one document are none of each other, and neither are two that a claim names by
    different names.

    Parameters
    ----------
    arrays : IndexArrays
    rows : ndarray of int64, shape (n_rows,)
        Passages, best first.
    named : ndarray of int32, shape (n_rows,)
        Entity by which the claim names each; -1 where it does not.
    n : int
        Number of passages that represent themselves, after which the search for copies ends.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
    """
    found = np.arange(len(rows))
    _find(
        arrays.terms,
        arrays.term_indptr,
        arrays.title_lengths,
        arrays.documents[rows],
        arrays.title_entities[rows],
        rows,
        named,
        n,
        found,
    )
    return found


def short_copies(
    arrays: IndexArrays, rows: NDArray[np.int64], named: NDArray[np.int32]
) -> Iterator[tuple[int, int]]:
    """Yield positions of copies too short for ``stand_ins``, and of earlier ones.

    Parameters are as in ``stand_ins``, and so are the passages that are not copies of each other.
    """
    firsts: dict[bytes, int] = {}
    for place, row in enumerate(rows.tolist()):
        begin = arrays.term_indptr[row] + arrays.title_lengths[row]
        terms = np.unique(arrays.terms[begin : arrays.term_indptr[row + 1]])
        terms = terms[terms != NO_TERM]
        if _FEWEST_OF_SHORT <= len(terms) < _FEWEST_TERMS:
            first = firsts.setdefault(terms.tobytes(), place)
            is_apart = arrays.documents[rows[first]] == arrays.documents[row] or (
                named[first] >= 0 and named[place] >= 0 and named[first] != named[place]
            )
            if not is_apart:
                yield place, first


def originals(
    arrays: IndexArrays, rows: NDArray[np.int64], found: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return ``rows`` with each group's original, if any, in its first place.

    That is the first whose whole title is also a name of the group's best: "The Weir", and not "The
    Weir (copy 2)". ``found`` is from ``stand_ins``.
    """
    names = arrays.title_entities[rows]
    titles = names[:, TitleKind.FULL]
    changed = rows.copy()
    for place in np.flatnonzero(found != np.arange(len(rows))).tolist():
        first = int(found[place])
        is_named = titles[place] >= 0 and titles[place] in names[first]
        if is_named and titles[place] != titles[first] and changed[first] == rows[first]:
            changed[first], changed[place] = rows[place], rows[first]
    return changed


@compiled
def _title(
    terms: NDArray[np.int32],
    term_indptr: NDArray[np.int64],
    title_lengths: NDArray[np.int32],
    row: int,
) -> NDArray[np.int32]:
    return terms[term_indptr[row] : term_indptr[row] + title_lengths[row]]


@compiled
def _share_a_name(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    for name in one:
        if name >= 0:
            for theirs in other:
                if name == theirs:
                    return True
    return False


@compiled
def _titled_alike(
    title: NDArray[np.int32], own: NDArray[np.int32], theirs: NDArray[np.int32]
) -> bool:
    """Return whether no term of a title occurs only in its own text."""
    for term in title:  # noqa: SIM110 - compiled
        if _holds(own, term) and not _holds(theirs, term):
            return False
    return True


@compiled
def _holds(terms: NDArray[np.int32], term: int) -> bool:
    at = np.searchsorted(terms, term)
    return bool(at < len(terms) and terms[at] == term)


@compiled
def _are_alike(one: NDArray[np.int32], other: NDArray[np.int32], least: float) -> bool:
    """Return whether two ascending sets share enough of their union."""
    fewer, more = min(len(one), len(other)), max(len(one), len(other))
    if fewer < _FEWEST_TERMS or fewer < least * more:
        return False
    at = there = shared = 0
    while at < len(one) and there < len(other):
        if one[at] == other[there]:
            shared += 1
            at += 1
            there += 1
        elif one[at] < other[there]:
            at += 1
        else:
            there += 1
    return shared >= least * (len(one) + len(other) - shared)


@compiled
def _find(  # noqa: PLR0913, PLR0917  # a compiled loop takes arrays, not objects
    terms: NDArray[np.int32],
    term_indptr: NDArray[np.int64],
    title_lengths: NDArray[np.int32],
    documents: NDArray[np.int32],
    names: NDArray[np.int32],
    rows: NDArray[np.int64],
    named: NDArray[np.int32],
    n: int,
    found: NDArray[np.int64],
) -> None:
    # Distinct terms, ascending, of those that stand for themselves, one behind the other.
    ends = np.zeros(n + 1, np.int64)
    at_most = 0
    for row in rows:
        at_most += term_indptr[row + 1] - term_indptr[row]
    kept = np.empty(at_most, np.int32)
    firsts = np.empty(n, np.int64)
    n_firsts = 0
    for place in range(len(rows)):
        if n_firsts == n:
            break
        row = rows[place]
        own = np.sort(terms[term_indptr[row] + title_lengths[row] : term_indptr[row + 1]])
        end = ends[n_firsts]
        for term in own:
            if term != NO_TERM and (end == ends[n_firsts] or kept[end - 1] != term):
                kept[end] = term
                end += 1
        mine = kept[ends[n_firsts] : end]
        for other in range(n_firsts):
            first: int = firsts[other]
            apart = documents[first] == documents[place] or (
                named[first] >= 0 and named[place] >= 0 and named[first] != named[place]
            )
            if apart:
                continue
            theirs = kept[ends[other] : ends[other + 1]]
            if _share_a_name(names[first], names[place]):
                alike = _are_alike(theirs, mine, _ALIKE_OF_ONE_NAME)
            else:
                alike = (
                    _are_alike(theirs, mine, _ALIKE)
                    and _titled_alike(_title(terms, term_indptr, title_lengths, row), mine, theirs)
                    and _titled_alike(
                        _title(terms, term_indptr, title_lengths, rows[first]), theirs, mine
                    )
                )
            if alike:
                found[place] = first
                break
        if found[place] == place:
            firsts[n_firsts] = place
            n_firsts += 1
            ends[n_firsts] = end
