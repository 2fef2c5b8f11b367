"""Reading an index: what was written, by memory map, or an error that names the damage."""

import gc
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.store.checksums import SMALL_FILE_BYTES
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter
from tests.index_samples import (
    BUILD_FILES,
    CHECKED_FILES,
    EDITS,
    FUZZ,
    TITLES,
    answer_of,
    edited,
    fields_of,
    flip,
    read_json,
    refused,
    run_here,
    versions,
    write_json,
    write_small,
)


def test_what_is_published_is_read_back(index_root: Path):
    with StoredIndex.open(index_root) as index:
        assert index.version == "v000001"
        assert index.folder == index_root / "v000001"
        weights = index.array("graph/weights.npy")
        assert np.array_equal(weights, np.arange(12).reshape(4, 3) + 1)
        assert weights.dtype == np.float32
        assert index.table("passages.arrow").to_pydict() == {"title": TITLES, "part": [1] * 4}
        assert read_json(index, "titles.json") == {"titles": TITLES, "build": 1}
        assert (index.folder / "notes.bin").read_bytes() == b"written by some library"


def test_the_root_its_version_and_a_link_all_open(index_root: Path, empty_folder: Path):
    link = empty_folder / "link"
    link.symlink_to(index_root)
    folder = index_root / "v000001"
    for path in (index_root, str(index_root), folder, link, folder / ".."):
        with StoredIndex.open(path) as index:
            assert index.folder == folder


def test_arrays_are_mapped_and_read_only(index_root: Path):
    with StoredIndex.open(index_root) as index:
        weights = index.array("graph/weights.npy")
    assert isinstance(weights, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        weights[0, 0] = 5


def test_tables_are_mapped_and_not_loaded(empty_folder: Path):
    with IndexWriter(empty_folder) as writer:
        writer.save_table("t.arrow", pa.table({"text": ["many words " * 50] * 20_000}))
        writer.publish(fields_of())
    gc.collect()
    before = pa.total_allocated_bytes()
    with StoredIndex.open(empty_folder) as index:
        table = index.table("t.arrow")
        assert index.sizes()["t.arrow"] > 10_000_000
        assert pa.total_allocated_bytes() - before < 100_000
    assert table["text"][19_999].as_py() == "many words " * 50


def test_a_closed_index_says_so_and_its_arrays_live_on(index_root: Path):
    index = StoredIndex.open(index_root)
    weights, table = index.array("graph/weights.npy"), index.table("passages.arrow")
    index.close()
    index.close()
    shutil.rmtree(index_root)
    assert weights[3, 2] == 12
    assert table["title"][2].as_py() == "海"
    for read in (index.array, index.table):
        with refused(IndexStoreError, "is closed: open the index again"):
            read("titles.json")
    with refused(IndexStoreError, "is closed: open the index again"):
        index.verify()


def test_a_file_the_index_does_not_have_is_named(index_root: Path):
    with StoredIndex.open(index_root) as index:
        for name in ("facts.npy", "../CURRENT", "/etc/passwd", "manifest.json"):
            with refused(IndexStoreError, f"has no file '{re.escape(name)}'"):
                index.array(name)


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
        print(read_json(index, "build.json"))


@pytest.mark.parametrize("event", [pytest.param("open", marks=pytest.mark.slow), "fcntl.flock"])
def test_a_reader_that_is_overtaken_opens_the_newer_version(new_root: Path, event: str):
    assert answer_of(run_here(open_overtaken, new_root, event)) == 3


# Damage


@pytest.mark.parametrize("name", CHECKED_FILES)
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 1.0])
def test_a_flipped_bit_is_found_and_the_file_named(index_folder: Path, name: str, part: float):
    with StoredIndex.open(index_folder) as index:
        flip(index_folder / name, int(part * ((index_folder / name).stat().st_size - 1)))
        (problem,) = index.verify()
        assert (name if name != "manifest.sha256" else "manifest.json") in problem
        assert problem.isprintable()
    with pytest.raises(IndexDamagedError, match=r"manifest\.json" if "man" in name else name):
        StoredIndex.open(index_folder)


@pytest.mark.parametrize("name", CHECKED_FILES)
@pytest.mark.parametrize("keep", [0, -1])
def test_a_file_cut_short_is_named(index_folder: Path, name: str, keep: int):
    with StoredIndex.open(index_folder) as index:
        os.truncate(index_folder / name, (index_folder / name).stat().st_size + keep if keep else 0)
        (problem,) = index.verify()
        assert (
            str(index_folder / "manifest.json" if "manifest" in name else index_folder / name)
            in problem
        )
    with pytest.raises(IndexDamagedError, match=r"manifest\.json" if "man" in name else name):
        StoredIndex.open(index_folder)


@pytest.mark.parametrize("name", CHECKED_FILES)
def test_a_missing_file_is_named(index_folder: Path, name: str):
    with StoredIndex.open(index_folder) as index:
        (index_folder / name).unlink()
        assert index.verify() == [f"{index_folder / name}: is missing: build the index again"]
    with refused(IndexDamagedError, re.escape(name)):
        StoredIndex.open(index_folder)


def test_a_file_that_became_longer_is_named(index_folder: Path):
    with (index_folder / "notes.bin").open("ab") as file:
        file.write(b"!")
    with refused(IndexDamagedError, r"notes\.bin: .*it has 24 bytes and should have 23"):
        StoredIndex.open(index_folder)


def test_a_folder_or_a_link_in_place_of_a_file_is_named(index_folder: Path, empty_folder: Path):
    (index_folder / "notes.bin").rename(empty_folder / "elsewhere")
    (index_folder / "notes.bin").symlink_to(empty_folder / "elsewhere")
    with refused(IndexDamagedError, r"notes\.bin: .*not a plain file"):
        StoredIndex.open(index_folder)
    (index_folder / "notes.bin").unlink()
    (index_folder / "notes.bin").mkdir()
    with refused(IndexDamagedError, r"notes\.bin: .*not a plain file"):
        StoredIndex.open(index_folder)


def test_files_that_are_not_listed_are_named(index_folder: Path):
    (index_folder / "extra.npy").write_bytes(b"")
    (index_folder / "graph" / "more").symlink_to("/etc")
    with StoredIndex.open(index_folder) as index:
        assert index.verify() == [
            f"{index_folder / 'extra.npy'}: is not part of the index: remove it",
            f"{index_folder / 'graph' / 'more'}: is not part of the index: remove it",
        ]


def test_several_problems_are_all_told(index_folder: Path):
    with StoredIndex.open(index_folder) as index:
        (index_folder / "notes.bin").unlink()
        flip(index_folder / "titles.json", 5)
        (index_folder / "extra").write_bytes(b"")
        assert [Path(line.split(": ")[0]).name for line in index.verify()] == [
            "notes.bin",
            "titles.json",
            "extra",
        ]


def test_verify_tells_its_progress(index_root: Path):
    seen: list[tuple[int, int]] = []
    with StoredIndex.open(index_root) as index:
        index.verify(lambda done, total: seen.append((done, total)))
        ends = np.cumsum(list(index.sizes().values())).tolist()
    assert seen == [(end, ends[-1]) for end in ends]


def test_an_index_that_is_not_checked_tells_all_its_damage(new_root: Path):
    with IndexWriter(new_root) as writer:
        writer.save_array("big.npy", np.zeros(SMALL_FILE_BYTES, dtype=np.uint8))
        write_json(writer, "big.json", "x" * SMALL_FILE_BYTES)
        write_json(writer, "small.json", "x")
        folder = writer.publish(fields_of())
    for name in ("big.npy", "big.json", "small.json"):
        flip(folder / name, 2)
    with StoredIndex.open(new_root, check=False) as index:
        assert [line.split(": ")[0] for line in index.verify()] == [
            str(folder / name) for name in ("big.json", "big.npy", "small.json")
        ]


def test_a_file_of_another_kind_is_refused(index_root: Path):
    with StoredIndex.open(index_root) as index:
        with refused(IndexDamagedError, r"notes\.bin: is damaged"):
            index.array("notes.bin")
        with refused(IndexDamagedError, r"notes\.bin: is damaged"):
            index.table("notes.bin")


def test_a_pickled_array_is_refused(new_root: Path):
    with IndexWriter(new_root) as writer:
        np.save(writer.folder / "p.npy", np.array([{}], dtype=object), allow_pickle=True)
        writer.publish(fields_of())
    with StoredIndex.open(new_root) as index, refused(IndexDamagedError, r"p\.npy"):
        index.array("p.npy")


def test_a_damaged_index_leaves_nothing_open(index_folder: Path):
    (index_folder / "notes.bin").unlink()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(IndexDamagedError):
            StoredIndex.open(index_folder)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# Damage, at random


@pytest.fixture(scope="module")
def open_index(
    index_template: Path, memory_folder: Path
) -> Iterator[tuple[StoredIndex, dict[str, bytes]]]:
    """An index whose files are altered while it is open, and their bytes before that."""
    copy = shutil.copytree(index_template, memory_folder / "altered")
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
        ("'<f4'", "(-1, -12)"),
        ("'<U0'", "(12,)"),
        ("'|V0'", "(4, 3)"),
        ("'|V0'", "(0,)"),
        ("'<f4'", "()"),
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


@pytest.mark.parametrize("name", ["graph/weights.npy", "passages.arrow"])
@pytest.mark.parametrize(
    "data", [b"", b"\x93NUMPY\x01\x00", b"ARROW1\0\0", b"PK\x03\x04", b"[" * 9999]
)
def test_garbage_that_came_after_opening_is_damage(
    open_index: tuple[StoredIndex, dict[str, bytes]], name: str, data: bytes
):
    index, _ = open_index
    (index.folder / name).write_bytes(data)
    read = index.array if name.endswith(".npy") else index.table
    with refused(IndexDamagedError, f"{re.escape(name)}: is damaged"):
        read(name)
    (index.folder / name).unlink()
    with refused(IndexDamagedError, f"{re.escape(name)}: is missing"):
        read(name)
