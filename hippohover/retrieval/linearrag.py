"""LinearRAG, the published method, for comparison: no facts, sentences join names.

Zhuang et al., "LinearRAG: Linear Graph Retrieval Augmented Generation on Large-scale Corpora"
(arXiv 2510.10114), written from the paper:

1. Passages, their sentences and the entities that a tagger finds in these are the graph. A
   passage and an entity in it are joined by the share that the entity has of all that the passage
   names.
2. Each entity of the claim activates the entity of the corpus whose vector is closest, by their
   cosine. An active entity goes on through the ``TOP_SENTENCES`` sentences with it that are most
   similar to the claim: what else they name gets its activation times that similarity, where that
   is ``LEAST_ACTIVATION`` or more, and more than it had. A sentence is gone through once. The
   level of an entity is the step in which it became active, from 1.
3. A passage weighs ``PASSAGE_WEIGHT`` * (``SIMILARITY_WEIGHT`` * its scaled similarity to the
   claim + ln(1 + sum over its active entities of activation * ln(1 + occurrences) / level)).
4. Activations and these weights are the reset of a Personalized PageRank with ``DAMPING``, by
   which passages are ranked. A claim that names nothing is ranked by similarity alone.

What differs: sentences end where this index's do, and passages that follow each other are not
joined.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import tee
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hippohover.language.spacy_models import EntityTagger, NamedSpan
from hippohover.names.sentences import sentence_spans
from hippohover.progress import Progress, silent
from hippohover.records import Seed
from hippohover.retrieval.dense import Dense
from hippohover.retrieval.hipporag2 import min_max_scaled
from hippohover.retrieval.ranking import Ranking, best_first
from hippohover.retrieval.retriever import SEEDS_SHOWN, Retriever, RetrieverContext
from hippohover.retrieval.walk.candidates import Allowed
from hippohover.retrieval.walk.chebyshev import chebyshev_pagerank
from hippohover.store.tables import IndexTables

TOP_SENTENCES: Final = 1
LEAST_ACTIVATION: Final = 0.4
MOST_LEVELS: Final = 4
SIMILARITY_WEIGHT: Final = 1.5
PASSAGE_WEIGHT: Final = 0.05
DAMPING: Final = 0.5

Tagger = Callable[[Iterable[str]], Iterator[list[NamedSpan]]]
"""Texts -> the spans that name something, of each."""
Encode = Callable[[Sequence[str]], NDArray[np.float16] | NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True)
class TriGraph:
    """Passages, sentences and entities, ordered only by the passages' ids.

    Attributes
    ----------
    names : list of str
        Entities, in lower case.
    sentences : list of str
    named : sparse.csr_array, shape (n_sentences, n_entities)
        Above 0 where a sentence names an entity.
    held : sparse.csr_array of float64, shape (n_rows, n_entities)
        How often each passage names each entity.
    """

    names: list[str]
    sentences: list[str]
    named: sparse.csr_array
    held: sparse.csr_array


@dataclass(frozen=True, kw_only=True)
class Activation:
    """Entities that a claim activates.

    Attributes
    ----------
    entities : ndarray of int64, shape (n,)
        Ascending.
    strengths : ndarray of float64, shape (n,)
        In (0, 1].
    levels : ndarray of int64, shape (n,)
        Step in which each became active, from 1.
    """

    entities: NDArray[np.int64]
    strengths: NDArray[np.float64]
    levels: NDArray[np.int64]


class LinearRag:
    """The method over one graph; safe from several threads except ``names_in``.

    Parameters
    ----------
    graph : TriGraph
    tag : callable
        Finds what a claim names, as in the passages.
    sentences, entities : ndarray of float16 or float32, shapes (n, dim)
        Unit vectors of the graph's sentences and names.
    """

    def __init__(
        self,
        graph: TriGraph,
        tag: Tagger,
        *,
        sentences: NDArray[np.float16] | NDArray[np.float32],
        entities: NDArray[np.float16] | NDArray[np.float32],
    ) -> None:
        self._graph = graph
        self._tag = tag
        self._sentences = sentences
        self._entities = entities
        self._naming = sparse.csr_array(graph.named.T.tocsr())
        self._naming.sort_indices()
        totals = np.maximum(graph.held.sum(axis=1), 1.0)
        shares = sparse.csr_array(sparse.diags_array(1.0 / totals) @ graph.held)
        blocks = [[None, shares], [shares.T, None]]
        self._adjacency = sparse.csr_array(sparse.block_array(blocks, format="csr"))

    def names_in(self, claim: str) -> list[str]:
        """Find the names in a claim, in lower case, each once."""
        spans = next(self._tag([claim]))
        return list(dict.fromkeys(claim[span.start : span.end].lower() for span in spans))

    def activate(self, names: NDArray[np.float32], claim: NDArray[np.float32]) -> Activation:
        """Return entities of a claim, and those that similar sentences lead to.

        Parameters
        ----------
        names : ndarray of float32, shape (n, dim)
            Unit vectors of what the claim names.
        claim : ndarray of float32, shape (dim,)
            Unit vector of the claim.
        """
        strengths = np.zeros(len(self._entities))
        levels = np.zeros(len(self._entities), np.int64)
        for name in names:
            similarities = self._entities.astype(np.float32, copy=False) @ name
            closest = int(similarities.argmax()) if len(similarities) else -1
            if closest >= 0 and similarities[closest] > 0:
                strengths[closest] = max(strengths[closest], min(similarities[closest], 1.0))
        moving = np.flatnonzero(strengths)
        levels[moving] = 1
        gone_through: set[int] = set()
        for level in range(2, MOST_LEVELS + 1):
            before = strengths.copy()
            for entity in moving.tolist():
                for sentence, similarity in self._closest_sentences(entity, claim):
                    given = before[entity] * similarity
                    if sentence not in gone_through and given >= LEAST_ACTIVATION:
                        others = _row(self._graph.named, sentence)
                        strengths[others] = np.maximum(strengths[others], min(given, 1.0))
                    gone_through.add(sentence)
            moving = np.flatnonzero(strengths > before)
            levels[moving[levels[moving] == 0]] = level
        active = np.flatnonzero(strengths)
        return Activation(entities=active, strengths=strengths[active], levels=levels[active])

    def passage_weights(
        self, active: Activation, similarities: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return each passage's part of the reset, shape (n_rows,), before scaling to sum 1.

        Parameters
        ----------
        similarities : ndarray of float64, shape (n_rows,)
            In [0, 1].
        """
        held = self._graph.held[:, active.entities].copy()
        held.data = np.log1p(held.data)
        evidence = held @ (active.strengths / active.levels)
        return PASSAGE_WEIGHT * (SIMILARITY_WEIGHT * similarities + np.log1p(evidence))

    def scores(
        self, active: Activation, similarities: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return PageRank of passages, shape (n_rows,), and the reset of all nodes; sums to 1."""
        n_rows, n_entities = len(self._graph.held.indptr) - 1, len(self._graph.names)
        reset = np.zeros(n_rows + n_entities)
        reset[:n_rows] = self.passage_weights(active, similarities)
        reset[n_rows + active.entities] = active.strengths
        reset /= reset.sum()
        walked = chebyshev_pagerank(self._adjacency, reset[:, None], damping=DAMPING)
        return walked[:n_rows, 0], reset

    def name_of(self, entity: int) -> str:
        """Return an entity's name, in lower case."""
        return self._graph.names[entity]

    def _closest_sentences(
        self, entity: int, claim: NDArray[np.float32]
    ) -> Iterator[tuple[int, float]]:
        """Yield an entity's sentences most similar to a claim, and their similarity."""
        sentences = _row(self._naming, entity)
        similarities = self._sentences[sentences].astype(np.float32) @ claim
        best = np.argsort(-similarities, kind="stable")[:TOP_SENTENCES]
        return zip(sentences[best].tolist(), similarities[best].tolist(), strict=True)


class LinearRagRetriever(Retriever):
    """Ranks by LinearRAG: a claim's names, names in similar sentences, then a walk.

    The first call tags and encodes every passage. A claim that names nothing is ranked by
    ``dense``, as published; ``NotInIndexError`` if there are no vectors, ``ModelError`` without
    spaCy.
    """

    prepares = True
    has_scope = False
    needs_vectors = True
    needs_package = "spacy"

    def __init__(self, context: RetrieverContext) -> None:
        super().__init__(context)
        self._lock = threading.Lock()
        self._method: LinearRag | None = None

    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        context, arrays = self.context, self.context.tables.arrays
        known, vectors = context.read_claim(claim), context.vectors
        vectors.check()
        method = self._prepared(silent)
        with self._lock:  # spaCy is one thread's at a time
            names = method.names_in(known.asked)
        vector = vectors.of_text(known.asked)
        if not names or not vector.any():
            return replace(Dense(context)(claim, depth, allowed), fallbacks=1)
        n = arrays.n_rows
        there = np.flatnonzero(arrays.documents >= 0)
        similar = scaled(vectors.similarity(vector, there), there, n)
        active = method.activate(vectors.of_texts(names), vector)
        scores, reset = method.scores(active, similar)
        kept = there if allowed is None else np.flatnonzero(allowed)
        rows, best = best_first(kept, scores[kept], depth, arrays.passage_keys)
        order = np.argsort(-reset, kind="stable")[:SEEDS_SHOWN].tolist()
        return Ranking(
            rows=rows,
            scores=best,
            n_candidates=arrays.n_passages,
            seeds=tuple(
                context.seed("passage", node, float(reset[node]))
                if node < n
                else Seed("mention", method.name_of(node - n), float(reset[node]))
                for node in order
            ),
            corrections=known.corrections,
        )

    @property
    def is_ready(self) -> bool:
        return self._method is not None

    def prepare(self, progress: Progress = silent) -> None:
        if not self.is_ready:
            self.context.vectors.check()
            self._prepared(progress)

    def _prepared(self, progress: Progress) -> LinearRag:
        if self._method is None:
            with self._lock:
                if self._method is None:
                    tag, encode = EntityTagger(), self.context.vectors.of_all
                    graph = tri_graph(self.context.tables, tag, partial(progress, "names"))
                    self._method = LinearRag(
                        graph,
                        tag,
                        sentences=encode(graph.sentences, partial(progress, "sentences")),
                        entities=encode(graph.names, partial(progress, "entities")),
                    )
        return self._method


def scaled(
    similarities: NDArray[np.float32], rows: NDArray[np.int64], n_rows: int
) -> NDArray[np.float64]:
    """Scale similarities of some passages to [0, 1]; 0 for the other rows."""
    told = np.zeros(n_rows)
    told[rows] = min_max_scaled(similarities)
    return told


def tri_graph(tables: IndexTables, tag: Tagger, on_done: Callable[[int, int], None]) -> TriGraph:
    """Build the graph of an index; calls ``on_done`` with passages read and in all."""
    rows = tables.arrays.by_key(np.flatnonzero(tables.is_there)).tolist()
    titles = tables.passages.column("title")
    entities: dict[str, int] = {}
    sentences: list[str] = []
    named: list[tuple[int, int]] = []
    held: list[tuple[int, int]] = []
    texts, again = tee(f"{titles[row].as_py()}\n{tables.texts[row]}" for row in rows)
    for done, (row, text, spans) in enumerate(zip(rows, texts, tag(again), strict=True)):
        on_done(done, len(rows))
        borders = sentence_spans(text) or [(0, len(text))]
        ends = np.array([end for _, end in borders])
        for span in spans:
            entity = entities.setdefault(text[span.start : span.end].lower(), len(entities))
            at = min(int(np.searchsorted(ends, span.start, side="right")), len(borders) - 1)
            named.append((len(sentences) + at, entity))
            held.append((row, entity))
        sentences += [text[slice(*border)].strip() for border in borders]
    return TriGraph(
        names=list(entities),
        sentences=sentences,
        named=_counted(named, (len(sentences), len(entities))),
        held=_counted(held, (tables.arrays.n_rows, len(entities))),
    )


def _row(matrix: sparse.csr_array, row: int) -> NDArray[np.int64]:
    """Return the columns of a row's entries."""
    start, stop = matrix.indptr[row : row + 2]
    return matrix.indices[start:stop].astype(np.int64)


def _counted(pairs: Sequence[tuple[int, int]], shape: tuple[int, int]) -> sparse.csr_array:
    """Count how often each (row, column) occurs among the pairs."""
    places = np.array(pairs, np.int64).reshape(-1, 2)
    values = np.ones(len(places))
    counted = sparse.coo_array((values, (places[:, 0], places[:, 1])), shape=shape).tocsr()
    counted.sum_duplicates()
    return sparse.csr_array(counted)
