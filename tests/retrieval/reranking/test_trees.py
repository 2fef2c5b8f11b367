"""Trees as plain arrays: known answers, and what a file keeps of them."""

import zipfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.retrieval.reranking.trees import Trees, no_trees, save_trees

TREES = Trees(
    feature_names=("height", "weight"),
    roots=np.array([0, ~2]),
    features=np.array([1]),
    thresholds=np.array([0.5]),
    children=np.array([[~0, ~1]]),
    leaves=np.array([-1.5, 2.25, 0.25]),
)
"""One split by weight, and a tree that is a single leaf."""


def loaded(path: Path, name: str) -> Trees:
    with path.open("rb") as file:
        return Trees.load(file, name)


def test_known_answer_at_and_beside_a_threshold():
    rows = np.array([[9.0, 0.5], [9.0, 0.50001], [0.0, -3.0]], dtype=np.float32)
    assert TREES.scores(rows).tolist() == [-1.25, 2.5, -1.25]


@pytest.mark.parametrize(
    "change",
    [
        {"roots": np.array([len(TREES.thresholds)])},
        {"roots": np.array([~len(TREES.leaves)])},
        {"features": TREES.features + len(TREES.feature_names)},
        {"features": TREES.features[:-1]},
        {"children": TREES.children * 0},
        {"leaves": TREES.leaves[:-1]},
    ],
)
def test_nodes_that_are_not_there_are_found(change: dict[str, NDArray[np.int64 | np.float64]]):
    TREES.check()
    with pytest.raises(ValueError, match="nodes are not there"):
        replace(TREES, **change).check()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_found(value: float):
    for field in ("leaves", "thresholds"):
        with pytest.raises(ValueError, match="no numbers"):
            replace(TREES, **{field: np.full_like(getattr(TREES, field), value)}).check()


def test_trees_that_would_take_for_ever_are_found():
    n = 1 << 10
    chain = np.column_stack([np.arange(1, n + 1), np.full(n, ~0)])
    chain[-1] = ~0
    deep = Trees(
        feature_names=("height",),
        roots=np.zeros(127, np.int64),
        features=np.zeros(n, np.int64),
        thresholds=np.zeros(n),
        children=chain,
        leaves=np.zeros(1),
    )
    deep.check()
    for roots in (np.zeros(128, np.int64), np.full(1 << 18, ~0)):
        with pytest.raises(ValueError, match="too many, or too deep"):
            replace(deep, roots=roots).check()


def test_no_rows_give_no_scores():
    assert TREES.scores(np.zeros((0, 2), np.float32)).shape == (0,)


def test_without_a_tree_every_row_scores_0(tmp_path: Path):
    save_trees(tmp_path / "trees.npz", {"none": no_trees(("height", "weight"))})
    none = loaded(tmp_path / "trees.npz", "none")
    none.check()
    assert none.feature_names == ("height", "weight")
    assert none.scores(np.ones((3, 2), np.float32)).tolist() == [0.0, 0.0, 0.0]


def test_a_file_keeps_every_bit_of_each_ensemble(tmp_path: Path):
    other = replace(TREES, feature_names=("größe", "w"), leaves=np.array([0.1, -0.0, 1e-310]))
    save_trees(tmp_path / "trees.npz", {"one": TREES, "other": other})
    for name, trees in (("one", TREES), ("other", other)):
        again = loaded(tmp_path / "trees.npz", name)
        assert again.feature_names == trees.feature_names
        for field in fields(Trees)[1:]:
            before, after = getattr(trees, field.name), getattr(again, field.name)
            assert (after.dtype, after.tobytes()) == (before.dtype, before.tobytes())


def test_a_file_has_no_time_and_no_compression_in_it(tmp_path: Path):
    save_trees(tmp_path / "trees.npz", {"one": TREES})
    with zipfile.ZipFile(tmp_path / "trees.npz") as file:
        entries = file.infolist()
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.compress_type for entry in entries} == {zipfile.ZIP_STORED}
    assert len(entries) == len(fields(Trees))


@pytest.mark.parametrize(
    ("field", "number"), [("features", 256), ("children", 1 << 15), ("roots", -(1 << 15) - 1)]
)
def test_numbers_that_the_file_cannot_hold_are_refused(tmp_path: Path, field: str, number: int):
    large = getattr(TREES, field).copy()
    large.flat[0] = number
    with pytest.raises(ModelError, match=f"{field} of 'one' do not fit"):
        save_trees(tmp_path / "trees.npz", {"one": replace(TREES, **{field: large})})
    assert not (tmp_path / "trees.npz").exists()
