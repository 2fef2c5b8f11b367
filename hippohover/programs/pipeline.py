"""A program with its retriever, as LangProBe runs it."""

from typing import ClassVar

import dspy

from hippohover.language_model.any_model import AnyModel
from hippohover.programs.any_retriever import default_engine
from hippohover.programs.hop_program import HopProgram
from hippohover.programs.module import AwaitedModule
from hippohover.sources.search_engine import SearchEngine


class ProgramPipeline(AwaitedModule):
    """A program with its retriever, as LangProBe runs it.

    Parameters
    ----------
    engine : SearchEngine, optional
        By default, the index in the folder that ``HIPPOHOVER_INDEX`` names is opened; if none is
        named, the retriever of ``dspy.configure(rm=...)`` searches.
    model : LanguageModel or dspy.BaseLM, optional
        As ``HopProgram``.
    retriever : str, optional
        One of the index's, in place of the ColBERTv2 of the designs. By default ``hybrid``, or
        ``bm25`` if the index has no vectors.

    Raises
    ------
    UsageError
        There is no engine, and neither ``HIPPOHOVER_INDEX`` nor DSPy's retriever is set.
    """

    program_type: ClassVar[type[HopProgram]]

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        retriever: str | None = None,
    ) -> None:
        super().__init__()
        engine = engine or default_engine(checked=True)
        retriever = retriever or ("bm25" if engine.encode is None else "hybrid")
        self.program = self.program_type(engine, model, retriever=retriever)

    def forward(self, claim: str) -> dspy.Prediction:
        """Answer as ``HopProgram``."""
        return self.program(claim=claim)
