"""HippoRAG 2, the published method, as the reference.

Gutierrez et al., "From RAG to Memory" (arXiv 2502.14802), with its published defaults, on this
index's own triples and encoder; shown as "hipporag2 (no LLM filter)" when no language model
filters the facts:

1. The claim's vector against every fact vector; the similarities are min-max scaled, and the
   best ``LINKING_TOP_K`` facts are linked; of these the filter's choice stays, if there is one.
   When nothing stays, passages are ranked by similarity.
2. Subject and object of each get fact score / number of passages that state a fact of the entity,
   averaged over those of the facts that hold the entity; the best ``LINKING_TOP_K`` entities keep
   their weight.
3. Every passage gets its min-max scaled similarity to the claim, times ``PASSAGE_WEIGHT``.
4. Both together are the reset of a Personalized PageRank with ``DAMPING`` over all passages and
   all entities; passages are ranked by it.

What differs from the published code: entities are merged by ``names.entity_key``, which keeps
every script; synonymy edges are this index's pairs of near-identical spellings, weight 1, where
HippoRAG joins names whose vectors have a cosine of 0.8 or more; its code gives a node pair that
is joined both by facts and by synonymy the latter's weight, here the two add up; scores that are
all equal scale to 1, where its code divides by 0.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hippohover.entity_graph import EdgeType
from hippohover.errors import UsageError
from hippohover.language_model.ledger import Usage
from hippohover.progress import Progress, silent
from hippohover.retrieval.dense import Dense
from hippohover.retrieval.facts.pool import NO_CHOICE, CandidateFacts, FactChoice
from hippohover.retrieval.ranking import NOTHING_FOUND, Ranking, best_first
from hippohover.retrieval.retriever import SEEDS_SHOWN, Retriever, RetrieverContext
from hippohover.retrieval.vector_lists import VectorLists
from hippohover.retrieval.walk.candidates import Allowed
from hippohover.retrieval.walk.chebyshev import chebyshev_pagerank
from hippohover.retrieval.walk.seeds import NO_SEEDS, Seeds
from hippohover.spans import lengths_of, places_in
from hippohover.store.tables import IndexArrays
from hippohover.vectors.nearest import widened
from hippohover.vectors.unit_vectors import UnitVectors

LINKING_TOP_K = 5
PASSAGE_WEIGHT = 0.05
DAMPING = 0.5
ENTITY_EDGE_WEIGHT = 2.0
"""What the weight of an edge between two entities is multiplied by.

2 is the published code: it adds each such pair once a direction to an undirected graph, where
parallel edges add up, and each passage-entity pair once. 1 is the method as its paper has it.
"""

Chooser = Callable[[CandidateFacts], FactChoice]

_ROWS_A_BLOCK = 1024  # a block of 256 dimensions stays in the cache


@dataclass(frozen=True)
class ReferenceAnswer:
    """The answer of the reference method to one claim.

    Attributes
    ----------
    facts : CandidateFacts
        The linked facts, best first.
    seeds : Seeds
        The reset distribution. Nodes count as in ``EntityGraph``: passages, then entities.
    scores : ndarray of float64, shape (n_passages,)
        PageRank of each passage; with those of the entities they sum to 1. Where a choice left
        no fact, the min-max scaled similarity of each passage, as published.
    choice : FactChoice
        What a language model made of the candidates.
    """

    facts: CandidateFacts
    seeds: Seeds
    scores: NDArray[np.float64]
    choice: FactChoice = NO_CHOICE


class HippoRag2:
    """The reference method over one index; safe from several threads.

    The graph is made here, once: seconds to half a minute, and 12 bytes for each entry.

    Parameters
    ----------
    arrays : IndexArrays
        With facts, fact vectors and passage vectors.
    lists : VectorLists, optional
        Find nearly all of the closest facts; without them, all facts are compared.

    Raises
    ------
    UsageError
        The index lacks one of these.
    """

    def __init__(self, arrays: IndexArrays, lists: VectorLists | None = None) -> None:
        _check_arrays(arrays)
        self._arrays = arrays
        self._lists = lists
        self._adjacency = reference_graph(arrays)
        joined = self._adjacency[arrays.n_rows :, : arrays.n_rows]
        self._living = np.flatnonzero(arrays.documents >= 0)
        # Of equals that comes first which a passage states first, in the order of passages' ids.
        places = places_in(arrays.fact_spans[arrays.by_key(self._living)])
        stated = arrays.passage_facts[places, 0]
        self._facts, self._fact_keys = _firsts(stated, len(arrays.facts))
        ends = arrays.facts[stated][:, [0, 2]].ravel()
        _, self._entity_keys = _firsts(ends, int(arrays.facts[:, [0, 2]].max()) + 1)
        self._n_stating: NDArray[np.int64] = np.diff(joined.indptr).astype(np.int64)

    def __call__(
        self, vector: NDArray[np.float32], choose: Chooser | None = None
    ) -> ReferenceAnswer:
        """Answer a claim.

        Parameters
        ----------
        vector : ndarray of float32, shape (dim,)
            Unit vector of the claim.
        choose : callable, optional
            Its candidate facts -> the choice among them.

        Raises
        ------
        UsageError
            The vector has another dimension than the index's.
        HippoHoverError
            The walk did not converge.
        """
        dim = self._arrays.fact_vectors.shape[1]
        if vector.shape != (dim,):
            raise UsageError(f"claim vector of shape {vector.shape}: give ({dim},)")
        facts, fact_scores = self._closest_facts(vector)
        choice = FactChoice(facts, candidates=facts) if choose is None else choose(facts)
        similar = self._scaled(_similarities(self._arrays.passage_vectors, vector))
        if not len(choice.facts.rows):
            return ReferenceAnswer(choice.facts, NO_SEEDS, similar, choice)
        places = [facts.rows.tolist().index(row) for row in choice.facts.rows.tolist()]
        entities, weights = self._entities(choice.facts, fact_scores[places])
        n = self._arrays.n_rows
        reset = np.zeros((len(self._adjacency.indptr) - 1, 1))
        reset[: len(similar), 0] = PASSAGE_WEIGHT * similar
        reset[n + entities, 0] = weights
        reset /= reset.sum(axis=0)
        scores = chebyshev_pagerank(self._adjacency, reset, damping=DAMPING)
        nodes = np.flatnonzero(reset)
        return ReferenceAnswer(choice.facts, Seeds(nodes, reset[nodes, 0]), scores[:n, 0], choice)

    def _scaled(self, similarities: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return ``min_max_scaled`` of the passages, 0 for spare rows."""
        scaled = np.zeros(len(similarities))
        scaled[self._living] = min_max_scaled(similarities[self._living])
        return scaled

    def _closest_facts(
        self, vector: NDArray[np.float32]
    ) -> tuple[CandidateFacts, NDArray[np.float64]]:
        """Return the linked facts and their scores, as ``_best_facts``."""
        if self._lists is None:
            return self._best_facts(_similarities(self._arrays.fact_vectors, vector))
        similarities, rows = self._lists.nearest(vector, LINKING_TOP_K)
        lowest = -self._lists.nearest(-vector, 1)[0]
        scaled = min_max_scaled(np.append(similarities, lowest))
        return CandidateFacts(rows, similarities), scaled[: len(rows)]

    def _best_facts(
        self, similarities: NDArray[np.float32]
    ) -> tuple[CandidateFacts, NDArray[np.float64]]:
        """Return the linked facts and their scores, min-max scaled over all facts."""
        scaled = min_max_scaled(similarities[self._facts])
        rows, scores = best_first(self._facts, scaled, LINKING_TOP_K, self._fact_keys)
        return CandidateFacts(rows, similarities[rows]), scores

    def _entities(
        self, facts: CandidateFacts, fact_scores: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the linked facts' entities that keep a weight, best first, and weights."""
        ends = self._arrays.facts[facts.rows][:, [0, 2]].astype(np.int64)
        entities, position, counts = np.unique(ends, return_inverse=True, return_counts=True)
        given = np.repeat(fact_scores, 2) / np.maximum(self._n_stating[ends.ravel()], 1)
        weights = np.bincount(position.ravel(), weights=given, minlength=len(entities)) / counts
        return best_first(entities, weights, LINKING_TOP_K, self._entity_keys)


class HippoRag2Retriever(Retriever):
    """Ranks by HippoRAG 2 with its published defaults; a given model filters facts.

    The first call prepares its graph and, where the index stores none, the vectors of all facts. An
    index without facts is ranked by ``dense``, as published; ``UsageError`` when it has facts but
    no vectors of passages.
    """

    prepares = True
    has_scope = False
    needs_vectors = True

    def __init__(self, context: RetrieverContext) -> None:
        super().__init__(context)
        self._choose = context.choose_published or context.choose
        self._lock = threading.Lock()
        self._method: HippoRag2 | None = None
        self._last = threading.local()

    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        context, arrays = self.context, self.context.tables.arrays
        known = context.read_claim(claim)
        if not len(arrays.facts):
            return replace(Dense(context)(claim, depth, allowed), fallbacks=1)
        context.vectors.check()
        vector = context.vectors.of_text(known.asked)
        if not vector.any():  # as in ``dense``
            return NOTHING_FOUND
        answer = self._answer(claim, vector, depth)
        kept = np.flatnonzero(arrays.documents >= 0 if allowed is None else allowed)
        rows, scores = best_first(kept, answer.scores[kept], depth, arrays.passage_keys)
        nodes, mass = best_first(answer.seeds.nodes, answer.seeds.mass, SEEDS_SHOWN)
        return Ranking(
            rows=rows,
            scores=scores,
            n_candidates=arrays.n_passages,
            seeds=tuple(
                context.seed("passage" if node < arrays.n_rows else "fact", node, share)
                for node, share in zip(nodes.tolist(), mass.tolist(), strict=True)
            ),
            facts=context.tables.triples(answer.facts.rows),
            fallbacks=answer.choice.n_fallbacks,
            choice=answer.choice,
            corrections=known.corrections,
        )

    def _answer(self, claim: str, vector: NDArray[np.float32], depth: int) -> ReferenceAnswer:
        """Answer a claim; keep the thread's last answer: walks take seconds.

        What is kept has been paid for: its calls count once.
        """
        last: tuple[str, int, ReferenceAnswer] | None = getattr(self._last, "answer", None)
        if last is not None and last[0] == claim and last[1] < depth:
            return last[2]
        choose = None if self._choose is None else partial(self._choose_for, claim)
        answer = self._prepared(silent)(vector, choose)
        paid = replace(answer, choice=replace(answer.choice, usage=Usage()))
        self._last.answer = claim, depth, paid
        return answer

    def _choose_for(self, claim: str, facts: CandidateFacts) -> FactChoice:
        assert self._choose is not None  # noqa: S101
        return self._choose(claim, facts, self.context.tables.triples(facts.rows))

    @property
    def is_ready(self) -> bool:
        return self._method is not None or not len(self.context.tables.arrays.facts)

    def prepare(self, progress: Progress = silent) -> None:
        if not self.is_ready:
            self.context.vectors.check()
            self._prepared(progress)

    def _prepared(self, progress: Progress) -> HippoRag2:
        if self._method is None:
            with self._lock:
                if self._method is None:
                    context = self.context
                    vectors = context.vectors.of_all_facts(partial(progress, "facts"))
                    progress("graph", 0, 1)
                    arrays = replace(context.tables.arrays, fact_vectors=vectors)
                    self._method = HippoRag2(arrays, context.vectors.lists.facts)
                    progress("graph", 1, 1)
        return self._method


def reference_graph(arrays: IndexArrays) -> sparse.csr_array:
    """Build symmetric weights of HippoRAG 2's graph, float64, shape (n_nodes, n_nodes).

    Nodes are all passages, then all entities, those of a single fact too. Edges:

    - passage - subject or object of a fact that it states: 1
    - subject - object: number of (passage, predicate) that state it
    - synonymy: the weight in ``EntityGraph``, between entities that stand in facts

    the last two times ``ENTITY_EDGE_WEIGHT``.
    """
    n = arrays.n_rows
    ends = np.asarray(arrays.facts)[:, [0, 2]]
    n_nodes = n + max(len(arrays.entity_df), int(ends.max(initial=-1)) + 1)
    stating = _passage_entity_edges(arrays, ends)
    # int32 node numbers all along: they are what keeps a graph of 20 M entries under 1 GB.
    lower, upper = ends.min(axis=1) + np.int32(n), ends.max(axis=1) + np.int32(n)
    stated = arrays.passage_facts[places_in(arrays.fact_spans), 0]
    counts = np.bincount(stated, minlength=len(ends))
    synonyms, weights = _synonymy_edges(arrays, ends)
    rows = np.concatenate([stating[0], lower, synonyms[0]])
    columns = np.concatenate([stating[1], upper, synonyms[1]])
    data = np.concatenate(
        [np.ones(len(stating[0])), ENTITY_EDGE_WEIGHT * counts, ENTITY_EDGE_WEIGHT * weights]
    )
    half = sparse.coo_array((data, (rows, columns)), shape=(n_nodes, n_nodes)).tocsr()
    return (half + half.T).tocsr()


def min_max_scaled(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Scale values to [0, 1], shape (n,); all 1 when they are all equal."""
    exact = values.astype(np.float64)
    low, high = exact.min(initial=np.inf), exact.max(initial=-np.inf)
    if not low < high:
        return np.ones_like(exact)
    return (exact - low) / (high - low)


def _firsts(numbers: NDArray[np.int32], n: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return distinct numbers below n, and where each occurs first, shape (n,)."""
    distinct, first = np.unique(numbers, return_index=True)
    keys = np.zeros(n, np.uint64)
    keys[distinct] = first
    return distinct.astype(np.int64), keys


def _similarities(
    vectors: NDArray[np.float16] | UnitVectors, claim: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the cosine of every vector and a claim, shape (n,); reads in blocks."""
    similarities = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _ROWS_A_BLOCK):
        part = vectors[start : start + _ROWS_A_BLOCK]
        block = widened(part) if part.dtype == np.float16 else part
        similarities[start : start + len(part)] = block @ claim
    return similarities


def _passage_entity_edges(
    arrays: IndexArrays, ends: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (passage nodes, entity nodes) of facts in passages, each pair once."""
    n = arrays.n_rows
    passages = np.repeat(np.arange(n), lengths_of(arrays.fact_spans))
    stated = ends[arrays.passage_facts[places_in(arrays.fact_spans), 0]].astype(np.int64)
    width = int(ends.max(initial=-1)) + 1
    codes = np.unique((passages[:, None] * width + stated).ravel())
    return (codes // width).astype(np.int32), (codes % width + n).astype(np.int32)


def _synonymy_edges(
    arrays: IndexArrays, ends: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return nodes (lower, higher) and weights of synonymy edges of facts' entities."""
    n = arrays.n_rows
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for nodes, places in arrays.graph.blocks(n + len(arrays.entity_df)):
        of_kind = arrays.graph_types[places] == EdgeType.SYNONYMY
        parts.append((nodes[of_kind], places[of_kind]))
    sources, entries = (np.concatenate(part) for part in zip(*parts, strict=True))
    pairs = np.stack([sources, arrays.graph_neighbours[entries]])
    in_facts = np.zeros(n + len(arrays.entity_df), np.bool_)
    in_facts[n + ends[ends < len(arrays.entity_df)]] = True
    kept = in_facts[pairs].all(axis=0) & (pairs[0] < pairs[1])
    weights = arrays.graph_weights[entries[kept]].astype(np.float32)
    return pairs[:, kept].astype(np.int32), weights


def _check_arrays(arrays: IndexArrays) -> None:
    if not len(arrays.facts):
        raise UsageError("this index has no facts: build it with an extractor, or use dense")
    if not len(arrays.passage_vectors):
        raise UsageError(
            "this index has no vectors: build it with an encoder, or name another retriever"
        )
    if not len(arrays.fact_vectors):
        raise UsageError(
            "these arrays have no fact vectors: encode the facts and put their vectors in"
        )
