"""One's own labels -> a judge: what it learns, what it says of it, and what is refused."""

from collections.abc import Iterator

import numpy as np
import pytest

from hippohover.errors import UsageError
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.splits import folds
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path
from hippohover.tuning import judge
from hippohover.tuning.judge import (
    JudgeRow,
    auroc,
    calibration_error,
    learned,
    probabilities,
    tune_verifier,
    values_of,
)
from hippohover.verification.judge.features import CLAIM_ALONE, Values

N = 200


@pytest.fixture
def rows() -> list[JudgeRow]:
    """Claims whose share held says all, and whose length says nothing."""
    random = np.random.default_rng(0)
    names = sorted([*CLAIM_ALONE, "held", "missing"])
    found: list[JudgeRow] = []
    for at in range(N):
        values = dict(zip(names, random.random(len(names)).tolist(), strict=True))
        found.append(JudgeRow(values, values["held"] > 0.5, f"{at:012x}", str(at)))
    return found


def test_a_claim_is_judged_by_trees_that_did_not_see_it(rows: list[JudgeRow]):
    fold_of = folds([row.group for row in rows])
    weights = learned(rows, fold_of)
    truth = np.array([row.supported for row in rows])
    assert auroc(truth, probabilities(rows, weights)) > 0.95
    mixed = [
        JudgeRow(row.values, bool(label), row.digest, row.group)
        for row, label in zip(rows, np.random.default_rng(1).random(N) > 0.5, strict=True)
    ]
    noise = np.array([row.supported for row in mixed])
    assert auroc(noise, probabilities(mixed, learned(mixed, fold_of))) < 0.65  # not what it saw


def test_nothing_of_the_claim_alone_is_learned(rows: list[JudgeRow]):
    fold_of = folds([row.group for row in rows])
    for trees in learned(rows, fold_of).trees.values():
        assert set(trees.feature_names) == {"held", "missing"}


def test_the_same_rows_give_the_same_trees(rows: list[JudgeRow]):
    fold_of = folds([row.group for row in rows])
    first, second = learned(rows, fold_of), learned(rows, fold_of)
    assert all(
        np.array_equal(first.trees[name].leaves, second.trees[name].leaves) for name in first.trees
    )


def test_area_under_the_curve_and_calibration():
    truth = np.array([True, True, False, False])
    assert auroc(truth, np.array([0.9, 0.8, 0.2, 0.1])) == 1.0
    assert auroc(truth, np.array([0.1, 0.2, 0.8, 0.9])) == 0.0
    assert auroc(truth, np.zeros(4)) == 0.5
    assert calibration_error(truth, np.array([1.0, 1.0, 0.0, 0.0]), 2) == 0.0
    assert calibration_error(truth, np.full(4, 0.5), 1) == 0.0
    assert calibration_error(truth, np.full(4, 0.9), 1) == pytest.approx(0.4)


def test_too_few_labels_are_refused(toy_engine: HippoHover):
    claims = load_claims(toy_claims_path())
    with pytest.raises(
        UsageError, match=r"labelled claims, .* of the rarer class: give 100 or more"
    ):
        tune_verifier(toy_engine, claims[:20])


def test_features_are_of_what_is_found(toy_engine: HippoHover):
    claims = load_claims(toy_claims_path())[:2]
    found = list(values_of(toy_engine, claims))
    assert [claim.uid for claim, _ in found] == [claim.uid for claim in claims]
    none = list(values_of(toy_engine, claims, {claim.uid: () for claim in claims}))
    assert found[0][1]["held"] > none[0][1]["held"] == 0.0


def test_a_tuned_judge_says_what_it_gains(
    toy_engine: HippoHover, monkeypatch: pytest.MonkeyPatch, rows: list[JudgeRow]
):
    first = load_claims(toy_claims_path())[0]
    claims = [
        GoldClaim(
            uid=str(at), claim=f"{first.claim} {at}", gold_titles=(f"{at}",), supporting_facts=(),
            label="SUPPORTED" if rows[at].supported else "NOT_SUPPORTED",
        )
        for at in range(N)
    ]  # fmt: skip
    _, whole = next(iter(values_of(toy_engine, [first])))

    def values(
        _: HippoHover, some: list[GoldClaim], **__: object
    ) -> Iterator[tuple[GoldClaim, Values]]:
        for at, claim in enumerate(some):
            held = rows[at].values["held"]
            yield claim, {**whole, "held": held}

    monkeypatch.setattr(judge, "values_of", values)
    blank = GoldClaim(uid="x", claim="No label.", gold_titles=("x",), supporting_facts=(), label="")
    tuned = tune_verifier(toy_engine, [*claims, blank])
    assert (tuned.n, tuned.n_without_label) == (N, 1)
    assert tuned.helps
    assert tuned.after > tuned.before
    told = tuned.as_dict()
    assert told["gain"]["low"] > 0
    assert told["helps"] is True
