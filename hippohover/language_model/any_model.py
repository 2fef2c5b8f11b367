"""Any language model that DSPy can ask, counted, with named errors."""

from typing import TYPE_CHECKING, Any, TypeAlias, Union, cast

from hippohover.errors import UsageError
from hippohover.language_model.client import LanguageModel

if TYPE_CHECKING:
    import dspy

AnyModel: TypeAlias = Union[LanguageModel, "dspy.BaseLM"]
"""A language model of this package's own, or one of DSPy's."""


def counted(model: AnyModel) -> LanguageModel:
    """Return the model itself, or a counter around one of DSPy's.

    A model of DSPy keeps its cache, its retries and its settings.

    Raises
    ------
    UsageError
        It is not a language model.
    """
    from dspy import BaseLM

    if isinstance(model, LanguageModel):
        return model
    if not isinstance(cast("object", model), BaseLM):
        raise UsageError(
            f"language model {model!r:.80}: give a dspy.LM, or what open_language_model returns"
        )
    if isinstance(engine := getattr(model, "engine", None), LanguageModel):
        return engine
    return LanguageModel(model, n_retries=0, options=_generation(model))


def configured() -> LanguageModel | None:
    """Return the model of ``dspy.context`` or ``dspy.configure``; None without one."""
    import dspy

    model: AnyModel | None = dspy.settings.lm
    return None if model is None else counted(model)


def _generation(model: "dspy.BaseLM") -> dict[str, Any]:
    """Return the parameters of a model's requests, such as a temperature; not its address."""
    from dspy.clients.backend_selection import CLIENT_KEYS

    return {key: value for key, value in model.kwargs.items() if key not in CLIENT_KEYS}
