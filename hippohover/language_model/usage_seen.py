"""DSPy's tracker of usage, watched: it is how a client tells whether a reply was paid for."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any


@dataclass
class UsageSeen:
    """Pass usage on to DSPy's tracker, and remember that there was some.

    DSPy tells its tracker of every reply that a server gave, without tokens too, and of none that
    was in the cache of a ``dspy.LM`` (``dspy.clients.execution.finalize``).

    Attributes
    ----------
    tracker : dspy.utils.usage_tracker.UsageTracker or None
        The tracker of whoever asks; None when nobody tracks.
    paid : bool
        Whether a server replied.
    """

    tracker: Any
    paid: bool = False
    usage_data: dict[str, list[dict[str, Any]]] = field(init=False)

    def __post_init__(self) -> None:
        """Share the tracker's entries: one that is nested in this one adds to them."""
        self.usage_data = getattr(self.tracker, "usage_data", defaultdict(list))

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Pass on the usage of one reply."""
        self.paid = True
        if self.tracker is not None:
            self.tracker.add_usage(lm, usage_entry)
