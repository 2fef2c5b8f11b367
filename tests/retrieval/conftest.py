"""Retrievers of the toy index: the walk alone, with vectors, with small learned weights."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hippohover.recipe import QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.retrievers import Retrievers
from hippohover.store.tables import IndexTables
from tests.retrieval.toy_samples import (
    TOY_CLAIMS,
    WALK,
    WITH_FACTS,
    WordEncoder,
    forget_weights,
    retrievers_over,
    use_encoder,
    with_vectors,
    write_weights,
)


@pytest.fixture(scope="module")
def plain(toy_engine: HippoHover) -> Retrievers:
    """The walk alone, without vectors."""
    return retrievers_over(toy_engine.tables, WALK)


@pytest.fixture(scope="session")
def toy_vectors(toy_engine: HippoHover) -> tuple[IndexTables, WordEncoder]:
    """Tables of the toy index with vectors of passages and facts, and the encoder of them."""
    return with_vectors(toy_engine.tables)


@pytest.fixture
def encoded(
    toy_vectors: tuple[IndexTables, WordEncoder], monkeypatch: pytest.MonkeyPatch
) -> tuple[Retrievers, WordEncoder]:
    """The same index with vectors, and mass for facts."""
    tables, encoder = toy_vectors
    use_encoder(monkeypatch, encoder)
    return retrievers_over(tables, WITH_FACTS), encoder


@pytest.fixture(scope="session")
def small_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Learned weights that are read in no time; read them only."""
    folder = tmp_path_factory.mktemp("reranked") / "weights"
    write_weights(folder, {TOY_CLAIMS[0]: 2})
    return folder


@pytest.fixture
def reranked(
    toy_engine: HippoHover, small_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Retrievers]:
    """Small weights; few candidates, so that deep rankings have a tail."""
    monkeypatch.setattr(rerank, "_FOLDER", str(small_weights))
    forget_weights()
    settings = QuerySettings.model_validate({"n_candidates": 30, "rerank": True})
    yield retrievers_over(toy_engine.tables, settings)
    forget_weights()
