"""Commands in processes that begin at once, each to be struck, stopped or killed as it runs.

``python -m hippohover`` imports for a second before it does anything. Here one server imports what
the commands import, and no more, and forks a process for each command that is ordered: it leads a
group of its own, runs ``hippohover.cli.main`` and ends as a command typed by a user does.
"""

import array
import ctypes
import errno
import gc
import hashlib
import importlib
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import asdict, dataclass
from io import StringIO
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast

_IMPORTED: Final = (
    *("hippohover.cli.indexing.build", "hippohover.cli.query", "hippohover.cli.indexing.update"),
    *("hippohover.indexing.build", "hippohover.indexing.update", "hippohover.indexing.garbage"),
    *("hippohover.retrieval.engine", "hippohover.vectors.static_encoder"),
    *("rich.console", "rich.table", "rich.padding", "rich.progress", "safetensors.numpy"),
    *("Stemmer", "tokenizers", "pyarrow.ipc", "pyarrow.compute", "sqlite3", "pydantic.dataclasses"),
    *("pydoc", "pkgutil", "cmath", "argparse", "charset_normalizer", "unittest"),
)
_LONGEST_SECONDS: Final = 120.0
_CAPABILITIES_V3: Final = 0x20080522
_ANY_FILE: Final = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


@dataclass(frozen=True)
class Strike:
    """What befalls a command before one of its steps, and the step's number, from 1.

    A step is a call that opens a file to write, locks, makes, renames or removes, below ``root``.

    Attributes
    ----------
    name : str
        "die", "terminate" or "interrupt": that signal. "no space": this one call is refused.
        "full": all that is written from here on is, after ``room`` bytes of each file.
    """

    name: str
    step: int
    room: int = 0


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, or minus the signal; what it wrote; steps it began."""

    code: int
    out: str
    err: str
    steps: tuple[str, ...]


FEW: Final = 10
"""Passages that a change touches for its segment to be closed, in the commands here."""


class Forks:
    """The server, seen from the harness: ``with Forks() as forks``."""

    def __enter__(self) -> Self:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "tests.fault_processes", str(theirs.fileno())],
                env=_environment(), pass_fds=[theirs.fileno()], start_new_session=True,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._orders.close()
        self._server.wait(timeout=_LONGEST_SECONDS)

    def start(
        self,
        *arguments: object,
        call: str = "command",
        root: Path | None = None,
        bound: bool = False,
        strike: Strike | None = None,
    ) -> "Process":
        """Begin a command, or one of ``CALLS``; its steps below ``root`` are told."""
        pipes = [os.pipe() for _ in range(3)]
        order = {
            "call": call, "arguments": [str(one) for one in arguments], "bound": bound,
            "root": None if root is None else str(root),
            "strike": None if strike is None else asdict(strike),
        }  # fmt: skip
        writes = array.array("i", [write for _, write in pipes])
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, writes)]
        self._orders.sendmsg([json.dumps(order).encode()], rights)
        pid = int(self._orders.recv(100))
        for _, write in pipes:
            os.close(write)
        return Process(self, pid, [read for read, _ in pipes])

    def run(
        self, *arguments: object, root: Path | None = None, bound: bool = False,
        strike: Strike | None = None,
    ) -> Ended:  # fmt: skip
        """A command, from its begin to its end."""
        return self.start(*arguments, root=root, bound=bound, strike=strike).wait()

    def code_of(self, pid: int) -> int | None:
        """Exit code of a process that has ended, asked for once."""
        self._orders.send(json.dumps({"ended": pid}).encode())
        return cast("int | None", json.loads(self._orders.recv(100)))


class Process:
    """A command that runs."""

    def __init__(self, forks: Forks, pid: int, pipes: Sequence[int]) -> None:
        self.pid: Final = pid
        self._forks = forks
        self._pipes = pipes
        self._code: int | None = None

    def has_ended(self) -> bool:
        if self._code is None:
            self._code = self._forks.code_of(self.pid)
        return self._code is not None

    def send(self, number: int, *, group: bool = False) -> None:
        """Send a signal to the process, or to its workers too; none when it has ended."""
        if not self.has_ended():
            with suppress(ProcessLookupError):
                (os.killpg if group else os.kill)(self.pid, number)

    def end_group(self) -> None:
        """Kill what is left of its workers."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def wait(self, seconds: float = _LONGEST_SECONDS) -> Ended:
        """Its end; ``AssertionError`` when that does not come."""
        deadline = time.monotonic() + seconds
        while not self.has_ended():
            if time.monotonic() > deadline:
                self.send(signal.SIGKILL, group=True)
                raise AssertionError(f"process {self.pid} had not ended after {seconds} s")
            time.sleep(0.002)
        out, err, told = map(_drained, self._pipes)
        assert self._code is not None
        return Ended(self._code, out, err, tuple(told.splitlines()))


def _drained(pipe: int) -> str:
    """What stands in a pipe, which workers that outlive their parent may hold open."""
    found: list[bytes] = []
    while select.select([pipe], [], [], 0)[0] and (data := os.read(pipe, 1 << 16)):
        found.append(data)
    os.close(pipe)
    return b"".join(found).decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    """Plain output in 100 columns; one thread, for a fork takes none along."""
    kept = {name: value for name, value in os.environ.items() if name != "HIPPOHOVER_DEBUG"}
    package = str(Path(__file__).parents[1])
    plain = {"COLUMNS": "100", "TERM": "dumb", "OPENBLAS_NUM_THREADS": "1"}
    return {**kept, **plain, "PYTHONPATH": package, "PYTHONWARNINGS": "ignore"}


# What runs in the server, and in the processes that it forks


def serve(descriptor: int) -> None:
    """Fork a process for each order and say its number; say how it ended, when asked."""
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.freeze()  # else each process copies what is shared when it collects its garbage
    with socket.socket(fileno=descriptor) as orders:
        while True:
            data, pipes, _, _ = socket.recv_fds(orders, 1 << 16, 3)
            if not data:
                return
            order = json.loads(data)
            if "ended" in order:
                pid, status = os.waitpid(order["ended"], os.WNOHANG)
                code = os.waitstatus_to_exitcode(status) if pid else None
                orders.send(json.dumps(code).encode())
                continue
            child = os.fork()
            if child == 0:
                _become(order, pipes)
                return
            for pipe in pipes:
                os.close(pipe)
            orders.send(str(child).encode())


def _become(order: dict[str, Any], pipes: Sequence[int]) -> None:
    """Be the process that was ordered."""
    os.setsid()
    out, err, told = pipes
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order["bound"]:
        _be_bound_by_modes()
    if order["root"] is not None:
        _watch(order["root"], told, order["strike"])
    CALLS[order["call"]](order["arguments"])


def _be_bound_by_modes() -> None:
    """Give up what lets root read and write everything, whatever the mode says.

    The user stays: another one might not be let into the folders that Python is in.
    """
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; for each 32 capabilities
    if libc.capget(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    for place in range(2):
        sets[place] &= ~_ANY_FILE
    if libc.capset(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _watch(root: str, told: int, strike: dict[str, Any] | None) -> None:
    """Tell each step, and strike before one of them."""
    steps = count(1)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if not _is_step(event, arguments, root):
            return
        step = next(steps)
        name = str(arguments[0]).removeprefix(root) if arguments else ""
        os.write(told, f"{event} {name}\n".encode())
        if strike is not None and step == strike["step"]:
            _STRIKES[strike["name"]](strike["room"])

    sys.addaudithook(watch)


def _is_step(event: str, arguments: tuple[Any, ...], root: str) -> bool:
    if event in {"os.remove", "os.rmdir", "fcntl.flock"}:  # named relative to an open folder
        return True
    if event == "open" and not (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR):
        return False
    known = event in {"open", "os.mkdir", "os.rename", "sqlite3.connect"}
    # The door opens, makes and renames by a name in an open folder.
    return known and (str(arguments[0]).startswith(root) or "/" not in str(arguments[0]))


def _refuse(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _fill_up(room: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))


def _kill_by(number: int) -> Callable[[int], None]:
    return lambda _: os.kill(os.getpid(), number)


_STRIKES: Final[dict[str, Callable[[int], None]]] = {
    "die": _kill_by(signal.SIGKILL),
    "terminate": _kill_by(signal.SIGTERM),
    "interrupt": _kill_by(signal.SIGINT),
    "no space": _refuse,
    "full": _fill_up,
}


def _command(arguments: list[str]) -> None:
    from hippohover.cli import main
    from hippohover.indexing.updates import compaction, small_change

    # In an index as small as those here, a change of few passages closes a segment.
    for module, name, number in (
        (small_change, "CLOSED", FEW),
        (compaction, "CLOSED", FEW),
        (compaction, "SPARE_SHARE", 0),
    ):
        setattr(module, name, number)
    sys.argv = ["hippohover", *arguments]
    main()


def _typed(arguments: list[str]) -> None:
    """The same in a new interpreter."""
    os.execv(sys.executable, [sys.executable, "-m", "hippohover", *arguments])  # noqa: S606


def _reader(arguments: list[str]) -> None:
    """Read an index again and again; print what was seen, and the first thing that is wrong.

    ``arguments``: root, JSON of the claims, JSON of the answers by manifest, seconds.
    """
    root, claims, answers, seconds = arguments
    reading = _Reading(root, json.loads(claims), json.loads(answers))
    wrong = reading.run(float(seconds))
    print(json.dumps({"seen": reading.seen, "versions": len(reading.versions), "wrong": wrong}))


Answer = list[list[Any]]
"""pid and score of each passage."""


class _Reading:
    """One reading process: an engine that goes on with what is published, openings, commands."""

    def __init__(self, root: str, claims: list[str], answers: dict[str, list[Answer]]) -> None:
        self.root, self.claims, self.answers = root, claims, answers
        self.seen = {"answers": 0, "openings": 0, "commands": 0, "reloads": 0}
        self.versions: set[str] = set()

    def run(self, seconds: float) -> str | None:
        from hippohover.retrieval.engine import HippoHover

        engine, end = HippoHover.open(self.root), time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                self.seen["reloads"] += engine.reload()
                self._ask(engine.stored.folder, answers_of(engine, self.claims))
                self._open()
                self._query()
        except Exception as error:  # whatever it is, the harness shows it
            return f"{type(error).__name__}: {error}"
        return None

    def _ask(self, folder: Path, found: list[Answer]) -> None:
        before = max(self.versions, default="")
        assert folder.name >= before, f"{folder.name} was live after {before}"
        self.versions.add(folder.name)
        expected = self.answers.get(manifest_of(folder))
        assert expected is not None, f"{folder} is no known version"
        assert found == expected, f"{folder} gives another answer: {found}"
        self.seen["answers"] += len(found)

    def _open(self) -> None:
        from hippohover.store.reader import StoredIndex

        with StoredIndex.open(self.root) as stored:
            assert stored.verify() == []
            assert manifest_of(stored.folder) in self.answers, f"{stored.folder} is not known"
        self.seen["openings"] += 1

    def _query(self) -> None:
        from hippohover.cli import run

        with redirect_stdout(StringIO()) as out:
            code = run(["query", self.root, self.claims[0], "--json"])
        assert code == 0, "query failed"
        passages = json.loads(out.getvalue())["passages"]
        found = [[one["pid"], one["score"]] for one in passages]
        assert found in [answers[0] for answers in self.answers.values()], f"query said {found}"
        self.seen["commands"] += 1


def answers_of(engine: Any, claims: Sequence[str]) -> list[Answer]:  # noqa: ANN401
    """pid and score of every passage that an engine gives for each claim."""
    return [[[one.pid, one.score] for one in engine.retrieve(claim).passages] for claim in claims]


def manifest_of(folder: Path) -> str:
    """What tells one state of an index from all others: its manifest's sum holds those of all.

    A base counts by its own sum, whatever version it is.
    """
    manifest = json.loads((folder / "manifest.json").read_bytes())
    if manifest["base"]:
        del manifest["base"]["version"]
    return hashlib.sha256(json.dumps(manifest).encode()).hexdigest()


CALLS: Final[dict[str, Callable[[list[str]], None]]] = {
    "command": _command,
    "typed": _typed,
    "reader": _reader,
}


if __name__ == "__main__":
    serve(int(sys.argv[1]))
