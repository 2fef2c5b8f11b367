"""Fixtures that several test files share: indexes of the toy corpus, and places for small ones."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings as hypothesis_settings

from hippohover.retrieval.engine import HippoHover
from hippohover.store.writer import IndexWriter
from hippohover.testing.indexes import TOY_RECIPE, build_toy
from hippohover.vectors import choice
from tests.index_samples import publish

if TYPE_CHECKING:
    from hippohover.tuning.tune import Tuning

pytest.MonkeyPatch().setattr(choice, "MOST_ENCODED", 0)
"""In this process the default encoder is the table, which takes no time; in the processes that
tests start, and with the fixture ``as_shipped``, it is what users get."""

hypothesis_settings.register_profile("gate", deadline=None)  # a busy machine is no failure
hypothesis_settings.register_profile("quick", deadline=None, max_examples=6)

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads with nothing to do sleep, not spin

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs so, and the processes of these tests would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def disk_in_memory() -> Path | None:
    """A disk in memory with room to write, if there is one: an fsync costs much elsewhere."""
    disk = Path("/dev/shm")  # noqa: S108
    roomy = os.access(disk, os.W_OK) and shutil.disk_usage(disk).free >= 2**29
    return disk if roomy else None


def pytest_configure(config: pytest.Config) -> None:
    """Have hypothesis try a few of its examples in the quick run, and all in the gate."""
    is_quick = "not slow" in (config.getoption("markexpr") or "")
    hypothesis_settings.load_profile("quick" if is_quick else "gate")
    if is_quick and (disk := disk_in_memory()):  # the gate writes where users do
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(disk))
    gc.set_threshold(0)  # until all is imported; a library among it would undo gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of the whole: the longest files would else be the last, each alone."""
    items.sort(key=lambda item: item.path.parent.name != "tests")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what the imports made to no collection of garbage, and unasked loggers alone.

    It is more than half a million objects. To look through them takes as long as many a test, and
    in a forked process each page of memory that is looked at is copied. Of loggers libraries make
    thousands, and pytest would go through them six times a test.
    """
    if not any("caplog" in getattr(item, "fixturenames", ()) for item in session.items):
        session.config.pluginmanager.unregister(name="logging-plugin")
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # tests make much and keep little: 700 is too soon


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Leave what a test imports to no collection either: LiteLLM alone is as much again."""
    before = len(sys.modules)
    yield
    if len(sys.modules) > before + 200:
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect garbage once, for what it complains of, and not ten times more until the end."""
    gc.collect()
    gc.freeze()


pytest_plugins = ["hippohover.testing.fixtures"]


@pytest.fixture(scope="session")
def encoded_toy_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a toy index with vectors, which candidate facts are compared by; read it only."""
    recipe = TOY_RECIPE.model_copy(update={"encoder": "minilm-static"})
    return build_toy(recipe, tmp_path_factory.mktemp("toy") / "encoded")


@pytest.fixture
def as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a build choose its encoder as it does for users."""
    monkeypatch.setattr(choice, "MOST_ENCODED", 20_000)


@pytest.fixture(scope="session")
def placed_index(toy_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a toy index some of whose passages are of files; read it only."""
    from tests.placed_samples import write_placed

    return write_placed(toy_index, tmp_path_factory.mktemp("placed") / "index")


@pytest.fixture(scope="session")
def notes_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an index on which the ranking that ships is wrong; read it only."""
    from tests.tuning.tuning_samples import build_notes

    return build_notes(tmp_path_factory.mktemp("notes"))


@pytest.fixture(scope="session")
def tuning(notes_index: Path) -> "Tuning":
    """Of the first sixty claims of the notes: the last ten are new to it."""
    from hippohover.tuning.tune import tune
    from tests.tuning.tuning_samples import few_trees, note_claims

    with few_trees():
        return tune(HippoHover.open(notes_index), note_claims()[:60])


@pytest.fixture(scope="session")
def toy_index_spacy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a toy index whose triples come from spaCy's parse; for slow tests."""
    recipe = TOY_RECIPE.model_copy(update={"extractor": "spacy"})
    return build_toy(recipe, tmp_path_factory.mktemp("toy") / "spacy")


@pytest.fixture
def command_env(tmp_path: Path) -> dict[str, str]:
    """Environment of a real ``hippohover`` process: plain output in 100 columns."""
    kept = {name: value for name, value in os.environ.items() if name != "HIPPOHOVER_DEBUG"}
    return {**kept, "COLUMNS": "100", "TERM": "dumb", "HIPPOHOVER_CACHE": str(tmp_path / "cache")}


# Places for an index on disk, small ones of index_samples in some of them


@pytest.fixture(scope="module")
def memory_folder() -> Iterator[Path]:
    """A folder on a disk in memory, if there is one."""
    with tempfile.TemporaryDirectory(dir=disk_in_memory()) as made:
        yield Path(made)


@pytest.fixture(scope="module")
def index_template(memory_folder: Path) -> Path:
    """Root with one published version; read it only."""
    publish(memory_folder / "template")
    return memory_folder / "template"


@pytest.fixture
def empty_folder(memory_folder: Path) -> Iterator[Path]:
    """An empty folder, this test's own."""
    with tempfile.TemporaryDirectory(dir=memory_folder) as made:
        yield Path(made)


@pytest.fixture
def index_root(index_template: Path, empty_folder: Path) -> Path:
    """Root with one published version, this test's own."""
    return Path(shutil.copytree(index_template, empty_folder / "toy"))


@pytest.fixture
def index_folder(index_root: Path) -> Path:
    """Folder of the version in ``index_root``."""
    return index_root / "v000001"


@pytest.fixture
def new_root(empty_folder: Path) -> Path:
    """Root that is not there yet."""
    return empty_folder / "new"


@pytest.fixture(scope="module")
def open_writer(memory_folder: Path) -> Iterator[IndexWriter]:
    """Writer that publishes nothing, open for a whole test file."""
    with IndexWriter(memory_folder / "open") as writer:
        yield writer
