"""The compiled loops of ``features``: scans of the candidates' words and names.

The loops fill the matrices ``text``, ``links`` and ``pairs``, of shape (n_priors, n_candidates,
n_columns); ``TextColumns``, ``LinkColumns`` and ``PairColumns`` name the columns. ``priors`` has
one row of candidates for each prior. ``rarity`` is each claim term's share of the claim's rarity:
the shares sum to 1.
"""
# ruff: noqa: PLR0912, PLR0913, PLR0917  # a compiled loop takes arrays, not objects

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled

OPENING_TOKENS = 30
"""Tokens of the text, behind the title, that say what it is about."""

CONTEXT_TOKENS = 10
"""Tokens on either side of a mention that count as what the passage says of the name."""

_SLOTS = 4096  # a power of 2

Ints = NDArray[np.int64]
Terms = NDArray[np.int32]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]


class TextColumns(NamedTuple):
    """Columns of ``text``, by the names of their features."""

    claim_share: int
    """Share of the claim's rarity that the passage's terms hold."""
    title_share: int
    """Share of the title's rarity that the claim holds."""
    title_terms_missing: int
    """Terms of the title that the claim lacks."""
    title_terms: int
    """Terms of the title that the claim holds."""
    n_terms: int
    """Terms of the passage."""
    unshared: int
    """Claim terms, each less the prior of the best other candidate that holds it."""
    unusual: int
    """Claim terms, each divided by the number of candidates that hold it."""


class LinkColumns(NamedTuple):
    """Columns of ``links``: ``in`` counts candidates that name this one, ``out`` those it names.

    A link weighs the prior of the candidate at its other end, divided by the number of passages
    that go by the name.
    """

    in_sum: int
    in_max: int
    in_context: int
    """Best share of the claim's rarity around a mention of this one."""
    in_context_prior: int
    """The best of that share times the link's weight."""
    out_sum: int
    out_max: int
    out_context_prior: int


class PairColumns(NamedTuple):
    """Columns of ``pairs``: the claim's word order in a passage, and in its opening.

    A pair is two terms that follow each other in the claim. A passage holds it where they stand
    there in either order, with one term between them at most. Stop tokens do not count. A pair
    weighs the smaller of their rarities; all pairs sum to 1. A passage opens with its title and
    the ``OPENING_TOKENS`` behind that.
    """

    pair_share: int
    """Weight of the pairs that the passage holds."""
    pair_unshared: int
    """Pairs, each by its weight times 1 less the prior of the best other that holds it."""
    opening_share: int
    """Share of the claim's rarity that the passage opens with."""
    opening_unshared: int
    """The same, each term times 1 less the prior of the best other that opens with it."""


TEXT_FEATURES: Final = TextColumns._fields
PAIR_FEATURES: Final = PairColumns._fields
LINK_FEATURES: Final = LinkColumns._fields
TEXT: Final = TextColumns(*range(len(TEXT_FEATURES)))
LINK: Final = LinkColumns(*range(len(LINK_FEATURES)))
PAIR: Final = PairColumns(*range(len(PAIR_FEATURES)))
"""Numbers of the columns: constants to numba, which knows no name at run time."""


@compiled
def read_texts(
    rows: Ints,
    priors: Doubles,
    claim_terms: Ints,
    rarity: Floats,
    term_indptr: Ints,
    terms: Terms,
    title_lengths: Terms,
    term_rarity: Floats,
    more_indptr: Ints,
    more: Ints,
    text: Doubles,
) -> None:
    """Fill ``text``: the words that each candidate shares with the claim.

    ``more[more_indptr[at] : more_indptr[at + 1]]`` are terms that a candidate is called by besides
    those of its text. What no prior says anything of is the same in each of its matrices.
    """
    holds = np.zeros((len(rows), len(claim_terms)), dtype=np.bool_)
    taken = _slots(claim_terms)
    for at in range(len(rows)):
        begin = term_indptr[rows[at]]
        title = terms[begin : begin + title_lengths[rows[at]]]
        _read_title(title, claim_terms, taken, term_rarity, text[0, at])
        for place in range(begin, term_indptr[rows[at] + 1]):
            if terms[place] < 0:
                continue
            text[0, at, TEXT.n_terms] += 1
            term = _find(claim_terms, taken, terms[place])
            if term >= 0 and not holds[at, term]:
                holds[at, term] = True
                text[0, at, TEXT.claim_share] += rarity[term]
        n_more = more_indptr[at + 1] - more_indptr[at]
        if n_more > 0:  # it is called what the claim calls it
            text[0, at, TEXT.title_share] = 1.0
            text[0, at, TEXT.title_terms] = n_more
            text[0, at, TEXT.title_terms_missing] = 0.0
        for place in range(more_indptr[at], more_indptr[at + 1]):
            term = _find(claim_terms, taken, more[place])
            if term >= 0 and not holds[at, term]:
                holds[at, term] = True
                text[0, at, TEXT.claim_share] += rarity[term]
    text[1:] = text[0]
    for term in range(len(claim_terms)):
        for at, prior in enumerate(priors):
            _share_term(holds[:, term], prior, text[at])


@compiled
def read_links(
    rows: Ints,
    order: Ints,
    priors: Doubles,
    claim_terms: Ints,
    rarity: Floats,
    term_indptr: Ints,
    terms: Terms,
    title_lengths: Terms,
    mention_spans: Ints,
    mentions: NDArray[np.int32],
    owner_spans: Ints,
    owner_passages: Terms,
    links: Doubles,
) -> None:
    """Fill ``links``: which candidates name which, and near what. ``order`` sorts ``rows``."""
    ascending = rows[order]
    taken_rows = _slots(ascending)
    taken = _slots(claim_terms)
    seen = np.full(len(claim_terms), -1, dtype=np.int64)
    for at in range(len(rows)):
        begin = term_indptr[rows[at]]
        end = term_indptr[rows[at] + 1]
        body = begin + title_lengths[rows[at]]
        for mention in range(mention_spans[rows[at], 0], mention_spans[rows[at], 1]):
            entity = mentions[mention, 0]
            n_owners = int(owner_spans[entity, 1] - owner_spans[entity, 0])
            context = -1.0  # worked out once a mention, and only when a candidate is named
            for owner in range(owner_spans[entity, 0], owner_spans[entity, 1]):
                named = _find(ascending, taken_rows, owner_passages[owner])
                if named < 0 or order[named] == at:
                    continue
                if context < 0.0:
                    first = begin + mentions[mention, 1]
                    last = begin + mentions[mention, 2]
                    before = terms[max(body, first - CONTEXT_TOKENS) : first]
                    after = terms[last : min(end, last + CONTEXT_TOKENS)]
                    context = _context(before, mention, seen, claim_terms, taken, rarity)
                    context += _context(after, mention, seen, claim_terms, taken, rarity)
                for number, prior in enumerate(priors):
                    _count_link(at, order[named], prior, 1.0 / n_owners, context, links[number])


@compiled
def read_pairs(
    rows: Ints,
    priors: Doubles,
    claim_terms: Ints,
    rarity: Floats,
    codes: Ints,
    weights: Floats,
    term_indptr: Ints,
    terms: Terms,
    title_lengths: Terms,
    more_indptr: Ints,
    more: Ints,
    pairs: Doubles,
) -> None:
    """Fill ``pairs``. ``codes`` are ``pair_code`` of places in ``claim_terms``, ascending."""
    n_terms = len(claim_terms)
    holds = np.zeros((len(rows), len(codes)), dtype=np.bool_)
    opens = np.zeros((len(rows), n_terms), dtype=np.bool_)
    taken = _slots(claim_terms)
    for at in range(len(rows)):
        begin = term_indptr[rows[at]]
        opening = begin + title_lengths[rows[at]] + OPENING_TOKENS
        # The claim terms at the two places before, stop tokens aside; -1 for other terms.
        last = -1
        before = -1
        for place in range(begin, term_indptr[rows[at] + 1]):
            if terms[place] < 0:
                continue
            term = _find(claim_terms, taken, terms[place])
            if term >= 0:
                if place < opening:
                    opens[at, term] = True
                for other in (last, before):
                    if other >= 0:
                        pair = np.searchsorted(codes, pair_code(term, other, n_terms))
                        if pair < len(codes) and codes[pair] == pair_code(term, other, n_terms):
                            holds[at, pair] = True
            before = last
            last = term
        last = -1
        for place in range(more_indptr[at], more_indptr[at + 1]):
            term = _find(claim_terms, taken, more[place])
            if term >= 0:
                opens[at, term] = True
                if last >= 0:
                    pair = np.searchsorted(codes, pair_code(term, last, n_terms))
                    if pair < len(codes) and codes[pair] == pair_code(term, last, n_terms):
                        holds[at, pair] = True
            last = term
    for at, prior in enumerate(priors):
        _share_held(holds, weights, prior, PAIR.pair_share, PAIR.pair_unshared, pairs[at])
        _share_held(opens, rarity, prior, PAIR.opening_share, PAIR.opening_unshared, pairs[at])


@compiled
def pair_code(first: int, second: int, n_terms: int) -> int:
    """Return one number for two places in the claim's terms, in either order."""
    return min(first, second) * n_terms + max(first, second)


@compiled
def _share_held(
    holds: NDArray[np.bool_],
    weights: Floats,
    prior: Doubles,
    share: int,
    unshared: int,
    columns: Doubles,
) -> None:
    """Credit each candidate's terms by weight, and by how few others bring them."""
    for held in range(holds.shape[1]):
        best_at, best, second = _two_best(holds[:, held], prior)
        for at in range(holds.shape[0]):
            if holds[at, held]:
                others = second if at == best_at else best
                columns[at, share] += weights[held]
                columns[at, unshared] += weights[held] * (1.0 - others)


@compiled
def _two_best(holders: NDArray[np.bool_], prior: Doubles) -> tuple[int, float, float]:
    """Return place and prior of the best holder, -1 without one, and the next prior."""
    best = 0.0
    second = 0.0
    best_at = -1
    for at in range(len(holders)):
        if holders[at]:
            if best_at < 0 or prior[at] > best:
                second = best
                best = prior[at]
                best_at = at
            elif prior[at] > second:
                second = prior[at]
    return best_at, best, second


@compiled
def _slots(values: Ints) -> Flags:
    """Mark the slots of some values: one look rules most others out before a search."""
    taken = np.zeros(_SLOTS, dtype=np.bool_)
    for value in values:
        taken[value & (_SLOTS - 1)] = True
    return taken


@compiled
def _find(ascending: Ints, taken: Flags, value: int) -> int:
    """Find a value in an ascending array with its slots; -1 when it is missing."""
    if not taken[value & (_SLOTS - 1)]:
        return -1
    low = 0
    high = len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    if low < len(ascending) and ascending[low] == value:
        return low
    return -1


@compiled
def _read_title(
    title: Terms, claim_terms: Ints, taken: Flags, term_rarity: Floats, features: Doubles
) -> None:
    total = 0.0
    inside = 0.0
    for term in title:
        if term < 0:
            continue
        total += term_rarity[term]
        if _find(claim_terms, taken, term) >= 0:
            inside += term_rarity[term]
            features[TEXT.title_terms] += 1
        else:
            features[TEXT.title_terms_missing] += 1
    if total > 0:
        features[TEXT.title_share] = inside / total


@compiled
def _share_term(holders: NDArray[np.bool_], prior: Doubles, text: Doubles) -> None:
    """Credit the holders of a term by how unlikely the others are to bring it."""
    best_at, best, second = _two_best(holders, prior)
    count = 0
    for holds in holders:
        count += holds
    for at in range(len(holders)):
        if holders[at]:
            text[at, TEXT.unshared] += 1.0 - (second if at == best_at else best)
            text[at, TEXT.unusual] += 1.0 / count


@compiled
def _context(
    words: Terms, stamp: int, seen: Ints, claim_terms: Ints, taken: Flags, rarity: Floats
) -> float:
    """Return the rarity of the claim terms in a stretch of text, each once for a stamp."""
    total = 0.0
    for word in words:
        if word < 0:
            continue
        term = _find(claim_terms, taken, word)
        if term >= 0 and seen[term] != stamp:
            seen[term] = stamp
            total += rarity[term]
    return total


@compiled
def _count_link(
    source: int, target: int, prior: Doubles, sureness: float, context: float, links: Doubles
) -> None:
    given = prior[source] * sureness
    links[target, LINK.in_sum] += given
    links[target, LINK.in_max] = max(links[target, LINK.in_max], given)
    links[target, LINK.in_context] = max(links[target, LINK.in_context], context)
    links[target, LINK.in_context_prior] = max(
        links[target, LINK.in_context_prior], context * given
    )
    back = prior[target] * sureness
    links[source, LINK.out_sum] += back
    links[source, LINK.out_max] = max(links[source, LINK.out_max], back)
    links[source, LINK.out_context_prior] = max(
        links[source, LINK.out_context_prior], context * back
    )
