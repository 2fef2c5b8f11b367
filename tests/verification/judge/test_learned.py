"""The learned judge: what it reads, what it gives, and its file."""

from pathlib import Path

import numpy as np
import pytest

from hippohover.errors import ModelError
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.rerank import claim_digest
from hippohover.verification.aggregator import LearnedAggregator, RuleAggregator
from hippohover.verification.judge.features import CLAIM_ALONE, HELD, features_of
from hippohover.verification.judge.learned import LearnedJudge, Weights, input_of
from hippohover.verification.signals import Reading
from tests.verification.case_samples import case_of

SAID = "Lantern Hill is a film directed by Mira Oldane."


def test_a_judge_trusts_more_what_is_held_more():
    trees = Weights.read().trees["all"]
    whole = np.array([[float(name in HELD) for name in trees.feature_names]], np.float32)
    assert 1 / (1 + np.exp(-trees.scores(whole)[0])) > 0.8
    random = np.random.default_rng(0)
    some = random.random((200, len(trees.feature_names))).astype(np.float32)
    better = some + np.where([name in HELD for name in trees.feature_names], 0.2, -0.2)
    assert (trees.scores(better.astype(np.float32)) >= trees.scores(some) - 1e-6).all()


def test_what_is_held_is_likelier_than_what_is_not(toy_engine: HippoHover):
    judge = LearnedJudge()
    right = judge(case_of(toy_engine, SAID, SAID))
    wrong = judge(case_of(toy_engine, SAID, "Lantern Hill is a novel of 1904 about ships."))
    assert right.value is not None
    assert wrong.value is not None
    assert 0 <= wrong.value < 0.5 < right.value <= 1


def test_features_are_those_of_the_trees_and_none_is_of_the_claim_alone(toy_engine: HippoHover):
    values = features_of(input_of(case_of(toy_engine, SAID, SAID)))
    for trees in Weights.read().trees.values():
        assert set(trees.feature_names) <= values.keys()
        assert not CLAIM_ALONE & set(trees.feature_names)
    assert all(np.isfinite(value) for value in values.values())


def test_a_claim_that_was_learned_from_is_judged_by_trees_that_did_not_see_it(
    toy_engine: HippoHover,
):
    shipped = Weights.read()
    case = case_of(toy_engine, SAID, SAID)
    by_fold = {
        LearnedJudge(Weights(shipped.trees, {claim_digest(SAID): fold}))(case).value
        for fold in range(5)
    }
    assert len(by_fold) > 1
    assert claim_digest(SAID) not in shipped.folds


def test_weights_come_back_and_a_damaged_file_is_refused(tmp_path: Path):
    file = tmp_path / "judge.npz"
    Weights.read().save(file)
    again = Weights.read(file)
    assert again.folds == Weights.read().folds
    first = file.read_bytes()
    again.save(file)
    assert file.read_bytes() == first
    file.write_bytes(first[: len(first) // 2])
    with pytest.raises(ModelError, match="is not a judge of this version"):
        Weights.read(file)
    file.write_text("{}")
    with pytest.raises(ModelError, match=r"of this version \(it is no npz file\): learn it"):
        Weights.read(file)
    with pytest.raises(ModelError, match="cannot be read"):
        Weights.read(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("judged", "denial", "status"),
    [(0.9, 0.0, "Supported"), (0.3, 0.0, "Low Confidence"), (0.6, 1.0, "Contradictory"),
     (0.9, 1.0, "Low Confidence"), (0.9, 0.5, "Low Confidence")],
)  # fmt: skip
def test_the_judge_and_the_rules_decide_together(judged: float, denial: float, status: str):
    readings = {"judged_support": Reading(judged), "denial": Reading(denial, "“not”: She is not.")}
    decision = LearnedAggregator()(readings)
    assert decision.status == status
    if not denial:
        assert decision.confidence.overall_confidence == judged


def test_without_a_reading_of_the_judge_the_rules_decide_and_say_so():
    readings = {"missing_information": Reading(0.0), "judged_support": Reading(None, "no judge")}
    decision = LearnedAggregator()(readings)
    assert decision.status == RuleAggregator()(readings).status
    assert decision.rationale.endswith("by rules alone (no judge)")
