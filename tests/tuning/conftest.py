"""The notes, indexed once, and a ranking tuned on them."""

from pathlib import Path

import pytest

from hippohover.retrieval.engine import HippoHover
from hippohover.tuning.tune import Tuning, tune
from tests.tuning.tuning_samples import build_notes, note_claims


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the index; read it only."""
    return build_notes(tmp_path_factory.mktemp("notes"))


@pytest.fixture(scope="session")
def tuning(notes: Path) -> Tuning:
    """Of the first sixty claims: the last ten are new to it."""
    return tune(HippoHover.open(notes), note_claims()[:60])
