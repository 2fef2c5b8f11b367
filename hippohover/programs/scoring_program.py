"""Programs that can ask how relevant the documents are that they found."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import dspy

from hippohover.language_model.any_model import AnyModel
from hippohover.programs.hop_program import HopProgram, Run
from hippohover.programs.module import FORMER, SCORER
from hippohover.records import RankedPassage
from hippohover.sources.search_engine import SearchEngine


class ScoringProgram(HopProgram):
    """Base of programs that score documents on request.

    Parameters
    ----------
    score_documents : bool
        Ask, in one call, for the relevance of the documents that are shown. Off by default, as in
        the designs.
    """

    asked_for_scores: ClassVar[tuple[type[dspy.Predict | dspy.Module], type[dspy.Signature]]]
    """How they are asked for; ``scores`` is a number for each of ``documents``."""

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        *,
        score_documents: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(engine, model, **options)
        self.score_documents = score_documents
        self.score_relevance = self._scorer()

    def asks(self) -> Mapping[str, int]:
        return {SCORER: int(self.score_documents)}

    def relevance(
        self,
        run: Run,
        passages: Sequence[RankedPassage],
        **inputs: Any,  # noqa: ANN401
    ) -> list[int]:
        """Ask for scores of all shown passages in one call; none, a fallback, if they misfit."""
        asked = passages[: self.n_shown]
        answer = self.ask(run, self.score_relevance, documents=self.shown(asked), **inputs)
        scores: list[int] = getattr(answer, "scores", None) or []
        if len(scores) == len(asked):
            return scores
        run.fallbacks += answer is not None
        return []

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what DSPy pickled with the whole program, also by an earlier version."""
        former = state.pop(FORMER, None) if SCORER not in state else None
        super().__setstate__(state)
        if SCORER not in state:
            self.score_relevance = former if isinstance(former, dspy.Module) else self._scorer()

    @classmethod
    def _scorer(cls) -> Any:  # noqa: ANN401
        ask, signature = cls.asked_for_scores
        return ask(signature)
