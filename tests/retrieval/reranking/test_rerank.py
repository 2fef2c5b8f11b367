"""Learned weights: which trees judge a claim, and what happens without them."""

import json
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
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, lightgbm.Booster]]:
    """A folder of small weights, to be read only, and what its trees were made of, by name."""
    folder = tmp_path_factory.mktemp("weights") / "small"
    return folder, write_weights(folder, LEARNED)


@pytest.fixture(scope="module")
def folder(small: tuple[Path, dict[str, lightgbm.Booster]]) -> Path:
    return small[0]


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


@pytest.mark.parametrize(("stage", "names"), [("first", FEATURES), ("second", SECOND_FEATURES)])
def test_the_trees_that_did_not_see_a_claim_judge_it(
    small: tuple[Path, dict[str, lightgbm.Booster]],
    use: pytest.MonkeyPatch,
    stage: str,
    names: Sequence[str],
):
    def by_lightgbm(stem: str) -> list[float]:
        return np.asarray(learned[f"{stage}-{stem}"].predict(features)).tolist()

    folder, learned = small
    features = some_features(names)
    use.setattr(rerank, "_FOLDER", str(folder))
    claims = {**{claim: f"without-{fold}" for claim, fold in LEARNED.items()}, "A new one.": "all"}
    for claim, stem in claims.items():
        scores = rerank.score(claim, features)
        assert scores.dtype == np.float64
        assert scores.tolist() == by_lightgbm(stem)
        assert rerank.was_learned_from(claim) == (stem != "all")
    assert by_lightgbm("all") != by_lightgbm("without-3")


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


def test_the_hash_is_of_every_number_and_not_of_the_files_bytes(
    folder: Path, tmp_path: Path, use: pytest.MonkeyPatch
):
    file = Path(shutil.copytree(folder, tmp_path / "small")) / rerank.TREES
    use.setattr(rerank, "_FOLDER", str(file.parent))
    before = rerank.weights_sha256()
    with np.load(file, allow_pickle=False) as kept:
        arrays = dict(kept)
    np.savez_compressed(file, **dict(reversed(arrays.items())))
    assert rerank.weights_sha256() == before
    hashes = {before}
    for name in ("second-without-4/leaves", "first-all/children", "first-all/feature_names"):
        changed = arrays[name].copy()
        changed.flat[-1] = changed.flat[0]
        np.savez(file, **{**arrays, name: changed})
        hashes.add(rerank.weights_sha256())
    assert len(hashes) == 4


def test_results_are_of_the_shipped_weights_or_their_table_says_of_which():
    root = Path(__file__).parents[3]
    results = root / "benchmarks" / "results"
    hashes = {
        json.loads(path.read_text(encoding="utf-8"))["rerank_weights_sha256"]
        for path in results.glob("hover-*.json")
    }
    assert rerank.weights_sha256() in hashes
    pages = [root / "README.md", root / "benchmarks" / "README.md"]
    said = "".join(page.read_text(encoding="utf-8") for page in pages)
    for earlier in hashes - {rerank.weights_sha256()}:
        assert f"with earlier weights ({earlier[:8]})" in said


def test_missing_weights_are_named(tmp_path: Path, use: pytest.MonkeyPatch):
    use.setattr(rerank, "_FOLDER", str(tmp_path / "none"))
    with pytest.raises(ModelError, match=r"'claims.json' are missing.*rerank = false"):
        rerank.score("A new one.", np.zeros((1, len(FEATURES)), np.float32))


def test_weights_of_other_features_are_refused(tmp_path: Path, use: pytest.MonkeyPatch):
    write_weights(tmp_path / "old", {}, names=[*FEATURES[:-1], "something_else"])
    use.setattr(rerank, "_FOLDER", str(tmp_path / "old"))
    with pytest.raises(ModelError, match="'first-all' were learned from other features"):
        rerank.score("A new one.", np.zeros((1, len(FEATURES)), np.float32))


@pytest.mark.parametrize("name", [rerank.CLAIMS, rerank.TREES])
@pytest.mark.parametrize("content", ["garbage", "half", "another array", "nothing"])
def test_damaged_weights_are_named(
    folder: Path, tmp_path: Path, use: pytest.MonkeyPatch, name: str, content: str
):
    file = Path(shutil.copytree(folder, tmp_path / "cut")) / name
    whole = file.read_bytes()
    if content == "another array":
        np.save(tmp_path / "array.npy", np.array([1]))
        whole = (tmp_path / "array.npy").read_bytes()
    kept = {"garbage": b"tree\nnonsense", "half": whole[: len(whole) // 2], "nothing": b""}
    file.write_bytes(kept.get(content, whole))
    use.setattr(rerank, "_FOLDER", str(tmp_path / "cut"))
    with pytest.raises(ModelError, match=f"'{name}' are damaged: install") as caught:
        rerank.score("A new one.", np.zeros((1, len(FEATURES)), np.float32))
    assert "\n" not in str(caught.value)
