"""Every name of an index, with something else in its place: opened, checked, written to.

The commands over such indexes are in ``tests/cli/test_foreign_files.py``.
"""

import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hippohover.errors import IndexStoreError
from hippohover.indexing.work_folder import cache_of
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import compacting
from tests.foreign_files import KINDS, put, state_of
from tests.index_samples import BUILD_FILES, publish

NAMES = (
    *(".lock", ".cache", ".compacting", ".building-1", ".removing-v000001", ".CURRENT-new"),
    *("CURRENT", "ranking.npz", "v000001", "v000002", "v000001/graph", "v000001/checked.json"),
    *("v000001/manifest.json", "v000001/manifest.sha256", "v000001/build_log.json"),
    *(f"v000001/{name}" for name in BUILD_FILES),
)


def opened(root: Path) -> None:
    with StoredIndex.open(root) as index:
        index.verify()
        index.log()
        index.array("graph/weights.npy")
        index.table("passages.arrow")
        index.prefetch()


def compacted(root: Path) -> None:
    with compacting(root) as files:
        (files.folder / "part").mkdir()


DEEDS: dict[str, Callable[[Path], object]] = {
    "open": opened,
    "publish": lambda root: [publish(root, build) for build in (2, 3, 4)],
    "compact": compacted,
    "cache": cache_of,
}


@pytest.fixture
def limit() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("deed", DEEDS)
def test_no_name_leads_out_of_an_index(
    index_template: Path, empty_folder: Path, deed: str, kind: str
):
    victim, root = empty_folder / "victim", empty_folder / "root"
    for name in NAMES:
        shutil.copytree(index_template, victim)
        shutil.copytree(index_template, root)
        put(root / name, kind, victim, victim / "v000001" / "notes.bin")
        before = state_of(victim)
        with suppress(IndexStoreError):
            DEEDS[deed](root)
        assert state_of(victim) == before, name
        shutil.rmtree(root)
        shutil.rmtree(victim)
