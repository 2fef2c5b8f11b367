"""The process that talks to Ray for a build, and the code in Ray's actors.

Each actor makes its stage once, from files of the work folder, and takes chunks one by one.
"""

import json
import logging
import os
import socket
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from hippohover.disk import door
from hippohover.errors import BuildError, HippoHoverError, UsageError, in_a_line
from hippohover.indexing.workers.ray_runner import KEPT, again, tries_of
from hippohover.indexing.workers.runners import Stage
from hippohover.processors import available_processors

if TYPE_CHECKING:
    from ray.data import Dataset

_CPUS_AN_ACTOR: Final = 0.5
_MOST_TRIES: Final = 4
_SIGN_SECONDS: Final = 20.0
_STORE_BYTES: Final = 256 << 20
_THREADS: Final = "OMP_NUM_THREADS"
# Ray tells its makers how it is used, and prints what its processes log, unless told not to.
_QUIET: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}


def drive(fd: int) -> None:
    """Connect to Ray, run stages on demand, and leave when the requests end.

    Parameters
    ----------
    fd : int
        One end of a pipe. From it come the address and the number of processors of this machine,
        which are answered by ``{}``; then arguments of ``_mapped``, which are answered by an object
        for each chunk. Answers are JSON; ``error`` and ``message`` name an error of the package.
    """
    threading.Thread(target=_end_with_the_build, daemon=True).start()
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    warnings.simplefilter("ignore")  # Ray warns of its own settings, and of libraries it wraps
    with Connection(fd) as connection, suppress(EOFError):
        try:
            address, n_processors = connection.recv()
            _connect(address, n_processors)
            connection.send_bytes(b"{}")
            while True:
                for told in _rows(_mapped(*connection.recv()), address):
                    connection.send_bytes(told.encode())
        except EOFError:
            raise  # nothing more is asked for
        except Exception as error:
            connection.send_bytes(json.dumps(_as_told(error, "the process of Ray")).encode())
            connection.recv_bytes()  # until the other end is closed
    if (ray := sys.modules.get("ray")) is not None:
        ray.shutdown()


def _end_with_the_build() -> None:
    """End when stdin does: it ends with the build, in any case."""
    sys.stdin.buffer.read()
    os._exit(1)


def _connect(address: str | None, n_processors: int) -> None:
    try:
        import ray.data  # pyright: ignore[reportUnusedImport]  # it may be missing by itself
    except ImportError as error:
        raise UsageError(
            f"runner 'ray' needs a package that is not installed ({error}): "
            "pip install 'hippohover[ray]'"
        ) from error
    own: dict[str, Any] = {"address": address}
    if address is None:
        own = {
            "address": "local",
            "num_cpus": n_processors,
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
        }
    try:
        ray.init(**own, log_to_driver=False, logging_level=logging.CRITICAL)
    except Exception as error:  # it raises whatever its many parts do
        if address is None:
            raise BuildError(
                f"a local Ray cannot be started ({_reason(error)}): fix that, or leave out "
                "--runner ray"
            ) from error
        if address == "auto" and isinstance(error, ConnectionError):
            raise UsageError(
                "address 'auto' finds no Ray on this machine: start one with `ray start --head`, "
                "give HOST:PORT, or leave the address out to start a Ray for this build"
            ) from error
        raise UsageError(
            f"no Ray at {address!r} accepts this command ({_reason(error)}): fix --address; if it "
            "wants a token, set RAY_AUTH_MODE=token and copy ~/.ray/auth_token from a node"
        ) from error


def _mapped(
    make: Callable[[], Stage], folder: Path, numbers: Sequence[int], workers: int | None
) -> "Dataset":
    """Map a stage over blocks of one chunk, so that a killed worker loses one chunk."""
    import ray.data

    items = [{"number": number} for number in numbers]
    dataset = ray.data.from_items(items, override_num_blocks=len(items))
    context = dataset.context
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    # Ray Data starts actors that died again, and gives what they had to others, without end:
    # max_restarts and max_task_retries are -1. The actors themselves count the tries of a chunk.
    threads = os.environ.get(_THREADS, str(available_processors()))
    return dataset.map_batches(
        _Worker,
        fn_constructor_args=(make, folder, _own_version()),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(
            min_size=1, max_size=min(workers, len(items)), max_tasks_in_flight_per_actor=2
        ),
        num_cpus=_CPUS_AN_ACTOR,
        # Ray would give them one thread, and values of a transformer may depend on how many.
        runtime_env={"env_vars": {_THREADS: threads}},
    )


def _rows(dataset: "Dataset", address: str | None) -> Generator[str]:
    """Yield what workers report of the chunks, in their order."""
    try:
        for row in dataset.iter_batches(batch_size=1, prefetch_batches=0, batch_format="numpy"):
            yield str(cast("dict[str, Any]", row)["told"][0])
    except Exception as error:
        raise BuildError(
            f"Ray cannot continue ({_reason(error)}): {again(address)}; {KEPT}"
        ) from error


class _Worker:
    """In an actor: makes the stage at its first chunk, where its errors can be reported."""

    def __init__(self, make: Callable[[], Stage], folder: Path, program: str) -> None:
        self._make, self._folder, self._program = make, folder, program
        self._stage: Stage | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        told: dict[str, Any]
        try:
            told = {"failures": self._done(int(batch["number"][0]))}
        except Exception as error:  # Ray would put it into words that hide where it came from
            told = _as_told(error, f"a worker on node {socket.gethostname()!r}")
        return {"told": [json.dumps(told)]}

    def _done(self, number: int) -> list[list[str]]:
        if self._stage is None:
            self._check_node()
        tries = tries_of(self._folder, number)
        with door.opened(tries, "ab") as file:
            n_before = file.tell()
            file.write(b".")
        if n_before >= _MOST_TRIES:
            raise BuildError(
                f"{tries}: the worker of this chunk was killed {n_before} times, most likely out "
                f"of memory: build again with a smaller --workers; {KEPT}"
            )
        with _giving_signs(tries):
            if self._stage is None:
                self._stage = self._make()
            failures = self._stage(number)
        door.remove(tries)
        return [[failure.pid, failure.reason] for failure in failures]

    def _check_node(self) -> None:
        node = socket.gethostname()
        if not self._folder.is_dir():
            raise BuildError(
                f"{self._folder}: node {node!r} does not see this folder: put the index (--out) "
                f"on a disk that every node has under the same path; {KEPT}"
            )
        if self._program != _own_version():
            raise BuildError(
                f"node {node!r} has hippohover {_own_version()} and not {self._program}: install "
                f"the same on every node; {KEPT}"
            )


@contextmanager
def _giving_signs(tries: Path) -> Generator[None]:
    """Touch a file regularly during work, as a sign for the waiting build."""
    done = threading.Event()

    def touch() -> None:
        while not done.wait(_SIGN_SECONDS):
            with suppress(OSError):
                os.utime(tries, follow_symlinks=False)

    thread = threading.Thread(target=touch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _as_told(error: Exception, who: str) -> dict[str, str]:
    """Return the package's own errors as they are; others with their traceback."""
    if isinstance(error, HippoHoverError):
        return {"error": type(error).__name__, "message": str(error)}
    if isinstance(error, MemoryError):
        return {
            "error": BuildError.__name__,
            "message": f"{who} is out of memory: build again with a smaller --workers; {KEPT}",
        }
    return {
        "error": BuildError.__name__,
        "message": f"{who} met {in_a_line(error)} (unexpected; HIPPOHOVER_DEBUG=1 shows where); "
        f"{KEPT}",
        "traceback": "".join(traceback.format_exception(error)),
    }


def _own_version() -> str:
    return version("hippohover")


def _reason(error: BaseException) -> str:
    """Return the end of Ray's message, which begins with a traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = lines[-1] if lines else type(error).__name__
    return line if len(line) <= 200 else f"{line[:200]}…"
