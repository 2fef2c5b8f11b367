"""The retriever ``hybrid``: passages by the claim's words and its meaning."""

import numpy as np

from hippohover.recipe import MAX_SEARCH_DEPTH
from hippohover.retrieval.bm25 import Bm25
from hippohover.retrieval.dense import Dense
from hippohover.retrieval.exact_keys import MOST_KEYS, ExactKeys
from hippohover.retrieval.ranking import Ranking, Voter, soft_fusion
from hippohover.retrieval.walk.candidates import RRF_K, Allowed


class Hybrid(Dense):
    """Fuses ``bm25`` and ``dense`` by reciprocal rank, as deep as any search may go.

    What alone holds a key of the claim comes first.
    """

    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        by_words = Bm25(self.context)(claim, MAX_SEARCH_DEPTH, allowed)
        by_vector = super().__call__(claim, MAX_SEARCH_DEPTH, allowed)
        arrays = self.context.tables.arrays
        exact = ExactKeys(self.context.tables)(claim, allowed)
        rows, scores = soft_fusion(
            [
                Voter(exact, 1.0, 0.0, n_sure=MOST_KEYS),
                Voter(by_words.rows, 1.0, RRF_K),
                Voter(by_vector.rows, 1.0, RRF_K),
            ],
            np.arange(arrays.n_rows),
            arrays.passage_keys,
        )
        return Ranking(
            rows=rows[:depth],
            scores=scores[:depth],
            n_candidates=len(rows),
            corrections=by_words.corrections,
        )
