"""Merges segments in a separate process, for those who follow an index for long."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from hippohover.errors import IndexStoreError
from hippohover.indexing.updates.compaction import is_due
from hippohover.store.versions import version_folder

_TRIED_AGAIN_SECONDS: Final = 60.0
_NICE: Final = 10


class Compactor:
    """Runs ``hippohover compact --beside`` on an index when it is due, one run at a time.

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
        if self._run is None and time.monotonic() >= self._not_before and self._is_due():
            program = [sys.executable, "-P", "-m", "hippohover"]  # no code of the folder it is in
            command = [*program, "compact", str(self._root.absolute()), "--beside"]
            # In a session of its own Ctrl-C does not reach it: ``close`` ends it.
            self._run = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            os.setpriority(os.PRIO_PROCESS, self._run.pid, _NICE)

    def close(self) -> None:
        """Stop a running merge, which leaves the index unchanged."""
        if self._run is not None:
            self._run.terminate()
            self._run.communicate()
            self._run = None

    def _is_due(self) -> bool:
        if not os.access(self._root, os.W_OK):
            return False
        with suppress(IndexStoreError):  # who reads the index says what is wrong with it
            version = version_folder(self._root).name
            if version != self._seen:
                if is_due(self._root):
                    return True
                self._seen = version
        return False

    def _end(self, run: subprocess.Popen[str]) -> None:
        _, said = run.communicate()
        self._run = None
        if run.returncode:
            self._not_before = time.monotonic() + _TRIED_AGAIN_SECONDS
            self._tell(said.strip() or f"compacting {self._root} ended with {run.returncode}")
