"""Mentions in a claim, found passages and facts -> reset distributions."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hippohover.recipe import QuerySettings
from hippohover.retrieval.facts.pool import CandidateFacts
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.store.tables import IndexArrays

Scored = tuple[NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True)
class Seeds:
    """The start of a walk: distinct nodes, ascending, and their probabilities.

    Attributes
    ----------
    nodes : ndarray of int64, shape (n,)
    mass : ndarray of float64, shape (n,)
        Sums to 1, or is empty.
    weight : float
        Weight of the walk from these seeds among the others; 0 without seeds.
    """

    nodes: NDArray[np.int64]
    mass: NDArray[np.float64]
    weight: float = 1.0

    def __len__(self) -> int:
        return len(self.nodes)


NO_SEEDS = Seeds(np.zeros(0, np.int64), np.zeros(0), 0.0)


def passage_seeds(bm25: Scored, dense: Scored, settings: QuerySettings) -> Seeds:
    """Return the best passages by BM25 and by cosine.

    Mass is in proportion to score ** ``passage_power``; those of BM25 share ``passage_mass``,
    those by cosine ``dense_mass``, and the weight is the sum of those of the two that there are.
    """
    n = settings.n_seed_passages
    parts = [
        (_seeds(rows[:n], np.maximum(scores[:n], 0.0) ** settings.passage_power), mass)
        for (rows, scores), mass in ((bm25, settings.passage_mass), (dense, settings.dense_mass))
        if mass
    ]
    nodes = [np.zeros(0, np.int64), *(seeds.nodes for seeds, _ in parts)]
    shares = [np.zeros(0), *(seeds.mass * mass for seeds, mass in parts)]
    both = _seeds(np.concatenate(nodes), np.concatenate(shares))
    return replace(both, weight=sum(mass * seeds.weight for seeds, mass in parts))


def entity_seeds(
    arrays: IndexArrays, claim: ReadClaim, facts: CandidateFacts, settings: QuerySettings
) -> Seeds:
    """Return entities that the claim names, and subjects and objects of the best facts.

    A mention weighs ln(N / df): what few passages name says most. A fact gives its similarity,
    times that rarity, to both its ends, each entity the mean over its facts (HippoRAG 2 divides
    by df instead). Mentions share ``mention_mass``, facts ``fact_mass``; the weight is the sum of
    those of the two that there are.
    """
    mentions = _seeds(claim.entities, rarity(arrays, claim.entities))
    of_facts = _fact_seeds(arrays, facts)
    mass = [mentions.mass * settings.mention_mass, of_facts.mass * settings.fact_mass]
    both = _seeds(np.concatenate([mentions.nodes, of_facts.nodes]), np.concatenate(mass))
    weight = settings.mention_mass * mentions.weight + settings.fact_mass * of_facts.weight
    return Seeds(both.nodes + arrays.n_rows, both.mass, weight)


def joined_seeds(entities: Seeds, passages: Seeds, entity_share: float) -> Seeds:
    """Join seeds of both kinds into one distribution; they share no node."""
    mass = [entity_share * entities.mass, (1.0 - entity_share) * passages.mass]
    return Seeds(np.concatenate([entities.nodes, passages.nodes]), np.concatenate(mass))


def _fact_seeds(arrays: IndexArrays, facts: CandidateFacts) -> Seeds:
    """Return linked subjects and objects, by mean similarity of their facts times rarity."""
    ends = arrays.facts[facts.rows][:, [0, 2]].astype(np.int64)
    linked = ends < len(arrays.entity_df)
    linked[linked] = arrays.are_linked(ends[linked])
    entities, position, counts = np.unique(ends[linked], return_inverse=True, return_counts=True)
    given = np.repeat(np.maximum(facts.similarities, 0.0)[:, None], 2, axis=1)[linked]
    weights = np.bincount(position, weights=given, minlength=len(entities)) / np.maximum(counts, 1)
    return _seeds(entities, weights * rarity(arrays, entities))


def rarity(arrays: IndexArrays, entities: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return ln(N / df) of each entity, 0.01 at least; df of N passages name it."""
    n = max(arrays.n_counted, 3)
    return np.maximum(np.log(n / np.maximum(arrays.entity_df[entities], 1)), 0.01)


def _seeds(nodes: NDArray[np.int64], mass: NDArray[np.float64]) -> Seeds:
    """Sum mass over repeated nodes, scale it to 1 and drop nodes without mass."""
    distinct, position = np.unique(nodes, return_inverse=True)
    total = np.bincount(position, weights=mass, minlength=len(distinct))
    kept = total > 0
    if not kept.any():
        return NO_SEEDS
    return Seeds(distinct[kept].astype(np.int64), total[kept] / math.fsum(total[kept]))
