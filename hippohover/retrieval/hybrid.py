"""The retriever ``hybrid``: passages by the claim's words and its meaning."""

import numpy as np

from hippohover.recipe import MAX_SEARCH_DEPTH
from hippohover.retrieval.bm25 import Bm25
from hippohover.retrieval.dense import Dense
from hippohover.retrieval.ranking import Ranking, reciprocal_rank_fusion
from hippohover.retrieval.walk.candidates import Allowed


class Hybrid(Dense):
    """Fuses ``bm25`` and ``dense`` by reciprocal rank, as deep as any search may go."""

    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        by_words = Bm25(self.context)(claim, MAX_SEARCH_DEPTH, allowed)
        by_vector = super().__call__(claim, MAX_SEARCH_DEPTH, allowed)
        lists = [by_words.rows, by_vector.rows]
        keys = self.context.tables.arrays.passage_keys
        rows, scores = reciprocal_rank_fusion(lists, depth, keys)
        return Ranking(
            rows=rows,
            scores=scores,
            n_candidates=len(np.unique(np.concatenate(lists))),
            corrections=by_words.corrections,
        )
