"""The retrievers by name: each turns a claim into a ranking of passages."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.language_model.ledger import Usage
from hippohover.lexical import top_rows
from hippohover.names.aliases import merge
from hippohover.progress import Progress, silent
from hippohover.recipe import MAX_SEARCH_DEPTH, IndexRecipe, QuerySettings
from hippohover.records import Seed
from hippohover.retrieval.facts.pool import CandidateFacts, FactChoice, FactChooser
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.retrieval.near_copies import originals, stand_ins
from hippohover.retrieval.ppr_retriever import PprRetriever
from hippohover.retrieval.preference import COMPARED, Preference
from hippohover.retrieval.ranking import (
    Ranking,
    append_tail,
    best_first,
    one_per_group,
    reciprocal_rank_fusion,
)
from hippohover.retrieval.repeated_sections import repeated_last
from hippohover.retrieval.reranking.tuned import TunedRanking
from hippohover.retrieval.vector_lists import NO_LISTS, Lists
from hippohover.retrieval.walk.candidates import Allowed, parts_of
from hippohover.retrieval.walk.claim import ClaimReader
from hippohover.retrieval.walk.inside import Inside, inside_of
from hippohover.retrieval.where import Condition, Scope, allowed_rows
from hippohover.store.tables import IndexTables
from hippohover.vectors.embedding import Encoder

if TYPE_CHECKING:
    from hippohover.retrieval.hipporag2 import HippoRag2, ReferenceAnswer
    from hippohover.retrieval.linearrag import LinearRag

RETRIEVERS = ("ppr", "bm25", "dense", "hybrid", "hipporag2", "linearrag")
PREPARED = ("hipporag2", "linearrag")
"""Those whose first call prepares for long: a graph, and vectors of facts or sentences."""

WALKS_OVER_ALL = "{} walks over the whole index: name another retriever, or use scope 'answers'"

_SEEDS_SHOWN = 20
_N_CONDITIONS_KEPT = 8
_N_SCOPES_KEPT = 4  # each takes 70 bytes a node of the index, and 14 an edge inside
_PASSAGES_A_PLACE = 8


class Retrievers:
    """The retrievers of one index; safe from several threads.

    Attributes
    ----------
    ppr : PprRetriever
    vectors : IndexVectors
    """

    def __init__(  # noqa: PLR0913
        self,
        tables: IndexTables,
        settings: QuerySettings,
        *,
        encoder_folder: Path,
        let_go: Callable[[], None] = lambda: None,
        choose: FactChooser | None = None,
        choose_published: FactChooser | None = None,
        recipe: IndexRecipe | None = None,
        encoder: Encoder | None = None,
        tuned: TunedRanking | None = None,
        lists: Lists = NO_LISTS,
    ) -> None:
        self.tables = tables
        self.arrays = tables.arrays
        self.settings = settings
        self._preference = Preference(tables, settings.prefer) if settings.prefer else None
        self._n_documents = self.arrays.n_documents
        self.read_claim = ClaimReader(self.arrays)
        self.vectors = IndexVectors(tables, encoder_folder, let_go, encoder, lists)
        self.ppr = PprRetriever(
            tables,
            settings,
            read_claim=self.read_claim,
            vectors=self.vectors,
            choose=choose,
            built_with=recipe and recipe.query.weights,
            tuned=tuned,
        )
        self._choose = choose_published or choose  # of hipporag2; that of ppr is its own
        self._lock = threading.Lock()
        self._reference: HippoRag2 | None = None
        self._linear: LinearRag | None = None
        self._last = threading.local()
        self.allowed_rows = lru_cache(_N_CONDITIONS_KEPT)(partial(allowed_rows, tables))
        inside = partial(
            inside_of,
            tables,
            weights=settings.weights,
            merged=merge(recipe.aliases if recipe else {}),
            by_names=recipe is not None and recipe.extractor == "between",
        )
        self._inside = lru_cache(_N_SCOPES_KEPT)(partial(_inside_of, inside, self.allowed_rows))

    def bounds(self, where: tuple[Condition, ...], scope: Scope = "answers") -> Allowed:
        """Return the passages that conditions leave, for answers or for the walk."""
        if not where:
            return None
        return self._inside(where) if scope == "walk" else self.allowed_rows(where)

    def __call__(
        self,
        name: str,
        claim: str,
        depth: int,
        where: tuple[Condition, ...] = (),
        scope: Scope = "answers",
    ) -> Ranking:
        """Rank at most ``depth`` passages by the retriever of that name.

        Where there are conditions and the retriever ranks fewer of the passages that meet them,
        the others follow by their similarity to the claim, or in the order of their rows.
        """
        # Made at each call: kept in this object it would be a reference cycle, and the files of a
        # version that was let go of would stay open until Python next collects cycles.
        by_name: Mapping[str, Callable[[str, int, Allowed], Ranking]] = {
            "ppr": self.ppr,
            "bm25": self.bm25,
            "dense": self.dense,
            "hybrid": self.hybrid,
            "hipporag2": self.hipporag2,
            "linearrag": self.linearrag,
        }
        if name not in by_name:
            raise UsageError(f"retriever {name!r} is unknown: name one of {', '.join(RETRIEVERS)}")
        bounds = self.bounds(where, scope)
        search = partial(self._whole, by_name[name], claim, bounds=bounds)
        # Deeper, until there are enough places or no passage is left.
        has_long = self._n_documents < self.arrays.n_passages
        deeper = depth
        if self.settings.one_per_document and has_long:
            deeper *= _PASSAGES_A_PLACE
        if self._preference or self.tables.has_headings:
            deeper = max(deeper, COMPARED)
        while True:
            ranking = search(deeper)
            found = self.places(claim, ranking, depth, parts_of(bounds)[1])
            if len(found.rows) == depth or len(ranking.rows) < deeper:
                return found
            deeper *= _PASSAGES_A_PLACE

    def places(self, claim: str, ranking: Ranking, depth: int, inside: Inside | None) -> Ranking:
        """Return at most ``depth`` places, each of a document and its near-copies, as set."""
        settings, arrays = self.settings, self.arrays
        if self.tables.has_headings:
            ranking = repeated_last(self.tables, ranking, self.read_claim(claim, inside).terms)
        groups = rows = ranking.rows
        if settings.one_per_document:
            groups = arrays.documents[rows].astype(np.int64)
        n = max(depth, COMPARED) if self._preference else depth
        if settings.near_copies == "grouped":
            # The best passage of each group stands for it, and for its near-copies.
            _, first, group = np.unique(groups, return_index=True, return_inverse=True)
            by_rank = np.argsort(first)
            best = rows[first[by_rank]]
            copied = stand_ins(arrays, best, self._named(claim, best, inside), n)
            merged = np.empty(len(best), np.int64)
            merged[by_rank] = copied
            rows = rows.copy()
            rows[first[by_rank]] = originals(arrays, best, copied)
            ranking, groups = replace(ranking, rows=rows), merged[group]
        if self._preference:
            named = self._named(claim, rows, inside)
            return self._preference.places(ranking, groups, named, depth)
        return one_per_group(ranking, groups, depth)

    def _named(
        self, claim: str, rows: NDArray[np.int64], inside: Inside | None
    ) -> NDArray[np.int32]:
        """Return the entity by which a claim names each passage; -1 where it does not."""
        names = self.arrays.title_entities[rows]
        is_named = np.isin(names, self.read_claim(claim, inside).entities) & (names >= 0)
        of_each = names[np.arange(len(rows)), is_named.argmax(axis=1)]
        return np.where(is_named.any(axis=1), of_each, -1).astype(np.int32)

    def _whole(
        self,
        search: Callable[[str, int, Allowed], Ranking],
        claim: str,
        depth: int,
        bounds: Allowed,
    ) -> Ranking:
        """Rank at most ``depth`` passages, and all that meet the conditions."""
        ranking = search(claim, depth, bounds)
        allowed, inside = parts_of(bounds)
        if allowed is None:
            return ranking
        if len(ranking.rows) == min(depth, int(allowed.sum())):
            return ranking
        rest = np.setdiff1d(np.flatnonzero(allowed), ranking.rows)
        similarities = np.zeros(len(rest))
        if self.vectors:
            vector = self.vectors.of_text(self.read_claim(claim, inside).asked)
            similarities += self.vectors.similarity(vector, rest)
        keys = self.arrays.passage_keys
        tail = best_first(rest, 2.0 + similarities, depth - len(ranking.rows), keys)
        rows, scores = append_tail((ranking.rows, ranking.scores), tail)
        n = max(ranking.n_candidates, len(rows))
        return replace(ranking, rows=rows, scores=scores, n_candidates=n)

    def bm25(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        """Rank by BM25 with the claim as the query."""
        allowed, inside = parts_of(allowed)
        known = self.read_claim(claim, inside)
        scores = (inside or self.arrays).lexical.scores(known.terms)
        if allowed is not None:
            scores = np.where(allowed, scores, np.float32(0.0))
        rows = top_rows(scores, depth, self.arrays.passage_keys)
        return Ranking(
            rows=rows,
            scores=scores[rows].astype(np.float64),
            n_candidates=int(np.count_nonzero(scores)),
            corrections=known.corrections,
        )

    def dense(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        """Rank by the cosine of the claim's and the passages' vectors."""
        allowed, inside = parts_of(allowed)
        known = self.read_claim(claim, inside)
        self.vectors.check()
        vector = self.vectors.of_text(known.asked)
        if not vector.any():  # of a claim in which the encoder knows nothing, all is equally near
            return Ranking(rows=np.zeros(0, np.int64), scores=np.zeros(0), n_candidates=0)
        if allowed is not None:
            rows = np.flatnonzero(allowed)
            n = len(rows)
            similarities = self.vectors.similarity(vector, rows).astype(np.float64)
            rows, similarities = best_first(rows, similarities, depth, self.arrays.passage_keys)
            return Ranking(
                rows=rows, scores=similarities, n_candidates=n, corrections=known.corrections
            )
        similarities, rows = self.vectors.nearest_passages(vector, depth)
        return Ranking(
            rows=rows[0],
            scores=similarities[0].astype(np.float64),
            n_candidates=self.arrays.n_passages,
            corrections=known.corrections,
        )

    def hybrid(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        """Fuse ``bm25`` and ``dense`` by reciprocal rank, as deep as any search may go."""
        by_words = self.bm25(claim, MAX_SEARCH_DEPTH, allowed)
        by_vector = self.dense(claim, MAX_SEARCH_DEPTH, allowed)
        lists = [by_words.rows, by_vector.rows]
        rows, scores = reciprocal_rank_fusion(lists, depth, self.arrays.passage_keys)
        return Ranking(
            rows=rows,
            scores=scores,
            n_candidates=len(np.unique(np.concatenate(lists))),
            corrections=by_words.corrections,
        )

    def hipporag2(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        """Rank by HippoRAG 2 with its published defaults; a given model filters facts.

        The first call prepares its graph and, where the index stores none, the vectors of all
        facts. An index without facts is ranked by ``dense``, as published; ``UsageError`` when it
        has facts but no vectors of passages, or the walk is to be bound to some.
        """
        allowed, inside = parts_of(allowed)
        if inside is not None:
            raise UsageError(WALKS_OVER_ALL.format("hipporag2"))
        known = self.read_claim(claim)
        if not len(self.arrays.facts):
            return replace(self.dense(claim, depth, allowed), fallbacks=1)
        self.vectors.check()
        vector = self.vectors.of_text(known.asked)
        if not vector.any():  # as in ``dense``
            return Ranking(rows=np.zeros(0, np.int64), scores=np.zeros(0), n_candidates=0)
        answer = self._reference_answer(claim, vector, depth)
        n = self.arrays.n_rows
        kept = np.flatnonzero(self.arrays.documents >= 0 if allowed is None else allowed)
        rows, scores = best_first(kept, answer.scores[kept], depth, self.arrays.passage_keys)
        nodes, mass = best_first(answer.seeds.nodes, answer.seeds.mass, _SEEDS_SHOWN)
        seeds = tuple(
            Seed(
                "passage" if node < n else "fact",
                self.tables.node_name(node),
                share,
                self.tables.part_of(node),
            )
            for node, share in zip(nodes.tolist(), mass.tolist(), strict=True)
        )
        choice = answer.choice
        facts = self.tables.triples(answer.facts.rows)
        return Ranking(
            rows=rows,
            scores=scores,
            n_candidates=self.arrays.n_passages,
            seeds=seeds,
            facts=facts,
            fallbacks=choice.n_fallbacks,
            choice=choice,
            corrections=known.corrections,
        )

    def linearrag(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        """Rank by LinearRAG: a claim's names, names in similar sentences, then a walk.

        The first call tags and encodes every passage. A claim that names nothing is ranked by
        ``dense``, as published; ``NotInIndexError`` if there are no vectors, ``ModelError`` without
        spaCy, ``UsageError`` if the walk should be limited to some passages.
        """
        from hippohover.retrieval.linearrag import scaled

        allowed, inside = parts_of(allowed)
        if inside is not None:
            raise UsageError(WALKS_OVER_ALL.format("linearrag"))
        known = self.read_claim(claim)
        self.vectors.check()
        method = self._linear_method()
        with self._lock:  # spaCy is one thread's at a time
            names = method.names_in(known.asked)
        vector = self.vectors.of_text(known.asked)
        if not names or not vector.any():
            return replace(self.dense(claim, depth, allowed), fallbacks=1)
        n = self.arrays.n_rows
        there = np.flatnonzero(self.arrays.documents >= 0)
        similar = scaled(self.vectors.similarity(vector, there), there, n)
        active = method.activate(self.vectors.of_texts(names), vector)
        scores, reset = method.scores(active, similar)
        kept = there if allowed is None else np.flatnonzero(allowed)
        rows, best = best_first(kept, scores[kept], depth, self.arrays.passage_keys)
        order = np.argsort(-reset, kind="stable")[:_SEEDS_SHOWN].tolist()
        return Ranking(
            rows=rows,
            scores=best,
            n_candidates=self.arrays.n_passages,
            seeds=tuple(
                Seed(
                    "passage",
                    self.tables.node_name(node),
                    float(reset[node]),
                    self.tables.part_of(node),
                )
                if node < n
                else Seed("mention", method.name_of(node - n), float(reset[node]))
                for node in order
            ),
            corrections=known.corrections,
        )

    def _linear_method(self, progress: Progress = silent) -> "LinearRag":
        """Return LinearRAG over this index, made at the first call."""
        if self._linear is None:
            with self._lock:
                if self._linear is None:
                    from hippohover.language.spacy_models import EntityTagger
                    from hippohover.retrieval.linearrag import LinearRag, tri_graph

                    tag, encode = EntityTagger(), self.vectors.of_all
                    graph = tri_graph(self.tables, tag, partial(progress, "names"))
                    self._linear = LinearRag(
                        graph,
                        tag,
                        sentences=encode(graph.sentences, partial(progress, "sentences")),
                        entities=encode(graph.names, partial(progress, "entities")),
                    )
        return self._linear

    def _reference_answer(
        self, claim: str, vector: NDArray[np.float32], depth: int
    ) -> "ReferenceAnswer":
        """Answer by the reference; keep the thread's last answer: walks take seconds.

        What is kept has been paid for: its calls count once.
        """
        last: tuple[str, int, ReferenceAnswer] | None = getattr(self._last, "answer", None)
        if last is not None and last[0] == claim and last[1] < depth:
            return last[2]
        choose = None if self._choose is None else partial(self._choose_for, claim)
        [answer] = self._reference_method()(vector[None], choose)
        paid = replace(answer, choice=replace(answer.choice, usage=Usage()))
        self._last.answer = claim, depth, paid
        return answer

    def _choose_for(self, claim: str, _: int, facts: CandidateFacts) -> FactChoice:
        assert self._choose is not None  # noqa: S101
        return self._choose(claim, facts, self.tables.triples(facts.rows))

    def is_ready(self, name: str) -> bool:
        """Return whether a retriever answers without a long preparation.

        Those of ``PREPARED`` have one, once: a graph and vectors take up to minutes. So have lists
        of vectors, where the settings ask for them.
        """
        if name in {"dense", "hybrid"}:
            lists = self.vectors.lists.passages
            return lists is None or lists.are_made
        if name == "linearrag":
            return self._linear is not None
        return name != "hipporag2" or self._reference is not None or not len(self.arrays.facts)

    def prepare(self, name: str, progress: Progress = silent) -> None:
        """Prepare what the first call of a retriever needs, and report progress.

        ``NotInIndexError`` when the index keeps no vectors, which those of ``PREPARED`` need.
        """
        if self.is_ready(name):
            return
        self.vectors.check()
        if name == "linearrag":
            self._linear_method(progress)
        elif name == "hipporag2":
            self._reference_method(progress)
        elif self.vectors.lists.passages is not None:
            self.vectors.lists.passages.prepare(progress)

    def prepare_lists(self, progress: Progress = silent) -> None:
        """Make the lists of vectors, where the settings name FAISS."""
        if self.settings.vectors == "faiss":
            for lists in filter(None, self.vectors.lists):
                lists.prepare(progress)

    def _reference_method(self, progress: Progress = silent) -> "HippoRag2":
        """Return the reference method, made at the first call: its graph takes seconds."""
        if self._reference is None:
            from hippohover.retrieval.hipporag2 import HippoRag2

            with self._lock:
                if self._reference is None:
                    vectors = self.vectors.of_all_facts(partial(progress, "facts"))
                    progress("graph", 0, 1)
                    arrays = replace(self.arrays, fact_vectors=vectors)
                    self._reference = HippoRag2(arrays, self.vectors.lists.facts)
                    progress("graph", 1, 1)
        return self._reference


def _inside_of(
    inside: Callable[[NDArray[np.bool_]], Inside],
    allowed_rows: Callable[[tuple[Condition, ...]], NDArray[np.bool_]],
    where: tuple[Condition, ...],
) -> Inside:
    return inside(allowed_rows(where))
