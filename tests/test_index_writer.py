"""Writing an index: every kind of file, the same bytes for the same data, blocks that fail."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_samples import (
    answer_of,
    fields_of,
    hidden,
    live_build,
    publish,
    refused,
    run_here,
    versions,
    write_files,
)
from numpy.typing import NDArray

from hippohover.errors import IndexStoreError, UsageError
from hippohover.index_reader import StoredIndex
from hippohover.index_writer import IndexWriter


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
    assert not new_root.exists()  # it held nothing but the lock


def test_a_recipe_with_nan_is_refused_and_nothing_is_published(index_root: Path):
    words = r"manifest\.json: has no form in JSON"
    with IndexWriter(index_root) as writer, refused(UsageError, words):
        writer.publish(fields_of(recipe={"damping": float("nan")}))
    assert versions(index_root) == ["v000001"]


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
