"""Builds on Ray: the bytes of a local one, workers that die, and one line for what goes wrong."""

import logging
import os
import re
import shutil
import signal
import socket
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import psutil
import pytest

from hippohover.errors import BuildError, HippoHoverError, ModelError, UsageError, as_installed
from hippohover.indexing import build as build_module
from hippohover.indexing import triple_stage as extraction
from hippohover.indexing.build import build
from hippohover.indexing.chunk_stages import ScanStage, is_whole
from hippohover.indexing.corpus import blocks as reading
from hippohover.indexing.corpus import lines
from hippohover.indexing.corpus import stream as corpus
from hippohover.indexing.workers import ray_runner as distribute
from hippohover.indexing.workers.processes import ordered_map
from hippohover.indexing.workers.ray_runner import RayRunner
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage
from hippohover.store.manifest import Manifest
from hippohover.store.reader import StoredIndex
from hippohover.toy import toy_corpus_path
from tests.indexing.work_samples import name_entities, pid, work_of
from tests.indexing.workers.distribute_samples import (
    Dying,
    DyingOnce,
    DyingReader,
    FirstIsLast,
    Parser,
    ParserByProcess,
    Refusing,
    Stumbling,
    Unreadable,
)

FAST = IndexRecipe(name="fast", extractor="between", encoder="none")
ENCODED = FAST.model_copy(update={"encoder": "minilm-static", "fact_vectors": True})
PARSED = FAST.model_copy(update={"extractor": "spacy", "max_failure_share": 0.5})
FEW, MORE = 40, 120
"""Documents of which some tests are content; a chunk holds eight passages."""

pytest.importorskip("ray")


@pytest.fixture(scope="module", autouse=True)
def importable_samples() -> Iterator[None]:
    """The workers of every Ray that is started here can import the stand-ins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[3]), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def local_ray(importable_samples: None) -> Iterator[None]:
    """One Ray for all builds, which find this process connected to it."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        ray.init(
            address="local", num_cpus=2, include_dashboard=False, object_store_memory=256 << 20,
            log_to_driver=False, logging_level=logging.CRITICAL,
        )  # fmt: skip
        yield
        ray.shutdown()


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_module, "_PASSAGES_A_CHUNK", 8)
    monkeypatch.setattr(corpus, "_BLOCK_BYTES", 4000)
    monkeypatch.setattr(lines, "BUFFER_BYTES", 1000)


def manifest(root: Path) -> Manifest:
    with StoredIndex.open(root) as stored:
        assert stored.verify() == []
        return stored.manifest


def local(recipe: IndexRecipe, out: Path, limit: int | None = FEW) -> Manifest:
    return manifest(build(recipe, corpus=toy_corpus_path(), out=out, limit=limit))


def on_ray(recipe: IndexRecipe, out: Path, limit: int | None = FEW) -> Manifest:
    """Manifest of a build by two workers, whose stages were told in order.

    With a limit the corpus is not read on Ray, which saves the start of its workers.
    """
    told: list[tuple[str, int, int]] = []

    def note(stage: str, done: int, total: int, /) -> None:
        told.append((stage, done, total))

    root = build(
        recipe, corpus=toy_corpus_path(), out=out, limit=limit, runner="ray", workers=2,
        progress=note,
    )  # fmt: skip
    here = {"read"} if limit else set[str]()
    for stage in ({"read", "triples", "scan", "vectors"} & {one for one, _, _ in told}) - here:
        steps = [done for now, done, _ in told if now == stage]
        assert len(steps) > 3
        assert steps == sorted(steps)
        assert (stage, steps[-1], steps[-1]) in told
    assert not (root / ".cache" / "work").exists()
    return manifest(root)


def kept_in(cache: Path) -> list[tuple[str, str, bytes]]:
    with closing(sqlite3.connect(cache)) as connection:
        return connection.execute("SELECT * FROM results ORDER BY key, version").fetchall()


def refused(kind: type[HippoHoverError], work: Callable[[], object]) -> str:
    with pytest.raises(kind) as caught:
        work()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- what is refused before anything is read: first, for later a Ray runs here -------------------


def test_an_address_at_which_nothing_answers_is_named_before_anything_is_read(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"

    def building() -> Path:
        return build(FAST, corpus=tmp_path / "gone", out=tmp_path, runner="ray", address=address)

    said = refused(UsageError, building)
    assert repr(address) in said
    assert "ray start --head" in said


@pytest.mark.slow
def test_what_listens_and_is_no_ray_is_told_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(distribute, "_START_SECONDS", 4.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        said = refused(UsageError, lambda: build(FAST, out=tmp_path, runner="ray", address=address))
    assert f"what answers at {address!r} is not Ray" in said
    assert "4 s" in said
    assert f"what answers at {address!r} has not accepted this command yet" in caplog.text


@pytest.mark.slow
def test_where_no_ray_is_auto_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # a cluster that was killed leaves its address
    if any("gcs_server" in process.name() for process in psutil.process_iter()):
        pytest.skip("a Ray runs on this machine")
    said = refused(UsageError, lambda: build(FAST, out=tmp_path, runner="ray", address="auto"))
    assert "address 'auto' finds no Ray on this machine" in said


@pytest.mark.parametrize(
    "address", ["", "host", "host:", ":1", "host:port", "host:99999", "ray://host:10001", 5]
)
def test_what_is_no_address_is_refused(tmp_path: Path, address: Any):  # noqa: ANN401
    said = refused(UsageError, lambda: build(FAST, out=tmp_path, runner="ray", address=address))
    assert repr(address) in said
    assert "HOST:PORT" in said


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "2"])
@pytest.mark.parametrize("runner", ["local", "ray"])
def test_what_is_no_number_of_workers_is_refused(
    tmp_path: Path,
    workers: Any,  # noqa: ANN401
    runner: Literal["local", "ray"],
):
    said = refused(UsageError, lambda: build(FAST, out=tmp_path, runner=runner, workers=workers))
    assert f"workers is {workers!r}: give a whole number" in said


def test_without_the_package_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "ray.py").write_text("raise ImportError('no ray')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    said = refused(UsageError, lambda: build(FAST, out=tmp_path, runner="ray"))
    assert "'ray'" in said
    assert "no ray" in said
    assert as_installed("pip install 'hippohover[ray]'") in said


def test_an_unknown_runner_and_an_address_of_no_use_are_refused(tmp_path: Path):
    said = refused(UsageError, lambda: build(FAST, out=tmp_path, runner="dask"))  # pyright: ignore[reportArgumentType]
    assert "'dask'" in said
    said = refused(UsageError, lambda: build(FAST, out=tmp_path, address="host:6379"))
    assert "'host:6379'" in said


# --- a Ray that stands still, or ends: before another one runs here ------------------------------


def processes(name: str) -> list[int]:
    """Numbers of the processes of that name that this one has started, itself or by others."""
    started = psutil.Process().children(recursive=True)
    return [one.pid for one in started if one.name().startswith(name)]


@pytest.mark.slow
def test_a_ray_that_stands_still_ends_the_build_and_goes_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(distribute, "_TELL_SECONDS", 1.0)
    monkeypatch.setattr(distribute, "_STILL_SECONDS", 2.0)
    monkeypatch.setattr(distribute, "_LOOK_SECONDS", 0.2)
    work = work_of(tmp_path, [Passage(pid(0), "Velmora", "Velmora is a drama.")])
    with RayRunner(None, 2) as runner:
        (server,) = processes("gcs_server")
        os.kill(server, signal.SIGSTOP)
        said = refused(
            BuildError, lambda: list(runner(partial(FirstIsLast, work), work.folder, [0]))
        )
        assert "no worker of Ray has done anything" in said
        assert "build again, or leave out --runner ray" in said
        assert "ray status" not in said  # it is gone
    *_, told = caplog.messages  # a busy machine has said more, while Ray started
    assert "no worker of Ray has done anything for 1 s" in told
    assert server not in processes("gcs_server")


@pytest.mark.slow
def test_a_ray_that_ends_is_told_and_the_next_build_has_another(tmp_path: Path):
    with RayRunner(None, 2) as runner:
        driver, *_ = psutil.Process().children()
        driver.kill()
        work = work_of(tmp_path, [Passage(pid(0), "Velmora", "Velmora is a drama.")])
        stage = partial(FirstIsLast, work)
        assert "status -9" in refused(BuildError, lambda: list(runner(stage, work.folder, [1])))
        assert [one.pid for (one,) in runner(stage, work.folder, [1])] == [pid(1)]
    assert processes("gcs_server") == []


@pytest.mark.parametrize(
    ("failure", "how"), [(KeyboardInterrupt, "kill"), (SystemExit, "kill"), (ModelError, "close")]
)
def test_a_stopped_build_does_not_wait_for_ray_to_leave(
    monkeypatch: pytest.MonkeyPatch, failure: type[BaseException], how: str
):
    done: list[str] = []

    class Driver:
        def __init__(self, _: str | None) -> None: ...

        def close(self) -> None:
            done.append("close")

        def kill(self) -> None:
            done.append("kill")

    monkeypatch.setattr(distribute, "_Driver", Driver)
    with pytest.raises(failure), RayRunner(None, 2):
        raise failure
    assert done == [how]


# --- the same bytes ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_build_on_ray_has_the_bytes_of_a_local_one(tmp_path: Path):
    found = on_ray(ENCODED, tmp_path / "ray", None)
    assert found == local(ENCODED, tmp_path / "local", None)
    assert found.counts["n_facts"] > 0


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_triples_of_a_parser_and_what_it_cannot_read_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(extraction, "SpacyTriples", Parser)
    found = on_ray(PARSED, tmp_path / "ray")
    assert found == local(PARSED, tmp_path / "local")
    kept = [(path / ".cache" / extraction.TRIPLES) for path in tmp_path.iterdir()]
    assert len({tuple(kept_in(path)) for path in kept}) == 1
    assert len(kept_in(kept[0])) == found.counts["n_passages"] - found.n_failures
    assert 0 < found.n_failures < found.counts["n_passages"] // 2
    assert found.counts["n_facts"] > 0


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_build_on_ray_goes_on_where_a_local_one_was_stopped(tmp_path: Path):
    corpus, root = toy_corpus_path(), tmp_path / "index"

    def found() -> int:
        return len(list(root.glob(".cache/work/*/found-*.arrow")))

    def stop(at: int, stage: str, done: int, total: int, /) -> None:
        if stage == "scan" and done >= at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(FAST, corpus=corpus, out=root, limit=MORE, workers=1, progress=partial(stop, 8))
    assert found() == 1
    with pytest.raises(KeyboardInterrupt):
        build(
            FAST, corpus=corpus, out=root, limit=MORE, runner="ray", workers=1,
            progress=partial(stop, 40),
        )  # fmt: skip
    assert 5 <= found() < MORE // 8
    assert on_ray(FAST, root, MORE) == local(FAST, tmp_path / "local", MORE)


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_what_is_found_comes_in_the_order_of_the_chunks(tmp_path: Path):
    work = work_of(tmp_path, [Passage(pid(0), "Velmora", "Velmora is a drama.")])
    with RayRunner(None, 2) as runner:
        told = list(runner(partial(FirstIsLast, work), work.folder, range(8)))
    assert [[one.pid for one in found] for found in told] == [[pid(number)] for number in range(8)]
    before = int((work.folder / "ended-0").read_text(encoding="ascii"))
    assert before > 0  # else this shows nothing


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_process_that_is_connected_to_ray_forks_no_worker():
    assert set(ordered_map(lambda _: os.getpid(), range(4), workers=2)) == {os.getpid()}


# --- workers that die ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
@pytest.mark.parametrize(
    ("module", "name", "dying", "limit"),
    [(build_module, "ScanStage", DyingOnce, FEW), (reading, "ReadStage", DyingReader, None)],
)
def test_a_worker_that_is_killed_is_survived(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    name: str,
    dying: type,
    limit: int | None,
):
    with monkeypatch.context() as patched:
        patched.setattr(module, name, dying)
        found = on_ray(FAST, tmp_path / "ray", limit)
    died = int((tmp_path / "ray" / "pid").read_text(encoding="ascii"))
    with pytest.raises(ProcessLookupError):
        os.kill(died, 0)
    assert found == local(FAST, tmp_path / "local", limit)


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_chunk_that_kills_every_worker_ends_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        patched.setattr(build_module, "ScanStage", Dying)
        said = refused(BuildError, lambda: on_ray(FAST, tmp_path / "ray"))
    assert re.search(r"tries-00002: .* was killed 4 times, .*--workers", said)
    root = build(
        FAST, corpus=toy_corpus_path(), out=tmp_path / "ray", limit=FEW, runner="ray", workers=2
    )
    assert manifest(root) == local(FAST, tmp_path / "local")


# --- one line ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_an_error_of_the_package_comes_as_it_was_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(build_module, "ScanStage", Refusing)
    assert refused(UsageError, lambda: on_ray(FAST, tmp_path)) == "chunk 0: fix the recipe"


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_another_error_is_one_line_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(build_module, "ScanStage", Stumbling)
    said = refused(BuildError, lambda: on_ray(FAST, tmp_path))
    assert "ZeroDivisionError: by nought" in said
    assert "finished work is kept" in said


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_stage_that_cannot_be_read_there_is_told_as_what_it_is(tmp_path: Path):
    with RayRunner(None, 2) as runner:
        said = refused(BuildError, lambda: list(runner(Unreadable(), tmp_path, [0])))
    assert "ValueError: " in said
    assert "'no number'" in said


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_node_with_another_parser_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(extraction, "SpacyTriples", ParserByProcess)
    said = refused(ModelError, lambda: on_ray(PARSED, tmp_path))
    assert f"'parser-{os.getpid()}'" in said
    assert "on every node" in said


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_folder_that_a_node_does_not_see_is_named(tmp_path: Path):
    work = work_of(tmp_path, [Passage(pid(0), "Velmora", "Velmora is a drama.")])
    name_entities(work)
    make = partial(ScanStage, work, "between")
    with RayRunner(None, 2) as runner:
        shutil.move(work.folder, tmp_path / "elsewhere")
        said = refused(BuildError, lambda: list(runner(make, work.folder, [0])))
        assert str(work.folder) in said
        assert repr(socket.gethostname()) in said
        assert "every node" in said
        shutil.move(tmp_path / "elsewhere", work.folder)
        assert list(runner(make, work.folder, [0])) == [[]]
        assert list(runner(make, work.folder, [])) == []
    assert is_whole(work.found(0))
