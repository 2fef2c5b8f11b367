"""Fixtures for pytest: ``pytest_plugins = ["hippohover.testing.fixtures"]`` in a conftest.py."""

from pathlib import Path

from hippohover.adapters.extras import needed
from hippohover.retrieval.engine import HippoHover
from hippohover.testing.indexes import TOY_RECIPE, build_toy

with needed("pytest", of=__name__, extra="testing"):
    import pytest


@pytest.fixture(scope="session")
def toy_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an index of the toy world; only read it."""
    return build_toy(TOY_RECIPE, tmp_path_factory.mktemp("toy") / "between")


@pytest.fixture(scope="session")
def toy_engine(toy_index: Path) -> HippoHover:
    """Return that index, open; safe to share, because nothing changes it."""
    return HippoHover.open(toy_index)
