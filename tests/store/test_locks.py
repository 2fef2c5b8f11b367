"""One writer at a time, and versions that a reader keeps on disk."""

import fcntl
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hippohover.errors import IndexStoreError
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter
from tests.index_samples import (
    hidden,
    live_build,
    publish,
    read_json,
    refused,
    run_here,
    versions,
    write_json,
)


def test_a_second_writer_is_told_who_is_first(index_root: Path):
    (index_root / ".lock").write_text("9" * 15)
    with IndexWriter(index_root):
        words = f"toy: is being written by process {os.getpid()}: wait until it ends, or stop it"
        with refused(IndexStoreError, words), IndexWriter(index_root):
            raise AssertionError("must not get here")
        assert live_build(index_root) == 1
    publish(index_root, 2)


def write_until_killed(root: str, fork: str = "") -> None:
    """Hold the writer's lock; with ``fork``, leave a worker behind that outlives this process."""
    with IndexWriter(root) as writer:
        write_json(writer, "half.json", 1)
        if not fork or os.fork() == 0:
            print(os.getpid(), flush=True)
        time.sleep(60)


@pytest.mark.parametrize("fork", ["", pytest.param("fork", marks=pytest.mark.slow)])
def test_the_lock_of_a_killed_writer_is_no_obstacle(index_root: Path, fork: str):
    first = run_here(write_until_killed, index_root, fork)
    assert first.stdout is not None
    worker = int(first.stdout.readline())
    try:
        with refused(IndexStoreError, f"is being written by process {first.pid}:"):
            publish(index_root, 2)
        first.kill()
        first.wait()
        assert hidden(index_root) == [f".building-{first.pid}"]
        assert live_build(index_root) == 1
        publish(index_root, 2)
        assert live_build(index_root) == 2
        assert hidden(index_root) == []
    finally:
        first.kill()
        if fork:
            os.kill(worker, signal.SIGKILL)
        first.communicate()


def test_a_reader_keeps_its_version(new_root: Path):
    publish(new_root, 1)
    index = StoredIndex.open(new_root)
    for build in (2, 3, 4):
        publish(new_root, build)
    assert versions(new_root) == ["v000001", "v000003", "v000004"]
    assert read_json(index, "titles.json")["build"] == 1
    assert index.verify() == []
    index.close()
    publish(new_root, 5)
    assert versions(new_root) == ["v000004", "v000005"]


def test_a_reader_that_is_dropped_lets_go(new_root: Path):
    publish(new_root, 1)
    index = StoredIndex.open(new_root)
    assert index.version == "v000001"
    del index
    gc.collect()
    for build in (2, 3):
        publish(new_root, build)
    assert versions(new_root) == ["v000002", "v000003"]


def hold_version(root: str) -> None:
    index = StoredIndex.open(root)
    print(index.version, flush=True)
    sys.stdin.read()


@pytest.mark.slow
def test_a_reader_in_another_process_keeps_its_version_until_it_is_killed(index_root: Path):
    reader = run_here(hold_version, index_root, stdin=subprocess.PIPE)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "v000001\n"
    publish(index_root, 2)
    publish(index_root, 3)
    assert "v000001" in versions(index_root)
    reader.kill()
    reader.communicate()
    publish(index_root, 4)
    assert versions(index_root) == ["v000003", "v000004"]


@pytest.mark.parametrize("left", ["", "999999999\n", f"{10**15}\n", "damaged"])
def test_who_has_not_yet_said_who_it_is_is_waited_for(index_root: Path, left: str):
    lock = index_root / ".lock"
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    lock.write_text(left)  # of a killed writer; nothing, between two steps of the holder
    release = threading.Timer(0.5, os.close, [descriptor])
    release.start()
    publish(index_root, 2)
    release.join()
    assert live_build(index_root) == 2


def test_a_writer_that_ended_leaves_no_number(index_root: Path):
    publish(index_root, 2)
    assert not (index_root / ".lock").read_text()
    with pytest.raises(KeyError), IndexWriter(index_root):
        assert (index_root / ".lock").read_text() == f"{os.getpid()}\n"
        raise KeyError
    assert not (index_root / ".lock").read_text()
