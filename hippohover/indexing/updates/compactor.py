"""Merges segments and encodes passages in a separate process, which nobody waits for."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from hippohover.errors import IndexStoreError
from hippohover.indexing.updates.compaction import due
from hippohover.store.versions import version_folder

_TRIED_AGAIN_SECONDS: Final = 60.0
_NICE: Final = 10


_left: Final[list[subprocess.Popen[str]]] = []
"""Processes that nobody waits for, kept so that they are not reported as lost."""


def start_beside(command: str, root: Path) -> None:
    """Start ``hippohover COMMAND ROOT --beside``, and leave it to itself."""
    _left.append(_started(command, root, subprocess.DEVNULL))


def _started(command: str, root: Path, stderr: int) -> subprocess.Popen[str]:
    program = [sys.executable, "-P", "-m", "hippohover"]  # no code of the folder it is in
    # In a session of its own Ctrl-C does not reach it.
    run = subprocess.Popen(  # noqa: S603
        [*program, command, str(root.absolute()), "--beside"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )
    os.setpriority(os.PRIO_PROCESS, run.pid, _NICE)
    return run


class Compactor:
    """Runs ``hippohover compact --beside`` or ``reencode --beside`` when it is due, one at a time.

    Parameters
    ----------
    root : Path
        Folder of the index. Nothing is done if this process may not write to it.
    tell : callable
        Told of a run that failed, in its own words; it is tried again after a minute.
    """

    def __init__(self, root: Path, tell: Callable[[str], None]) -> None:
        self._root = root
        self._tell = tell
        self._run: subprocess.Popen[str] | None = None
        self._seen = ""  # the version that was looked at, and was not due
        self._not_before = 0.0

    def look(self) -> None:
        """Begin a run if it is due; call this regularly."""
        if self._run is not None and self._run.poll() is not None:
            self._end(self._run)
        may_run = self._run is None and time.monotonic() >= self._not_before
        if may_run and (command := self._due()):
            self._run = _started(command, self._root, subprocess.PIPE)

    def close(self) -> None:
        """Stop a running merge, which leaves the index unchanged."""
        if self._run is not None:
            self._run.terminate()
            self._run.communicate()
            self._run = None

    def _due(self) -> str:
        if not os.access(self._root, os.W_OK):
            return ""
        with suppress(IndexStoreError):  # who reads the index says what is wrong with it
            version = version_folder(self._root).name
            if version != self._seen:
                if command := due(self._root):
                    return command
                self._seen = version
        return ""

    def _end(self, run: subprocess.Popen[str]) -> None:
        _, said = run.communicate()
        self._run = None
        if run.returncode:
            self._not_before = time.monotonic() + _TRIED_AGAIN_SECONDS
            self._tell(said.strip() or f"compacting {self._root} ended with {run.returncode}")
