"""Rules: what they add up to, what they are refused for, and what they say of themselves."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import UsageError
from hippohover.verification.aggregator import (
    LearnedAggregator,
    RuleAggregator,
    Rules,
    without_evidence,
)
from hippohover.verification.signals import SIGNALS, Reading

TABLE = """
[base]
support = 1.0
contradict = -1.0
[verdict]
supported_from = 0.5
contradicted_from = 0.5
[bands]
high = 0.7
medium = 0.4
[[rule]]
name = "few words are held"
signal = "coverage_tokens"
from = 1.0
to = 0.0
support = -2.0
[[rule]]
name = "a sentence says the opposite"
signal = "max_contradiction_prob"
from = 0.5
to = 1.0
support = -1.0
contradict = 4.0
"""


@pytest.fixture
def decide(tmp_path: Path) -> RuleAggregator:
    path = tmp_path / "rules.toml"
    path.write_text(TABLE, encoding="utf-8")
    return RuleAggregator(Rules.read(path))


def test_points_add_up_to_probabilities(decide: RuleAggregator):
    decision = decide({"coverage_tokens": Reading(0.75)})
    s, c = math.exp(1 - 0.5), math.exp(-1)
    assert decision.confidence.support_prob == pytest.approx(s / (1 + s + c))
    assert decision.confidence.contradict_prob == pytest.approx(c / (1 + s + c))
    expected = decision.confidence.support_prob * (1 - decision.confidence.contradict_prob)
    assert decision.confidence.overall_confidence == pytest.approx(expected)
    assert decision.rationale == "few words are held (coverage_tokens 0.75)"
    assert (decision.status, decision.confidence.band) == ("Supported", "Medium")


def test_three_verdicts(decide: RuleAggregator):
    assert decide({"coverage_tokens": Reading(1.0)}).status == "Supported"
    assert decide({"coverage_tokens": Reading(0.0)}).status == "Low Confidence"
    opposite = {"coverage_tokens": Reading(1.0), "max_contradiction_prob": Reading(1.0)}
    assert decide(opposite).status == "Contradictory"
    half = {"coverage_tokens": Reading(1.0), "max_contradiction_prob": Reading(0.5)}
    assert decide(half).status == "Supported"


def test_a_signal_without_a_value_fires_nothing(decide: RuleAggregator):
    plain = decide({})
    assert plain == decide({"coverage_tokens": Reading(None, "why")})
    assert plain.rationale == "no rule speaks for it or against it"


def test_without_evidence_nothing_is_supported():
    decision = without_evidence("no evidence")
    assert (decision.status, decision.confidence.overall_confidence) == ("Low Confidence", 0.0)
    assert decision.rationale == "no evidence was found"
    assert without_evidence("no evidence: gone").rationale == "no evidence: gone"


def test_a_veto_keeps_a_claim_from_being_supported(tmp_path: Path):
    path = tmp_path / "rules.toml"
    rule = '[[rule]]\nname = "n"\nsignal = "numeric_check"\nfrom = 1.0\nto = 0.0\nveto = true\n'
    path.write_text(f"{TABLE}\n{rule}", encoding="utf-8")
    decide = RuleAggregator(Rules.read(path))
    free = decide({"coverage_tokens": Reading(1.0), "numeric_check": Reading(1.0)})
    half = decide({"coverage_tokens": Reading(1.0), "numeric_check": Reading(0.5)})
    held = decide({"coverage_tokens": Reading(1.0), "numeric_check": Reading(0.0)})
    assert free == half
    assert (free.status, held.status) == ("Supported", "Low Confidence")
    assert held.confidence.support_prob == free.confidence.support_prob
    assert held.confidence.band == "Low"
    assert held.rationale.startswith("n (numeric_check 0.00)")
    opposite = {"numeric_check": Reading(0.0), "max_contradiction_prob": Reading(1.0)}
    assert decide(opposite).status == "Contradictory"


@pytest.mark.parametrize(
    "readings",
    [
        {"numeric_check": 0.0, "coverage_numbers": 0.5},
        {"negation_mismatch": 1.0},
        {"turned_roles": 0.5},
        {"coverage_tokens": 0.1},
    ],
)
def test_what_the_rules_that_ship_never_call_supported(readings: dict[str, float]):
    values = {"missing_information": 0.0, "coverage_tokens": 1.0, **readings}
    decision = RuleAggregator()({name: Reading(value) for name, value in values.items()})
    assert (decision.status, decision.confidence.band) == ("Low Confidence", "Low")


def test_a_denial_that_is_lacking_forbids_however_sure_the_judge_is():
    readings = {
        "judged_support": Reading(0.99, "learned"), "missing_information": Reading(0.0),
        "coverage_tokens": Reading(1.0), "negation_mismatch": Reading(1.0),
    }  # fmt: skip
    decision = LearnedAggregator()(readings)
    assert (decision.status, decision.confidence.band) == ("Low Confidence", "Low")
    assert decision.rationale.startswith("negated, and the evidence is not")


@pytest.mark.parametrize(("lacking", "status"), [(0.0, "Low Confidence"), (1.0, "Supported")])
def test_a_number_that_is_lacking_forbids_however_sure_the_judge_is(lacking: float, status: str):
    readings = {
        "judged_support": Reading(0.99, "learned"), "missing_information": Reading(0.0),
        "coverage_tokens": Reading(1.0), "numeric_check": Reading(lacking),
    }  # fmt: skip
    decision = LearnedAggregator()(readings)
    assert decision.status == status
    assert ("a number is not in the evidence" in decision.rationale) == (not lacking)


@pytest.mark.parametrize(("share", "status"), [(0.36, "Low Confidence"), (0.5, "Supported")])
def test_a_part_that_is_not_in_the_evidence_forbids_and_only_then_is_called_so(
    share: float, status: str
):
    read = {"judged_support": Reading(0.8), "weakest_part": Reading(share)}
    decision = LearnedAggregator()(read)
    assert decision.status == status
    assert ("a part of it is not in the evidence" in decision.rationale) == (status != "Supported")


def test_the_strongest_rules_are_named_first():
    readings = {
        "missing_information": Reading(30.0), "coverage_entities": Reading(0.9),
        "coverage_numbers": Reading(0.0), "negation_mismatch": Reading(1.0),
        "entropy_score": Reading(3.0),
    }  # fmt: skip
    told = RuleAggregator()(readings).reasons
    assert told[0] == "negated, and the evidence is not (negation_mismatch 1.00)"
    assert told[1].startswith("rare words")
    assert len(told) == 3


def test_the_rules_that_ship_read_signals_that_there_are():
    rules = Rules.read()
    assert RuleAggregator(rules).signals < set(SIGNALS)
    assert len({rule.name for rule in rules.rule}) == len(rules.rule)


@given(
    st.dictionaries(
        st.sampled_from(list(SIGNALS)),
        st.none() | st.floats(0, 1) | st.floats(0, 1e6),
        max_size=len(SIGNALS),
    )
)
def test_whatever_is_read_probabilities_are_probabilities(values: dict[str, float | None]):
    decision = RuleAggregator()({name: Reading(value) for name, value in values.items()})
    sure = decision.confidence
    assert 0 <= sure.support_prob + sure.contradict_prob <= 1 + 1e-9
    assert sure.overall_confidence <= sure.support_prob


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[base]", "[base"), "is not valid TOML"),
        (("support = 1.0", "support = 1e9"), "base.support: give 50.0 or less"),
        (("high = 0.7", "high = 7"), "bands.high"),
        (('signal = "coverage_tokens"', 'signal = "hope"'), "reads signal 'hope', which is unkn"),
        (("from = 1.0", "from = 0.0"), "from and to are both 0"),
        (("from = 1.0", "from = 40"), "goes from 40 to 0, but coverage_tokens lies in [0, 1]"),
        (("high = 0.7", "high = 0.1"), "medium 0.4 is above high 0.1"),
        (("[base]", "a = " + "[" * 2_000 + "]" * 2_000 + "\n[base]"), "is not valid TOML"),
        (("support = -2.0", "suport = -2.0"), "rule.0.suport"),
        (("to = 0.0", "to = nan"), "rule.0.to"),
    ],
)
def test_rules_that_are_refused(tmp_path: Path, change: tuple[str, str], message: str):
    path = tmp_path / "rules.toml"
    path.write_text(TABLE.replace(*change, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(message)):
        RuleAggregator(Rules.read(path))


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be read"):
        Rules.read(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("signal", "supports", "status"),
    [
        ("denial", 0.1, "Contradictory"),
        ("denial", 0.9, "Low Confidence"),
        ("turned_roles", 0.9, "Contradictory"),
    ],
)
def test_what_the_model_of_evidence_supports_is_not_contradictory_but_for_turned_roles(
    signal: str, supports: float, status: str
):
    readings = {"judged_support": 0.6, signal: 1.0, "model_support": supports}
    told = {name: Reading(value, "learned") for name, value in readings.items()}
    assert LearnedAggregator()(told).status == status
