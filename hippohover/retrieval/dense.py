"""The retriever ``dense``: passages by the claim's meaning."""

import numpy as np

from hippohover.progress import Progress, silent
from hippohover.retrieval.ranking import NOTHING_FOUND, Ranking
from hippohover.retrieval.retriever import Retriever
from hippohover.retrieval.walk.candidates import Allowed


class Dense(Retriever):
    """Ranks by the cosine of the claim's and the passages' vectors.

    ``NotInIndexError`` when the index has no vectors.
    """

    needs_vectors = True

    def __call__(self, claim: str, depth: int, allowed: Allowed = None) -> Ranking:
        known, vectors = self.context.read_claim(claim), self.context.vectors
        vectors.check()
        vector = vectors.of_text(known.asked)
        if not vector.any():  # of a claim in which the encoder knows nothing, all is equally near
            return NOTHING_FOUND
        rows, scores = vectors.nearest_passages(vector, depth, allowed)
        n = self.context.tables.arrays.n_passages
        return Ranking(
            rows=rows,
            scores=scores,
            n_candidates=n if allowed is None else int(np.count_nonzero(allowed)),
            corrections=known.corrections,
        )

    @property
    def is_ready(self) -> bool:
        """Whether lists of vectors are made, where the settings ask for them."""
        lists = self.context.vectors.lists.passages
        return lists is None or lists.are_made

    def prepare(self, progress: Progress = silent) -> None:
        if (lists := self.context.vectors.lists.passages) is not None:
            lists.prepare(progress)
