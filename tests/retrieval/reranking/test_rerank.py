"""Learned weights: which trees judge a claim, and what happens without them."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import lightgbm
import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.features import FEATURES, SECOND_FEATURES
from tests.retrieval.toy_samples import forget_weights, write_weights

LEARNED = {"Mira Oldane was born in Vessby.": 3, "Jonah Pell builds marimbas.": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights") / "small"
    write_weights(folder, LEARNED)
    return folder


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Points the module at other weights, and has them forgotten before and afterwards."""
    forget_weights()
    yield monkeypatch
    monkeypatch.undo()
    forget_weights()


def some_features(names: Sequence[str]) -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(0, 3, (50, len(names))).astype(np.float32)


@pytest.fixture
def features() -> NDArray[np.float32]:
    return some_features(FEATURES)


def by_file(folder: Path, stem: str, features: NDArray[np.float32]) -> NDArray[np.float64]:
    trees = lightgbm.Booster(model_file=folder / f"{stem}.txt")
    return np.asarray(trees.predict(features), dtype=np.float64)


@pytest.mark.parametrize(("stage", "names"), [("first", FEATURES), ("second", SECOND_FEATURES)])
def test_the_trees_that_did_not_see_a_claim_judge_it(
    folder: Path, use: pytest.MonkeyPatch, stage: str, names: Sequence[str]
):
    features = some_features(names)
    use.setattr(rerank, "_FOLDER", str(folder))
    claims = {**{claim: f"without-{fold}" for claim, fold in LEARNED.items()}, "A new one.": "all"}
    for claim, stem in claims.items():
        scores = rerank.score(claim, features)
        assert scores.dtype == np.float64
        assert scores.tolist() == by_file(folder, f"{stage}-{stem}", features).tolist()
        assert rerank.was_learned_from(claim) == (stem != "all")
    every, some = (by_file(folder, f"{stage}-{stem}", features) for stem in ("all", "without-3"))
    assert every.tolist() != some.tolist()


def test_a_claim_is_known_in_any_spelling(folder: Path, use: pytest.MonkeyPatch):
    use.setattr(rerank, "_FOLDER", str(folder))
    assert rerank.was_learned_from("mira  oldane was born in VESSBY")
    assert not rerank.was_learned_from("Mira Oldane was born in Vessby twice.")
    assert len(rerank.claim_digest("Mira")) == 12
    assert rerank.claim_digest("Mira") != rerank.claim_digest("Jonah")


def test_no_candidates_have_no_scores(folder: Path, use: pytest.MonkeyPatch):
    use.setattr(rerank, "_FOLDER", str(folder))
    scores = rerank.score("A new one.", np.zeros((0, len(FEATURES)), np.float32))
    assert scores.shape == (0,)


def test_a_row_is_scored_by_itself(
    folder: Path, use: pytest.MonkeyPatch, features: NDArray[np.float32]
):
    use.setattr(rerank, "_FOLDER", str(folder))
    scores = rerank.score("A new one.", features)
    assert [rerank.score("A new one.", row[None])[0] for row in features] == scores.tolist()


def test_features_that_no_scoring_has_are_refused():
    with pytest.raises(ModelError, match="7 features a candidate: give"):
        rerank.score("A new one.", np.zeros((2, 7), np.float32))


def test_the_hash_is_of_every_weight(folder: Path, tmp_path: Path, use: pytest.MonkeyPatch):
    use.setattr(rerank, "_FOLDER", str(folder))
    before = rerank.weights_sha256()
    shutil.copytree(folder, tmp_path / "other")
    use.setattr(rerank, "_FOLDER", str(tmp_path / "other"))
    assert rerank.weights_sha256() == before
    with (tmp_path / "other" / "second-without-4.txt").open("a", encoding="utf-8") as file:
        file.write("x")
    assert rerank.weights_sha256() != before


def test_missing_weights_are_named(tmp_path: Path, use: pytest.MonkeyPatch):
    use.setattr(rerank, "_FOLDER", str(tmp_path / "none"))
    with pytest.raises(ModelError, match=r"'claims.json' are missing.*rerank = false"):
        rerank.score("A new one.", np.zeros((1, len(FEATURES)), np.float32))


def test_weights_of_other_features_are_refused(tmp_path: Path, use: pytest.MonkeyPatch):
    write_weights(tmp_path / "old", {}, names=[*FEATURES[:-1], "something_else"])
    use.setattr(rerank, "_FOLDER", str(tmp_path / "old"))
    with pytest.raises(ModelError, match=r"'first-all\.txt' were learned from other features"):
        rerank.score("A new one.", np.zeros((1, len(FEATURES)), np.float32))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("claims.json", "'claims.json' are damaged"), ("first-all.txt", "no LightGBM text model")],
)
def test_damaged_weights_are_named(
    tmp_path: Path, use: pytest.MonkeyPatch, name: str, complaint: str
):
    write_weights(tmp_path / "cut", {})
    (tmp_path / "cut" / name).write_text("tree\nnonsense", encoding="utf-8")
    use.setattr(rerank, "_FOLDER", str(tmp_path / "cut"))
    with pytest.raises(ModelError, match=complaint) as caught:
        rerank.score("A new one.", np.zeros((1, len(FEATURES)), np.float32))
    assert "\n" not in str(caught.value)
