"""The retriever ``ppr``: seeds, the walk, and learned weights for its best."""

import threading
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import type_weights
from hippohover.errors import UsageError
from hippohover.lexical import top_rows
from hippohover.recipe import MAX_RANKED_PASSAGES, MAX_SEARCH_DEPTH
from hippohover.records import Seed
from hippohover.retrieval.exact_keys import MOST_KEYS, ExactKeys
from hippohover.retrieval.facts.pool import (
    NO_FACTS,
    CandidateFacts,
    FactChoice,
    FactChooser,
    closest_by_words,
    fact_pool,
)
from hippohover.retrieval.ppr_settings import Votes
from hippohover.retrieval.ranking import (
    NOTHING_SCORED,
    PprRun,
    Ranking,
    Voter,
    append_tail,
    best_first,
    falling_scores,
    kept_among,
    soft_fusion,
)
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.features import FeatureReader, have_names, joined_share
from hippohover.retrieval.reranking.tuned import N_TUNED, TunedRanking, tuned_features
from hippohover.retrieval.retriever import SEEDS_SHOWN, Retriever, RetrieverContext
from hippohover.retrieval.scope_tables import ScopedTables
from hippohover.retrieval.walk.candidates import (
    Allowed,
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
    named_rows,
    second_rows,
    second_seeds,
)
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.retrieval.walk.pagerank import ExactWalk, LocalWalk
from hippohover.retrieval.walk.seeds import Seeds, entity_seeds, joined_seeds, passage_seeds
from hippohover.store.manifest import LEAST_WORTH


class PprRetriever(Retriever):
    """Personalized PageRank from a claim's seeds; safe from several threads.

    A chooser chooses among the candidate facts; without one, the best of them have ``fact_mass``.
    """

    def __init__(self, context: RetrieverContext) -> None:
        super().__init__(context)
        self.tables = context.tables
        self.settings = context.settings
        self.read_claim: Callable[[str], ReadClaim] = context.read_claim
        self.numbers = context.ppr
        self._arrays = context.tables.arrays
        self._keys = self._arrays.passage_keys
        self._vectors = context.vectors
        self._compares = bool(context.vectors) and context.encoder_worth >= LEAST_WORTH
        self._exact = ExactKeys(self.tables)
        self._use(context.choose)
        self.tuned = context.tuned if context.settings.rerank else None
        self._lock = threading.Lock()
        self._walk: LocalWalk | ExactWalk | None = None
        self._features: FeatureReader | None = None

    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        """Rank at most ``depth`` passages, of those ``allowed``."""
        return self.ranking(self.run(claim, allowed), depth)

    def run(self, claim: str, allowed: Allowed = None) -> PprRun:
        """Walk from a claim's seeds, score the best, walk on from the surest, score again."""
        walked = self.walk(claim, allowed)
        if not self.settings.rerank:
            return PprRun(tables=self.tables, walked=walked, ranked_by="walk")
        candidates = self.candidates(walked)
        features = self.features(walked.claim, candidates)
        scores = rerank.score(walked.claim.text, features)
        first = best_first(candidates.rows, scores, len(scores), self._keys)
        run = PprRun(
            tables=self.tables,
            walked=walked,
            first=first,
            scored=first,
            joined=joined_share(features) if self._has_names else 0.0,
        )
        if self.settings.second_walk and len(scores):
            second = self.second_walk(walked, candidates, scores)
            again = self.second_candidates(walked, candidates, scores, second)
            scores = rerank.score(walked.claim.text, self.second_features(walked.claim, again))
            rest = first[0], np.exp(first[1] - first[1][0])
            scored = best_first(again.first.rows, scores, len(scores), self._keys)
            run = replace(run, second=second, scored=append_tail(scored, rest))
        return replace(run, ranked_by=self._votes(run.joined).ranked_by)

    def ranking(self, run: PprRun, depth: int) -> Ranking:
        """Return the first ``depth`` passages of a run: the scored ones, then those walked to."""
        walked = run.walked
        rows, scores = self.shipped(run, depth)
        if self.tuned is not None:
            rows, scores = self._tuned_first(self.tuned, run, (rows, scores))
            run = replace(run, ranked_by="tuned")
        return Ranking(
            rows=rows[:depth],
            scores=scores[:depth],
            n_candidates=len(rows),
            seeds=self._shown_seeds(walked),
            facts=self.tables.triples(walked.choice.facts.rows),
            fallbacks=walked.choice.n_fallbacks,
            choice=walked.choice,
            corrections=walked.claim.corrections,
            apart=tuple(self._kept(run).tolist()) if self._joins_few(run) else (),
            run=run,
        )

    def shipped(self, run: PprRun, depth: int = MAX_SEARCH_DEPTH) -> Scored:
        """Rank all passages of a run without tuning: at least ``depth``, if there are."""
        reached = run.walked.reached
        if depth > MAX_SEARCH_DEPTH:
            reached = best_first(*run.walked.both, depth, self._keys)
        if not self.settings.rerank:
            return reached
        fused = soft_fusion(self._voters(run), self._groups, self._keys)
        rows, _ = kept_among(fused, self._kept(run), MAX_RANKED_PASSAGES)
        return append_tail((rows, falling_scores(rows, run.scored)), reached)

    def _kept(self, run: PprRun) -> Rows:
        """Return the passages that an answer shows, whatever the other lists say."""
        if not self._joins_few(run):
            has_many = self._naming >= self.numbers.many_names
            return run.walked.reached[0][: self.numbers.n_walked // (2 if has_many else 1)]
        return run.second.reached[: self.numbers.n_kept] if run.second else NOTHING_SCORED[0]

    def _joins_few(self, run: PprRun) -> bool:
        return run.joined <= self.numbers.few_joined

    def _voters(self, run: PprRun) -> list[Voter]:
        """Return the lists that vote, and what each counts."""
        walked, n, votes = run.walked, MAX_SEARCH_DEPTH, self._votes(run.joined)
        top, tail = self.numbers.top_constant, self.numbers.tail_constant
        second = run.second.reached if run.second else NOTHING_SCORED[0]
        joins_few = self._joins_few(run)
        n_sure = self.numbers.n_sure if joins_few else 0
        n_first = 0 if joins_few else self.numbers.n_first
        # Where few passages name another, the walk comes to those that have the claim's names, and
        # the second one to the part of a document that answers: of 40 questions about a handbook in
        # 30 files, 37 instead of 23 had both sections among five (benchmarks/README.md).
        walk_leads = not (joins_few and len(second))
        exact = self._exact(walked.claim.asked, walked.allowed)
        voters = [
            Voter(exact, sum(votes), 0.0, leads=True, n_sure=MOST_KEYS),
            Voter(run.scored[0][:n], votes.trees, top, True, n_first),
            Voter(second, votes.second, top, True, n_sure),
            Voter(walked.reached[0], votes.walk, tail, walk_leads, n_sure),
            Voter(walked.by_words, votes.words, tail),
            Voter(walked.nearest, votes.cosine, tail),
        ]
        if votes.alike and len(walked.nearest):
            voters.append(Voter(self._nearest_to_best(voters, walked.vector), votes.alike, tail))
        return voters

    def _nearest_to_best(self, voters: Sequence[Voter], vector: NDArray[np.float32]) -> Rows:
        """Order what the lists begin with by its cosine with the claim and the best documents."""
        n = self.numbers.n_nearest
        heads = [voter._replace(rows=voter.rows[:n]) for voter in voters]
        rows = soft_fusion(heads, self._groups, self._keys)[0]
        vectors = self._arrays.passage_vectors[rows[: self.numbers.n_alike]]
        both = (vector + vectors.mean(axis=0)).astype(np.float32)
        cosines = self._vectors.similarity(both, rows).astype(np.float64)
        return best_first(rows, cosines, MAX_SEARCH_DEPTH, self._keys)[0]

    @property
    def _groups(self) -> NDArray[np.integer[Any]]:
        """What has one place in the fusion: a document, or each passage, as the settings say."""
        arrays = self._arrays
        return arrays.documents if self.settings.one_per_document else np.arange(arrays.n_rows)

    def _votes(self, joined: float) -> Votes:
        worth, series = self.context.encoder_worth, self.context.series_share
        return self.numbers.votes(
            joined,
            self._naming,
            worth=worth,
            series=series,
            reads_sentences=self._compares and self._vectors.read_sentences,
        )

    @cached_property
    def _has_names(self) -> bool:
        return have_names(self._arrays)

    @cached_property
    def _naming(self) -> float:
        """How often a passage names or links others, on average."""
        return self._arrays.n_mentions / max(self._arrays.n_passages, 1)

    def tuned_features(self, run: PprRun, rows: Rows) -> NDArray[np.float32]:
        """Return ``TUNED_FEATURES`` of the best passages of the shipped ranking, in its order."""
        candidates = described(run.walked, rows, self._similarity(run.walked, rows))
        features = self.features(run.walked.claim, candidates)
        vectors = self._arrays.passage_vectors
        own = vectors[rows] if len(vectors) else np.zeros((len(rows), 0), np.float32)
        return tuned_features(features, rows, own)

    def _tuned_first(self, tuned: TunedRanking, run: PprRun, shipped: Scored) -> Scored:
        """Put the shipped ranking's best in tuned order; keep the rest."""
        rows, others = shipped[0][:N_TUNED], shipped[0][N_TUNED:]
        if not len(rows):
            return shipped
        scores = tuned.scores(run.walked.claim.text, self.tuned_features(run, rows))
        best, least = shipped[1][0], shipped[1][N_TUNED:]
        return append_tail(
            best_first(rows, scores, len(rows), self._keys), (others, np.exp(least - best))
        )

    def choosing_with(self, choose: FactChooser) -> "PprRetriever":
        """Return the same retriever with another chooser; they share what was prepared."""
        self.solver()
        other = copy(self)
        other._use(choose)
        return other

    def _use(self, choose: FactChooser | None) -> None:
        settings = self.settings
        mass = settings.fact_mass if choose is None else settings.filter.fact_mass
        self._choose = choose
        self._seed_settings = settings.model_copy(update={"fact_mass": mass})

    def walk(self, claim: str, allowed: Allowed = None) -> Walked:
        """Compute a claim's seeds and walk from them."""
        settings = self.settings
        known = self.read_claim(claim)
        lexical = self._arrays.lexical.scores(known.terms)
        depth = max(settings.n_seed_passages, self.numbers.least_bm25)
        bm25, by_words = self._best_lexical(lexical, depth)
        choice = self.choice(known, bm25[0])
        from_entities = entity_seeds(self._arrays, known, choice.facts, self._seed_settings)
        vector = self._vector_of(known.asked)
        dense, nearest = self._nearest(vector)
        from_passages = passage_seeds(bm25, dense, settings)
        if allowed is not None:
            lexical = np.where(allowed, lexical, np.float32(0.0))
            bm25, by_words = self._best_lexical(lexical, depth)
            dense, nearest = self._nearest(vector, allowed)
        weight = from_entities.weight + from_passages.weight
        share = from_entities.weight / max(weight, 1e-12)
        rows, scores = self._passages_reached(
            from_entities, from_passages, share, damping=settings.damping, allowed=allowed
        )
        both = rows, scores.sum(axis=1)
        entity, passage = _above_zero(rows, scores[:, 0]), _above_zero(rows, scores[:, 1])
        n = settings.n_candidates
        reached = best_first(*both, max(n, MAX_SEARCH_DEPTH), self._keys)
        return Walked(
            claim=known,
            choice=choice,
            entity_seeds=from_entities,
            passage_seeds=from_passages,
            entity_share=share,
            lexical=lexical,
            bm25=bm25,
            dense=dense,
            both=both,
            entity=entity,
            passage=passage,
            best=reached[0][:n],
            best_entity=best_first(*entity, n, self._keys)[0],
            best_passage=best_first(*passage, n, self._keys)[0],
            reached=(reached[0][:MAX_SEARCH_DEPTH], reached[1][:MAX_SEARCH_DEPTH]),
            by_words=by_words,
            nearest=nearest,
            vector=vector,
            allowed=allowed,
        )

    def linked(self, row: int, n: int) -> Scored:
        """Return the ``n`` other passages that a short walk from a passage reaches best."""
        nodes, scores = self.solver()(
            np.array([row]),
            np.array([[0.0, 1.0]]),
            damping=self.numbers.linked_damping,
            eps=self.settings.eps,
        )
        others = (nodes < self._arrays.n_rows) & (nodes != row)
        return best_first(nodes[others], scores[others].sum(axis=1), n, self._keys)

    def candidates(self, walked: Walked) -> Candidates:
        """Return the passages to score, with what the walk says of them."""
        rows = first_rows(walked, self._keys)
        return described(walked, rows, self._similarity(walked, rows))

    def second_walk(self, walked: Walked, candidates: Candidates, scores: Scores) -> SecondWalk:
        """Walk from the claim's entities and the best candidates, half its mass on each."""
        entities = walked.entity_seeds
        passages = second_seeds(candidates.rows, scores, self.numbers.n_second_seeds)
        share = 0.5 if len(entities) and len(passages) else float(len(entities) > 0)
        rows, parts = self._passages_reached(
            entities,
            passages,
            share,
            damping=self.numbers.second_damping,
            allowed=walked.allowed,
        )
        both = rows, parts.sum(axis=1)
        n = self.settings.n_candidates
        reached, _ = best_first(*both, max(n, MAX_SEARCH_DEPTH), self._keys)
        return SecondWalk(
            seeds=joined_seeds(entities, passages, share),
            both=both,
            passage=parts[:, 1],
            best=reached[:n],
            reached=reached[:MAX_SEARCH_DEPTH],
        )

    def second_candidates(
        self, walked: Walked, candidates: Candidates, scores: Scores, second: SecondWalk
    ) -> SecondCandidates:
        """Return the best scored candidates, and what a second walk and their names add."""
        named = named_rows(self._arrays, (candidates.rows, scores), walked.allowed, self._keys)
        rows = second_rows(candidates.rows, scores, second.best, named)
        first = described(walked, rows, self._similarity(walked, rows))
        return described_again(first, (candidates.rows, scores), second)

    def features(self, claim: ReadClaim, candidates: Candidates) -> NDArray[np.float32]:
        """Return features of candidates; see ``features.FEATURES``."""
        return self._feature_reader()(claim, candidates)

    def second_features(
        self, claim: ReadClaim, candidates: SecondCandidates
    ) -> NDArray[np.float32]:
        """Return features for the second scoring; see ``features.SECOND_FEATURES``."""
        return self._feature_reader().again(claim, candidates)

    def choice(self, claim: ReadClaim, passages: Rows) -> FactChoice:
        """Choose facts that give seeds: a model's choice, or the most similar."""
        if self._choose is not None:
            candidates = self.facts(claim, passages, n=self.settings.filter.n_candidates)
            return self._choose(claim.text, candidates, self.tables.triples(candidates.rows))
        if not self.settings.fact_mass:
            return FactChoice()
        return FactChoice(self.facts(claim, passages, n=self.settings.n_facts))

    def facts(self, claim: ReadClaim, passages: Rows, *, n: int) -> CandidateFacts:
        """Return the ``n`` candidate facts closest to a claim.

        They are facts near its best lexical ``passages``, by vectors, or by words where the index
        has none; or of the whole index, where the settings say so and no scope bounds the walk.
        """
        if not len(self._arrays.facts):
            return NO_FACTS
        if self.settings.fact_pool == "all" and not isinstance(self.tables, ScopedTables):
            return self._facts_of_all(claim, n)
        pool = fact_pool(
            self._arrays,
            passages=passages[: self.numbers.n_fact_passages],
            entities=claim.entities,
        )
        if not self._compares:
            return closest_by_words(pool, list(self.tables.fact_texts(pool)), claim.asked, n)
        return self._vectors.closest_facts(pool, claim.asked, n)

    def _facts_of_all(self, claim: ReadClaim, n: int) -> CandidateFacts:
        vector = self._vectors.of_text(claim.asked)
        similarities, rows = self._vectors.nearest_facts(vector, n)
        return CandidateFacts(rows, similarities) if vector.any() else NO_FACTS

    def unchosen(self, claim: str) -> FactChoice:
        """Return candidate facts of a claim before any choice."""
        known = self.read_claim(claim)
        depth = max(self.settings.n_seed_passages, self.numbers.least_bm25)
        (rows, _), _ = self._best_lexical(self._arrays.lexical.scores(known.terms), depth)
        n = self.settings.filter.n_candidates
        return FactChoice(candidates=self.facts(known, rows, n=n))

    def solver(self) -> LocalWalk | ExactWalk:
        """Return the walk over this index's graph with the settings' edge weights."""
        if self._walk is None:
            with self._lock:
                self._walk = self._walk or self._new_solver()
        return self._walk

    def _new_solver(self) -> LocalWalk | ExactWalk:
        graph, weights = self._arrays.graph, type_weights(self.settings.weights)
        if self.settings.solver == "prpack":
            if isinstance(self.tables, ScopedTables):
                raise UsageError(
                    "query.solver is 'prpack', which walks over the whole graph: "
                    "set it to 'push' to limit the walk to passages"
                )
            return ExactWalk(graph, weights)
        return LocalWalk(graph, weights, self.degrees)

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Weighted degrees of the graph with the settings' edge weights, shape (n_nodes,)."""
        recipe = self.context.recipe
        if recipe is not None and self.settings.weights == recipe.query.weights:
            return self._arrays.graph_degrees
        return self._arrays.graph.degrees(type_weights(self.settings.weights))

    def _vector_of(self, claim: str) -> NDArray[np.float32]:
        """Return a claim's vector; empty where nothing is compared with it."""
        wanted = self._compares and (self.settings.rerank or self.settings.dense_mass)
        return self._vectors.of_text(claim) if wanted else np.zeros(0, np.float32)

    def _best_lexical(self, scores: NDArray[np.float32], depth: int) -> tuple[Scored, Rows]:
        """Return the ``depth`` best passages by BM25, and the rows of all that vote."""
        n = MAX_SEARCH_DEPTH if self.settings.rerank else 0
        rows = top_rows(scores, max(depth, n), self._keys)
        return (rows[:depth], scores[rows[:depth]].astype(np.float64)), rows[:n]

    def _nearest(self, vector: NDArray[np.float32], allowed: Allowed = None) -> tuple[Scored, Rows]:
        """Return the best passages by cosine, and the rows of all that vote.

        None where the index is too large to compare all.
        """
        if not vector.any() or self._arrays.n_counted > self.settings.max_compared:
            return NOTHING_SCORED, NOTHING_SCORED[0]
        depth, n = self.numbers.n_nearest, MAX_SEARCH_DEPTH if self.settings.rerank else 0
        find, is_exact = self._vectors.nearest_passages, self._vectors.lists.passages is None
        rows, scores = find(vector, max(depth, n) if is_exact else depth, allowed)
        voting = rows if is_exact or not n else find(vector, n, allowed)[0]
        return (rows[:depth], scores[:depth]), voting[:n]

    def _similarity(self, walked: Walked, rows: Rows) -> NDArray[np.float32]:
        """Return the cosine of claim and passages; 0 without an encoder."""
        if not len(walked.vector):
            return np.zeros(len(rows), np.float32)
        return self._vectors.similarity(walked.vector, rows)

    def _feature_reader(self) -> FeatureReader:
        if self._features is None:
            with self._lock:
                self._features = self._features or FeatureReader(self._arrays)
        return self._features

    def _passages_reached(
        self,
        entities: Seeds,
        passages: Seeds,
        entity_share: float,
        *,
        damping: float,
        allowed: Allowed,
    ) -> Scored:
        """Return passages the walk reached, ascending, with scores by seed kind."""
        mass = np.zeros((len(entities) + len(passages), 2))
        mass[: len(entities), 0] = entity_share * entities.mass
        mass[len(entities) :, 1] = (1.0 - entity_share) * passages.mass
        nodes = np.concatenate([entities.nodes, passages.nodes])
        nodes, scores = self.solver()(nodes, mass, damping=damping, eps=self.settings.eps)
        n = int(np.searchsorted(nodes, self._arrays.n_rows))
        if allowed is None:
            return nodes[:n], scores[:n]
        kept = allowed[nodes[:n]]
        return nodes[:n][kept], scores[:n][kept]

    def _shown_seeds(self, walked: Walked) -> tuple[Seed, ...]:
        n = self._arrays.n_rows
        of_claim = set((walked.claim.entities + n).tolist())
        seeds: list[Seed] = []
        parts = (
            (walked.entity_seeds, walked.entity_share),
            (walked.passage_seeds, 1.0 - walked.entity_share),
        )
        for part, share in parts:
            best = np.lexsort((part.nodes, -part.mass))[:SEEDS_SHOWN]
            for node, mass in zip(part.nodes[best].tolist(), part.mass[best].tolist(), strict=True):
                kind = "passage" if node < n else "mention" if node in of_claim else "fact"
                seeds.append(self.context.seed(kind, node, mass * share))
        return tuple(sorted(seeds, key=lambda seed: -seed.mass))


def _above_zero(rows: Rows, scores: Scores) -> Scored:
    kept = scores > 0
    return rows[kept], scores[kept]
