"""The settings of programs: what a file of a program keeps beside its prompts.

They are read from the constructors, so that a new argument is kept too.
"""

import inspect
from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, TypeAdapter, ValidationError

from hippohover.errors import UsageError
from hippohover.programs.evidence_scoring import EvidenceScorer
from hippohover.programs.hop_program import HopProgram, keyword_parameters
from hippohover.programs.hypothesis import HypothesisDriven, default_encoder
from hippohover.sources.search_engine import SearchEngine

GIVEN: Final = frozenset({"engine", "model", "sources", "scorer"})
"""Arguments that are no settings: who makes or loads a program gives them."""


def setting_parameters(kind: type[HopProgram]) -> dict[str, inspect.Parameter]:
    """Return the arguments of a program's constructors that are settings, by name.

    Each has an attribute of its name.
    """
    return {name: one for name, one in keyword_parameters(kind).items() if name not in GIVEN}


def settings_of(program: HopProgram) -> dict[str, Any]:
    """Return the settings of a program, ready for JSON.

    Raises
    ------
    UsageError
        A program of one's own has an argument without an attribute of its name.
    """
    names = setting_parameters(type(program))
    if missing := [name for name in names if not hasattr(program, name)]:
        raise UsageError(
            f"{program.name} has no attribute {missing[0]!r}, by which the argument would be kept: "
            f"set self.{missing[0]}"
        )
    told = {name: getattr(program, name) for name in names}
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in told.items()
    }


def checked_settings(kind: type[HopProgram], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings from a file; ``ValueError`` names one that is unknown or of another type."""
    known = setting_parameters(kind)
    for name, value in settings.items():
        if name not in known:
            raise ValueError(f"{name} is no setting of {kind.name}")
        try:
            TypeAdapter(known[name].annotation).validate_python(value, strict=True)
        except ValidationError as error:
            raise ValueError(f"{name}: {error.errors()[0]['msg']}") from error
    return dict(settings)


class Scoring(BaseModel, strict=True, extra="forbid"):
    """How ``HypothesisDriven`` scores evidence, whichever encoder it has.

    Attributes
    ----------
    by_words : bool
        Whether it compares words, where it would have an encoder.
    timeout_seconds, on_timeout
        As ``EvidenceScorer``.
    """

    by_words: bool
    timeout_seconds: float
    on_timeout: Literal["overlap", "fail"]

    @classmethod
    def of(cls, program: HypothesisDriven) -> "Scoring":
        """Return how a program scores."""
        scorer = program.scorer
        return cls(
            by_words=not scorer.encodes and default_encoder(program.engine) is not None,
            timeout_seconds=scorer.timeout_seconds,
            on_timeout=scorer.on_timeout,
        )

    def scorer(self, engine: SearchEngine) -> EvidenceScorer:
        """Return a scorer with the encoder of an engine."""
        return EvidenceScorer(
            None if self.by_words else default_encoder(engine),
            timeout_seconds=self.timeout_seconds,
            on_timeout=self.on_timeout,
        )
