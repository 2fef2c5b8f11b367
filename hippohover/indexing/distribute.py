"""The stages of a build on Ray: actors on several machines, which share a disk.

Each actor makes its stage once, from files of the work folder, and takes chunks one by one. What a
chunk gives is its file; through Ray go numbers of chunks and the failures and errors that they met.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from hippohover import errors
from hippohover.errors import BuildError, HippoHoverError, UsageError
from hippohover.indexing.engines import Stage
from hippohover.indexing.triples import ExtractionFailure
from hippohover.processors import available_processors

if TYPE_CHECKING:
    from ray.data import Dataset

_CPUS_AN_ACTOR: Final = 0.5
_MOST_TRIES: Final = 4
_CONNECT_SECONDS: Final = 5.0
_PROBE_SECONDS: Final = 60.0
_PROBE: Final = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False)"
_STORE_BYTES: Final = 256 << 20
_KEPT: Final = "what is done is kept"
_THREADS: Final = "OMP_NUM_THREADS"
# Ray tells its makers how it is used, and prints what its processes log, unless told not to.
_QUIET: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}


class RayEngine:
    """Runs stages in actors of the Ray that this process is connected to.

    Parameters
    ----------
    workers : int
        Actors at most; Ray Data starts them as there is work. Each counts as half a processor
        for Ray, so that they start even where something else holds some of them.
    """

    shares_memory = False

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __call__(
        self, make: Callable[[], Stage], folder: Path, numbers: Iterable[int]
    ) -> Generator[Sequence[ExtractionFailure]]:
        numbers = list(numbers)
        if not numbers:
            return
        for number in numbers:
            _tries(folder, number).unlink(missing_ok=True)  # of a build that was stopped
        with _quietly():
            with _without_warnings():
                dataset = _mapped(make, folder, numbers, min(self.workers, len(numbers)))
            with closing(_rows(dataset)) as rows:
                for row in rows:
                    yield _told(row)


@contextmanager
def ray_engine(address: str | None, workers: int | None) -> Generator[RayEngine]:
    """Engine on Ray, which is left again at the end.

    Parameters
    ----------
    address : str or None
        ``HOST:PORT`` of a cluster of which this machine is one, or ``"auto"`` for the one that
        was started here; with None a Ray of this machine alone is started. Where this process is
        connected already, that connection is used, and stays.
    workers : int or None
        Actors at most; as many as Ray has processors when None.

    Raises
    ------
    UsageError
        Ray is not installed, nothing answers at the address, or there is another connection.
    BuildError
        A Ray of this machine cannot be started.
    """
    try:
        with _without_warnings():
            import ray.data  # pyright: ignore[reportUnusedImport]  # it may be missing by itself
    except ImportError as error:
        raise UsageError(
            f"engine 'ray' needs a package that is not installed ({error}): "
            "pip install 'hippohover[ray]'"
        ) from error
    started = not ray.is_initialized()
    if not started and address is not None:
        raise UsageError(
            f"address is {address!r}, but this process is connected to Ray already: leave it out, "
            "or call ray.shutdown() first"
        )
    if started:
        with _quietly():
            _connect(address)
    try:
        yield RayEngine(workers or max(1, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        if started:
            with _quietly():
                ray.shutdown()


def _connect(address: str | None) -> None:
    import ray

    if address is not None:
        _check_answers(address)
    own: dict[str, Any] = {"address": address}
    if address is None:
        own = {
            "address": "local", "num_cpus": available_processors(), "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
        }  # fmt: skip
    try:
        with _undisturbed(), _without_warnings():
            ray.init(**own, log_to_driver=False, logging_level=logging.CRITICAL)
        # Of workers that died it tells on stdout, where results go, whatever is asked for.
        if (worker := sys.modules.get("ray._private.worker")) is not None:
            setattr(worker, "_worker_logs_enabled", False)  # noqa: B010
    except Exception as error:  # it raises whatever its many parts do
        if address is None:
            raise BuildError(
                f"a local Ray cannot be started ({_reason(error)}): mend that, or leave out "
                "--engine ray"
            ) from error
        raise UsageError(
            f"no Ray lets this command in at {address!r} ({_reason(error)}): set "
            "RAY_AUTH_MODE=token, which newer Rays want, mend --address, or start one with "
            "`ray start --head`"
        ) from error


def _check_answers(address: str) -> None:
    """Ray itself would try for minutes, and cannot be told to give up."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal()) or "/" in address or int(port) > 0xFFFF:
        raise UsageError(
            f"address is {address!r}: give HOST:PORT of a Ray cluster that this machine is one of "
            "(as `ray start --head` prints it), or auto"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except OSError as error:
        raise UsageError(
            f"nothing answers at {address!r} ({error.strerror or error}): start Ray there with "
            "`ray start --head`, which prints its address, or mend --address"
        ) from error
    command = [sys.executable, "-c", _PROBE, address]
    try:
        subprocess.run(command, check=False, capture_output=True, timeout=_PROBE_SECONDS)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"what answers at {address!r} is no Ray, or one that is not well (no connection in "
            f"{_PROBE_SECONDS:.0f} s): start one with `ray start --head`, or mend --address"
        ) from error


def _mapped(make: Callable[[], Stage], folder: Path, numbers: Sequence[int], n: int) -> "Dataset":
    """A block for each chunk, so that what a killed worker had is one chunk."""
    import ray.data

    items = [{"number": number} for number in numbers]
    dataset = ray.data.from_items(items, override_num_blocks=len(items))
    context = dataset.context
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    # Ray Data starts actors that died again, and gives what they had to others, without end:
    # max_restarts and max_task_retries are -1. The actors themselves count the tries of a chunk.
    threads = os.environ.get(_THREADS, str(available_processors()))
    return dataset.map_batches(
        _Worker,
        fn_constructor_args=(make, folder, _own_version()),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=n, max_tasks_in_flight_per_actor=2),
        num_cpus=_CPUS_AN_ACTOR,
        # Ray would give them one thread, and values of a transformer may depend on how many.
        runtime_env={"env_vars": {_THREADS: threads}},
    )


def _rows(dataset: "Dataset") -> Generator[dict[str, Any]]:
    try:
        for row in dataset.iter_batches(batch_size=1, prefetch_batches=0, batch_format="numpy"):
            yield cast("dict[str, Any]", row)
    except Exception as error:
        raise BuildError(
            f"Ray cannot go on ({_reason(error)}): see that each node has this Python, this "
            f"hippohover and its packages, then build again; {_KEPT}"
        ) from error


def _told(row: dict[str, Any]) -> list[ExtractionFailure]:
    """What a worker says of a chunk; its error is raised here."""
    told: dict[str, Any] = json.loads(str(row["told"][0]))
    if "error" in told:
        cause = RuntimeError(told["traceback"]) if "traceback" in told else None
        raise getattr(errors, told["error"])(told["message"]) from cause
    return [ExtractionFailure(*failure) for failure in told["failures"]]


class _Worker:
    """In an actor: makes the stage at its first chunk, where its errors can be told."""

    def __init__(self, make: Callable[[], Stage], folder: Path, program: str) -> None:
        self._make, self._folder, self._program = make, folder, program
        self._stage: Stage | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        told: dict[str, Any]
        try:
            failures = self._done(int(batch["number"][0]))
            told = {"failures": [[failure.pid, failure.reason] for failure in failures]}
        except HippoHoverError as error:
            told = {"error": type(error).__name__, "message": str(error)}
        except Exception as error:  # Ray would put it into words that hide where it came from
            line = " ".join(f"{type(error).__name__}: {error}".split())
            told = {
                "error": BuildError.__name__,
                "message": f"a worker on node {socket.gethostname()!r} met {line[:200]} "
                f"(unexpected; HIPPOHOVER_DEBUG=1 shows where); {_KEPT}",
                "traceback": traceback.format_exc(),
            }  # fmt: skip
        return {"told": [json.dumps(told)]}

    def _done(self, number: int) -> Sequence[ExtractionFailure]:
        if self._stage is None:
            self._check_node()
            self._stage = self._make()
        tries = _tries(self._folder, number)
        with tries.open("ab") as file:
            n_before = file.tell()
            file.write(b".")
        if n_before >= _MOST_TRIES:
            raise BuildError(
                f"{tries}: the worker of this chunk was killed {n_before} times, most often for "
                f"want of memory: build again with a smaller --workers; {_KEPT}"
            )
        failures = self._stage(number)
        tries.unlink(missing_ok=True)
        return failures

    def _check_node(self) -> None:
        node = socket.gethostname()
        if not self._folder.is_dir():
            raise BuildError(
                f"{self._folder}: node {node!r} does not see this folder: put the index (--out) "
                f"on a disk that every node has under the same path; {_KEPT}"
            )
        if self._program != _own_version():
            raise BuildError(
                f"node {node!r} has hippohover {_own_version()} and not {self._program}: install "
                f"the same on every node; {_KEPT}"
            )


def _tries(folder: Path, number: int) -> Path:
    """Has a byte for each time that a worker began a chunk and did not end it."""
    return folder / f"tries-{number:05d}"


def _own_version() -> str:
    return version("hippohover")


@contextmanager
def _quietly() -> Generator[None]:
    """Keep Ray's logs to itself."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    loggers = [logging.getLogger(name) for name in ("ray", "ray.data")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def _without_warnings() -> Generator[None]:
    """Ray warns of its own settings, and of libraries that it wraps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _undisturbed() -> Generator[None]:
    """Ray takes SIGTERM for itself, of which the command line makes an orderly end.

    Its compiled half writes to the descriptor of stderr, whatever the settings of logging are.
    """
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)
        if in_main:
            signal.signal(signal.SIGTERM, before)


def _reason(error: BaseException) -> str:
    """The end of what Ray says, for it begins with how it came there."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = lines[-1] if lines else type(error).__name__
    return line if len(line) <= 200 else f"{line[:200]}…"
