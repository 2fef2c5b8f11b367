"""Fixtures that several test files share: indexes of the toy corpus, built once a run."""

import os
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_corpus_path

hypothesis_settings.register_profile("patient", deadline=None)  # a busy machine is no failure
hypothesis_settings.load_profile("patient")

TOY_RECIPE = IndexRecipe.model_validate(
    {"name": "toy", "extractor": "between", "encoder": "none", "query": {"rerank": False}}
)
"""No parser, no encoder, no learned weights: half a second to build."""


def build_toy(recipe: IndexRecipe, out: Path) -> Path:
    """Index of the toy corpus."""
    from hippohover.indexing.build import build

    return build(recipe, corpus=toy_corpus_path(), out=out)


@pytest.fixture(scope="session")
def toy_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a toy index; read it only."""
    return build_toy(TOY_RECIPE, tmp_path_factory.mktemp("toy") / "between")


@pytest.fixture(scope="session")
def toy_index_spacy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a toy index whose triples come from spaCy's parse; for slow tests."""
    recipe = TOY_RECIPE.model_copy(update={"extractor": "spacy"})
    return build_toy(recipe, tmp_path_factory.mktemp("toy") / "spacy")


@pytest.fixture(scope="session")
def toy_engine(toy_index: Path) -> HippoHover:
    """The toy index, open; safe to share, for nothing changes it."""
    return HippoHover.open(toy_index)


@pytest.fixture
def command_env(tmp_path: Path) -> dict[str, str]:
    """Environment of a real ``hippohover`` process: plain output in 100 columns."""
    kept = {name: value for name, value in os.environ.items() if name != "HIPPOHOVER_DEBUG"}
    return {**kept, "COLUMNS": "100", "TERM": "dumb", "HIPPOHOVER_CACHE": str(tmp_path / "cache")}
