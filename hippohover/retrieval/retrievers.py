"""The retrievers of an open index: made when they are asked, each for the index and for scopes."""

import threading
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import NotInIndexError
from hippohover.names.titles import TitleKind
from hippohover.progress import Progress, check_wanted, silent
from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval.places import COMPARED, Places
from hippohover.retrieval.ppr_retriever import PprRetriever
from hippohover.retrieval.ranking import Ranking, append_tail, best_first, filled
from hippohover.retrieval.registry import retriever_class
from hippohover.retrieval.retriever import Retriever, RetrieverContext
from hippohover.retrieval.scope_tables import ScopedTables, scope_tables
from hippohover.retrieval.walk.candidates import Allowed
from hippohover.retrieval.where import Condition, Scope, allowed_rows

_N_CONDITIONS_KEPT = 8
_N_SCOPES_KEPT = 4  # each takes 70 bytes a node of the index, and 14 an edge inside
_PASSAGES_A_PLACE = 8


class Retrievers:
    """The retrievers of one index, or of one scope of it; safe from several threads.

    Attributes
    ----------
    context : RetrieverContext
        What they are made from.
    ppr : PprRetriever
    """

    def __init__(self, context: RetrieverContext) -> None:
        self.context = context
        self.tables, self.settings = context.tables, context.settings
        self.arrays = context.tables.arrays
        self.vectors, self.read_claim = context.vectors, context.read_claim
        self.ppr = PprRetriever(context)
        self._places = Places(context)
        self._made: dict[str, Retriever] = {"ppr": self.ppr}
        self._lock = threading.Lock()
        # Neither holds this object: in a reference cycle, the files of a version that was let go of
        # would stay open until Python next collects cycles.
        self._allowed_rows = lru_cache(_N_CONDITIONS_KEPT)(partial(allowed_rows, self.tables))
        self._within = lru_cache(_N_SCOPES_KEPT)(partial(_scoped, context))

    def bounded(self, where: tuple[Condition, ...], scope: Scope) -> "tuple[Retrievers, Allowed]":
        """Return the retrievers that answer under conditions, and the passages they may return."""
        if not where:
            return self, None
        return (self._within(where), None) if scope == "walk" else (self, self._allowed_rows(where))

    def over(self, tables: ScopedTables) -> "Retrievers":
        """Return the retrievers of a scope of this index."""
        return Retrievers(_scoped_context(self.context, tables))

    def named(self, name: str) -> Retriever:
        """Return the retriever of that name; ``UsageError`` as of ``retriever_class``."""
        if name not in self._made:
            made = retriever_class(name)
            with self._lock:
                if name not in self._made:
                    self._made[name] = made(self.context)
        return self._made[name]

    def __call__(
        self,
        name: str,
        claim: str,
        depth: int,
        where: tuple[Condition, ...] = (),
        scope: Scope = "answers",
        seeds: tuple[str, ...] = (),
    ) -> Ranking:
        """Rank at most ``depth`` passages by the retriever of that name.

        ``seeds`` are names, titles and pids where the walk of ``ppr`` starts too.

        Where there are conditions and the retriever ranks fewer of the passages that meet them,
        the others follow by their similarity to the claim, or in the order of their rows.
        """
        part, allowed = self.bounded(where, scope)
        retriever = _starting_at(part.ppr, seeds) if seeds else part.named(name)
        # Deeper, until there are enough places or no passage is left.
        has_long = self.arrays.n_documents < self.arrays.n_passages
        whole = deeper = max(depth, MAX_RANKED_PASSAGES)
        if self.settings.one_per_document and has_long:
            deeper *= _PASSAGES_A_PLACE
        if self.settings.prefer or self.tables.has_headings:
            deeper = max(deeper, COMPARED)
        while True:
            check_wanted()
            ranking = retriever(claim, deeper, allowed)
            if where:
                ranking = part.completed(claim, ranking, deeper, allowed)
            found = part._places(claim, ranking, whole)
            if len(found.rows) == whole or len(ranking.rows) < deeper:
                return self._cut(found, depth)
            deeper *= _PASSAGES_A_PLACE

    def _cut(self, places: Ranking, depth: int) -> Ranking:
        """Return the first places, and the passages of the first 21."""
        documents = self.arrays.documents
        shown = replace(
            places,
            rows=places.rows[:depth],
            scores=places.scores[:depth],
            others=places.others[:depth],
        )
        first = filled(places, documents, MAX_RANKED_PASSAGES).rows[:MAX_RANKED_PASSAGES]
        return replace(filled(shown, documents, depth), first=tuple(first.tolist()))

    def places(self, claim: str, ranking: Ranking, depth: int) -> Ranking:
        """Return at most ``depth`` places, each of a document and its near-copies, as set.

        Where there are fewer documents, further passages of them follow.
        """
        return filled(self._places(claim, ranking, depth), self.arrays.documents, depth)

    def completed(self, claim: str, ranking: Ranking, depth: int, allowed: Allowed) -> Ranking:
        """Append passages that are allowed but were not found, up to ``depth``."""
        there = self.arrays.documents >= 0 if allowed is None else allowed
        if len(ranking.rows) == min(depth, int(there.sum())):
            return ranking
        rest = np.setdiff1d(np.flatnonzero(there), ranking.rows)
        similarities = np.zeros(len(rest))
        if self.vectors:
            vector = self.vectors.of_text(self.read_claim(claim).asked)
            similarities += self.vectors.similarity(vector, rest)
        keys = self.arrays.passage_keys
        tail = best_first(rest, 2.0 + similarities, depth - len(ranking.rows), keys)
        rows, scores = append_tail((ranking.rows, ranking.scores), tail)
        n = max(ranking.n_candidates, len(rows))
        return replace(ranking, rows=rows, scores=scores, n_candidates=n)

    def is_ready(self, name: str) -> bool:
        """Return whether a retriever answers without a long preparation.

        Those that have one have it once: a graph and vectors take up to minutes. So have lists of
        vectors, where the settings ask for them.
        """
        return self.named(name).is_ready

    def prepare(self, name: str, progress: Progress = silent) -> None:
        """Prepare what the first call of a retriever needs, and report progress.

        ``NotInIndexError`` when the index keeps no vectors, which it needs.
        """
        self.named(name).prepare(progress)

    def prepare_lists(self, progress: Progress = silent) -> None:
        """Make the lists of vectors, where the settings name FAISS."""
        if self.settings.vectors == "faiss":
            for lists in filter(None, self.vectors.lists):
                lists.prepare(progress)


def _starting_at(ppr: PprRetriever, seeds: tuple[str, ...]) -> PprRetriever:
    """Return the same retriever, whose walks start at these names, titles and pids too.

    ``NotInIndexError`` for one that the index does not know.
    """
    ppr.solver()  # shared by both
    other, read = copy(ppr), ppr.read_claim
    named = [_named(ppr, seed) for seed in seeds]
    words = " ".join(name for name, _ in named)
    entities = np.concatenate([some for _, some in named])
    # Seeds are searched as words too. As entities alone, of questions that name nothing, 41 % had
    # another gold document of the toy claims first, with their words 64 %.
    other.read_claim = lambda text: read(f"{text} {words}").naming(text, entities)
    return other


def _named(ppr: PprRetriever, seed: str) -> tuple[str, NDArray[np.int64]]:
    """Return a seed in words, and the entities that it names."""
    tables = ppr.tables
    rows = np.concatenate([tables.rows_equal(name, seed) for name in ("pid", "title")])
    titles = tables.arrays.title_entities[rows, TitleKind.FULL].astype(np.int64)
    entities = titles[titles >= 0]
    if not len(entities):
        entities = ppr.read_claim(seed).entities
    if not len(entities):
        raise NotInIndexError(
            f"no name of the index is in the seed {seed!r:.80}: give a name, a title or a pid"
        )
    return (tables.node_name(int(rows[0])) if len(rows) else seed), entities


def _scoped(context: RetrieverContext, where: tuple[Condition, ...]) -> Retrievers:
    passages = allowed_rows(context.tables, where)
    tables = scope_tables(context.tables, passages, recipe=context.recipe)
    return Retrievers(_scoped_context(context, tables))


def _scoped_context(context: RetrieverContext, tables: ScopedTables) -> RetrieverContext:
    return replace(context, tables=tables, vectors=context.vectors.within(tables))
