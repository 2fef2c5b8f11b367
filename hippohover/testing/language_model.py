"""A fake language model with given replies."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel


def fake_language_model(*answers: dict[str, Any]) -> "LanguageModel":
    """Make a model that gives these answers in turn, and then ``No more responses``.

    Parameters
    ----------
    *answers : dict
        Output fields of the DSPy signature that asks, by name: ``{"answer": "Vellmouth"}`` for
        ``write_draft``, ``{"fact_after_filter": ...}`` for an engine. Other fields count as no
        usable reply.

    Examples
    --------
    >>> model = fake_language_model({"fact_after_filter": '{"fact": []}'})
    >>> model.name
    'fake'
    """
    from dspy.utils import DummyLM

    from hippohover.language_model.client import LanguageModel

    return LanguageModel(DummyLM(list(answers)), name="fake", n_retries=0)
