"""The cost of language-model calls, by stage, and the caps that stop them."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from hippohover.errors import BudgetError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The cost of some calls; usages can be added.

    Attributes
    ----------
    n_calls : int
        Requests that a server answered. If a reply cannot be parsed and is asked for again, both
        count, because both are paid.
    n_cached : int
        Requests that were answered from the cache; they cost nothing and do not count as calls.
    n_failed : int
        Requests that ended in an error: refused, timed out, cut off.
    input_tokens, output_tokens : int
        As the server counts them.
    cached_input_tokens : int
        Input tokens that the server had in its own cache; included in ``input_tokens``.
    seconds : float
        Sum of the wall times of calls and failures, also of calls at the same time.
    cost_usd : float
        Cost of the calls whose price is known.
    n_unpriced : int
        Number of calls whose price is not known.
    """

    n_calls: int = 0
    n_cached: int = 0
    n_failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    n_unpriced: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        names = [amount.name for amount in fields(Usage)]
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def n_requests(self) -> int:
        """Number of requests that were paid for or tried: calls and failures."""
        return self.n_calls + self.n_failed

    @property
    def known_cost_usd(self) -> float | None:
        """``cost_usd``, or None when the price of any call is not known."""
        return None if self.n_unpriced else self.cost_usd

    @property
    def n_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def as_dict(self) -> dict[str, int | float]:
        return {f.name: getattr(self, f.name) for f in fields(Usage)}


@dataclass(frozen=True, slots=True)
class Budget:
    """Caps on spending; None is no cap.

    Raises
    ------
    UsageError
        A cap is below 0.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None

    def __post_init__(self) -> None:
        for cap in fields(Budget):
            value = getattr(self, cap.name)
            if value is not None and value < 0:
                raise UsageError(f"{cap.name} is {value}: give 0 or more, or None")


@dataclass
class Ledger:
    """Usage by stage, under one budget; safe from several threads."""

    budget: Budget = field(default_factory=Budget)
    _stages: dict[str, Usage] = field(default_factory=dict[str, Usage])
    _n_reserved: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reserve(self) -> None:
        """Reserve one call; each is followed by one ``add``.

        Raises
        ------
        BudgetError
            A cap is reached. Calls never exceed theirs. Tokens and money are known only after a
            call: calls that are under way may exceed those.
        """
        with self._lock:
            spent = self._total()
            under_way = spent.n_calls + spent.n_failed + self._n_reserved
            for name, value, cap in (
                ("max_calls", under_way, self.budget.max_calls),
                ("max_tokens", spent.n_tokens, self.budget.max_tokens),
                ("max_cost_usd", spent.cost_usd, self.budget.max_cost_usd),
            ):
                if cap is not None and value >= cap:
                    raise BudgetError(
                        f"{name} = {cap:g} is reached ({value:g} spent): run again with a larger "
                        "budget; replies in a cache are not paid for again"
                    )
            if self.budget.max_cost_usd is not None and spent.n_unpriced:
                raise BudgetError(
                    "max_cost_usd is set, but the server did not report a price: set "
                    "usd_per_million_input and usd_per_million_output (--lm-settings)"
                )
            self._n_reserved += 1

    def add(self, stage: str, usage: Usage, *, reserved: bool = True) -> None:
        """Add the cost of a call; ``reserved`` says that ``reserve`` was called for it."""
        with self._lock:
            self._stages[stage] = self._stages.get(stage, Usage()) + usage
            self._n_reserved -= reserved

    def by_stage(self) -> Mapping[str, Usage]:
        """Return the usage of each stage so far, by name."""
        with self._lock:
            return dict(sorted(self._stages.items()))

    def total(self) -> Usage:
        """Return the usage of all stages so far."""
        with self._lock:
            return self._total()

    def _total(self) -> Usage:
        return sum(self._stages.values(), Usage())
