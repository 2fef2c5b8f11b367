"""The retrievers by name: how each turns a claim into a ranking of passages."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hippohover.embedding import Encoder, encode_all, open_encoder
from hippohover.entity_graph import EdgeType
from hippohover.errors import UsageError
from hippohover.index_tables import IndexArrays, IndexTables
from hippohover.lexical import top_rows
from hippohover.nearest import NearestIndex
from hippohover.progress import Progress, silent
from hippohover.recipe import MAX_SEARCH_DEPTH, EdgeWeights, QuerySettings
from hippohover.records import Seed, Triple
from hippohover.retrieval import rerank
from hippohover.retrieval.candidates import (
    Candidates,
    Rows,
    Scored,
    Scores,
    SecondCandidates,
    SecondWalk,
    Walked,
    described,
    described_again,
    first_rows,
    second_rows,
    second_seeds,
)
from hippohover.retrieval.claim import Claim, ClaimReader
from hippohover.retrieval.facts import CandidateFacts, closest_facts, fact_pool
from hippohover.retrieval.features import FeatureReader
from hippohover.retrieval.pagerank import LocalWalk
from hippohover.retrieval.ranking import (
    append_tail,
    best_first,
    reciprocal_rank_fusion,
)
from hippohover.retrieval.seeds import Seeds, entity_seeds, joined_seeds, passage_seeds

if TYPE_CHECKING:
    from hippohover.retrieval.hipporag2 import HippoRag2, ReferenceAnswer

RETRIEVERS = ("ppr", "bm25", "dense", "hybrid", "hipporag2")

_FACT_PASSAGES = 20
_SEEDS_SHOWN = 20
_LEAST_BM25 = 60  # that many are candidates, however few are seeds
_N_SECOND_SEEDS = 12
SECOND_DAMPING = 0.7


@dataclass(frozen=True)
class Ranking:
    """Passages, best first, and what led to them.

    Attributes
    ----------
    rows, scores : ndarray, shape (n,)
    n_candidates : int
        Passages that were scored.
    seeds : tuple of Seed
    facts : tuple of Triple
    fallbacks : int
        Stages that took their documented fallback; counted in the Trace and in every report.
    """

    rows: Rows
    scores: Scores
    n_candidates: int
    seeds: tuple[Seed, ...] = ()
    facts: tuple[Triple, ...] = ()
    fallbacks: int = 0


class Retrievers:
    """The retrievers of one index; safe from several threads."""

    def __init__(
        self,
        tables: IndexTables,
        settings: QuerySettings,
        *,
        encoder_folder: Path,
        progress: Progress = silent,
    ) -> None:
        self.tables = tables
        self.arrays = tables.arrays
        self.settings = settings
        # Taking a column out of its table takes as long as reading a value.
        self._titles: Any = tables.passages.column("title")
        self._names: Any = tables.entities.column("name")
        self.read_claim = ClaimReader(self.arrays)
        self._encoder_folder = encoder_folder
        self._progress = progress
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._walk: LocalWalk | None = None
        self._features: FeatureReader | None = None
        self._nearest: NearestIndex | None = None
        self._reference_lock = threading.Lock()
        self._reference: HippoRag2 | None = None
        self._last = threading.local()
        self._by_name: Mapping[str, Callable[[str, int], Ranking]] = {
            "ppr": self.ppr,
            "bm25": self.bm25,
            "dense": self.dense,
            "hybrid": self.hybrid,
            "hipporag2": self.hipporag2,
        }

    def __call__(self, name: str, claim: str, depth: int) -> Ranking:
        """Ranking of at most ``depth`` passages by the retriever of that name."""
        if name not in self._by_name:
            raise UsageError(f"retriever {name!r} is unknown: name one of {', '.join(RETRIEVERS)}")
        return self._by_name[name](claim, depth)

    def bm25(self, claim: str, depth: int) -> Ranking:
        """BM25 with the claim as the query."""
        scores = self.arrays.lexical.scores(self.read_claim(claim).terms)
        rows = top_rows(scores, depth)
        return Ranking(rows, scores[rows].astype(np.float64), int(np.count_nonzero(scores)))

    def dense(self, claim: str, depth: int) -> Ranking:
        """Cosine of the claim's and the passages' vectors."""
        self.read_claim(claim)  # refuses what no retriever takes
        self._check_vectors()
        vector = self.encode(claim)
        if not vector.any():  # of a claim in which the encoder knows nothing, all is equally near
            return Ranking(np.zeros(0, np.int64), np.zeros(0), 0)
        similarities, rows = self._nearest_passages().search(vector[None], depth)
        return Ranking(rows[0], similarities[0].astype(np.float64), self.arrays.n_passages)

    def hybrid(self, claim: str, depth: int) -> Ranking:
        """Reciprocal rank fusion of ``bm25`` and ``dense``, as deep as any search may go."""
        lists = [one(claim, MAX_SEARCH_DEPTH).rows for one in (self.bm25, self.dense)]
        rows, scores = reciprocal_rank_fusion(lists, depth)
        return Ranking(rows, scores, len(np.unique(np.concatenate(lists))))

    def hipporag2(self, claim: str, depth: int) -> Ranking:
        """HippoRAG 2 with its published defaults, top facts unfiltered.

        The first call prepares its graph and, where the index stores none, the vectors of all
        facts. An index without facts is ranked by ``dense``, as published; ``UsageError`` when it
        has facts but no vectors of passages.
        """
        self.read_claim(claim)  # refuses what no retriever takes
        if not len(self.arrays.facts):
            return replace(self.dense(claim, depth), fallbacks=1)
        self._check_vectors()
        vector = self.encode(claim)
        if not vector.any():  # as in ``dense``
            return Ranking(np.zeros(0, np.int64), np.zeros(0), 0)
        answer = self._reference_answer(claim, vector)
        n = self.arrays.n_passages
        rows, scores = best_first(np.arange(n), answer.scores, depth)
        nodes, mass = best_first(answer.seeds.nodes, answer.seeds.mass, _SEEDS_SHOWN)
        seeds = tuple(
            Seed("passage" if node < n else "fact", self.node_name(node), share)
            for node, share in zip(nodes.tolist(), mass.tolist(), strict=True)
        )
        return Ranking(rows, scores, n, seeds, self.triples(answer.facts))

    def ppr(self, claim: str, depth: int) -> Ranking:
        """Ours: the walk, its best passages scored again by learned weights."""
        walked = self.walk(claim)
        ranking = best_first(*walked.both, max(self.settings.n_candidates, depth))
        if self.settings.rerank:
            ranking = append_tail(self._scored(walked), ranking)
        rows, scores = ranking
        return Ranking(
            rows[:depth],
            scores[:depth],
            len(rows),
            self._shown_seeds(walked),
            self.triples(walked.facts),
        )

    def walk(self, claim: str) -> Walked:
        """Seeds of a claim and the walk from them."""
        settings = self.settings
        known = self.read_claim(claim)
        bm25 = self._bm25(known, max(settings.n_seed_passages, _LEAST_BM25))
        facts = self.facts(known, bm25[0])
        from_entities = entity_seeds(self.arrays, known, facts, settings)
        from_passages = passage_seeds(*bm25, settings)
        weight = from_entities.weight + from_passages.weight
        share = from_entities.weight / max(weight, 1e-12)
        rows, scores = self._passages_reached(
            from_entities, from_passages, share, damping=settings.damping
        )
        both = rows, scores.sum(axis=1)
        entity, passage = _above_zero(rows, scores[:, 0]), _above_zero(rows, scores[:, 1])
        n = settings.n_candidates
        has_vectors = settings.rerank and len(self.arrays.passage_vectors)
        vector = self.encode(claim) if has_vectors else np.zeros(0, np.float32)
        return Walked(
            known, facts, from_entities, from_passages, share, bm25, both, entity, passage,
            best_first(*both, n)[0], best_first(*entity, n)[0], best_first(*passage, n)[0],
            vector,
        )  # fmt: skip

    def candidates(self, walked: Walked) -> Candidates:
        """Passages that are scored, with what the walk says of them."""
        rows = first_rows(walked)
        return described(walked, rows, self._similarity(walked, rows))

    def score_once(self, walked: Walked) -> tuple[Candidates, Scores]:
        """First candidates, and their scores by the learned weights."""
        candidates = self.candidates(walked)
        features = self.features(walked.claim, candidates)
        return candidates, rerank.score(walked.claim.text, features)

    def second_walk(self, walked: Walked, candidates: Candidates, scores: Scores) -> SecondWalk:
        """Walk from the claim's entities and the best candidates, half its mass on each."""
        entities = walked.entity_seeds
        passages = second_seeds(candidates.rows, scores, _N_SECOND_SEEDS)
        share = 0.5 if len(entities) and len(passages) else float(len(entities) > 0)
        rows, parts = self._passages_reached(entities, passages, share, damping=SECOND_DAMPING)
        both = rows, parts.sum(axis=1)
        best, _ = best_first(*both, self.settings.n_candidates)
        return SecondWalk(joined_seeds(entities, passages, share), both, parts[:, 1], best)

    def second_candidates(
        self, walked: Walked, candidates: Candidates, scores: Scores
    ) -> SecondCandidates:
        """The best of the scored candidates, and what a second walk from them adds."""
        second = self.second_walk(walked, candidates, scores)
        rows = second_rows(candidates.rows, scores, second.best)
        first = described(walked, rows, self._similarity(walked, rows))
        return described_again(first, (candidates.rows, scores), second)

    def features(self, claim: Claim, candidates: Candidates) -> NDArray[np.float32]:
        """Features of candidates; see ``features.FEATURES``."""
        return self._feature_reader()(claim, candidates)

    def second_features(self, claim: Claim, candidates: SecondCandidates) -> NDArray[np.float32]:
        """Features of candidates for the second scoring; see ``features.SECOND_FEATURES``."""
        return self._feature_reader().again(claim, candidates)

    def facts(self, claim: Claim, passages: Rows) -> CandidateFacts:
        """Candidate facts of a claim, none when no mass goes to facts."""
        mass = self.settings.fact_mass
        if not mass or not len(self.arrays.facts):
            return CandidateFacts(np.zeros(0, np.int64), np.zeros(0, np.float32))
        if not len(self.arrays.passage_vectors):
            raise UsageError(
                f"fact_mass is {mass:g}, but this index has no vectors: build it with an encoder, "
                "or set fact_mass to 0"
            )
        pool = fact_pool(self.arrays, passages=passages[:_FACT_PASSAGES], entities=claim.entities)
        return closest_facts(
            pool, self.fact_vectors(pool), self.encode(claim.text), self.settings.n_facts
        )

    def fact_vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Unit vectors of facts, shape (n, dim): the same, stored or encoded now."""
        if len(self.arrays.fact_vectors):
            return self.arrays.fact_vectors[rows].astype(np.float32)
        texts = list(self.tables.fact_texts(rows))
        return self._open_encoder().encode(texts).astype(np.float16).astype(np.float32)

    def encode(self, text: str) -> NDArray[np.float32]:
        """Unit vector of a text by the index's own encoder, shape (dim,)."""
        return self._open_encoder().encode([text])[0]

    def triples(self, facts: CandidateFacts) -> tuple[Triple, ...]:
        """Facts in words."""
        entities = self._names
        predicates = self.tables.predicates.column("name")
        return tuple(
            Triple(entities[s].as_py(), predicates[p].as_py(), entities[o].as_py())
            for s, p, o in self.arrays.facts[facts.rows].tolist()
        )

    def local_walk(self) -> LocalWalk:
        """The walk over this index's graph with the settings' edge weights."""
        if self._walk is None:
            with self._lock:
                if self._walk is None:
                    graph = self.arrays.graph
                    probabilities, degrees = graph.transitions(type_weights(self.settings.weights))
                    self._walk = LocalWalk(graph, probabilities=probabilities, degrees=degrees)
        return self._walk

    def _nearest_passages(self) -> NearestIndex:
        """Passage vectors as FAISS searches them: a copy in memory, made at the first call."""
        if self._nearest is None:
            with self._lock:
                vectors = self.arrays.passage_vectors
                self._nearest = self._nearest or NearestIndex.build(vectors, "flat")
        return self._nearest

    def _reference_answer(self, claim: str, vector: NDArray[np.float32]) -> "ReferenceAnswer":
        """The walk takes seconds: this thread's last one serves a deeper search of its claim."""
        asked, answer = getattr(self._last, "answer", ("", None))
        if answer is None or asked != claim:
            [answer] = self._reference_method()(vector[None])
            self._last.answer = claim, answer
        return answer

    def _reference_method(self) -> "HippoRag2":
        """The reference method over this index, made at the first call: its graph takes seconds."""
        if self._reference is None:
            from hippohover.retrieval.hipporag2 import HippoRag2

            with self._reference_lock:
                if self._reference is None:
                    arrays = self._with_fact_vectors()
                    self._progress("graph", 0, 1)
                    self._reference = HippoRag2(arrays)
                    self._progress("graph", 1, 1)
        return self._reference

    def _with_fact_vectors(self) -> IndexArrays:
        n = len(self.arrays.facts)
        if len(self.arrays.fact_vectors):
            return self.arrays
        vectors = encode_all(
            self._open_encoder(), self.tables.fact_texts(), n,
            on_done=lambda done: self._progress("facts", done, n),
        )  # fmt: skip
        return replace(self.arrays, fact_vectors=vectors)

    def _open_encoder(self) -> Encoder:
        if self._encoder is None:
            with self._lock:
                self._encoder = self._encoder or open_encoder(self._encoder_folder)
        return self._encoder

    def _check_vectors(self) -> None:
        if not len(self.arrays.passage_vectors):
            raise UsageError(
                "this index has no vectors: build it with an encoder, or name another retriever"
            )

    def node_name(self, node: int) -> str:
        """Title of a passage node, name of an entity node."""
        n = self.arrays.n_passages
        if node < n:
            return self._titles[node].as_py()
        return self._names[node - n].as_py()

    def _bm25(self, claim: Claim, depth: int) -> tuple[Rows, Scores]:
        scores = self.arrays.lexical.scores(claim.terms)
        rows = top_rows(scores, depth)
        return rows, scores[rows].astype(np.float64)

    def _scored(self, walked: Walked) -> Scored:
        """Candidates, best first: those of the second scoring, then the rest of the first."""
        claim = walked.claim
        candidates, scores = self.score_once(walked)
        first = best_first(candidates.rows, scores, len(scores))
        if not self.settings.second_walk or not len(scores):
            return first
        again = self.second_candidates(walked, candidates, scores)
        scores = rerank.score(claim.text, self.second_features(claim, again))
        rest = first[0], np.exp(first[1] - first[1][0])
        return append_tail(best_first(again.first.rows, scores, len(scores)), rest)

    def _similarity(self, walked: Walked, rows: Rows) -> NDArray[np.float32]:
        """Cosine of claim and passages; 0 without an encoder."""
        if not len(walked.vector):
            return np.zeros(len(rows), np.float32)
        return self.arrays.passage_vectors[rows].astype(np.float32) @ walked.vector

    def _feature_reader(self) -> FeatureReader:
        if self._features is None:
            with self._lock:
                self._features = self._features or FeatureReader(self.arrays)
        return self._features

    def _passages_reached(
        self, entities: Seeds, passages: Seeds, entity_share: float, *, damping: float
    ) -> Scored:
        """Passages that the walk reached, ascending, and their scores by kind of seed."""
        mass = np.zeros((len(entities) + len(passages), 2))
        mass[: len(entities), 0] = entity_share * entities.mass
        mass[len(entities) :, 1] = (1.0 - entity_share) * passages.mass
        nodes, scores = self.local_walk()(
            np.concatenate([entities.nodes, passages.nodes]), mass,
            damping=damping, eps=self.settings.eps,
        )  # fmt: skip
        n = int(np.searchsorted(nodes, self.arrays.n_passages))
        return nodes[:n], scores[:n]

    def _shown_seeds(self, walked: Walked) -> tuple[Seed, ...]:
        n = self.arrays.n_passages
        of_claim = set((walked.claim.entities + n).tolist())
        seeds: list[Seed] = []
        shares = (walked.entity_share, 1.0 - walked.entity_share)
        for one, share in zip((walked.entity_seeds, walked.passage_seeds), shares, strict=True):
            best = np.lexsort((one.nodes, -one.mass))[:_SEEDS_SHOWN]
            for node, mass in zip(one.nodes[best].tolist(), one.mass[best].tolist(), strict=True):
                kind = "passage" if node < n else "mention" if node in of_claim else "fact"
                seeds.append(Seed(kind, self.node_name(node), mass * share))
        return tuple(sorted(seeds, key=lambda seed: -seed.mass))


def type_weights(weights: EdgeWeights) -> dict[EdgeType, float]:
    """Edge weights by type, as the graph wants them."""
    return {kind: getattr(weights, kind.name.lower()) for kind in EdgeType}


def _above_zero(rows: Rows, scores: Scores) -> Scored:
    kept = scores > 0
    return rows[kept], scores[kept]
