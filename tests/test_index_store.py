"""The index on disk: publishing in one step, opening, damage, crashes, full disks, two writers."""

import errno
import gc
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError

import hippohover
from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError
from hippohover.index_store import (
    FORMAT_VERSION,
    KEPT_VERSIONS,
    SMALL_FILE_BYTES,
    IndexWriter,
    ManifestFields,
    StoredIndex,
)

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


# Material


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
    writer.save_json("titles.json", {"titles": TITLES, "build": build})
    with writer.writing("notes.bin") as path:
        path.write_bytes(b"written by some library")


def write_small(root: Path, build: int) -> None:
    """Publish without Arrow, whose threads a fork would lose."""
    with IndexWriter(root) as writer:
        writer.save_array("graph/weights.npy", np.full(50, build))
        writer.save_json("build.json", build)
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


@contextmanager
def refused(kind: type[Exception], words: str) -> Generator[None]:
    """The block raises exactly this error, its message one line that holds the words."""
    with pytest.raises(kind, match=words) as caught:
        yield
    assert type(caught.value) is kind
    assert str(caught.value).isprintable()


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    """A folder on a disk in memory, if there is one: an fsync per file costs much elsewhere."""
    disk = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(dir=disk if os.access(disk, os.W_OK) else None) as made:
        yield Path(made)


@pytest.fixture(scope="module")
def template(memory: Path) -> Path:
    publish(memory / "template")
    return memory / "template"


@pytest.fixture
def place(memory: Path) -> Iterator[Path]:
    """An empty folder, this test's own."""
    with tempfile.TemporaryDirectory(dir=memory) as made:
        yield Path(made)


@pytest.fixture
def root(template: Path, place: Path) -> Path:
    """Root with one published version, this test's own."""
    return Path(shutil.copytree(template, place / "toy"))


@pytest.fixture
def folder(root: Path) -> Path:
    return root / "v000001"


@pytest.fixture
def new_root(place: Path) -> Path:
    """Root that is not there yet."""
    return place / "new"


def run_here(call: str, *arguments: object, **options: Any) -> "subprocess.Popen[str]":  # noqa: ANN401
    """Start a function of this module in a process of its own."""
    package = Path(hippohover.__file__).parent.parent
    path = os.pathsep.join([str(package), str(Path(__file__).parent)])
    code = f"import sys, {Path(__file__).stem} as m; m.{call}(*sys.argv[1:])"
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def answer_of(process: "subprocess.Popen[str]") -> Any:  # noqa: ANN401
    """What a function started by ``run_here`` printed, as JSON."""
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return json.loads(out)


# Writing, then reading


def test_what_is_published_is_read_back(root: Path):
    with StoredIndex.open(root) as index:
        assert index.version == "v000001"
        assert index.folder == root / "v000001"
        weights = index.array("graph/weights.npy")
        assert np.array_equal(weights, np.arange(12).reshape(4, 3) + 1)
        assert weights.dtype == np.float32
        assert index.table("passages.arrow").to_pydict() == {"title": TITLES, "part": [1] * 4}
        assert index.json("titles.json") == {"titles": TITLES, "build": 1}
        assert (index.folder / "notes.bin").read_bytes() == b"written by some library"


def test_the_manifest_says_what_was_built(root: Path):
    with StoredIndex.open(root) as index:
        manifest = index.manifest
        assert manifest.format_version == FORMAT_VERSION
        assert {**dict(manifest), "files": 0, "format_version": 0} == {
            **dict(fields_of()),
            "files": 0,
            "format_version": 0,
        }
        assert tuple(manifest.files) == BUILD_FILES
        for name, entry in manifest.files.items():
            data = (index.folder / name).read_bytes()
            assert (entry.n_bytes, entry.sha256) == (len(data), sha256(data).hexdigest())
        assert index.sizes() == {n: (index.folder / n).stat().st_size for n in BUILD_FILES}


def test_the_layout_is_the_documented_one(root: Path):
    assert sorted(path.name for path in root.iterdir()) == [".lock", "CURRENT", "v000001"]
    assert (root / "CURRENT").read_bytes() == b"v000001\n"
    found = {str(p.relative_to(root / "v000001")) for p in (root / "v000001").rglob("*")}
    assert found == {*CHECKED_FILES, "build_log.json", "graph"}
    assert "seconds" in json.loads((root / "v000001" / "build_log.json").read_bytes())


def test_sha256sum_can_check_the_manifest(folder: Path):
    tool = shutil.which("sha256sum")
    if tool is None:
        pytest.skip("the program sha256sum is not installed")
    call = [tool, "-c", "manifest.sha256"]
    assert subprocess.check_output(call, cwd=folder) == b"manifest.json: OK\n"  # noqa: S603


def test_the_root_its_version_and_a_link_all_open(root: Path, place: Path):
    link = place / "link"
    link.symlink_to(root)
    for path in (root, str(root), root / "v000001", link, root / "v000001" / ".."):
        with StoredIndex.open(path) as index:
            assert index.folder == root / "v000001"


def test_arrays_are_mapped_and_read_only(root: Path):
    with StoredIndex.open(root) as index:
        weights = index.array("graph/weights.npy")
    assert isinstance(weights, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        weights[0, 0] = 5


def test_tables_are_mapped_and_not_loaded(place: Path):
    with IndexWriter(place) as writer:
        writer.save_table("t.arrow", pa.table({"text": ["many words " * 50] * 20_000}))
        writer.publish(fields_of())
    gc.collect()
    before = pa.total_allocated_bytes()
    with StoredIndex.open(place) as index:
        table = index.table("t.arrow")
        assert index.sizes()["t.arrow"] > 10_000_000
        assert pa.total_allocated_bytes() - before < 100_000
    assert table["text"][19_999].as_py() == "many words " * 50


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(0),
        np.zeros((0, 3), dtype=np.int32),
        np.array(2.5),
        np.array(["a", "ünï"]),
        np.array([], dtype="U"),
        np.array([True, False]),
        np.array([1, 2], dtype=">i4"),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(10)[::-2],
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_arrays_of_every_shape_and_type_come_back(new_root: Path, array: NDArray[Any]):
    with IndexWriter(new_root) as writer:
        writer.save_array("a.npy", array)
        np.save(new_root / "plain.npy", np.asarray(array, order="C"))
        assert (writer.folder / "a.npy").read_bytes() == (new_root / "plain.npy").read_bytes()
        writer.publish(fields_of())
    with StoredIndex.open(new_root) as index:
        found = index.array("a.npy")
        assert found.dtype == array.dtype
        assert found.shape == array.shape
        assert np.array_equal(found, array)


def test_a_library_may_write_into_the_folder_itself(new_root: Path):
    with IndexWriter(new_root) as writer:
        np.save(writer.folder / "own.npy", np.asfortranarray(np.arange(6).reshape(2, 3)))
        (writer.folder / "deep" / "er").mkdir(parents=True)
        (writer.folder / "deep" / "er" / "x").write_bytes(b"")
        writer.publish(fields_of())
    with StoredIndex.open(new_root) as index:
        assert list(index.sizes()) == ["deep/er/x", "own.npy"]
        assert index.array("own.npy").tolist() == [[0, 1, 2], [3, 4, 5]]
        assert index.verify() == []


def test_an_empty_table_and_one_of_many_batches(new_root: Path):
    many = pa.table({"n": range(150_000), "s": [str(n % 7) for n in range(150_000)]})
    with IndexWriter(new_root) as writer:
        writer.save_table("none.arrow", many.schema.empty_table())
        writer.save_table("many.arrow", many)
        writer.publish(fields_of())
    with StoredIndex.open(new_root) as index:
        assert index.table("none.arrow").equals(many.schema.empty_table())
        assert index.table("many.arrow").equals(many)


def test_chunks_with_unlike_dictionaries_are_written(new_root: Path):
    values = ["a", "b"] * 40_000, ["c"] * 40_000
    chunks = [pa.array(chunk).dictionary_encode() for chunk in values]
    with IndexWriter(new_root) as writer:
        writer.save_table("d.arrow", pa.table({"d": pa.chunked_array(chunks)}))
        writer.publish(fields_of())
    with StoredIndex.open(new_root) as index:
        assert index.table("d.arrow")["d"].to_pylist() == values[0] + values[1]


# The same bytes for the same data


def contents(folder: Path) -> dict[str, bytes]:
    """Bytes of every file but the log."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    found = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    assert found.pop("build_log.json")
    return found


def test_two_writers_of_the_same_data_give_the_same_bytes(place: Path):
    first, second = publish(place / "one"), publish(place / "deeper" / "two")
    assert contents(first) == contents(second)
    assert contents(publish(place / "one", build=2)) != contents(first)


def publish_toy(root: str) -> None:
    publish(Path(root))
    print("true")


def test_another_process_and_hash_seed_give_the_same_bytes(folder: Path, place: Path):
    environment = pytest.MonkeyPatch()
    with environment.context() as patch:
        patch.setenv("PYTHONHASHSEED", "7")
        assert answer_of(run_here("publish_toy", place / "other"))
    assert contents(place / "other" / "v000001") == contents(folder)


def test_order_of_keys_and_of_memory_does_not_count(new_root: Path):
    grid = np.arange(12).reshape(3, 4)
    with IndexWriter(new_root) as writer:
        writer.save_json("a.json", {"x": 1, "y": {"p": [1.5, "ß"], "q": None}})
        writer.save_json("b.json", {"y": {"q": None, "p": (1.5, "ß")}, "x": 1})
        writer.save_array("a.npy", grid)
        writer.save_array("b.npy", np.asfortranarray(grid))
        for kind in ("json", "npy"):
            one, two = (writer.folder / f"{name}.{kind}" for name in "ab")
            assert one.read_bytes() == two.read_bytes()
        assert (writer.folder / "a.json").read_text() == '{"x":1,"y":{"p":[1.5,"ß"],"q":null}}\n'


ROWS = st.lists(
    st.tuples(
        st.none() | st.text(max_size=4),
        st.none() | st.integers(0, 9),
        st.none() | st.booleans(),
        st.none() | st.lists(st.text(max_size=2), max_size=3),
    ),
    max_size=12,
)
COLUMNS = pa.schema(
    [("s", pa.string()), ("n", pa.int64()), ("b", pa.bool_()), ("l", pa.list_(pa.string()))]
)


def table_of(rows: list[Any]) -> Any:  # noqa: ANN401
    columns = zip(*rows, strict=True) if rows else [()] * 4
    return pa.table(
        [pa.array(column, kind) for column, kind in zip(columns, COLUMNS.types, strict=True)],
        schema=COLUMNS,
    )


@pytest.fixture(scope="module")
def open_writer(memory: Path) -> Iterator[IndexWriter]:
    with IndexWriter(memory / "open") as writer:
        yield writer


@given(before=ROWS, rows=ROWS, after=ROWS, cut=st.integers(0, 12))
def test_chunks_and_slices_of_a_table_do_not_count(
    open_writer: IndexWriter, before: list[Any], rows: list[Any], after: list[Any], cut: int
):
    part = table_of(before + rows + after).slice(len(before), len(rows))
    pieces = pa.concat_tables([part.slice(0, cut), part.slice(cut)])
    open_writer.save_table("whole.arrow", table_of(rows))
    open_writer.save_table("pieces.arrow", pieces)
    one, two = (open_writer.folder / f"{name}.arrow" for name in ("whole", "pieces"))
    assert one.read_bytes() == two.read_bytes()


# What a writer refuses


@pytest.mark.parametrize(
    "name",
    [
        *["", ".", "..", "../x", "a/../x", "/etc/x", "a//x", "./x", "a/", "a\nb", "a\0b", "\ud800"],
        *["manifest.json", "manifest.sha256", "build_log.json"],
    ],
)
def test_names_that_leave_the_folder_or_are_taken_are_refused(open_writer: IndexWriter, name: str):
    with refused(UsageError, "cannot name a file of an index"), open_writer.writing(name):
        raise AssertionError("must not get here")


@given(st.text(alphabet="a./\\~\n\0é", max_size=12))
def test_whatever_the_name_the_path_stays_inside(open_writer: IndexWriter, name: str):
    try:
        with open_writer.writing(name) as path:
            inside = Path(os.path.normpath(path)).relative_to(open_writer.folder)
            assert inside.as_posix() == name
    except UsageError as error:
        assert str(error).isprintable()


def test_a_name_must_end_as_its_kind_does(open_writer: IndexWriter):
    with refused(UsageError, r"x: does not end in \.npy: name it x\.npy"):
        open_writer.save_array("x", np.zeros(1))
    with refused(UsageError, r"does not end in \.arrow"):
        open_writer.save_table("x.npy", pa.table({}))
    with refused(UsageError, r"does not end in \.json"):
        open_writer.save_json("x.jsonl", [])
    assert not list(open_writer.folder.glob("x*"))


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1, 2}, b"bytes", "\ud800", {1: 1, "a": 2}, np.int64(3), object()],
    ids=repr,
)
def test_what_json_cannot_hold_is_refused(open_writer: IndexWriter, value: object):
    with refused(UsageError, r"^v\.json: has no form in JSON"):
        open_writer.save_json("v.json", value)
    assert not (open_writer.folder / "v.json").exists()


def test_values_nested_without_end_are_refused(open_writer: IndexWriter):
    loop: list[Any] = []
    loop.append(loop)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (loop, deep):
        with refused(UsageError, "has no form in JSON"):
            open_writer.save_json("v.json", value)


def test_arrays_of_objects_are_refused(open_writer: IndexWriter):
    with refused(UsageError, r"^o\.npy: is an array of objects"):
        open_writer.save_array("o.npy", np.array([{}, None], dtype=object))


def test_a_link_is_no_file_of_an_index(new_root: Path):
    for target in ("/etc/hostname", "/etc"):
        with IndexWriter(new_root) as writer, refused(UsageError, "link: is not a plain file"):
            (writer.folder / "link").symlink_to(target)
            writer.publish(fields_of())
    assert versions(new_root) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"recipe_sha256": "ABC"},
        {"counts": {"passages": -1}},
        {"counts": {"passages": 1.5}},
        {"dimensions": {"encoder": True}},
        {"recipe": {"path": Path("x")}},
        {"failures": "one"},
        {"host": "here"},
    ],
    ids=repr,
)
def test_manifest_fields_are_checked(changes: dict[str, Any]):
    with pytest.raises(ValidationError):
        fields_of(**changes)


def test_manifest_fields_are_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        fields_of().n_failures = 0  # pyright: ignore[reportAttributeAccessIssue]


def test_a_recipe_with_nan_is_refused_and_nothing_is_published(root: Path):
    with IndexWriter(root) as writer, refused(UsageError, "manifest.json: has no form in JSON"):
        writer.publish(fields_of(recipe={"damping": float("nan")}))
    assert versions(root) == ["v000001"]


def test_nothing_can_be_written_outside_the_block(new_root: Path):
    writer = IndexWriter(new_root)
    with refused(UsageError, "is not open to write"):
        writer.save_json("a.json", 1)
    with writer:
        writer.publish(fields_of())
        with refused(UsageError, "before publish"):
            writer.save_json("a.json", 1)
        with refused(UsageError, "before publish"):
            writer.publish(fields_of())
    with refused(UsageError, "is not open to write"):
        writer.publish(fields_of())
    assert hidden(new_root) == []


# Blocks that do not end in a new version


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_exception_leaves_no_trace(root: Path, kind: type[BaseException]):
    with pytest.raises(kind), IndexWriter(root) as writer:
        write_files(writer, build=2)
        assert hidden(root) == [writer.folder.name]
        raise kind
    assert hidden(root) == []
    assert versions(root) == ["v000001"]
    assert live_build(root) == 1


def test_a_block_without_publish_leaves_no_trace(root: Path):
    with IndexWriter(root) as writer:
        write_files(writer, build=2)
    assert hidden(root) == []
    assert live_build(root) == 1


def test_an_error_of_the_caller_in_the_block_stays_what_it_is(root: Path):
    with pytest.raises(OSError, match="the corpus") as caught, IndexWriter(root):
        raise OSError(errno.EIO, "the corpus")
    assert not isinstance(caught.value, IndexStoreError)


def test_left_overs_of_dead_writers_are_removed(root: Path, place: Path):
    (root / ".building-99999" / "deep").mkdir(parents=True)
    (root / ".building-99999" / "deep" / "x.npy").write_bytes(b"x")
    (root / ".removing-v000000").mkdir()
    (root / ".CURRENT-new").write_bytes(b"v000009")
    kept = place / "kept"
    kept.mkdir()
    (kept / "file").write_bytes(b"")
    (root / ".building-1").symlink_to(kept)
    (root / ".mine").write_bytes(b"")
    with IndexWriter(root) as writer:
        assert hidden(root) == [writer.folder.name]
    assert hidden(root) == []
    assert (root / ".mine").exists()
    assert (kept / "file").exists()


# Versions that follow each other


def test_versions_count_up_and_the_newest_stay(new_root: Path):
    for build in range(1, 5):
        assert publish(new_root, build) == new_root / f"v{build:06d}"
        assert live_build(new_root) == build
        assert len(versions(new_root)) == min(build, KEPT_VERSIONS)
    assert versions(new_root) == ["v000003", "v000004"]


def test_a_number_is_never_used_twice(root: Path):
    publish(root, 2)
    (root / "CURRENT").write_text("v000001\n")
    assert publish(root, 3).name == "v000003"
    assert live_build(root) == 3


def test_the_count_goes_on_past_six_digits(root: Path):
    (root / "v000001").rename(root / "v999999")
    assert publish(root, 2).name == "v1000000"
    assert publish(root, 3).name == "v1000001"
    assert versions(root) == ["v1000000", "v1000001"]


def test_a_reader_keeps_its_version(new_root: Path):
    publish(new_root, 1)
    index = StoredIndex.open(new_root)
    for build in (2, 3, 4):
        publish(new_root, build)
    assert versions(new_root) == ["v000001", "v000003", "v000004"]
    assert index.json("titles.json")["build"] == 1
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


def test_a_reader_in_another_process_keeps_its_version_until_it_is_killed(root: Path):
    reader = run_here("hold_version", root, stdin=subprocess.PIPE)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "v000001\n"
    publish(root, 2)
    publish(root, 3)
    assert "v000001" in versions(root)
    reader.kill()
    reader.communicate()
    publish(root, 4)
    assert versions(root) == ["v000003", "v000004"]


def test_a_folder_that_is_no_version_is_not_removed(root: Path):
    (root / "v000000").mkdir()
    (root / "v000000" / "mine.txt").write_bytes(b"")
    shutil.copytree(root / "v000001", root / "v٠٠٠٠٠١")
    publish(root, 2)
    publish(root, 3)
    assert (root / "v000000" / "mine.txt").exists()
    assert (root / "v٠٠٠٠٠١").exists()


def test_a_closed_index_says_so_and_its_arrays_live_on(root: Path):
    index = StoredIndex.open(root)
    weights, table = index.array("graph/weights.npy"), index.table("passages.arrow")
    index.close()
    index.close()
    shutil.rmtree(root)
    assert weights[3, 2] == 12
    assert table["title"][2].as_py() == "海"
    for read in (index.array, index.table, index.json):
        with refused(IndexStoreError, "is closed: open the index again"):
            read("titles.json")
    with refused(IndexStoreError, "is closed: open the index again"):
        index.verify()


# Opening what is not there, or of another format


def test_places_without_an_index_are_named(root: Path, place: Path):
    (place / "empty").mkdir()
    (place / "file").write_bytes(b"")
    for path, words in [
        (place / "nowhere", "nowhere: is no folder: build the index, or check the path"),
        (place / "file", "file: is no folder"),
        (place / "empty", "empty: holds no published index"),
        (root / "v000007", "v000007: is no folder"),
        (root / "v000001" / "graph", "graph: holds no published index"),
    ]:
        with refused(IndexStoreError, words):
            StoredIndex.open(path)


def test_what_is_being_built_cannot_be_opened(root: Path):
    with IndexWriter(root) as writer:
        shutil.copytree(root / "v000001", writer.folder, dirs_exist_ok=True)
        with refused(IndexStoreError, "holds no published index"):
            StoredIndex.open(writer.folder)


@pytest.mark.parametrize(
    ("found", "age", "fix"),
    [
        (FORMAT_VERSION + 1, "newer", "upgrade hippohover"),
        (FORMAT_VERSION - 1, "older", "build the index again"),
    ],
)
def test_another_format_is_refused(folder: Path, found: int, age: str, fix: str):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest.update(format_version=found, unknown_key={"a": 1})
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "manifest.sha256").unlink()
    words = f"manifest.json: has format {found}, {age} than {FORMAT_VERSION}, .*: {fix}$"
    with refused(IndexStoreError, words):
        StoredIndex.open(folder)


@pytest.mark.parametrize(
    "named",
    [
        *[b"", b"\n", b"v1", b"v000001x", b"../toy/v000001", b"/v000001", b"v000001/"],
        *[b"v000001/..", b".", b"..", b"\xff\xfe", b"v000001\nv000001", b"v000001" * 20],
        "v٠٠٠٠٠١".encode(),
    ],
)
def test_current_names_a_version_and_nothing_else(root: Path, named: bytes):
    (root / "CURRENT").write_bytes(named)
    with refused(IndexDamagedError, r"CURRENT: names no version .* such as v000001$"):
        StoredIndex.open(root)


def test_current_may_name_a_version_that_is_gone(root: Path):
    (root / "CURRENT").write_bytes(b"v000002\n")
    with refused(IndexDamagedError, r"v000002/manifest\.json: is missing"):
        StoredIndex.open(root)


def test_current_written_by_hand_may_lack_its_line_end(root: Path):
    (root / "CURRENT").write_bytes(b"v000001")
    assert live_build(root) == 1


def test_a_new_build_mends_a_garbled_current(root: Path):
    (root / "CURRENT").write_bytes(b"garbage")
    publish(root, 2)
    assert live_build(root) == 2


def test_a_file_the_index_does_not_have_is_named(root: Path):
    with StoredIndex.open(root) as index:
        for name in ("facts.npy", "../CURRENT", "/etc/passwd", "manifest.json"):
            with refused(IndexStoreError, f"has no file '{re.escape(name)}'"):
                index.array(name)


# Damage


@pytest.mark.parametrize("name", CHECKED_FILES)
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 1.0])
def test_a_flipped_bit_is_found_and_the_file_named(folder: Path, name: str, part: float):
    with StoredIndex.open(folder) as index:
        flip(folder / name, int(part * ((folder / name).stat().st_size - 1)))
        (problem,) = index.verify()
        assert (name if name != "manifest.sha256" else "manifest.json") in problem
        assert problem.isprintable()
    with pytest.raises(IndexDamagedError, match=r"manifest\.json" if "man" in name else name):
        StoredIndex.open(folder)


def test_no_flipped_bit_of_the_manifest_goes_unseen(folder: Path):
    path = folder / "manifest.json"
    whole = path.read_bytes()
    for position in range(len(whole)):
        flip(path, position)
        with pytest.raises(IndexStoreError, match=r"manifest\.json: "):
            StoredIndex.open(folder)
        path.write_bytes(whole)
    assert live_build(folder) == 1


@pytest.mark.parametrize("name", CHECKED_FILES)
@pytest.mark.parametrize("keep", [0, -1])
def test_a_file_cut_short_is_named(folder: Path, name: str, keep: int):
    with StoredIndex.open(folder) as index:
        os.truncate(folder / name, (folder / name).stat().st_size + keep if keep else 0)
        (problem,) = index.verify()
        assert str(folder / "manifest.json" if "manifest" in name else folder / name) in problem
    with pytest.raises(IndexDamagedError, match=r"manifest\.json" if "man" in name else name):
        StoredIndex.open(folder)


@pytest.mark.parametrize("name", CHECKED_FILES)
def test_a_missing_file_is_named(folder: Path, name: str):
    with StoredIndex.open(folder) as index:
        (folder / name).unlink()
        assert index.verify() == [f"{folder / name}: is missing: build the index again"]
    with refused(IndexDamagedError, re.escape(name)):
        StoredIndex.open(folder)


def test_a_file_that_became_longer_is_named(folder: Path):
    with (folder / "notes.bin").open("ab") as file:
        file.write(b"!")
    with refused(IndexDamagedError, r"notes\.bin: .*it has 24 bytes and should have 23"):
        StoredIndex.open(folder)


def test_a_folder_or_a_link_in_place_of_a_file_is_named(folder: Path, place: Path):
    (folder / "notes.bin").rename(place / "elsewhere")
    (folder / "notes.bin").symlink_to(place / "elsewhere")
    with refused(IndexDamagedError, r"notes\.bin: .*not a plain file"):
        StoredIndex.open(folder)
    (folder / "notes.bin").unlink()
    (folder / "notes.bin").mkdir()
    with refused(IndexDamagedError, r"notes\.bin: .*not a plain file"):
        StoredIndex.open(folder)


def test_files_that_are_not_listed_are_named(folder: Path):
    (folder / "extra.npy").write_bytes(b"")
    (folder / "graph" / "more").symlink_to("/etc")
    with StoredIndex.open(folder) as index:
        assert index.verify() == [
            f"{folder / 'extra.npy'}: is not part of the index: remove it",
            f"{folder / 'graph' / 'more'}: is not part of the index: remove it",
        ]


def test_several_problems_are_all_told(folder: Path):
    with StoredIndex.open(folder) as index:
        (folder / "notes.bin").unlink()
        flip(folder / "titles.json", 5)
        (folder / "extra").write_bytes(b"")
        assert [Path(line.split(": ")[0]).name for line in index.verify()] == [
            "notes.bin",
            "titles.json",
            "extra",
        ]


def test_verify_tells_its_progress(root: Path):
    seen: list[tuple[int, int]] = []
    with StoredIndex.open(root) as index:
        index.verify(lambda done, total: seen.append((done, total)))
        ends = np.cumsum(list(index.sizes().values())).tolist()
    assert seen == [(end, ends[-1]) for end in ends]


def test_big_files_are_compared_by_verify_not_on_opening(new_root: Path):
    with IndexWriter(new_root) as writer:
        writer.save_array("big.npy", np.zeros(SMALL_FILE_BYTES, dtype=np.uint8))
        writer.save_json("big.json", "x" * SMALL_FILE_BYTES)
        folder = writer.publish(fields_of())
    flip(folder / "big.npy", 1000)
    flip(folder / "big.json", 1000)
    with StoredIndex.open(new_root) as index:
        assert index.array("big.npy")[1000 - 128] == 1
        assert [line.split(": ")[0] for line in index.verify()] == [
            str(folder / "big.json"),
            str(folder / "big.npy"),
        ]
        with refused(IndexDamagedError, r"big\.json: .*its checksum differs"):
            index.json("big.json")


def test_a_file_of_another_kind_is_refused(root: Path):
    with StoredIndex.open(root) as index:
        with refused(IndexDamagedError, r"notes\.bin: is damaged"):
            index.array("notes.bin")
        with refused(IndexDamagedError, r"notes\.bin: is damaged"):
            index.table("notes.bin")
        with refused(IndexDamagedError, r"notes\.bin: is damaged"):
            index.json("notes.bin")


def test_a_pickled_array_is_refused(new_root: Path):
    with IndexWriter(new_root) as writer:
        np.save(writer.folder / "p.npy", np.array([{}], dtype=object), allow_pickle=True)
        writer.publish(fields_of())
    with StoredIndex.open(new_root) as index, refused(IndexDamagedError, r"p\.npy"):
        index.array("p.npy")


def test_a_damaged_index_leaves_nothing_open(folder: Path):
    (folder / "notes.bin").unlink()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(IndexDamagedError):
            StoredIndex.open(folder)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# Damage, at random

FUZZ = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=3)), min_size=1, max_size=4)


def edited(data: bytes, edits: list[tuple[int, bytes]]) -> bytes:
    """Bytes of the same length, some of them written over."""
    changed = bytearray(data)
    for position, new in edits:
        start = position % len(data)
        changed[start : start + len(new)] = new[: len(data) - start]
    return bytes(changed)


@FUZZ
@given(data=st.binary(max_size=100) | st.from_regex(rb"\A[v./0-9\n]{0,12}\Z"))
def test_whatever_current_holds_only_store_errors_leave_open(root: Path, data: bytes):
    (root / "CURRENT").write_bytes(data)
    try:
        StoredIndex.open(root).close()
    except IndexStoreError as error:
        assert str(error).isprintable()
    else:
        assert data.strip() == b"v000001"


@FUZZ
@given(data=st.binary(max_size=60) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_whatever_the_manifest_holds_only_store_errors_leave_open(folder: Path, data: bytes):
    seal_manifest(folder, data)
    with pytest.raises(IndexStoreError) as caught:
        StoredIndex.open(folder)
    assert str(caught.value).isprintable()


@FUZZ
@given(edits=EDITS)
def test_whatever_is_written_over_the_manifest_only_store_errors_leave_open(
    folder: Path, template: Path, edits: list[tuple[int, bytes]]
):
    seal_manifest(folder, edited((template / "v000001" / "manifest.json").read_bytes(), edits))
    try:
        StoredIndex.open(folder).close()
    except IndexStoreError as error:
        assert str(error).isprintable()


@FUZZ
@given(data=st.data(), value=JSON_VALUES)
def test_whatever_value_stands_in_the_manifest_only_store_errors_leave_open(
    folder: Path, template: Path, data: st.DataObject, value: object
):
    manifest = json.loads((template / "v000001" / "manifest.json").read_bytes())
    place = manifest
    while True:
        key = data.draw(st.sampled_from(sorted(place)) | st.text(max_size=5))
        if not isinstance(place.get(key), dict) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = value
    seal_manifest(folder, json.dumps(manifest).encode())
    try:
        StoredIndex.open(folder).close()
    except IndexStoreError as error:
        assert str(error).isprintable()


@pytest.mark.parametrize(
    "name",
    [
        *["../../other", "/etc/hostname", "a/../notes.bin", "./notes.bin", "", ".", "a\0b"],
        *["manifest.json", "notes.bin/x", "graph", "x" * 300],
    ],
)
def test_a_manifest_cannot_point_elsewhere(folder: Path, name: str):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["files"][name] = {"sha256": "0" * 64, "n_bytes": 1}
    seal_manifest(folder, json.dumps(manifest).encode())
    with pytest.raises(IndexStoreError, match=r"damaged|missing|cannot be read") as caught:
        StoredIndex.open(folder)
    assert str(caught.value).isprintable()
    if len(name) < 300:
        assert isinstance(caught.value, IndexDamagedError)


@pytest.mark.parametrize("number", ["1e400", "9" * 5000, "-1", "1.0", "true", '"1"', "null", "NaN"])
@pytest.mark.parametrize("key", ["format_version", "n_failures"])
def test_numbers_out_of_range_are_damage(folder: Path, number: str, key: str):
    text = (folder / "manifest.json").read_text()
    seal_manifest(folder, re.sub(rf'"{key}": 1', f'"{key}": {number}', text).encode())
    with refused(IndexDamagedError, r"manifest\.json: is damaged"):
        StoredIndex.open(folder)


def test_a_manifest_nested_without_end_is_damage(folder: Path):
    seal_manifest(folder, b'{"format_version": 1, "recipe": ' + b"[" * 100_000)
    with refused(IndexDamagedError, r"manifest\.json: is damaged"):
        StoredIndex.open(folder)


@pytest.fixture(scope="module")
def open_index(template: Path, memory: Path) -> Iterator[tuple[StoredIndex, dict[str, bytes]]]:
    """An index whose files are altered while it is open, and their bytes before that."""
    copy = shutil.copytree(template, memory / "altered")
    with StoredIndex.open(copy) as index:
        yield index, {name: (index.folder / name).read_bytes() for name in BUILD_FILES}


def header_of(kind: str, order: str, shape: str) -> bytes:
    return f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()


HEADERS = st.builds(
    header_of,
    st.sampled_from(["'<f4'", "'|O'", "'<U0'", "'|V0'", "'x'", "[('a', '<f4')]", "7", "(", "None"]),
    st.sampled_from(["False", "True", "1", "Fal se"]),
    st.sampled_from(["(4, 3)", "(-1,)", "(9999999999999999999,)", "(3.5,)", "10L", "(", "{}"])
    | st.lists(st.integers(-5, 2**64), max_size=3).map(lambda shape: str(tuple(shape))),
)


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("'<f4'", "(3, 3)"),
        ("'<f4'", "(0, 0)"),
        ("'<f4'", "(5, 3)"),
        ("'<f8'", "(43, 60044436556677777)"),
        ("'<f4'", "(4294967296, 4294967296)"),
        ("'<f4'", "(-4, -3)"),
        ("'|O'", "(12,)"),
    ],
)
@pytest.mark.filterwarnings("default")
def test_a_header_that_does_not_fit_the_size_is_damage(
    open_index: tuple[StoredIndex, dict[str, bytes]], kind: str, shape: str
):
    index, whole = open_index
    name = "graph/weights.npy"
    header = header_of(kind, "False", shape).ljust(117) + b"\n"
    (index.folder / name).write_bytes(edited(whole[name], [(10, header)]))
    with warnings.catch_warnings(record=True) as seen, refused(IndexDamagedError, "weights"):
        index.array(name)
    assert seen == []


@pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning")
@FUZZ
@given(edits=EDITS, header=st.none() | HEADERS | st.binary(max_size=100))
def test_an_altered_array_is_an_error_or_an_array_of_its_size(
    open_index: tuple[StoredIndex, dict[str, bytes]],
    edits: list[tuple[int, bytes]],
    header: bytes | None,
):
    index, whole = open_index
    name = "graph/weights.npy"
    data = (
        whole[name]
        if header is None
        else edited(whole[name], [(10, header[:118].ljust(117) + b"\n")])
    )
    (index.folder / name).write_bytes(edited(data, edits) if header is None else data)
    try:
        found = index.array(name)
    except IndexDamagedError as error:
        assert str(error).isprintable()
    else:
        assert found.nbytes < len(whole[name])


@FUZZ
@given(edits=EDITS)
def test_an_altered_table_is_an_error_or_a_table(
    open_index: tuple[StoredIndex, dict[str, bytes]], edits: list[tuple[int, bytes]]
):
    index, whole = open_index
    (index.folder / "passages.arrow").write_bytes(edited(whole["passages.arrow"], edits))
    try:
        found = index.table("passages.arrow")
    except IndexDamagedError as error:
        assert str(error).isprintable()
    else:
        assert isinstance(found, pa.Table)


def test_a_table_whose_text_would_end_behind_the_file_is_damage(
    open_index: tuple[StoredIndex, dict[str, bytes]],
):
    index, whole = open_index
    ends = np.cumsum([0, *(len(title.encode()) for title in TITLES)]).astype("<i4")
    altered = np.where(ends == ends[-1], 2**30, ends).astype("<i4")
    data = whole["passages.arrow"]
    assert data.count(ends.tobytes()) == 1
    (index.folder / "passages.arrow").write_bytes(data.replace(ends.tobytes(), altered.tobytes()))
    with refused(IndexDamagedError, r"passages\.arrow: is damaged"):
        index.table("passages.arrow")


@pytest.mark.parametrize("name", ["graph/weights.npy", "passages.arrow", "titles.json"])
@pytest.mark.parametrize(
    "data", [b"", b"\x93NUMPY\x01\x00", b"ARROW1\0\0", b"PK\x03\x04", b"[" * 9999]
)
def test_garbage_that_came_after_opening_is_damage(
    open_index: tuple[StoredIndex, dict[str, bytes]], name: str, data: bytes
):
    index, _ = open_index
    (index.folder / name).write_bytes(data)
    read = {"npy": index.array, "row": index.table, "son": index.json}[name[-3:]]
    with refused(IndexDamagedError, f"{re.escape(name)}: is damaged"):
        read(name)
    (index.folder / name).unlink()
    with refused(IndexDamagedError, f"{re.escape(name)}: is missing"):
        read(name)


# A disk that refuses


def fill_up(root: str) -> None:
    """Write with a limit on file sizes; print what each write raised."""
    kinds: dict[str, Callable[[IndexWriter], object]] = {
        "array": lambda writer: writer.save_array("big.npy", np.zeros(100_000)),
        "table": lambda writer: writer.save_table("big.arrow", pa.table({"x": range(100_000)})),
        "json": lambda writer: writer.save_json("big.json", ["x" * 100] * 2_000),
        "manifest": lambda writer: writer.publish(fields_of(failures=["x" * 100] * 2_000)),
        "log": lambda writer: (writer.log.update(x="x" * 100_000), writer.publish(fields_of())),
    }
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    seen: dict[str, list[str]] = {}
    for kind, write in kinds.items():
        try:
            with IndexWriter(root) as writer:
                write(writer)
        except IndexStoreError as error:
            seen[kind] = [str(error), *hidden(Path(root)), *versions(Path(root))]
    print(json.dumps(seen))


def test_a_limit_on_file_sizes_is_named_and_nothing_is_left(root: Path):
    seen = answer_of(run_here("fill_up", root))
    files = {
        "array": "big.npy",
        "table": "big.arrow",
        "json": "big.json",
        "manifest": "manifest.json",
        "log": "build_log.json",
    }
    assert list(seen) == list(files)
    for kind, (message, *left) in seen.items():
        assert message.isprintable()
        assert re.search(
            rf"{re.escape(files[kind])}: cannot be written \(File too large\): .*ulimit -f", message
        )
        assert left == ["v000001"]
    assert live_build(root) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk always full")
def test_a_full_disk_is_named(root: Path):
    calls: dict[str, Callable[[IndexWriter, str], None]] = {
        "x.npy": lambda writer, name: writer.save_array(name, np.zeros(5)),
        "x.arrow": lambda writer, name: writer.save_table(name, pa.table({"x": [1]})),
        "x.json": lambda writer, name: writer.save_json(name, 1),
    }
    with IndexWriter(root) as writer:
        for name, call in calls.items():
            (writer.folder / name).symlink_to("/dev/full")
            words = rf"{re.escape(name)}: cannot be written \(No space left on device\): free space"
            with refused(IndexStoreError, words):
                call(writer, name)
        words = r"y: cannot be written .*free space"
        with refused(IndexStoreError, words), writer.writing("y") as path:
            path.symlink_to("/dev/full")
            path.write_bytes(b"y")
    assert live_build(root) == 1


def test_a_file_where_a_folder_should_be_is_named(root: Path, place: Path):
    (place / "file").write_bytes(b"")
    for path in (place / "file", place / "file" / "index"):
        words = "file.*: cannot be written .*move away the file"
        with refused(IndexStoreError, words), IndexWriter(path):
            raise AssertionError("must not get here")
    with IndexWriter(root) as writer:
        writer.save_json("a.json", 1)
        with refused(IndexStoreError, r"a\.json.*: cannot be written .*move away the file"):
            writer.save_json("a.json/b.json", 1)


@contextmanager
def ordinary_user() -> Generator[None]:
    """Root may write everywhere: give that up for the length of a block."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def folder_for_all() -> Generator[Path]:
    """A folder that an ordinary user can reach; pytest's own are closed to others."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


def test_a_folder_that_cannot_be_written_to_is_named(template: Path):
    with folder_for_all() as shared:
        shutil.copytree(template, shared / "toy")
        for path in (shared / "toy", shared / "toy" / "v000001", shared / "toy" / ".lock"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        with ordinary_user():
            words = "cannot be written .Permission denied.: make it writable"
            with refused(IndexStoreError, words), IndexWriter(shared / "toy"):
                raise AssertionError("must not get here")
            assert live_build(shared / "toy") == 1
        (shared / "toy").chmod(0o755)


def test_a_left_over_that_cannot_be_removed_is_named(template: Path):
    with folder_for_all() as shared:
        root = Path(shutil.copytree(template, shared / "toy"))
        (root / ".building-1").mkdir(mode=0o555)
        (root / ".lock").chmod(0o666)
        root.chmod(0o1777)
        with ordinary_user():
            words = r"/toy/\.building-1: cannot be written \(.* not permitted\): make it writable"
            with refused(IndexStoreError, words), IndexWriter(root):
                raise AssertionError("must not get here")


def test_a_folder_of_the_build_that_cannot_be_listed_is_not_left_out(template: Path):
    with folder_for_all() as shared:
        shared.chmod(0o777)
        with ordinary_user(), IndexWriter(shared / "toy") as writer:
            writer.save_json("deep/a.json", 1)
            (writer.folder / "deep").chmod(0)
            with refused(IndexStoreError, r"cannot be written \(Permission denied\)"):
                writer.publish(fields_of())
            (writer.folder / "deep").chmod(0o755)
            assert versions(shared / "toy") == []


def test_a_file_that_cannot_be_read_is_named_and_not_called_damaged(template: Path):
    with folder_for_all() as shared:
        folder = Path(shutil.copytree(template, shared / "toy")) / "v000001"
        with ordinary_user(), StoredIndex.open(folder) as index:
            with restored_root():
                (folder / "notes.bin").chmod(0)
            (problem,) = index.verify()
            assert problem.endswith("cannot be read (Permission denied): make it readable")
            with refused(IndexStoreError, r"notes\.bin: cannot be read .*make it readable"):
                StoredIndex.open(folder)
            with restored_root():
                (shared / "toy").chmod(0)
            with refused(IndexStoreError, "cannot be read .*make it readable"):
                StoredIndex.open(shared / "toy")
        (shared / "toy").chmod(0o755)


@contextmanager
def restored_root() -> Generator[None]:
    """Inside ``ordinary_user``: the first user again, for the length of a block."""
    user = os.geteuid()
    os.seteuid(os.getuid())
    try:
        yield
    finally:
        os.seteuid(user)


# Two writers


def test_a_second_writer_is_told_who_is_first(root: Path):
    (root / ".lock").write_text("9" * 15)
    with IndexWriter(root):
        words = f"toy: is being written by process {os.getpid()}: wait until it ends, or stop it"
        with refused(IndexStoreError, words), IndexWriter(root):
            raise AssertionError("must not get here")
        assert live_build(root) == 1
    publish(root, 2)


def write_until_killed(root: str, fork: str = "") -> None:
    """Hold the writer's lock; with ``fork``, leave a worker behind that outlives this process."""
    with IndexWriter(root) as writer:
        writer.save_json("half.json", 1)
        if not fork or os.fork() == 0:
            print(os.getpid(), flush=True)
        time.sleep(60)


@pytest.mark.parametrize("fork", ["", "fork"])
def test_the_lock_of_a_killed_writer_is_no_obstacle(root: Path, fork: str):
    first = run_here("write_until_killed", root, fork)
    assert first.stdout is not None
    worker = int(first.stdout.readline())
    try:
        with refused(IndexStoreError, f"is being written by process {first.pid}:"):
            publish(root, 2)
        first.kill()
        first.wait()
        assert hidden(root) == [f".building-{first.pid}"]
        assert live_build(root) == 1
        publish(root, 2)
        assert live_build(root) == 2
        assert hidden(root) == []
    finally:
        first.kill()
        if fork:
            os.kill(worker, signal.SIGKILL)
        first.communicate()


# Crashes: the work is done by a process that forks a victim for each step


def strike_at(step: int, root: Path, strike: Callable[[], None]) -> list[str]:
    """Count this process's calls that open, make, rename or remove; strike before one of them.

    The list that is returned gets the name of that call when it comes.
    """
    calls, struck = count(1), list[str]()
    removals = {"os.remove", "os.rmdir"}

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        # Names of what is removed are relative to a folder that is open.
        below = event in {"open", "os.mkdir", "os.rename"} and str(arguments[0]).startswith(
            str(root)
        )
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
    seen = answer_of(run_here("strike_every_step", new_root, name))
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
    lives = answer_of(run_here("kill_at_random", new_root, 60))
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
            lives.append(index.json("build.json"))
            assert index.array("graph/weights.npy").tolist() == lives[-1:] * 50
    print(json.dumps(lives))


@pytest.mark.slow
def test_readers_never_see_a_version_come_or_go(new_root: Path):
    lives = answer_of(run_here("read_while_written", new_root, 150))
    assert lives == sorted(lives)
    assert len(set(lives)) > 5


def open_overtaken(place: str, event: str) -> None:
    """Open build 1 while, at a call of the reader's, two newer versions replace it."""
    root, newer = Path(place), [2, 3]
    write_small(root, 1)

    def overtake(seen: str, arguments: tuple[Any, ...]) -> None:
        ours = seen != "open" or Path(str(arguments[0])).name == "manifest.json"
        if seen == event and ours:
            # Emptied first: the writer's own calls come here too.
            builds = newer.copy()
            newer.clear()
            for build in builds:
                write_small(root, build)

    sys.addaudithook(overtake)
    with StoredIndex.open(root) as index:
        assert versions(root) == ["v000002", "v000003"]
        print(index.json("build.json"))


@pytest.mark.parametrize("event", ["open", "fcntl.flock"])
def test_a_reader_that_is_overtaken_opens_the_newer_version(new_root: Path, event: str):
    assert answer_of(run_here("open_overtaken", new_root, event)) == 3
