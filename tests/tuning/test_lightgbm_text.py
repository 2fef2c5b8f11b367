"""Trees in LightGBM's text format: our reading against LightGBM's own."""

import lightgbm
import numpy as np
import pytest

from hippohover.errors import ModelError
from hippohover.tuning.lightgbm_text import trees_of

TWO_LEAVES = """tree
version=v4
feature_names=height weight

Tree=0
num_leaves=2
split_feature=1
threshold=0.5
decision_type=2
left_child=-1
right_child=-2
leaf_value=-1.5 2.25

Tree=1
num_leaves=1
leaf_value=0.25

end of trees
"""


def learned(*, n_rounds: int = 40) -> lightgbm.Booster:
    """A small ensemble."""
    random = np.random.default_rng(3)
    rows = random.normal(size=(600, 5)).round(2)
    labels = (rows[:, 0] * rows[:, 1] + rows[:, 2] > 0).astype(float)
    parameters = {"objective": "lambdarank", "num_leaves": 9, "verbose": -1, "num_threads": 1}
    data = lightgbm.Dataset(rows, labels, group=[60] * 10)
    return lightgbm.train(parameters, data, n_rounds)


def test_scores_equal_lightgbms():
    booster = learned()
    rows = np.random.default_rng(4).normal(size=(500, 5)).round(1).astype(np.float32)
    scores = trees_of(booster.model_to_string()).scores(rows)
    np.testing.assert_allclose(scores, np.asarray(booster.predict(rows)), rtol=1e-12, atol=1e-12)
    assert np.unique(scores).size > 50


def test_feature_names_are_kept():
    booster = learned(n_rounds=1)
    names = trees_of(booster.model_to_string()).feature_names
    assert names == tuple(booster.feature_name())


def test_known_answer_at_and_beside_a_threshold():
    trees = trees_of(TWO_LEAVES)
    rows = np.array([[9.0, 0.5], [9.0, 0.50001], [0.0, -3.0]], dtype=np.float32)
    assert trees.scores(rows).tolist() == [-1.25, 2.5, -1.25]
    assert trees.feature_names == ("height", "weight")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not a model",
        TWO_LEAVES.replace("feature_names=height weight\n", ""),
        TWO_LEAVES.replace("threshold=0.5", "threshold=half"),
        TWO_LEAVES.replace("decision_type=2", "decision_type=1"),
        TWO_LEAVES.replace("leaf_value=-1.5 2.25\n", ""),
    ],
)
def test_a_damaged_model_is_refused(text: str):
    with pytest.raises(ModelError, match="no LightGBM text model"):
        trees_of(text)
