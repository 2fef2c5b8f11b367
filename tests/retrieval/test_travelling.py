"""An open engine in another process: what goes along, and what is named that cannot."""

import copy
import os
import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from hippohover.errors import HippoHoverError, IndexStoreError, UsageError
from hippohover.indexing.build import build
from hippohover.indexing.update import delete
from hippohover.recipe import IndexRecipe
from hippohover.records import Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.testing.own_models import HashedWords
from hippohover.toy import toy_corpus_path
from tests.tuning.tuning_samples import note_claims

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.tuning.tune import Tuning

CLAIM = "The director of Lantern Hill was born in Vellmouth."


def travelled(engine: HippoHover) -> HippoHover:
    """The engine, pickled and unpickled."""
    return cast("HippoHover", pickle.loads(pickle.dumps(engine)))  # noqa: S301 - what a pool does


def found(engine: HippoHover, claim: str = CLAIM) -> list[tuple[str, float]]:
    return _passages(engine.retrieve(claim))


def _passages(answer: Retrieval) -> list[tuple[str, float]]:
    return [(passage.pid, passage.score) for passage in answer.passages]


def say(stage: str, done: int, total: int, /) -> None:
    """A progress callback that another process can import."""


# --- what goes along -------------------------------------------------------------------------


def test_an_engine_answers_the_same_there(toy_engine: HippoHover):
    assert found(travelled(toy_engine)) == found(toy_engine)
    assert len(pickle.dumps(toy_engine)) < 4_000  # its path, and not what it read


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_a_process_pool_takes_one_as_an_argument(toy_engine: HippoHover, method: str):
    context = get_context(method)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(found, toy_engine).result() == found(toy_engine)


def test_the_settings_go_along(toy_index: Path, toy_engine: HippoHover):
    recipe = toy_engine.stored.recipe()
    settings = recipe.query.model_copy(update={"rerank": False, "damping": 0.4})
    engine = HippoHover.open(toy_index, settings=settings)
    there = travelled(engine)
    assert there.retrievers.settings == settings
    assert found(there) == found(engine) != found(toy_engine)


def test_a_ranking_goes_along(notes_index: Path, tuning: "Tuning", tmp_path: Path):
    tuning.ranking.save(tmp_path / "own.npz")
    claim = note_claims()[65].claim
    shipped = found(HippoHover.open(notes_index), claim)
    assert found(travelled(HippoHover.open(notes_index, ranking=tuning.ranking)), claim) != shipped
    for ranking in (tuning.ranking, tmp_path / "own.npz", str(tmp_path / "own.npz"), "shipped"):
        engine = HippoHover.open(notes_index, ranking=ranking)
        assert found(travelled(engine), claim) == found(engine, claim)


def test_paths_are_found_from_another_folder(
    toy_index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.chdir(toy_index.parent)
    engine = HippoHover.open(toy_index.name)
    monkeypatch.chdir(tmp_path)
    assert found(travelled(engine)) == found(engine)


def test_the_version_that_is_live_is_opened_unless_one_was_named(toy_index: Path, tmp_path: Path):
    index = Path(shutil.copytree(toy_index, tmp_path / "index"))
    engine = HippoHover.open(index)
    named = HippoHover.open(index / engine.stored.version)
    delete(index, titles=["Lantern Hill (novel)"])
    assert travelled(engine).stored.version == "v000002"
    assert travelled(named).stored.version == engine.stored.version == "v000001"


def test_an_encoder_of_ones_own_goes_along(own_index: Path):
    engine = HippoHover.open(own_index, encoder=HashedWords(), progress=say)
    there = travelled(engine)
    assert found(there) == found(engine)
    assert there.encode is not None
    np.testing.assert_array_equal(there.encode(["a town"]), HashedWords().encode(["a town"]))


@pytest.fixture(scope="module")
def own_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index with an encoder of somebody's own."""
    root = tmp_path_factory.mktemp("own") / "i"
    recipe = IndexRecipe(extractor="between", encoder="none")
    return build(
        recipe, corpus=toy_corpus_path(), out=root, encoder=HashedWords(), limit=20, workers=1
    )


def test_a_copy_is_the_engine_itself(toy_engine: HippoHover):
    assert copy.copy(toy_engine) is toy_engine
    assert copy.deepcopy([toy_engine])[0] is toy_engine


# --- what cannot -----------------------------------------------------------------------------


def refused(engine: HippoHover, error: type[HippoHoverError] = UsageError) -> str:
    with pytest.raises(error) as raised:
        pickle.dumps(engine)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_language_model_is_named_and_its_key_is_not(toy_index: Path):
    model = cast("LanguageModel", object())
    engine = HippoHover.open(toy_index, language_model=model)
    said = refused(engine)
    assert "language model" in said
    assert "key stays in this process" in said


def test_a_callback_that_does_not_pickle_is_named(toy_index: Path):
    def here(stage: str, done: int, total: int, /) -> None: ...

    assert "the progress callback of the engine" in refused(
        HippoHover.open(toy_index, progress=here)
    )


def test_an_encoder_that_does_not_pickle_is_named(own_index: Path):
    encoder: Any = HashedWords()
    encoder.open_file = Path(os.devnull).open("rb")  # noqa: SIM115
    said = refused(HippoHover.open(own_index, encoder=encoder))
    encoder.open_file.close()
    assert said.startswith("the encoder 'hashed-words' of the engine cannot be pickled")
    assert "open the index where it is used" in said


def test_a_closed_engine_is_refused_as_everywhere(toy_index: Path):
    engine = HippoHover.open(toy_index)
    engine.close()
    assert "closed" in refused(engine, IndexStoreError)


def test_an_index_that_is_gone_is_said_there(toy_index: Path, tmp_path: Path):
    index = Path(shutil.copytree(toy_index, tmp_path / "index"))
    packed = pickle.dumps(HippoHover.open(index))
    shutil.rmtree(index)
    with pytest.raises(IndexStoreError, match=str(index)):
        pickle.loads(packed)  # noqa: S301
