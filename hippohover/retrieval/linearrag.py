"""LinearRAG, the published method, beside the others: no facts, sentences join entities.

Zhuang et al., "LinearRAG" (arXiv 2510.10114), written from the paper's description:

1. Passages, their sentences and the entities that these name are a graph without relations.
2. The entities that the claim names are active, with 1. An active entity goes on through the
   ``TOP_SENTENCES`` sentences with it that are most similar to the claim: what else these name gets
   its activation times that similarity, if that is ``LEAST_ACTIVATION`` or more and more than it
   had. An entity's level is the step in which it became active, from 1.
3. A passage's weight is its scaled similarity to the claim and ln(1 + the sum over its active
   entities of activation times ln(1 + occurrences) / level), times ``PASSAGE_WEIGHT``.
4. Activations and these weights are the reset of a Personalized PageRank with ``DAMPING`` over
   passages and entities; passages are ranked by it. A claim that names nothing is ranked by
   similarity alone.

What differs from the paper: entities are this index's names, where it reads entities off every text by a
tagger; the claim's are looked up, where it takes the one whose vector is closest; every sentence of
a passage counts as naming the passage's own title, which "she" and "the town" stand for. The
numbers below are ours: they were not tuned to its results.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hippohover.names.normal_forms import token_spans, tokens
from hippohover.names.sentences import sentence_spans
from hippohover.retrieval.hipporag2 import chebyshev_pagerank, min_max_scaled
from hippohover.store.tables import IndexTables

TOP_SENTENCES: Final = 3
LEAST_ACTIVATION: Final = 0.1
MOST_LEVELS: Final = 4
PASSAGE_WEIGHT: Final = 0.05
DAMPING: Final = 0.5


@dataclass(frozen=True, kw_only=True)
class Activation:
    """Entities that a claim makes active.

    Attributes
    ----------
    entities : ndarray of int64, shape (n,)
        Ascending.
    strengths : ndarray of float64, shape (n,)
        In (0, 1]; 1 of those that the claim names.
    levels : ndarray of int64, shape (n,)
        Step in which each became active, from 1.
    """

    entities: NDArray[np.int64]
    strengths: NDArray[np.float64]
    levels: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TriGraph:
    """Passages, sentences and entities; no answer depends on how they are numbered.

    Attributes
    ----------
    named : sparse.csr_array, shape (n_sentences, n_entities)
        1 where a sentence names an entity. Sentences stand in an order that their numbers do not
        decide, for the first of equally similar ones is gone on through.
    held : sparse.csr_array of float64, shape (n_rows, n_entities)
        How often each passage names each entity.
    n_entities : int
    """

    named: sparse.csr_array
    held: sparse.csr_array
    n_entities: int

    @property
    def n_rows(self) -> int:
        """Rows of passages, spare ones too."""
        return len(self.held.indptr) - 1


class LinearRag:
    """The method over one graph; safe from several threads.

    Parameters
    ----------
    graph : TriGraph
    sentences : ndarray of float16 or float32, shape (n_sentences, dim)
        Unit vectors of the sentences.
    """

    def __init__(
        self, graph: TriGraph, sentences: NDArray[np.float16] | NDArray[np.float32]
    ) -> None:
        self._graph = graph
        self._sentences = sentences
        self._naming = sparse.csr_array(graph.named.T.tocsr())
        self._naming.sort_indices()
        joined = graph.held.astype(bool).astype(np.float64)
        blocks = [[None, joined], [joined.T, None]]
        self._adjacency = sparse.csr_array(sparse.block_array(blocks, format="csr"))

    def activate(self, entities: NDArray[np.int64], vector: NDArray[np.float32]) -> Activation:
        """Entities of a claim, and those that sentences close to it lead to.

        Parameters
        ----------
        entities : ndarray of int64, shape (n,)
            Those that the claim names.
        vector : ndarray of float32, shape (dim,)
            Unit vector of the claim.
        """
        n_entities = self._graph.n_entities
        strengths, levels = np.zeros(n_entities), np.zeros(n_entities, np.int64)
        strengths[entities], levels[entities] = 1.0, 1
        moving = np.unique(entities)
        for level in range(2, MOST_LEVELS + 1):
            before = strengths.copy()
            for entity in moving.tolist():
                for sentence, similarity in self._best_sentences(entity, vector):
                    start, stop = self._graph.named.indptr[sentence : sentence + 2]
                    others = self._graph.named.indices[start:stop]
                    given = before[entity] * similarity
                    if given >= LEAST_ACTIVATION:
                        strengths[others] = np.maximum(strengths[others], given)
            moving = np.flatnonzero(strengths > before)
            levels[moving[levels[moving] == 0]] = level
            if not len(moving):
                break
        active = np.flatnonzero(strengths)
        return Activation(entities=active, strengths=strengths[active], levels=levels[active])

    def passage_weights(
        self, active: Activation, similarities: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Part of each passage in the reset, shape (n_rows,), before all are scaled to sum 1.

        Parameters
        ----------
        similarities : ndarray of float64, shape (n_rows,)
            In [0, 1].
        """
        held = self._graph.held[:, active.entities].copy()
        held.data = np.log1p(held.data)
        evidence = held @ (active.strengths / active.levels)
        return PASSAGE_WEIGHT * (similarities + np.log1p(evidence))

    def scores(
        self, active: Activation, similarities: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """PageRank of each passage, shape (n_rows,), and the reset of all nodes; it sums to 1."""
        n_rows, n_entities = self._graph.n_rows, self._graph.n_entities
        reset = np.zeros(n_rows + n_entities)
        reset[:n_rows] = self.passage_weights(active, similarities)
        reset[n_rows + active.entities] = active.strengths
        reset /= reset.sum()
        walked = chebyshev_pagerank(self._adjacency, reset[:, None], damping=DAMPING)
        return walked[:n_rows, 0], reset

    def _best_sentences(
        self, entity: int, vector: NDArray[np.float32]
    ) -> Iterator[tuple[int, float]]:
        """The sentences with an entity that are most similar to a claim, and how similar."""
        start, stop = self._naming.indptr[entity : entity + 2]
        sentences = self._naming.indices[start:stop]
        similarities = self._sentences[sentences].astype(np.float32) @ vector
        best = np.argsort(-similarities, kind="stable")[:TOP_SENTENCES]
        return zip(sentences[best].tolist(), similarities[best].tolist(), strict=True)


def scaled(
    similarities: NDArray[np.float32], rows: NDArray[np.int64], n_rows: int
) -> NDArray[np.float64]:
    """Similarities of some passages moved and scaled to [0, 1]; 0 of the other rows."""
    told = np.zeros(n_rows)
    told[rows] = min_max_scaled(similarities)
    return told


def tri_graph(tables: IndexTables) -> tuple[TriGraph, Sequence[str]]:
    """The graph of an index, and its sentences as they are written, in the graph's order."""
    arrays = tables.arrays
    n_entities = len(arrays.entity_df)
    texts: list[str] = []
    pairs: list[NDArray[np.int64]] = []
    held: list[NDArray[np.int64]] = []
    titles, headings = (tables.passages.column(name) for name in ("title", "heading"))
    for row in arrays.by_key(np.flatnonzero(tables.is_there)).tolist():
        own = arrays.title_entities[row]
        own = own[own >= 0].astype(np.int64)
        mentions = arrays.mentions[slice(*arrays.mention_spans[row].tolist())].astype(np.int64)
        before = sum(len(tokens(one[row].as_py())[0]) for one in (titles, headings))
        text = tables.texts[row]
        sentences = sentence_spans(text) or [(0, len(text))]
        of_each = _sentence_of(text, sentences, mentions[:, 1] - before) + len(texts)
        numbers = np.arange(len(texts), len(texts) + len(sentences))
        pairs.append(np.column_stack([of_each, mentions[:, 0]]))
        pairs.append(np.column_stack([np.repeat(numbers, len(own)), np.tile(own, len(numbers))]))
        named = np.concatenate([mentions[:, 0], own])
        held.append(np.column_stack([np.full(len(named), row), named]))
        texts += [text[slice(*span)].strip() for span in sentences]
    named = _counted(pairs, (len(texts), n_entities))
    named.data[:] = 1.0
    held_in = _counted(held, (arrays.n_rows, n_entities))
    return TriGraph(named=named, held=held_in, n_entities=n_entities), texts


def _sentence_of(
    text: str, sentences: Sequence[tuple[int, int]], first_tokens: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sentence of a text that each token stands in, by the tokens' numbers."""
    if not len(first_tokens):
        return np.zeros(0, np.int64)
    starts = np.array([start for start, _ in token_spans(text)], np.int64)
    ends = np.array([stop for _, stop in sentences], np.int64)
    at = np.searchsorted(ends, starts[first_tokens], side="right")
    return np.minimum(at, len(sentences) - 1).astype(np.int64)


def _counted(pairs: Sequence[NDArray[np.int64]], shape: tuple[int, int]) -> sparse.csr_array:
    """How often each (row, column) stands among the pairs."""
    every = np.concatenate([*pairs, np.zeros((0, 2), np.int64)])
    ones = np.ones(len(every))
    counted = sparse.coo_array((ones, (every[:, 0], every[:, 1])), shape=shape).tocsr()
    counted.sum_duplicates()
    return sparse.csr_array(counted)
