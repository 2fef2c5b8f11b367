"""What the tests of the index on disk share: small indexes, ways to damage them, processes."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from hippohover.names.key_table import KeyTable, key_hashes
from hippohover.store.manifest import ManifestFields
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter

TITLES = ["Ada Lovelace", "Löwenzahn", "海", "The Who"]
BUILD_FILES = ("graph/weights.npy", "notes.bin", "passages.arrow", "titles.json")
CHECKED_FILES = (*BUILD_FILES, "manifest.json", "manifest.sha256")
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
FUZZ = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=3)), min_size=1, max_size=4)


def table_of_keys(numbers: Mapping[str, int]) -> KeyTable:
    """Table of a dictionary."""
    return KeyTable.from_hashes(key_hashes(list(numbers)), np.array([*numbers.values()], np.int32))


def fields_of(build: int = 1, **changes: Any) -> ManifestFields:  # noqa: ANN401
    values: dict[str, Any] = {
        "recipe": {"name": "toy", "walk": {"damping": 0.8}},
        "recipe_sha256": sha256(b"toy").hexdigest(),
        "models": {"encoder": {"name": "static", "sha256": "ab"}},
        "counts": {"build": build, "passages": len(TITLES)},
        "dimensions": {"encoder": 3},
        "failures": ["passage 3: no facts"],
        "n_failures": 1,
    }
    return ManifestFields(**{**values, **changes})


def write_files(writer: IndexWriter, build: int = 1) -> None:
    writer.save_array("graph/weights.npy", np.arange(12, dtype=np.float32).reshape(4, 3) + build)
    writer.save_table("passages.arrow", pa.table({"title": TITLES, "part": [build] * 4}))
    write_json(writer, "titles.json", {"titles": TITLES, "build": build})
    with writer.writing("notes.bin") as path:
        path.write_bytes(b"written by some library")


def write_json(writer: IndexWriter, name: str, value: object) -> None:
    """A file that an index holds and no reader of its kinds knows."""
    with writer.writing(name) as path:
        path.write_text(json.dumps(value), encoding="utf-8")


def read_json(index: StoredIndex, name: str) -> Any:  # noqa: ANN401
    return json.loads((index.folder / name).read_text(encoding="utf-8"))


def write_small(root: Path, build: int) -> None:
    """Publish without Arrow, whose threads a fork would lose."""
    with IndexWriter(root) as writer:
        writer.save_array("graph/weights.npy", np.full(50, build))
        write_json(writer, "build.json", build)
        writer.publish(fields_of(build))


def publish(root: Path, build: int = 1) -> Path:
    with IndexWriter(root) as writer:
        write_files(writer, build)
        writer.log["seconds"] = time.monotonic()
        return writer.publish(fields_of(build))


def live_build(root: Path) -> int:
    with StoredIndex.open(root) as index:
        assert index.verify() == []
        return index.manifest.counts["build"]


def versions(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.name.startswith("v"))


def hidden(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.name.startswith((".b", ".r", ".C")))


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 0x01
    path.write_bytes(data)


def seal_manifest(folder: Path, data: bytes) -> None:
    """Write a manifest with a right checksum, so that its content alone is judged."""
    (folder / "manifest.json").write_bytes(data)
    line = f"{sha256(data).hexdigest()}  manifest.json\n"
    (folder / "manifest.sha256").write_text(line)


def edited(data: bytes, edits: list[tuple[int, bytes]]) -> bytes:
    """Bytes of the same length, some of them written over."""
    changed = bytearray(data)
    for position, new in edits:
        start = position % len(data)
        changed[start : start + len(new)] = new[: len(data) - start]
    return bytes(changed)


@contextmanager
def refused(kind: type[Exception], words: str) -> Generator[None]:
    """The block raises exactly this error, its message one line that holds the words."""
    with pytest.raises(kind, match=words) as caught:
        yield
    assert type(caught.value) is kind
    assert str(caught.value).isprintable()


@contextmanager
def limited_files(n_bytes: int) -> Generator[None]:
    """The system refuses to make a file of this process larger: a full disk, as it were."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def run_here(call: FunctionType, *arguments: object, **options: Any) -> "subprocess.Popen[str]":  # noqa: ANN401
    """Start a function of a test module in a process of its own."""
    code = f"import sys, {call.__module__} as m; m.{call.__name__}(*sys.argv[1:])"
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def answer_of(process: "subprocess.Popen[str]") -> Any:  # noqa: ANN401
    """What a function started by ``run_here`` printed, as JSON."""
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return json.loads(out)
