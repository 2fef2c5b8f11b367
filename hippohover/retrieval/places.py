"""The places of an answer: passages that say the same share one, or order themselves.

Three things happen to a ranking, as the settings say:

- Sections that many documents repeat, such as a licence, come after all others.
- Passages of one document, and near-copies, share the place of the best of them. Two passages are
  near-copies if their texts and headings have nearly the same search terms. Two with the same name
  ("The Weir", "The Weir (copy 2)") must share most; any others nearly all, and no term of a title
  may be in only its own text: articles of the same pattern about two villages are not copies,
  however much of the pattern they share.
- Passages that say the same are ordered by one of their fields. They are near-copies, or the best
  ones of documents with the same title. The places and their scores stay; these only swap places.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import NotInIndexError
from hippohover.kernels import compiled
from hippohover.lexical import NO_TERM
from hippohover.names.titles import TitleKind
from hippohover.retrieval.ranges import greatest_first, spans_of
from hippohover.retrieval.ranking import Others, Ranking, one_per_group
from hippohover.retrieval.retriever import RetrieverContext
from hippohover.store.tables import METADATA_PREFIX, IndexArrays, IndexTables

COMPARED: Final = 200
"""Best passages of a ranking that may change places. As many for every depth, or the first of many
places would be others than those of few."""

_ALIKE: Final = 0.9
_ALIKE_OF_ONE_NAME: Final = 0.8
"""Least share of the terms of two passages that both hold (Jaccard's index)."""
_FEWEST_TERMS: Final = 10
"""Shorter passages are alike too easily."""
_FEWEST_OF_SHORT: Final = 4
"""Even the same terms make no copies of still shorter ones, such as "Born in 1931."."""
_FEWEST_REPEATED: Final = 3
"""Documents with a repeated section: two may quote each other."""
_ASKED: Final = 0.5
"""Share of a claim's terms: a passage with as many is what the claim asks for."""


class Places:
    """Gives the passages of a ranking their places, as the settings of an index say.

    ``NotInIndexError`` when they prefer by a field that the index does not keep.
    """

    def __init__(self, context: RetrieverContext) -> None:
        tables, prefer = context.tables, context.settings.prefer
        self._read_claim = context.read_claim  # takes a millisecond: only where it is needed
        self._tables, self._arrays, self._settings = tables, tables.arrays, context.settings
        field = prefer.removeprefix("-")
        self._least_first = field != prefer
        self._values: Any = _values_of(tables, field, prefer) if prefer else None

    def __call__(self, claim: str, ranking: Ranking, depth: int) -> Ranking:
        """Return at most ``depth`` places, each of a document and its near-copies."""
        settings, arrays = self._settings, self._arrays
        if self._tables.has_headings:
            ranking = repeated_last(self._tables, ranking, self._read_claim(claim).terms)
        groups = rows = ranking.rows
        if settings.one_per_document:
            groups = _with_places_of_their_own(arrays.documents[rows], rows, ranking.apart)
        if settings.near_copies == "grouped":
            # The best passage of each group stands for it, and for its near-copies.
            _, first, group = np.unique(groups, return_index=True, return_inverse=True)
            by_rank = np.argsort(first)
            best = rows[first[by_rank]]
            n = max(depth, COMPARED) if settings.prefer else depth
            copied = stand_ins(arrays, best, self._named(claim, best), n)
            merged = np.empty(len(best), np.int64)
            merged[by_rank] = copied
            rows = rows.copy()
            rows[first[by_rank]] = originals(arrays, best, copied)
            ranking, groups = replace(ranking, rows=rows), merged[group]
        if settings.prefer:
            return self._preferred(ranking, groups, self._named(claim, rows), depth)
        return one_per_group(ranking, groups, depth)

    def _named(self, claim: str, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the entity by which a claim names each passage; -1 where it does not."""
        names = self._arrays.title_entities[rows]
        is_named = np.isin(names, self._read_claim(claim).entities) & (names >= 0)
        of_each = names[np.arange(len(rows)), is_named.argmax(axis=1)]
        return np.where(is_named.any(axis=1), of_each, -1).astype(np.int32)

    def _preferred(
        self, ranking: Ranking, groups: NDArray[np.int64], named: NDArray[np.int32], depth: int
    ) -> Ranking:
        """Return ``one_per_group`` with the preferred of equal passages first.

        ``groups`` and ``named`` (as of ``stand_ins``) have a number for each of the ranking.
        """
        rows, names = ranking.rows.copy(), named.copy()
        inside = self._order(rows[:COMPARED], groups[:COMPARED])
        rows[: len(inside)], names[: len(inside)] = rows[inside], names[inside]
        places = one_per_group(replace(ranking, rows=rows), groups, max(depth, COMPARED))
        first = np.sort(np.unique(groups[:COMPARED], return_index=True)[1])
        best = rows[first]
        order = np.arange(len(places.rows))
        order[: len(best)] = self._order(best, self._saying_the_same(best, names[first]))
        return _reordered(places, order[:depth])

    def _saying_the_same(
        self, rows: NDArray[np.int64], named: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return a number for each passage, best first; equal numbers say the same.

        For documents with the same title, only the best passages count as saying the same, not the
        others. Records with the same title and no ids are one document; only their values differ.
        """
        groups = copies(self._arrays, rows, named)
        documents = self._arrays.documents[rows].tolist()
        values = self._values.take(rows).to_pylist()
        met: set[tuple[int, str | None]] = set()
        places: dict[str, int] = {}
        for place, title in enumerate(self._tables.passages.column("title").take(rows).to_pylist()):
            record = documents[place], values[place]
            if title and record not in met:
                met.add(record)
                groups[groups == groups[place]] = groups[places.setdefault(title, place)]
        return groups

    def _order(self, rows: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which passage of ``rows`` takes each place, the preferred ones first.

        Among passages of the same group, document and value, only the first changes places.
        """
        order = np.arange(len(rows))
        if len(np.unique(groups)) == len(groups):
            return order
        values = self._values.take(rows)
        records = zip(
            groups.tolist(), self._arrays.documents[rows].tolist(), values.to_pylist(), strict=True
        )
        firsts: dict[Any, int] = {}
        members: dict[int, list[int]] = {}
        for place, record in enumerate(records):
            if firsts.setdefault(record, place) == place:
                members.setdefault(record[0], []).append(place)
        spans = spans_of(values)
        for places in members.values():
            at = np.array(places)
            order[at] = greatest_first(spans, at, least_first=self._least_first)
        return order


def _with_places_of_their_own(
    documents: NDArray[np.int32], rows: NDArray[np.int64], apart: Sequence[int]
) -> NDArray[np.int64]:
    """Return groups of rows by their documents; what is apart, and no document's first, has one."""
    groups = documents.astype(np.int64)
    own = np.isin(rows, apart)
    own[np.unique(groups, return_index=True)[1]] = False
    groups[own] = -1 - np.arange(np.count_nonzero(own))
    return groups


def _values_of(tables: IndexTables, field: str, prefer: str) -> Any:  # noqa: ANN401  (of Arrow)
    name = f"{METADATA_PREFIX}{field}"
    if name not in tables.passages.column_names:
        kept = tables.kept_fields
        names = f"name one of {', '.join(kept)}, or " if kept else ""
        raise NotInIndexError(
            f"query.prefer is {prefer!r:.80}, and this index keeps no field {field!r:.80}: "
            f"{names}build it with corpus.metadata"
        )
    return tables.passages.column(name)


def _reordered(places: Ranking, order: NDArray[np.int64]) -> Ranking:
    """Give places to other passages, with those listed behind them; the scores stay."""
    scores = places.scores[: len(order)]
    behind = [places.others[at] for at in order.tolist()] if places.others else []
    return replace(
        places,
        rows=places.rows[order],
        scores=scores,
        others=tuple(
            Others(others.rows, np.minimum(others.scores, score))
            for others, score in zip(behind, scores.tolist() if behind else [], strict=True)
        ),
    )


def repeated_last(tables: IndexTables, ranking: Ranking, asked: NDArray[np.int64]) -> Ranking:
    """Put repeated sections after the others of the best ``COMPARED`` passages.

    The others keep their scores; repeated sections get the lowest. ``asked`` as below.
    """
    best, scores = ranking.rows[:COMPARED], ranking.scores[:COMPARED]
    is_repeated = repeated_sections(tables, best, asked)
    if not is_repeated.any():
        return ranking
    order = np.argsort(is_repeated, kind="stable")
    lowered = np.where(is_repeated, scores[-1], scores)
    return replace(
        ranking,
        rows=np.concatenate([best[order], ranking.rows[COMPARED:]]),
        scores=np.concatenate([lowered[order], ranking.scores[COMPARED:]]),
    )


def repeated_sections(
    tables: IndexTables, rows: NDArray[np.int64], asked: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether each passage is a section that three documents or more repeat.

    Copies have the same heading and are near-copies of the first of them. Passages without a
    heading are none, so that nothing changes for articles, rules or messages.

    Parameters
    ----------
    tables : IndexTables
    rows : ndarray of int64, shape (n,)
        Passages, best first.
    asked : ndarray of int64, shape (n_terms,)
        Distinct search terms of the claim: a passage that has half of them is not a mere copy.
    """
    is_repeated = np.zeros(len(rows), np.bool_)
    column = tables.passages.column("heading")  # its ``take`` costs an import at the first query
    headings = np.array([column[row].as_py() for row in rows.tolist()], dtype=object)
    for heading, n in Counter(headings.tolist()).items():
        if heading and n >= _FEWEST_REPEATED:
            places = np.flatnonzero(headings == heading)
            unnamed = np.full(len(places), -1, np.int32)
            first = copies(tables.arrays, rows[places], unnamed)
            is_repeated[places] = (
                np.bincount(first, minlength=len(places))[first] >= _FEWEST_REPEATED
            )
    for place in np.flatnonzero(is_repeated).tolist():
        n_held = np.count_nonzero(np.isin(asked, _terms(tables.arrays, rows[place])))
        is_repeated[place] = n_held < max(_ASKED * len(asked), 1)
    return is_repeated


def _terms(arrays: IndexArrays, row: int) -> NDArray[np.int32]:
    """Return the search terms of a passage's own text."""
    begin = arrays.term_indptr[row] + arrays.title_lengths[row]
    return arrays.terms[begin : arrays.term_indptr[row + 1]]


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


def copies(
    arrays: IndexArrays, rows: NDArray[np.int64], named: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return ``stand_ins`` of all passages, short ones of the very same terms too."""
    found = stand_ins(arrays, rows, named, len(rows))
    firsts: dict[bytes, int] = {}
    for place, row in enumerate(rows.tolist()):
        terms = np.unique(_terms(arrays, row))
        terms = terms[terms != NO_TERM]
        if _FEWEST_OF_SHORT <= len(terms) < _FEWEST_TERMS:
            first = firsts.setdefault(terms.tobytes(), place)
            is_apart = arrays.documents[rows[first]] == arrays.documents[row] or (
                named[first] >= 0 and named[place] >= 0 and named[first] != named[place]
            )
            if not is_apart:
                found[place] = first
    return found


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
