"""A claim -> its words, and which of them each found passage has."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType
from hippohover.names.mentions import STOP_TOKENS
from hippohover.names.normal_forms import placed_tokens
from hippohover.retrieval.chains.joined import Edges
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.spans import lengths_of, places_in
from hippohover.store.tables import IndexArrays

_MENTIONS: Final = 1
_IS_NAMED: Final = 2


@dataclass(frozen=True)
class AskedWords:
    """The words of a claim that some passage has, in order, and what passages have of them.

    Attributes
    ----------
    terms : ndarray of int64, shape (n_words,)
        Their search terms, each once.
    weights : ndarray of float64, shape (n_words,)
        Their rarities, which sum to 1.
    holds : ndarray of bool, shape (n, n_words)
        Which of them each passage has, or is called by in the claim.
    nearness : ndarray of int64, shape (n,)
        2 of passages that the claim names, 1 of others that have a name of the claim, else 0.
    """

    terms: NDArray[np.int64]
    weights: NDArray[np.float64]
    holds: NDArray[np.bool_]
    nearness: NDArray[np.int64]

    @property
    def is_named(self) -> NDArray[np.bool_]:
        """Whether the claim names each passage."""
        return self.nearness == _IS_NAMED


def asked_words(
    arrays: IndexArrays, claim: ReadClaim, rows: NDArray[np.int64], edges: Edges
) -> AskedWords:
    """Return the words of a claim, and which of them some passages have, and are called by."""
    # In the order of the claim: numbers of terms differ between a build and an update.
    terms = np.array(list(dict.fromkeys(claim.sequence.tolist())), np.int64)
    rarity = claim.rarity[np.searchsorted(claim.terms, terms)].astype(np.float64)
    spans = np.column_stack([arrays.term_indptr[rows], arrays.term_indptr[rows + 1]])
    passage, own = (
        np.repeat(np.arange(len(rows)), lengths_of(spans)),
        arrays.terms[places_in(spans)],
    )
    names = np.array(list(claim.named_by), np.int64) + arrays.n_rows
    leads = np.isin(edges.nodes, names)
    nearness = np.zeros(len(rows), np.int64)
    nearness[edges.places[leads]] = _MENTIONS
    leads &= edges.kinds == EdgeType.TITLE
    nearness[edges.places[leads]] = _IS_NAMED
    for at, node in zip(edges.places[leads].tolist(), edges.nodes[leads].tolist(), strict=True):
        name = claim.named_by[node - arrays.n_rows]
        passage, own = np.append(passage, np.full(len(name), at)), np.append(own, name)
    order = np.argsort(terms)
    place = np.minimum(np.searchsorted(terms[order], own), len(terms) - 1)
    found = terms[order][place] == own
    holds = np.zeros((len(rows), len(terms)), np.bool_)
    holds[passage[found], order[place[found]]] = True
    return AskedWords(terms, rarity / max(float(rarity.sum()), 1e-9), holds, nearness)


class ClaimPhrases:
    """The words of a claim with some terms, as it writes them, by runs.

    A run goes on over stop words, which no passage is asked for.
    """

    def __init__(self, claim: ReadClaim) -> None:
        self._asked, self._placed = claim.asked, claim.placed
        tokens = placed_tokens(claim.asked)
        self._starts, self._stops = tokens.starts, tokens.stops
        self._is_stop = [token in STOP_TOKENS for token in tokens.folded]

    def __call__(self, terms: Collection[int]) -> tuple[str, ...]:
        """Return the words of the claim that have these terms."""
        runs: list[list[int]] = []
        is_open = False
        for at, term in enumerate(self._placed):
            if term in terms:
                if not is_open:
                    runs.append([at, at])
                runs[-1][1] = at
                is_open = True
            elif not self._is_stop[at]:
                is_open = False
        texts = (self._asked[self._starts[one] : self._stops[last]] for one, last in runs)
        return tuple(dict.fromkeys(text for text in texts if len(text) > 1))
