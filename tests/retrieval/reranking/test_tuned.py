"""A tuned ranking: its file, which trees judge, and the columns that it adds."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from hippohover.errors import ModelError
from hippohover.retrieval.reranking.features import FEATURES
from hippohover.retrieval.reranking.rerank import claim_digest
from hippohover.retrieval.reranking.trees import Trees
from hippohover.retrieval.reranking.tuned import (
    FORMAT,
    TUNED_FEATURES,
    TunedRanking,
    ranking_of,
    shipped_scores,
    tuned_features,
)

STEMS = ["all", *(f"without-{fold}" for fold in range(5))]
CLAIM = "Mira Oldane was born in Vessby."


def leaf(value: float) -> Trees:
    """One tree: ``value`` where the first feature is above 0, else 0."""
    return Trees(
        feature_names=TUNED_FEATURES,
        roots=np.array([0]),
        features=np.array([0]),
        thresholds=np.array([0.0]),
        children=np.array([[~0, ~1]]),
        leaves=np.array([0.0, value]),
    )


RANKING = TunedRanking(
    trees={stem: leaf(float(at)) for at, stem in enumerate(STEMS, start=1)},
    folds={claim_digest(CLAIM): 3},
    encoder="none",
    claims_file="größe.jsonl",
)


def change_arrays(file: Path, change: dict[str, Any]) -> None:
    """Write arrays of a file again."""
    with np.load(file, allow_pickle=False) as kept:
        arrays = dict(kept)
    for name, values in change.items():
        arrays[name] = np.array(values, arrays[name].dtype)
    with file.open("wb") as out:
        np.savez(out, allow_pickle=False, **arrays)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own"  # NumPy would add an ending
    RANKING.save(path)
    return path


def test_a_claim_is_judged_by_the_trees_that_did_not_see_it(file: Path):
    ranking = TunedRanking.open(file)
    rows = np.zeros((3, len(TUNED_FEATURES)), np.float32)
    rows[1, 0] = 1.0
    for claim, own in ((CLAIM, 5.0), (CLAIM.upper(), 5.0), ("Another.", 1.0)):
        added = ranking.scores(claim, rows) - shipped_scores(3)
        np.testing.assert_allclose(added, [0.0, own, 0.0], atol=1e-12)
    assert ranking.was_learned_from(CLAIM)
    assert not ranking.was_learned_from("Another.")
    assert ranking.scores(CLAIM, rows[:0]).tolist() == []


def test_the_order_that_ships_is_kept_where_the_trees_say_nothing():
    scores = shipped_scores(200)
    assert scores[0] == 0.0
    assert (np.diff(scores) < 0).all()


def test_a_file_keeps_all_and_nothing_else(file: Path, tmp_path: Path):
    ranking = TunedRanking.open(file)
    assert ranking.folds == RANKING.folds
    assert (ranking.encoder, ranking.claims_file, ranking.written) == ("none", "größe.jsonl", "")
    assert ranking.origin() == {"claims_file": "größe.jsonl", "n_claims": 1, "written": ""}
    ranking.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == file.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.npz", "own"]


@pytest.mark.parametrize("content", [b"", b"garbage", None])
def test_what_is_no_ranking_is_named(file: Path, content: bytes | None):
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if content is None else content)
    with pytest.raises(ModelError, match=r"own: is not a ranking.*hippohover tune") as caught:
        TunedRanking.open(file)
    assert "\n" not in str(caught.value)


def test_arrays_of_something_else_are_no_ranking(tmp_path: Path):
    shipped = files("hippohover.retrieval.reranking").joinpath("weights", "trees.npz")
    (tmp_path / "trees.npz").write_bytes(shipped.read_bytes())
    np.save(tmp_path / "own.npy", np.zeros(3))
    np.savez(tmp_path / "own.npz", format=np.array([object()], dtype=object))
    for name in ("trees.npz", "own.npy", "own.npz"):
        with pytest.raises(ModelError, match=rf"{name}: is not a ranking"):
            TunedRanking.open(tmp_path / name)


def test_what_unpacks_to_more_than_a_ranking_is_none(file: Path):
    with ZipFile(file, "a", ZIP_DEFLATED) as members:
        members.writestr("all/other.npy", bytes(1 << 26))
    assert file.stat().st_size < 1 << 20
    with pytest.raises(ModelError, match="own: is not a ranking"):
        TunedRanking.open(file)


def test_a_newer_format_is_refused_before_anything_else(file: Path):
    change_arrays(file, {"format": FORMAT + 1, "claims/folds": [9]})
    with pytest.raises(ModelError, match=rf"own: .*format {FORMAT + 1}, newer than.*upgrade"):
        TunedRanking.open(file)


def test_an_index_is_asked_by_what_is_given_what_it_carries_or_what_ships(tmp_path: Path):
    RANKING.save(tmp_path / "own.npz")
    assert ranking_of(None, tmp_path, {}) is None
    assert ranking_of(RANKING, tmp_path, {}) is RANKING
    given = ranking_of(str(tmp_path / "own.npz"), tmp_path, {})
    RANKING.save(tmp_path / "ranking.npz")
    carried = ranking_of(None, tmp_path, {})
    assert given is not None
    assert carried is not None
    assert given.folds == carried.folds == RANKING.folds
    assert ranking_of("shipped", tmp_path, {}) is None


def test_a_ranking_of_an_index_with_another_encoder_is_refused(tmp_path: Path):
    encoder = {"name": "words", "sha256": "ab"}
    RANKING.save(tmp_path / "own.npz")
    for ranking, name in ((RANKING, "the ranking"), (tmp_path / "own.npz", r".*own\.npz")):
        with pytest.raises(ModelError, match=rf"^{name}: .*another encoder.*\(words\).*tune"):
            ranking_of(ranking, tmp_path, encoder)
    same = replace(RANKING, encoder="ab")
    assert ranking_of(same, tmp_path, encoder) is same
    with pytest.raises(ModelError, match=r"another encoder.*\(none\)"):
        ranking_of(same, tmp_path, {})


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ModelError, match=r"none\.npz: the ranking cannot be read \(No such"):
        TunedRanking.open(tmp_path / "none.npz")


def test_a_ranking_of_other_features_is_refused(tmp_path: Path):
    names = (*TUNED_FEATURES[:-1], "something_else")
    old = {stem: replace(trees, feature_names=names) for stem, trees in RANKING.trees.items()}
    replace(RANKING, trees=old).save(tmp_path / "old.npz")
    with pytest.raises(ModelError, match=r"old\.npz: .*other features.*tune. again"):
        TunedRanking.open(tmp_path / "old.npz")


@pytest.mark.parametrize(
    "change",
    [
        {"without-2/children": [[0, ~1]]},
        {"without-2/children": [[~0, ~2]]},
        {"without-2/roots": [1]},
        {"without-2/features": [200]},
        {"claims/folds": [9]},
        {"claims/folds": [1, 1]},
        {"format": [1, 1]},
        {"encoder": ["none", "none"]},
    ],
)
def test_arrays_that_lead_nowhere_are_refused(file: Path, change: dict[str, list[Any]]):
    change_arrays(file, change)
    with pytest.raises(ModelError, match="is not a ranking, or is damaged"):
        TunedRanking.open(file)


def test_columns_are_those_of_a_plain_count():
    random = np.random.default_rng(0)
    rows = random.permutation(90)[:40]
    vectors = random.normal(size=(40, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    features = random.normal(size=(40, len(FEATURES))).astype(np.float32)
    columns = dict(zip(TUNED_FEATURES, tuned_features(features, rows, vectors).T, strict=True))
    np.testing.assert_array_equal(columns["shipped_rank"], np.arange(40))
    np.testing.assert_array_equal(columns[FEATURES[3]], features[:, 3])
    for at in range(40):
        others = [other for other in range(40) if other != at]
        cosine = {other: float(vectors[at] @ vectors[other]) for other in others}
        away = {other: abs(int(rows[at]) - int(rows[other])) for other in others}
        weight = {other: 1 / (5 + other) for other in range(40)}
        best = [cosine[other] for other in others if other < 10]
        wanted = {
            "like_10": sum(best) / len(best),
            "like_better": max([0.0, *(cosine[other] for other in others if other < at)]),
            "like_all": sum(weight[o] * cosine[o] for o in others) / sum(weight.values()),
            "beside_3": sum(weight[other] for other in others if away[other] <= 3),
            "beside_all": sum(weight[other] / away[other] for other in others),
        }
        for name, value in wanted.items():
            assert columns[name][at] == pytest.approx(value, abs=2e-4), name


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_passages_and_no_vectors_have_columns_too(n: int):
    features = np.zeros((n, len(FEATURES)), np.float32)
    matrix = tuned_features(features, np.arange(n), np.zeros((n, 0), np.float32))
    assert matrix.shape == (n, len(TUNED_FEATURES))
    assert np.isfinite(matrix).all()
