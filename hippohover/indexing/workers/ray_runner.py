"""The stages of a build on Ray: actors on several machines that share a disk.

Ray may hang forever, and may end the process that talks to it. So a separate process does that
(``ray_driver``), which this one watches and can end. It gets the stages and the numbers of chunks,
and returns the failures and errors of the chunks; the result of a chunk is its file.
"""

import json
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, Final, Self

from hippohover import errors
from hippohover.disk import door
from hippohover.errors import BuildError, UsageError
from hippohover.indexing.workers.processes import connected_ray
from hippohover.indexing.workers.runners import Stage
from hippohover.processors import available_processors
from hippohover.records import ExtractionFailure

_CONNECT_SECONDS: Final = 5.0
_START_SECONDS: Final = 120.0
_TELL_SECONDS: Final = 60.0
_STILL_SECONDS: Final = 600.0
_LOOK_SECONDS: Final = 5.0
_LEAVE_SECONDS: Final = 30.0
_TRIES: Final = "tries-"
_DRIVE: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from hippohover.indexing.workers.ray_driver import drive
drive(int(sys.argv[2]))
"""
KEPT: Final = "finished work is kept"
_log = logging.getLogger("hippohover.indexing")


class RayRunner:
    """Runs stages in actors of Ray; ``close``, or the end of a ``with``, leaves Ray.

    Parameters
    ----------
    address : str or None
        ``HOST:PORT`` of a cluster that this machine belongs to, or ``"auto"`` for the one that was
        started here. None: the cluster that this process is connected to, if any; else a local Ray
        is started.
    workers : int or None
        Actors at most; Ray Data starts them as there is work. As many as Ray has processors when
        None. Each counts as half a processor for Ray, so that they start even where something else
        holds some of them.

    Raises
    ------
    UsageError
        Ray is not installed, or none lets this process in at the address.
    BuildError
        A Ray of this machine cannot be started.
    """

    shares_memory = False

    def __init__(self, address: str | None, workers: int | None) -> None:
        self._address = _connected_to() if address is None else checked_address(address)
        self._workers = workers
        self._driver: _Driver | None = _Driver(self._address)

    def __call__(
        self, make: Callable[[], Stage], folder: Path, numbers: Iterable[int]
    ) -> Generator[list[ExtractionFailure]]:
        numbers = list(numbers)
        if not numbers:
            return
        for number in numbers:
            door.remove(tries_of(folder, number))  # of a build that was stopped
        driver = self._driver = self._driver or _Driver(self._address)
        try:
            driver.ask(make, folder, numbers, self._workers)
            for _ in numbers:
                told = driver.answer(folder)
                yield [ExtractionFailure(*failure) for failure in told["failures"]]
        except BaseException:  # one that wants no more, too: there is no other way to end a stage
            self._driver = None
            driver.kill()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._driver is not None and kind is not None and not issubclass(kind, Exception):
            self._driver.kill()  # stopped: leaving Ray in good order takes long
            self._driver = None
        self.close()

    def close(self) -> None:
        """Leave Ray, and stop what was started of it."""
        if self._driver is not None:
            self._driver.close()
            self._driver = None


def _connected_to() -> str | None:
    """Return the address of the Ray that this process uses already."""
    ray = connected_ray()
    return None if ray is None else ray.get_runtime_context().gcs_address


def checked_address(address: object) -> str:
    """Return the address if something listens there: Ray itself would try for minutes.

    Raises
    ------
    UsageError
        It is neither ``HOST:PORT`` nor ``"auto"``, or nothing answers there.
    """
    if address == "auto":
        return "auto"
    text = address if isinstance(address, str) else ""
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdecimal()) or "/" in text or int(port) > 0xFFFF:
        raise UsageError(
            f"address is {address!r}: give HOST:PORT of a Ray cluster that this machine is one of "
            "(as `ray start --head` prints it), or auto"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except OSError as error:
        raise UsageError(
            f"nothing answers at {address!r} ({error.strerror or error}): start Ray there with "
            "`ray start --head`, which prints its address, or fix --address"
        ) from error
    return text


class _Driver:
    """The process that talks to Ray, connected."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", _DRIVE, json.dumps(sys.path), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.PIPE,  # it ends when this is closed: when this process has ended
                stdout=subprocess.DEVNULL,  # Ray writes there what goes wrong, as well as saying it
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for this process, which then ends that one
            )
        try:
            self._connection.send((address, available_processors()))
            if not self._connection.poll(_START_SECONDS / 6):
                at = "a local Ray" if address is None else f"what answers at {address!r}"
                _log.warning(
                    "note: %s has not accepted this command yet; waiting %.0f s more",
                    at,
                    _START_SECONDS * 5 / 6,
                )
                if not self._connection.poll(_START_SECONDS * 5 / 6):
                    raise _not_started(address)
            self._received()
        except BaseException:
            self.kill()
            raise

    def ask(
        self, make: Callable[[], Stage], folder: Path, numbers: list[int], workers: int | None
    ) -> None:
        """Ask to run a stage; each of its chunks has an answer, in their order."""
        try:
            self._connection.send((make, folder, numbers, workers))
        except OSError as error:
            raise self._ended() from error

    def answer(self, folder: Path) -> dict[str, Any]:
        """Return the answer for the next chunk; wait while any worker does something."""
        signs, since, told = None, time.monotonic(), False
        while not self._connection.poll(_LOOK_SECONDS):
            still_seconds = time.monotonic() - since
            if (seen := _signs_of_work(folder)) != signs:
                signs, since, told = seen, time.monotonic(), False
            elif still_seconds > _TELL_SECONDS and not told:
                _log.warning(
                    "note: no worker of Ray has done anything for %.0f s: see by `ray status` if "
                    "it has room; the build waits %.0f s more",
                    still_seconds,
                    _STILL_SECONDS - still_seconds,
                )
                told = True
            elif still_seconds > _STILL_SECONDS:
                raise BuildError(
                    f"no worker of Ray has done anything for {_STILL_SECONDS / 60:.0f} min: "
                    f"{again(self._address)}, or leave out --runner ray; {KEPT}"
                )
        return self._received()

    def _received(self) -> dict[str, Any]:
        """Return the next message; raise the error in it."""
        try:
            told: dict[str, Any] = json.loads(self._connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise self._ended() from error
        if "error" in told:
            cause = RuntimeError(told["traceback"]) if "traceback" in told else None
            raise getattr(errors, told["error"])(told["message"]) from cause
        return told

    def _ended(self) -> BuildError:
        self.close()
        return BuildError(
            f"the process that talks to Ray has ended (status {self._process.returncode}), most "
            f"likely out of memory, or because Ray ended: {again(self._address)}; {KEPT}"
        )

    def close(self) -> None:
        """Stop the process in good order, or at once where it does not end."""
        self._connection.close()
        try:
            self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill the process if it runs; the Ray that it started ends after it."""
        self._connection.close()
        self._process.kill()
        self._process.communicate()


def _not_started(address: str | None) -> UsageError | BuildError:
    if address is None:
        return BuildError(
            f"a local Ray has not started in {_START_SECONDS:.0f} s: build again when the machine "
            "is less busy, or leave out --runner ray"
        )
    return UsageError(
        f"what answers at {address!r} is not Ray, or it is not healthy (no connection in "
        f"{_START_SECONDS:.0f} s): start one with `ray start --head`, or fix --address"
    )


def again(address: str | None) -> str:
    """Say what to do after Ray has failed: the one started for the build is gone."""
    if address is None:
        return "build again"
    return (
        "see by `ray status` whether its nodes are there and have room, and that each has this "
        "Python, this hippohover and its packages, then build again"
    )


def tries_of(folder: Path, number: int) -> Path:
    """Return the file with a byte for each unfinished try of a chunk.

    A worker that is at the chunk touches it now and then.
    """
    return folder / f"{_TRIES}{number:05d}"


def _signs_of_work(folder: Path) -> dict[str, int]:
    """Return when each chunk's worker last gave a sign, by the clock of its disk."""
    signs: dict[str, int] = {}
    with (
        suppress(FileNotFoundError),
        os.scandir(folder) as entries,
    ):  # the nodes say it is not there
        for entry in entries:
            if entry.name.startswith(_TRIES):
                try:
                    signs[entry.name] = entry.stat().st_mtime_ns
                except FileNotFoundError:  # it was done just now
                    signs[entry.name] = 0
    return signs
