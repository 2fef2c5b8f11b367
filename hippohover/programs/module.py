"""What every module here can do: be awaited, and load prompts of earlier versions."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, cast

import dspy

SCORER: Final = "score_relevance"
"""The predictor that scores documents, in programs that have one."""
FORMER: Final = "score"
"""Its name in files of earlier versions. MIPROv2 sets an attribute of this name to a number, so in
files that it wrote the predictor is missing: it was not asked, and keeps its own prompt."""


class AwaitedModule(dspy.Module):
    """A module that ``await module.acall(...)`` runs too: on a thread, without cancelling."""

    async def aforward(self, **inputs: Any) -> dspy.Prediction:  # noqa: ANN401
        """Run ``forward`` without blocking the event loop."""
        # That of the class: DSPy warns of an object's that is called directly.
        forward: Any = partial(type(self).forward, self)
        awaited = cast("Callable[..., Awaitable[dspy.Prediction]]", dspy.asyncify(forward))
        return await awaited(**inputs)

    def forward(self, claim: str) -> dspy.Prediction:
        """Answer a claim."""
        raise NotImplementedError

    def load_state(self, state: dict[str, Any], **options: Any) -> None:  # noqa: ANN401
        """Load prompts that this version or an earlier one saved."""
        super().load_state(named_as_now(state, self), **options)


def named_as_now(state: Mapping[str, Any], module: dspy.Module) -> dict[str, Any]:
    """Return a state from a file of any version, with the names that predictors have now."""
    known = dict(state)
    for name, predictor in cast("list[tuple[str, Any]]", module.named_parameters()):
        parts = name.split(".")
        if SCORER in parts and name not in known:
            former = ".".join(FORMER if part == SCORER else part for part in parts)
            known[name] = known.pop(former, None) or predictor.dump_state()
    return known
