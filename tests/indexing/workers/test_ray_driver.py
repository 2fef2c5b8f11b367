"""What runs in an actor of Ray, without Ray: tries of a chunk, and errors that are told."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import ModelError
from hippohover.indexing.workers import ray_driver
from hippohover.indexing.workers.ray_runner import tries_of
from hippohover.indexing.workers.runners import Stage
from hippohover.records import ExtractionFailure, PassageId

VERSION = ray_driver._own_version()  # pyright: ignore[reportPrivateUsage]


def told(stage: Stage, folder: Path, version: str = VERSION) -> dict[str, Any]:
    """What a worker says of chunk 7, as the build reads it."""
    worker = ray_driver._Worker(lambda: stage, folder, version)  # pyright: ignore[reportPrivateUsage]
    return json.loads(worker({"number": [7]})["told"][0])


def test_failures_are_told_and_a_chunk_that_is_done_leaves_no_tries(tmp_path: Path):
    def stage(number: int) -> Sequence[ExtractionFailure]:
        assert tries_of(tmp_path, number).read_bytes() == b"."  # while it is under way
        return [ExtractionFailure(PassageId("a"), "no verb")]

    assert told(stage, tmp_path) == {"failures": [["a", "no verb"]]}
    assert list(tmp_path.iterdir()) == []


def test_a_chunk_whose_workers_were_killed_is_given_up(tmp_path: Path):
    tries_of(tmp_path, 7).write_bytes(b"....")
    found = told(lambda _: [], tmp_path)
    assert found["error"] == "BuildError"
    assert "the worker of this chunk was killed 4 times" in found["message"]
    assert "smaller --workers" in found["message"]


def test_a_node_without_the_folder_or_of_another_version_says_so(tmp_path: Path):
    assert "does not see this folder" in told(lambda _: [], tmp_path / "none")["message"]
    assert (
        f"has hippohover {VERSION} and not 0.0.7"
        in told(lambda _: [], tmp_path, "0.0.7")["message"]
    )


def test_an_error_of_the_package_is_told_as_it_is(tmp_path: Path):
    def broken(_number: int) -> Sequence[ExtractionFailure]:
        raise ModelError("no such model")

    assert told(broken, tmp_path) == {"error": "ModelError", "message": "no such model"}


def test_any_other_error_is_one_line_with_its_traceback_aside(tmp_path: Path):
    def broken(_number: int) -> Sequence[ExtractionFailure]:
        raise ZeroDivisionError("two\nlines")

    found = told(broken, tmp_path)
    assert found["error"] == "BuildError"
    assert "met ZeroDivisionError: two lines (unexpected; " in found["message"]
    assert "in broken" in found["traceback"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [(RuntimeError("Ray failed\n at node 1\n  no memory \n"), "no memory"),
     (RuntimeError(" "), "RuntimeError"), (RuntimeError("x" * 300), "x" * 200 + "…")],
)  # fmt: skip
def test_of_what_ray_says_the_end_is_told(error: Exception, reason: str):
    assert ray_driver._reason(error) == reason  # pyright: ignore[reportPrivateUsage]


def test_want_of_memory_is_called_so(tmp_path: Path):
    def want(_: int) -> Sequence[ExtractionFailure]:
        raise MemoryError("1 GiB")

    found = told(want, tmp_path)
    assert found["error"] == "BuildError"
    assert "is out of memory: build again with a smaller --workers" in found["message"]
    assert "unexpected" not in found["message"]
