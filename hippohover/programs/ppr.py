"""The plain program: one walk over the graph, no language model."""

import dspy

from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, format_document
from hippohover.programs.module import AwaitedModule


class PPR(AwaitedModule):
    """Answers a claim with one retrieval, in the form of HoVer programs.

    Parameters
    ----------
    engine : RetrievalEngine
        Open engine; it is shared, not copied into the program's saved state.
    k : int
        Number of passages to return; the benchmark judges 21.
    retriever : str
        Name of a retriever of the engine.
    """

    def __init__(
        self,
        engine: RetrievalEngine,
        k: int = MAX_RETRIEVED_DOCS,
        retriever: str = "ppr",
    ) -> None:
        super().__init__()
        self.engine = engine
        self.k = k
        self.retriever = retriever

    def forward(self, claim: str) -> dspy.Prediction:
        """Find passages for one claim.

        Returns
        -------
        dspy.Prediction
            ``retrieved_docs``, ``"title | text"`` strings, best first; ``passages``, the same as
            ``RankedPassage``, with the others of each document; ``chains``, the engine's; and
            ``trace``, its ``Trace``.
        """
        answer = self.engine.retrieve(claim, self.k, self.retriever)
        documents = [format_document(one.title, one.text, one.heading) for one in answer.passages]
        return dspy.Prediction(
            retrieved_docs=documents,
            passages=answer.passages,
            chains=answer.chains,
            trace=answer.trace,
        )
