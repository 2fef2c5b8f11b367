"""Trees in LightGBM's text format: our reading against LightGBM's own."""

from pathlib import Path

import lightgbm
import numpy as np
import pytest

from hippohover.errors import ModelError
from hippohover.retrieval.reranking.trees import Trees

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


def learned(folder: Path, *, n_rounds: int = 40) -> tuple[lightgbm.Booster, str]:
    """A small ensemble and its text."""
    random = np.random.default_rng(3)
    rows = random.normal(size=(600, 5)).round(2)
    labels = (rows[:, 0] * rows[:, 1] + rows[:, 2] > 0).astype(float)
    parameters = {"objective": "lambdarank", "num_leaves": 9, "verbose": -1, "num_threads": 1}
    data = lightgbm.Dataset(rows, labels, group=[60] * 10)
    trees = lightgbm.train(parameters, data, n_rounds)
    path = folder / "trees.txt"
    trees.save_model(path)
    return trees, path.read_text(encoding="utf-8")


def test_scores_equal_lightgbms(tmp_path: Path):
    booster, text = learned(tmp_path)
    rows = np.random.default_rng(4).normal(size=(500, 5)).round(1).astype(np.float32)
    scores = Trees.parse(text).scores(rows)
    np.testing.assert_allclose(scores, np.asarray(booster.predict(rows)), rtol=1e-12, atol=1e-12)
    assert np.unique(scores).size > 50


def test_feature_names_are_kept(tmp_path: Path):
    booster, text = learned(tmp_path, n_rounds=1)
    assert Trees.parse(text).feature_names == tuple(booster.feature_name())


def test_known_answer_at_and_beside_a_threshold():
    trees = Trees.parse(TWO_LEAVES)
    rows = np.array([[9.0, 0.5], [9.0, 0.50001], [0.0, -3.0]], dtype=np.float32)
    assert trees.scores(rows).tolist() == [-1.25, 2.5, -1.25]
    assert trees.feature_names == ("height", "weight")


def test_no_rows_give_no_scores():
    assert Trees.parse(TWO_LEAVES).scores(np.zeros((0, 2), np.float32)).shape == (0,)


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
    with pytest.raises(ModelError, match="re-ranking weights"):
        Trees.parse(text)
