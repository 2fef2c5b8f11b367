"""A program with its retriever, as LangProBe runs it."""

import os
from pathlib import Path
from typing import ClassVar, Final

import dspy

from hippohover.errors import UsageError
from hippohover.language_model.any_model import AnyModel
from hippohover.programs.hop_program import AwaitedModule, HopProgram
from hippohover.retrieval.engine import HippoHover
from hippohover.sources.search_engine import SearchEngine

INDEX_VARIABLE: Final = "HIPPOHOVER_INDEX"


class ProgramPipeline(AwaitedModule):
    """A program with its retriever, as LangProBe runs it.

    Parameters
    ----------
    engine : SearchEngine, optional
        By default, the index in the folder that ``HIPPOHOVER_INDEX`` names is opened.
    model : LanguageModel or dspy.BaseLM, optional
        As ``HopProgram``.
    retriever : str, optional
        Replaces the ColBERTv2 of the designs. By default ``hybrid``, or ``bm25`` if the index has
        no vectors.

    Raises
    ------
    UsageError
        There is no engine, and ``HIPPOHOVER_INDEX`` is not set.
    """

    program_type: ClassVar[type[HopProgram]]

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        retriever: str | None = None,
    ) -> None:
        super().__init__()
        engine = engine or _named_index()
        retriever = retriever or ("bm25" if engine.encode is None else "hybrid")
        self.program = self.program_type(engine, model, retriever=retriever)

    def forward(self, claim: str) -> dspy.Prediction:
        """Answer as ``HopProgram``."""
        return self.program(claim=claim)


def _named_index() -> HippoHover:
    """Open the index whose folder the environment names."""
    folder = os.environ.get(INDEX_VARIABLE)
    if not folder:
        raise UsageError(
            f"no engine is given, and {INDEX_VARIABLE} is not set: set it to the folder of an index"
        )
    return HippoHover.open(Path(folder))
