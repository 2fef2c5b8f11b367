"""What the scripts share: measurements that may be stopped, memory, and errors in one line."""

import argparse
import json
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hippohover.errors import HippoHoverError, IndexStoreError
from hippohover.retrieval.engine import HippoHover

Row = dict[str, Any]

_GIB = 2**20  # KiB in a GiB


def read_rows(file: Path, identity: Row) -> list[Row]:
    """Rows that are there; a new file is begun, and one of another measurement refused.

    Its first line says what it is of. A last line that was cut, as by a stop, is removed.
    """
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    whole, newline, cut = text.rpartition("\n")
    if cut or not text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(whole + newline or json.dumps(identity) + "\n", encoding="utf-8")
    first, *rest = map(json.loads, whole.splitlines()) if whole else [identity]
    for key in {**identity, **first}:
        if first.get(key) != identity.get(key):
            raise SystemExit(
                f"error: {file} is of another measurement, with {key} {first.get(key)!r} where "
                f"{identity.get(key)!r} is asked for: name another --out"
            )
    return rest


def at_least(least: int) -> Callable[[str], int]:
    """Reads an option that is a whole number from there on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
        return int(text)

    return read


def check_out(path: Path) -> None:
    """Raise unless a result can be written there: what cannot is told before the work."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a"):
        pass
    if is_new:
        path.unlink()


def opens(index: Path) -> bool:
    """Whether a whole index stands there."""
    try:
        HippoHover.open(index).close()
    except IndexStoreError:
        return False
    return True


class PeakMemory:
    """Samples the memory of a process, this one by default, and its children until it is left.

    The proportional set size counts pages that processes share once.
    """

    def __init__(self, pid: int | None = None) -> None:
        self.gib = 0.0
        self._pid = pid or os.getpid()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(1.0):
            pids = [self._pid, *children(self._pid)]
            self.gib = max(self.gib, sum(map(set_size, pids)) / _GIB)


def children(pid: int) -> list[int]:
    """Processes that a process started, by any of its threads."""
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            found += map(int, file.read_text().split())
    return found


def set_size(pid: int) -> int:
    """Proportional set size of a process, in KiB; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def run_script(main: Callable[[], None]) -> None:
    """Run a script; an error of the package ends it by its one line, with what is done kept.

    So do a file that is not there, Ctrl-C and SIGTERM, after which what it has started is stopped.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except HippoHoverError as error:
        raise SystemExit(f"error: {error}") from None
    except OSError as error:
        if error.filename is None:
            raise
        raise SystemExit(f"error: {error.filename}: {error.strerror}") from None
    except KeyboardInterrupt:
        raise SystemExit("interrupted") from None
