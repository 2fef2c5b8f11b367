"""Writing an index: every kind of file, the same bytes for the same data, blocks that fail."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter
from tests.index_samples import (
    answer_of,
    fields_of,
    hidden,
    limited_files,
    live_build,
    publish,
    refused,
    run_here,
    versions,
    write_files,
)


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


@pytest.mark.parametrize("shape", [(7,), (3, 4), (0,), (0, 5), (5, 0), (1, 2, 3), ()])
@pytest.mark.parametrize("kind", [np.int32, np.float16, np.uint64, ">i4"])
def test_an_array_filled_on_disk_is_one_that_was_saved(
    new_root: Path, shape: tuple[int, ...], kind: DTypeLike
):
    array = np.arange(int(np.prod(shape))).astype(kind).reshape(shape)
    with IndexWriter(new_root) as writer:
        with writer.new_array("a.npy", kind, shape) as filled:
            assert (filled.shape, filled.dtype) == (shape, array.dtype)
            assert not filled.any()
            filled[...] = array
        np.save(new_root / "plain.npy", array)
        assert (writer.folder / "a.npy").read_bytes() == (new_root / "plain.npy").read_bytes()
        written = writer.array("a.npy")
        assert np.array_equal(written, array)
        assert not written.flags.writeable or not written.size
        writer.publish(fields_of())
    with StoredIndex.open(new_root) as index:
        assert index.verify() == []
        assert np.array_equal(index.array("a.npy"), array)


def test_an_array_on_disk_may_be_filled_in_any_order_and_read_at_once(new_root: Path):
    with IndexWriter(new_root) as writer, writer.new_array("a.npy", np.int64, (1000,)) as filled:
        for start in (500, 0, 250, 750):
            filled[start : start + 250] = np.arange(start, start + 250)
        assert np.array_equal(writer.array("a.npy"), np.arange(1000))


@pytest.mark.parametrize("n_bytes", [0, 100, 5000])
def test_a_disk_without_room_for_the_whole_array_is_known_at_once(new_root: Path, n_bytes: int):
    """Not while it is filled, which would end the process."""
    words = r"a\.npy: cannot be written .*ulimit -f"
    with (
        IndexWriter(new_root) as writer,
        limited_files(n_bytes),
        refused(IndexStoreError, words),
        writer.new_array("a.npy", np.int64, (1000,)),
    ):
        raise AssertionError("there is no room")
    assert not new_root.exists()


def test_a_new_array_is_refused_as_every_file_is(new_root: Path):
    writer = IndexWriter(new_root)
    with refused(UsageError, "is not open to write"), writer.new_array("a.npy", np.int8, (1,)):
        pass
    with writer:
        with refused(UsageError, r"does not end in \.npy"), writer.new_array("a", np.int8, (1,)):
            pass
        with refused(UsageError, "cannot name a file"), writer.new_array("../x.npy", np.int8, (1,)):
            pass


def test_what_fills_an_array_may_raise(new_root: Path):
    with (
        pytest.raises(ZeroDivisionError),
        IndexWriter(new_root) as writer,
        writer.new_array("a.npy", np.int8, (1,)) as filled,
    ):
        filled[0] = 1 // 0
    assert not new_root.exists()


def test_what_was_written_is_read_back_before_it_is_published(new_root: Path):
    with IndexWriter(new_root) as writer:
        table = pa.table({"a": ["x", None]})
        writer.save_array("a.npy", np.arange(3))
        writer.save_table("t.arrow", table)
        assert writer.array("a.npy").tolist() == [0, 1, 2]
        assert isinstance(writer.array("a.npy"), np.memmap)
        assert writer.table("t.arrow").equals(table)
        with refused(IndexDamagedError, "none.npy: is missing"):
            writer.array("none.npy")
        with refused(IndexDamagedError, "none.arrow: is missing"):
            writer.table("none.arrow")


def test_publishing_tells_how_many_files_are_on_the_disk(new_root: Path):
    seen: list[tuple[int, int]] = []
    with IndexWriter(new_root) as writer:
        write_files(writer)
        writer.publish(fields_of(), lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


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


@pytest.mark.parametrize("shape", [(0,), (0, 3), (5,), (4, 3), (2, 0), (1000, 100)])
@pytest.mark.parametrize("dtype", ["int32", "float16", "uint8"])
def test_an_array_that_is_filled_on_disk_has_the_bytes_of_a_saved_one(
    new_root: Path, dtype: str, shape: tuple[int, ...]
):
    values = (np.arange(np.prod(shape)) % 100).reshape(shape).astype(dtype)
    with IndexWriter(new_root) as writer:
        writer.save_array("saved.npy", values)
        with writer.new_array("filled.npy", dtype, shape) as filled:
            status = (writer.folder / "filled.npy").stat()
            assert status.st_blocks * 512 >= status.st_size  # a hole would not have room yet
            assert not filled.any()
            filled[:] = values
        assert bytes_of(writer, "filled.npy") == bytes_of(writer, "saved.npy")
        assert np.array_equal(writer.array("filled.npy"), values)


@pytest.mark.parametrize("lengths", [[], [0], [3], [2, 0, 5], [100_000, 1]])
@pytest.mark.parametrize("dtype", ["int64", "uint8"])
def test_an_array_that_grows_has_the_bytes_of_a_saved_one(
    new_root: Path, dtype: str, lengths: list[int]
):
    parts = [np.arange(length).astype(dtype) for length in lengths]
    with IndexWriter(new_root) as writer:
        writer.save_array("saved.npy", np.concatenate([np.empty(0, dtype), *parts]))
        with writer.growing_array("grown.npy", dtype) as append:
            for part in parts:
                append(part)
        assert bytes_of(writer, "grown.npy") == bytes_of(writer, "saved.npy")
        assert len(writer.array("grown.npy")) == sum(lengths)


def bytes_of(writer: IndexWriter, name: str) -> bytes:
    return (writer.folder / name).read_bytes()


def test_a_disk_without_room_is_known_before_an_array_is_filled_and_while_one_grows(new_root: Path):
    with IndexWriter(new_root) as writer:
        filled: list[bool] = []
        with (
            limited_files(10_000),
            refused(IndexStoreError, r"large\.npy"),
            writer.new_array("large.npy", np.int64, (1_000_000,)),
        ):
            filled.append(True)
        assert filled == []
        with (
            limited_files(10_000),
            refused(IndexStoreError, r"grown\.npy"),
            writer.growing_array("grown.npy", np.int64) as append,
        ):
            append(np.zeros(1_000_000, np.int64))


def test_what_was_written_is_read_before_it_is_published(new_root: Path):
    with IndexWriter(new_root) as writer:
        write_files(writer)
        weights = writer.array("graph/weights.npy")
        assert weights.tolist() == (np.arange(12).reshape(4, 3) + 1).tolist()
        assert not weights.flags.writeable
        assert writer.table("passages.arrow")["part"].to_pylist() == [1] * 4
        with refused(IndexDamagedError, r"none\.npy: is missing"):
            writer.array("none.npy")
        with refused(IndexDamagedError, r"none\.arrow: is missing"):
            writer.table("none.arrow")


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


def test_two_writers_of_the_same_data_give_the_same_bytes(empty_folder: Path):
    first, second = publish(empty_folder / "one"), publish(empty_folder / "deeper" / "two")
    assert contents(first) == contents(second)
    assert contents(publish(empty_folder / "one", build=2)) != contents(first)


def publish_toy(root: str) -> None:
    publish(Path(root))
    print("true")


@pytest.mark.slow
def test_another_process_and_hash_seed_give_the_same_bytes(index_folder: Path, empty_folder: Path):
    environment = pytest.MonkeyPatch()
    with environment.context() as patch:
        patch.setenv("PYTHONHASHSEED", "7")
        assert answer_of(run_here(publish_toy, empty_folder / "other"))
    assert contents(empty_folder / "other" / "v000001") == contents(index_folder)


def test_order_of_memory_does_not_count(new_root: Path):
    grid = np.arange(12).reshape(3, 4)
    with IndexWriter(new_root) as writer:
        writer.save_array("a.npy", grid)
        writer.save_array("b.npy", np.asfortranarray(grid))
        one, two = (writer.folder / f"{name}.npy" for name in "ab")
        assert one.read_bytes() == two.read_bytes()


def test_order_of_keys_does_not_count(new_root: Path):
    recipes: list[dict[str, Any]] = [
        {"x": 1, "y": {"p": [1.5, "ß"], "q": None}},
        {"y": {"q": None, "p": [1.5, "ß"]}, "x": 1},
    ]
    manifests: list[str] = []
    for recipe in recipes:
        with IndexWriter(new_root) as writer:
            folder = writer.publish(fields_of(recipe=recipe))
        manifests.append((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifests[0] == manifests[1]
    assert '"p": [\n        1.5,\n        "ß"\n      ]' in manifests[0]


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


def test_a_name_must_end_as_its_kind_does(open_writer: IndexWriter):
    with refused(UsageError, r"x: does not end in \.npy: name it x\.npy"):
        open_writer.save_array("x", np.zeros(1))
    with refused(UsageError, r"does not end in \.arrow"):
        open_writer.save_table("x.npy", pa.table({}))
    assert not list(open_writer.folder.glob("x*"))


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1, 2}, b"bytes", "\ud800", {1: 1, "a": 2}, np.int64(3), object],
    ids=repr,
)
def test_what_json_cannot_hold_is_refused(new_root: Path, value: object):
    with refused(UsageError, r"^build_log\.json: has no form"), IndexWriter(new_root) as writer:
        writer.log["v"] = value
        writer.publish(fields_of())


def test_values_nested_without_end_are_refused(new_root: Path):
    loop: list[Any] = []
    loop.append(loop)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (loop, deep):
        with refused(UsageError, "has no form in JSON"), IndexWriter(new_root) as writer:
            writer.log["v"] = value
            writer.publish(fields_of())


def test_arrays_of_objects_are_refused(open_writer: IndexWriter):
    with refused(UsageError, r"^o\.npy: is an array of objects"):
        open_writer.save_array("o.npy", np.array([{}, None], dtype=object))


def test_a_link_is_no_file_of_an_index(new_root: Path):
    for target in ("/etc/hostname", "/etc"):
        with IndexWriter(new_root) as writer, refused(IndexDamagedError, "link: is a link"):
            (writer.folder / "link").symlink_to(target)
            writer.publish(fields_of())
    assert not new_root.exists()  # it held nothing but the lock


def test_a_recipe_with_nan_is_refused_and_nothing_is_published(index_root: Path):
    words = r"manifest\.json: has no form in JSON"
    with IndexWriter(index_root) as writer, refused(UsageError, words):
        writer.publish(fields_of(recipe={"damping": float("nan")}))
    assert versions(index_root) == ["v000001"]


def test_nothing_can_be_written_outside_the_block(new_root: Path):
    writer = IndexWriter(new_root)
    with refused(UsageError, "is not open to write"):
        writer.save_array("a.npy", np.zeros(1))
    with writer:
        writer.publish(fields_of())
        with refused(UsageError, "before publish"):
            writer.save_array("a.npy", np.zeros(1))
        with refused(UsageError, "before publish"):
            writer.publish(fields_of())
    with refused(UsageError, "is not open to write"):
        writer.publish(fields_of())
    assert hidden(new_root) == []


# Blocks that do not end in a new version


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_exception_leaves_no_trace(index_root: Path, kind: type[BaseException]):
    with pytest.raises(kind), IndexWriter(index_root) as writer:
        write_files(writer, build=2)
        assert hidden(index_root) == [writer.folder.name]
        raise kind
    assert hidden(index_root) == []
    assert versions(index_root) == ["v000001"]
    assert live_build(index_root) == 1


def test_a_block_without_publish_leaves_no_trace(index_root: Path):
    with IndexWriter(index_root) as writer:
        write_files(writer, build=2)
    assert hidden(index_root) == []
    assert live_build(index_root) == 1


def test_an_error_of_the_caller_in_the_block_stays_what_it_is(index_root: Path):
    with pytest.raises(OSError, match="the corpus") as caught, IndexWriter(index_root):
        raise OSError(errno.EIO, "the corpus")
    assert not isinstance(caught.value, IndexStoreError)
