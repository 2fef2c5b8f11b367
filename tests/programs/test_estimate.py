"""Forecasts: calls, tokens and money of programs, with what is embedded."""

import pytest

from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.estimate import Forecast, forecast, in_words
from hippohover.programs.hypothesis import cost_estimate


def price(tokens_in: int, tokens_out: int) -> float:
    return (tokens_in + 4 * tokens_out) / 1e6


def embedded(tokens: int) -> float:
    return 0.02 * tokens / 1e6


def nobody_knows(*_tokens: int) -> None:
    return None


def test_hypotheses_cost_what_their_own_estimate_says():
    told = forecast(PROGRAMS["hypothesis"], price, embedded)
    own = cost_estimate(
        usd_per_million_input=1.0, usd_per_million_output=4.0, usd_per_million_embedded=0.02
    )
    assert told.usd_total == pytest.approx(own["usd"])
    assert told.usd_embedded == pytest.approx(own["usd_embedded"])
    assert (told.calls, told.embedded_tokens) == (own["calls"], own["embedded_tokens"])
    assert forecast(PROGRAMS["hypothesis"], price).embedded_tokens == 0


def test_a_program_without_calls_is_free():
    told = forecast(PROGRAMS["iterative-bm25"], nobody_knows, embedded)
    assert told == Forecast(calls=0, input_tokens=0, output_tokens=0, usd=0.0)
    assert told.usd_total == 0


@pytest.mark.parametrize("name", ["hop-chain", "gap-analysis", "ppr+hops", "hypothesis"])
def test_the_others_cost_no_more_calls_than_they_declare(name: str):
    told = forecast(PROGRAMS[name], price)
    assert 0 < told.calls <= PROGRAMS[name].declared.calls
    assert told.input_tokens > 400 * told.calls
    assert told.usd == pytest.approx(price(told.input_tokens, told.output_tokens))


def test_claims_multiply_and_unknown_prices_stay_unknown():
    told = Forecast(
        calls=2, input_tokens=1000, output_tokens=100, usd=None, embedded_tokens=5000,
        usd_embedded=0.0001,
    )  # fmt: skip
    assert told.usd_total is None
    assert told.times(3).input_tokens == 3000
    assert told.as_dict()["usd_total"] is None
    assert in_words("hypothesis", told, 300, "voyage/voyage-3-lite") == [
        "hypothesis: about 600 calls, 300,000 tokens in and 30,000 out: at an unknown price",
        "hypothesis: about 1,500,000 tokens embedded by voyage/voyage-3-lite: $0.0300",
    ]
    assert len(in_words("x", forecast(PROGRAMS["hop-chain"], price), 1)) == 1
