"""Texts as an encoder reads them, and where their vectors go."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.disk.columns import Columns
from hippohover.indexing import chunk_stages
from hippohover.indexing import vector_stage as stage
from hippohover.indexing.assemble import assemble
from hippohover.indexing.chunk_stages import VectorStage
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.indexing.text_stage import write_texts
from hippohover.indexing.vector_stage import remembering, write_none, write_vectors
from hippohover.indexing.work_folder import WorkFolder
from hippohover.indexing.workers.runners import LocalRunner
from hippohover.indexing.workers.stage_cache import StageCache, text_key
from hippohover.recipe import IndexRecipe
from hippohover.records import ExtractionFailure, Passage
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables, passage_text
from hippohover.store.writer import IndexWriter
from hippohover.vectors import embedding
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.unit_vectors import UnitVectors
from tests.encoder_samples import LengthEncoder, small_encoder
from tests.index_samples import fields_of
from tests.indexing.work_samples import name_entities, nothing, scan, work_of

KEPT = Path(".cache") / "vectors.sqlite"


@pytest.fixture(scope="module")
def passages(toy_index: Path) -> list[Passage]:
    """A few: each chunk of them is a file, and there are five in one."""
    with StoredIndex.open(toy_index) as stored:
        return list(islice(stored_passages(IndexTables.open(stored)), 42))


def texts_of(passages: Sequence[Passage]) -> list[str]:
    return [passage_text(one.title, one.heading, one.text) for one in passages]


def encoded(
    work: WorkFolder,
    folder: Path,
    encoder: Encoder,
    *,
    of_facts: bool = False,
    workers: int = 1,
    on_done: Callable[[int, int], None] = nothing,
) -> IndexTables:
    """Tables of an index with vectors; its cache is below the folder."""
    entities = name_entities(work)
    scan(work, {}, "between")
    with IndexWriter(folder / "index") as writer:
        assemble(work, entities, writer, IndexRecipe())
        write_texts(work, writer, workers=1)
        with remembering(encoder, folder) as kept:
            write_vectors(
                work, kept, writer,
                of_facts=of_facts, runner=LocalRunner(workers), on_done=on_done,
            )  # fmt: skip
        writer.publish(fields_of())
    return IndexTables.open(StoredIndex.open(folder / "index"))


def vectors(
    passages: Sequence[Passage], folder: Path, encoder: Encoder, *, size: int = 4096
) -> NDArray[np.float32]:
    """Vectors of passages, made in a new work folder."""
    work = work_of(folder / "cache", passages, size=size, made_by=[os.urandom(8).hex()])
    found = encoded(work, folder, encoder).arrays
    assert found.fact_vectors.shape == (0, encoder.dim)
    return found.passage_vectors[:]


@pytest.mark.parametrize("size", [7, 8192])
def test_each_passage_and_fact_has_the_vector_of_its_text(
    passages: list[Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
):
    monkeypatch.setattr(embedding, "_N_TEXTS_AT_ONCE", size)
    seen: list[tuple[int, int]] = []
    work = work_of(tmp_path / "cache", passages, size=size)
    tables = encoded(
        work, tmp_path, LengthEncoder(), of_facts=True,
        on_done=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    found = tables.arrays
    n, n_facts = found.n_passages, len(found.facts)
    assert min(n, n_facts) > 14
    lengths = [len(text) for text in tables.passage_texts()]
    assert found.passage_vectors[:][:, 0] == pytest.approx(lengths, rel=1e-6)  # 127 steps of them
    assert found.fact_vectors[:, 0].tolist() == [len(text) for text in tables.fact_texts()]
    assert found.passage_codes.dtype == np.int8
    assert found.fact_vectors.dtype == np.float16
    assert seen[-1] == (n + n_facts, n + n_facts)
    assert seen == sorted(seen)


def test_facts_have_none_when_none_are_asked_for(passages: list[Passage], tmp_path: Path):
    assert len(vectors(passages, tmp_path, LengthEncoder())) == len(passages)


def test_an_index_without_an_encoder_has_no_vectors(tmp_path: Path):
    with IndexWriter(tmp_path) as writer:
        write_none(writer)
        assert writer.array("passage_codes.npy").shape == (0, 0)
        assert writer.array("passage_scales.npy").shape == (0,)
        assert writer.array("fact_vectors.npy").dtype == np.float16


def test_no_text_is_encoded_twice_by_the_same_weights(passages: list[Passage], tmp_path: Path):
    first, again, other = LengthEncoder(), LengthEncoder(), LengthEncoder("1" * 64)
    made = vectors(passages, tmp_path, first)
    assert sorted(first.asked) == sorted(set(texts_of(passages)))
    np.testing.assert_array_equal(vectors(passages, tmp_path, again, size=7), made)
    assert again.asked == []
    vectors(passages, tmp_path, other)
    assert other.asked == first.asked


@pytest.mark.parametrize("kept", [b"", b"\0", b"\xff" * 6, b"\0" * 600])
def test_what_a_cache_holds_and_is_no_vector_is_encoded_again(
    passages: list[Passage], tmp_path: Path, kept: bytes
):
    made = vectors(passages, tmp_path, LengthEncoder())
    encoder = LengthEncoder()
    with closing(StageCache(tmp_path / KEPT)) as cache:
        keys = {text_key(text): kept for text in texts_of(passages)[:5]}
        cache.put(keys.items(), encoder.fingerprint)
    np.testing.assert_array_equal(vectors(passages, tmp_path, encoder), made)
    assert len(encoder.asked) == len(keys)


def test_an_encoder_that_is_stopped_goes_on_where_it_was(
    passages: list[Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stage, "_TEXTS_KEPT_AT_ONCE", 5)

    class Stopped(LengthEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.asked) >= 10:
                raise KeyboardInterrupt
            return super().encode(texts)

    stopped, rest = Stopped(), LengthEncoder()
    with pytest.raises(KeyboardInterrupt):
        vectors(passages, tmp_path, stopped, size=5)
    made = vectors(passages, tmp_path, rest, size=7)  # other chunks, the same cache
    assert len(stopped.asked) == 10
    assert sorted(stopped.asked + rest.asked) == sorted(texts_of(passages))
    np.testing.assert_array_equal(made, vectors(passages, tmp_path / "w", LengthEncoder()))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_static_encoder_works_by_chunks_and_keeps_none_of_them_for_later(
    passages: list[Passage], tmp_path: Path, workers: int
):
    work = work_of(tmp_path / "cache", passages, size=5)
    encoder = small_encoder()
    found = encoded(work, tmp_path, encoder, workers=workers).arrays.passage_vectors
    expected = UnitVectors.of(encoder.encode(texts_of(passages)))
    np.testing.assert_array_equal(found[:], expected[:])
    assert not (tmp_path / KEPT).exists()


def test_chunks_that_have_vectors_are_not_encoded_again(
    passages: list[Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    work, encoder = work_of(tmp_path / "cache", passages, size=5), small_encoder()
    made = encoded(work, tmp_path, encoder).arrays.passage_vectors[:]
    work.vectors(1, encoder.fingerprint).unlink()
    again: list[int] = []

    class Noting(VectorStage):
        def __call__(self, number: int) -> list[ExtractionFailure]:
            again.append(number)
            return super().__call__(number)

    monkeypatch.setattr(stage, "VectorStage", Noting)
    np.testing.assert_array_equal(encoded(work, tmp_path, encoder).arrays.passage_vectors[:], made)
    assert again == [1]


@pytest.mark.parametrize("before", [None, "true"])
def test_tokenizers_are_left_as_they_were(
    passages: list[Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
):
    name = "TOKENIZERS_PARALLELISM"
    monkeypatch.delenv(name, raising=False)
    if before is not None:
        monkeypatch.setenv(name, before)
    during: list[str | None] = []

    class Noting(LengthEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            during.append(os.environ.get(name))
            return super().encode(texts)

    vectors(passages, tmp_path, Noting())
    assert set(during) == {"false"}
    assert os.environ.get(name) == before


class Thirds(LengthEncoder):
    """Values that float16 does not hold."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return super().encode(texts) * 0 + np.array([1 / 3, 1 / 7], np.float32)


def test_without_a_cache_vectors_are_those_that_one_keeps(
    passages: list[Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def opened(_folder: Path, *, named: str, threads: int) -> Encoder:
        assert (named, threads) == ("own", 1)
        return Thirds()

    work = work_of(tmp_path / "cache", passages)
    expected = encoded(work, tmp_path, Thirds()).arrays.passage_codes
    monkeypatch.setattr(chunk_stages, "open_encoder", opened)
    VectorStage.opened(work, "own")(0)
    found = Columns(work.vectors(0, Thirds().fingerprint)).numbers("codes", np.int8, width=2)
    np.testing.assert_array_equal(found, expected)
