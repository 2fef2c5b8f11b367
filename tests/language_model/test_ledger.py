"""Usage adds up by stage, and caps stop the next call."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from hippohover.errors import BudgetError, UsageError
from hippohover.language_model.ledger import Budget, Ledger, Usage

CALL = Usage(n_calls=1, input_tokens=100, output_tokens=20, cost_usd=0.5, seconds=2.0)


def test_usages_add_up_by_stage():
    ledger = Ledger()
    for stage in ("filter", "extract", "filter"):
        ledger.reserve()
        ledger.add(stage, CALL)
    ledger.add("filter", Usage(n_cached=1), reserved=False)
    assert list(ledger.by_stage()) == ["extract", "filter"]
    assert ledger.by_stage()["filter"] == CALL + CALL + Usage(n_cached=1)
    total = ledger.total()
    assert (total.n_calls, total.n_tokens, total.cost_usd) == (3, 360, 1.5)
    assert total.as_dict()["n_cached"] == 1


@pytest.mark.parametrize(
    ("budget", "n"),
    [
        (Budget(max_calls=0), 0),
        (Budget(max_calls=2), 2),
        (Budget(max_tokens=121), 2),
        (Budget(max_tokens=120), 1),
        (Budget(max_cost_usd=0.9), 2),
        (Budget(max_cost_usd=0.0), 0),
    ],
)
def test_a_cap_stops_the_next_call(budget: Budget, n: int):
    ledger = Ledger(budget)
    for _ in range(n):
        ledger.reserve()
        ledger.add("s", CALL)
    with pytest.raises(BudgetError, match=r"max_\w+ = .* is reached"):
        ledger.reserve()
    assert ledger.total().n_calls == n


def test_failures_count_against_the_cap_of_calls():
    ledger = Ledger(Budget(max_calls=1))
    ledger.reserve()
    ledger.add("s", Usage(n_failed=1))
    with pytest.raises(BudgetError, match="max_calls = 1"):
        ledger.reserve()


def test_calls_side_by_side_never_exceed_their_cap():
    ledger = Ledger(Budget(max_calls=10))

    def call(_: int) -> int:
        try:
            ledger.reserve()
        except BudgetError:
            return 0
        ledger.add("s", CALL)
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(call, range(100))) == 10
    assert ledger.total().n_calls == 10


def test_a_cap_on_money_needs_a_price():
    ledger = Ledger(Budget(max_cost_usd=5.0))
    ledger.reserve()
    ledger.add("s", Usage(n_calls=1, n_unpriced=1))
    with pytest.raises(BudgetError, match="server did not report a price"):
        ledger.reserve()


def test_a_cap_below_zero_is_refused():
    with pytest.raises(UsageError, match="max_tokens is -1"):
        Budget(max_tokens=-1)
