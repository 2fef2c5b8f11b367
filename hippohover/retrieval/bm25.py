"""The retriever ``bm25``: passages by the claim's words."""

import numpy as np

from hippohover.lexical import top_rows
from hippohover.retrieval.ranking import Ranking
from hippohover.retrieval.retriever import Retriever
from hippohover.retrieval.walk.candidates import Allowed


class Bm25(Retriever):
    """Ranks by BM25 with the claim as the query."""

    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        arrays, known = self.context.tables.arrays, self.context.read_claim(claim)
        scores = arrays.lexical.scores(known.terms)
        if allowed is not None:
            scores = np.where(allowed, scores, np.float32(0.0))
        rows = top_rows(scores, depth, arrays.passage_keys)
        return Ranking(
            rows=rows,
            scores=scores[rows].astype(np.float64),
            n_candidates=int(np.count_nonzero(scores)),
            corrections=known.corrections,
        )
