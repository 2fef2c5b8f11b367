"""Learning from pools: what the trees learn, what they begin at, and without the library."""

import sys

import numpy as np
import pytest

from hippohover.errors import UsageError
from hippohover.tuning.learning import Pool, gold_numbers, learned, library
from hippohover.tuning.lightgbm_text import trees_of

PARAMETERS = {"num_leaves": 4, "min_data_in_leaf": 5, "feature_fraction": 1.0}


def pools(n: int = 40, *, prior: bool = False) -> list[Pool]:
    """The gold of each has the highest value of the second feature."""
    random = np.random.default_rng(2)
    made: list[Pool] = []
    for _ in range(n):
        features = random.normal(size=(20, 3)).astype(np.float32)
        gold = np.where(np.arange(20) == features[:, 1].argmax(), 0, -1)
        begun = np.where(gold >= 0, 50.0, 0.0) if prior else None
        made.append(Pool(features, gold, begun))
    return made


def test_gold_is_put_first():
    learned_from, new = pools(240)[:200], pools(240)[200:]
    booster = learned(learned_from, ["a", "b", "c"], PARAMETERS, n_rounds=60)
    trees = trees_of(booster.model_to_string())
    firsts = [trees.scores(pool.features).argmax() == pool.gold.argmax() for pool in new]
    assert np.mean(firsts) > 0.8
    assert trees.feature_names == ("a", "b", "c")


def test_where_the_prior_ranks_all_there_is_nothing_to_add():
    booster = learned(pools(prior=True), ["a", "b", "c"], PARAMETERS, n_rounds=30)
    leaves = trees_of(booster.model_to_string()).leaves
    plain = trees_of(learned(pools(), ["a", "b", "c"], PARAMETERS, n_rounds=30).model_to_string())
    assert np.abs(leaves).max() < 0.01 * np.abs(plain.leaves).max()


def test_a_pool_of_weight_0_teaches_nothing():
    wrong = [Pool(pool.features, np.roll(pool.gold, 1)) for pool in pools(80)[40:]]
    names = ["a", "b", "c"]
    weights = [1.0] * 40 + [0.0] * 40
    with_wrong = learned([*pools(), *wrong], names, PARAMETERS, n_rounds=30, weights=weights)
    trees = trees_of(with_wrong.model_to_string())
    firsts = [trees.scores(pool.features).argmax() == pool.gold.argmax() for pool in pools()]
    assert np.mean(firsts) > 0.9


def test_gold_is_known_by_normal_titles():
    titles = np.array(["vessby", "mira oldane", "vessby", ""])
    assert gold_numbers(titles, ["Mira  Oldane", "VESSBY"]).tolist() == [1, 0, 1, -1]
    assert gold_numbers(titles[:0], ["Vessby"]).tolist() == []


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(UsageError, match=r"pip install '\S*\[tune\]'"):
        library()
