"""Other vectors in an index that stays as it is, and vectors that a build left for later."""

import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import hippohover
from hippohover.errors import IndexStoreError
from hippohover.indexing import build as build_module
from hippohover.indexing import vector_stage
from hippohover.indexing.build import build
from hippohover.indexing.updates import reencoding, small_change
from hippohover.indexing.updates.compaction import due
from hippohover.indexing.updates.reencoding import reencode
from hippohover.recipe import IndexRecipe
from hippohover.store import tables as tables_module
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from hippohover.store.versions import encoded_so_far, version_folder
from hippohover.store.writer import compacting
from hippohover.testing.own_models import HashedWords
from hippohover.vectors.embedding import Encoder, load_encoder, open_encoder
from hippohover.vectors.static_encoder import MINILM_SHA256
from tests.changing_world import RECIPE, records, write_records
from tests.encoder_samples import LengthEncoder
from tests.index_content import content_of, differences
from tests.index_samples import hidden
from tests.indexing.update_samples import checksums

pytestmark = pytest.mark.usefixtures("stand_in")

DEFAULT = RECIPE.model_copy(update={"encoder": "auto"})
CARD = "encoder.json"
SOME = [one for one in records(200, 0) if one["title"] and "id" not in one]
N = 40


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, as_shipped: None) -> LengthEncoder:
    """Stands for the transformer; indexes of a few passages have vectors later, and segments."""
    asked = LengthEncoder(MINILM_SHA256)
    asked.name = "minilm"

    def load(name: str, *, threads: int | None) -> Encoder | None:
        return asked if name == "minilm" else load_encoder(name, threads=threads)

    def opened(folder: Path) -> Encoder:
        return asked if MINILM_SHA256 in (folder / CARD).read_text() else open_encoder(folder)

    for module in (build_module, reencoding):
        monkeypatch.setattr(module, "load_encoder", load)
    monkeypatch.setattr(small_change, "open_encoder", opened)
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)
    monkeypatch.setattr(build_module, "LEAST_WITH_SPARE", 20)
    monkeypatch.setattr(build_module, "start_beside", lambda *_: None)  # pyright: ignore[reportUnknownLambdaType]
    monkeypatch.setattr(vector_stage, "_TEXTS_KEPT_AT_ONCE", 5)
    monkeypatch.setattr(reencoding, "_TEXTS_A_LOOK", 5)
    return asked


def made(out: Path, recipe: IndexRecipe = DEFAULT, n: int = N, *, wait: bool = True) -> Path:
    corpus = write_records(out.with_suffix(".jsonl"), SOME[:n])
    return build(recipe, corpus=corpus, out=out, workers=1, wait=wait)


def with_encoder(name: str, *, of_facts: bool = False) -> IndexRecipe:
    return RECIPE.model_copy(update={"encoder": name, "fact_vectors": of_facts})


def answers_alike(one: Path, other: Path) -> bool:
    with StoredIndex.open(one) as first, StoredIndex.open(other) as second:
        assert first.verify() == []
        contents = [content_of(opened_tables(stored)) for stored in (first, second)]
        same = first.manifest.recipe == second.manifest.recipe
    return same and differences(contents[0], contents[1]) == []


@pytest.mark.parametrize("of_facts", [False, True])
@pytest.mark.parametrize(
    ("before", "after"),
    [("none", "minilm-static"), ("minilm-static", "none"), ("minilm-static", "minilm")],
)
def test_it_has_the_bytes_of_a_build_with_that_encoder(
    tmp_path: Path, before: str, after: str, of_facts: bool
):
    root = made(tmp_path / "i", with_encoder(before, of_facts=of_facts))
    assert reencode(root, after, workers=2)
    fresh = made(tmp_path / "fresh", with_encoder(after, of_facts=of_facts))
    assert checksums(root) == checksums(fresh)
    assert not reencode(root, after)
    assert version_folder(root).name == "v000002"
    assert hidden(root) == []


def test_small_updates_are_merged(tmp_path: Path):
    root = made(tmp_path / "i", with_encoder("minilm-static"))
    new = write_records(tmp_path / "new.jsonl", SOME[N : N + 3])
    assert hippohover.add(root, new, workers=1).built == ""
    assert hippohover.delete(root, [SOME[1]["title"]], workers=1).built == ""
    assert reencode(root, "minilm")
    corpus = write_records(tmp_path / "fresh.jsonl", [SOME[0], *SOME[2 : N + 3]])
    fresh = build(with_encoder("minilm"), corpus=corpus, out=tmp_path / "fresh", workers=1)
    assert answers_alike(root, fresh)


def test_an_encoder_of_the_users_own(tmp_path: Path):
    own = HashedWords()
    root = made(tmp_path / "i", with_encoder("none"))
    assert reencode(root, own)
    with StoredIndex.open(root) as stored:
        assert stored.recipe().encoder == "custom:hashed-words"
        assert stored.manifest.dimensions["encoder"] == own.dim
    assert hippohover.HippoHover.open(root, encoder=own).encode is not None
    assert reencode(root, "none")


# --- vectors that come later ---------------------------------------------------------------------


def test_a_build_that_does_not_wait_answers_by_the_table_until_vectors_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: LengthEncoder
):
    started: list[tuple[str, Path]] = []
    monkeypatch.setattr(build_module, "start_beside", lambda *given: started.append(given))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    root = made(tmp_path / "i", wait=False)
    assert (started, stand_in.asked) == ([("reencode", root)], [])
    assert due(root) == "reencode"
    with StoredIndex.open(root) as stored:
        assert stored.manifest.models["encoder"]["name"] == "minilm-static"
    assert reencode(root, beside=True)
    assert checksums(root) == checksums(made(tmp_path / "waited"))
    assert due(root) == ""
    assert not reencode(root, beside=True)


@pytest.mark.parametrize(("n", "most", "name"), [(N, 30, "minilm-static"), (10, 30, "minilm")])
def test_many_passages_get_the_table_and_few_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int, most: int, name: str
):
    monkeypatch.setattr("hippohover.vectors.choice.MOST_ENCODED", most)
    root = made(tmp_path / "i", n=n, wait=False)
    with StoredIndex.open(root) as stored:
        log = stored.log()
        assert stored.recipe().encoder == name
    assert log is not None
    assert log["encoder"].startswith(f"encoder {name}, as for")
    assert due(root) == ""


def test_updates_keep_the_encoder_that_was_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = made(tmp_path / "i")
    monkeypatch.setattr("hippohover.vectors.choice.MOST_ENCODED", N)
    new = write_records(tmp_path / "new.jsonl", SOME[N : N + 3])
    hippohover.add(root, new, workers=1)
    hippohover.compact(root, rebuild=True, workers=1)
    with StoredIndex.open(root) as stored:
        assert stored.recipe().encoder == "minilm"


def test_what_is_added_meanwhile_is_encoded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: LengthEncoder
):
    root = made(tmp_path / "i", wait=False)
    new = write_records(tmp_path / "new.jsonl", SOME[N : N + 3])
    encode = stand_in.encode

    def while_added(texts: Sequence[str]) -> NDArray[np.float32]:
        monkeypatch.setattr(stand_in, "encode", encode)
        hippohover.add(root, new, workers=1)
        return encode(texts)

    monkeypatch.setattr(stand_in, "encode", while_added)
    assert reencode(root, beside=True, workers=1)
    assert len(stand_in.asked) == len(set(stand_in.asked))  # what was encoded stays so
    assert answers_alike(root, made(tmp_path / "waited", n=N + 3))


def test_a_stopped_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: LengthEncoder
):
    root, live = made(tmp_path / "i", wait=False), "v000001"
    encode = stand_in.encode

    def killed(texts: Sequence[str]) -> NDArray[np.float32]:
        if len(stand_in.asked) >= 15:
            os.kill(os.getpid(), signal.SIGKILL)
        return encode(texts)

    if (pid := os.fork()) == 0:
        stand_in.encode = killed
        reencode(root, beside=True, workers=1)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    assert version_folder(root).name == live
    assert encoded_so_far(root) is None
    assert hippohover.collect_garbage(root).n_results == 0
    assert reencode(root, beside=True, workers=1)
    with StoredIndex.open(root) as stored:
        texts = set(opened_tables(stored).passage_texts())
    assert len(texts & set(stand_in.asked)) == len(texts) - 15
    assert checksums(root) == checksums(made(tmp_path / "waited"))


def test_it_stops_where_the_index_was_built_anew_or_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: LengthEncoder
):
    root = made(tmp_path / "i", wait=False)
    encode = stand_in.encode

    def while_built(texts: Sequence[str]) -> NDArray[np.float32]:
        monkeypatch.setattr(stand_in, "encode", encode)
        made(root, with_encoder("none"))
        return encode(texts)

    monkeypatch.setattr(stand_in, "encode", while_built)
    assert not reencode(root, beside=True)
    assert len(stand_in.asked) == 5
    made(root, wait=False)
    asked = len(stand_in.asked)

    def while_removed(texts: Sequence[str]) -> NDArray[np.float32]:
        shutil.rmtree(root)
        return encode(texts)

    monkeypatch.setattr(stand_in, "encode", while_removed)
    with pytest.raises(IndexStoreError):
        reencode(root, beside=True)
    assert len(stand_in.asked) <= asked + 5
    assert not root.exists()


def test_how_far_it_is_can_be_seen_and_a_second_run_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: LengthEncoder
):
    root = made(tmp_path / "i", wait=False)
    seen: list[tuple[int, int] | None] = []

    def look(stage: str, _done: int, _total: int, /) -> None:
        seen.extend([encoded_so_far(root)] if stage == "vectors" else [])

    assert reencode(root, beside=True, progress=look)
    assert seen[0] == (0, 0)
    assert seen[-1] is not None
    assert seen[-1][0] == seen[-1][1] >= N
    assert seen == sorted(seen, key=str) or len(seen) > 5

    class WaitedError(Exception):
        pass

    def waits(_: float) -> None:
        raise WaitedError

    monkeypatch.setattr(reencoding.time, "sleep", waits)
    with compacting(root), pytest.raises(WaitedError):
        reencode(root, "none")
