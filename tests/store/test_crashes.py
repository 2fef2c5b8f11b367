"""Writers that are killed, struck or read meanwhile: what is visible is whole, at every step."""

import errno
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import IndexStoreError
from hippohover.store.reader import StoredIndex
from tests.index_samples import (
    answer_of,
    hidden,
    live_build,
    read_json,
    run_here,
    versions,
    write_small,
)


def strike_at(step: int, root: Path, strike: Callable[[], None]) -> list[str]:
    """Count this process's calls that open, make, rename or remove; strike before one of them.

    The list that is returned gets the name of that call when it comes.
    """
    calls, struck = count(1), list[str]()
    removals = {"os.remove", "os.rmdir"}

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        # Names of what is made, flushed, renamed or removed are relative to a folder that is open.
        name = str(arguments[0]) if arguments else ""
        writes = event == "open" and (arguments[2] or 0) & (os.O_CREAT | os.O_DIRECTORY)
        below = event in {"os.mkdir", "os.rename"} or (writes and "/" not in name)
        below = below or (event == "open" and name.startswith(str(root)))
        if (below or event in removals) and next(calls) == step:
            struck.append(event)
            strike()

    sys.addaudithook(watch)
    return struck


def no_space() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupt() -> None:
    raise KeyboardInterrupt


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


STRIKES = {"die": die, "no_space": no_space, "interrupt": interrupt}
UNTOUCHED, WENT_ON, REFUSED, INTERRUPTED, OTHER = range(5)


def end_of_victim(root: Path, strike: Callable[[], None], step: int) -> int:
    """How a forked writer of build 3 ends that is struck at a step."""
    child = os.fork()
    if child == 0:
        end = OTHER
        try:
            struck = strike_at(step, root, strike)
            write_small(root, 3)
            end = WENT_ON if struck else UNTOUCHED
        except IndexStoreError:
            end = REFUSED
        except KeyboardInterrupt:
            end = INTERRUPTED
        finally:
            os._exit(end)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def strike_every_step(place: str, name: str) -> None:
    """For each step of a third publish: strike there, look, write again; print what was seen."""
    root, template = Path(place), Path(f"{place} with two builds")
    write_small(template, 1)
    write_small(template, 2)
    seen: list[tuple[int, int, list[int], list[str]]] = []
    end = OTHER
    while end != UNTOUCHED:
        shutil.copytree(template, root)
        end = end_of_victim(root, STRIKES[name], len(seen) + 1)
        visible = [live_build(root / version) for version in versions(root)]
        seen.append((end, live_build(root), visible, hidden(root)))
        write_small(root, 4)
        assert live_build(root) == 4
        assert hidden(root) == []
        shutil.rmtree(root)
    print(json.dumps(seen[:-1]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("die", {-signal.SIGKILL}),
        ("no_space", {REFUSED, WENT_ON}),
        ("interrupt", {INTERRUPTED}),
    ],
)
def test_a_writer_struck_at_any_step_leaves_a_whole_index(
    new_root: Path, name: str, ends: set[int]
):
    seen = answer_of(run_here(strike_every_step, new_root, name))
    assert len(seen) > 20
    assert {end for end, *_ in seen} == ends
    lives = [live for end, live, _, _ in seen if end != WENT_ON]
    assert lives == sorted(lives)
    assert set(lives) == {2, 3}
    for end, live, visible, left in seen:
        # What is visible is whole: live_build compared each of its bytes.
        assert visible in ([1, 2], [1, 2, 3], [2, 3])
        assert live in visible
        if end in {REFUSED, WENT_ON}:
            assert left == []
        if end == WENT_ON:
            assert live == 3
    if name != "no_space":
        assert any(live == 2 and 3 in visible for _, live, visible, _ in seen), "before CURRENT"


def kill_at_random(place: str, n_kills: str) -> None:
    """Kill writers that publish without end, at any moment; print the builds that were live."""
    root, moments = Path(place), random.Random(5)  # noqa: S311
    write_small(root, 0)
    lives: list[int] = []
    for _ in range(int(n_kills)):
        child = os.fork()
        if child == 0:
            for build in count(live_build(root) + 1):
                write_small(root, build)
        time.sleep(moments.uniform(0.0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lives.append(live_build(root))
        assert all(live_build(root / version) for version in versions(root)[1:])
    print(json.dumps(lives))


@pytest.mark.slow
def test_writers_killed_at_random_moments_leave_a_whole_index(new_root: Path):
    lives = answer_of(run_here(kill_at_random, new_root, 60))
    assert lives == sorted(lives)
    assert lives[-1] > 3


def read_while_written(place: str, n_builds: str) -> None:
    """Open the live version again and again while another process publishes; print the builds."""
    root, lives = Path(place), list[int]()
    write_small(root, 0)
    child = os.fork()
    if child == 0:
        for build in range(1, int(n_builds) + 1):
            write_small(root, build)
        os._exit(0)
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        with StoredIndex.open(root) as index:
            lives.append(read_json(index, "build.json"))
            assert index.array("graph/weights.npy").tolist() == lives[-1:] * 50
    print(json.dumps(lives))


@pytest.mark.slow
def test_readers_never_see_a_version_come_or_go(new_root: Path):
    lives = answer_of(run_here(read_while_written, new_root, 150))
    assert lives == sorted(lives)
    assert len(set(lives)) > 5
