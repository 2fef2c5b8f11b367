"""Room behind what a file holds, in memory of one's own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.store.segments import private_maps
from hippohover.store.segments.private_maps import with_room


def not_mapped(*_: object) -> None:
    """Say that memory of one's own cannot be had behind a file."""


@pytest.fixture(params=["mapped", "viewed", "copied"])
def array(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> NDArray[np.float32]:
    np.save(tmp_path / "a.npy", np.arange(9000, dtype=np.float32).reshape(-1, 3))
    if request.param == "copied":
        monkeypatch.setattr(private_maps, "_mapped", not_mapped)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    return np.asarray(mapped) if request.param == "viewed" else mapped


@pytest.mark.parametrize("n_room", [0, 1, 5000])
def test_rows_are_the_files_and_more_are_0(array: NDArray[np.float32], n_room: int):
    roomy = with_room(array, n_room)
    assert roomy.shape == (3000 + n_room, 3)
    assert roomy[:3000].tolist() == array.tolist()
    assert not roomy[3000:].any()
    roomy[:] = 7.0
    assert array.tolist() == np.arange(9000.0).reshape(-1, 3).tolist()


def test_an_empty_array_has_room(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.zeros((0, 2), np.int8))
    assert with_room(np.load(tmp_path / "a.npy", mmap_mode="r"), 3).tolist() == [[0, 0]] * 3


def test_memory_outlives_the_array_that_it_was_made_of(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.arange(5000))
    part = with_room(np.load(tmp_path / "a.npy", mmap_mode="r"), 10)[4990:]
    (tmp_path / "a.npy").unlink()
    assert part.tolist() == [*range(4990, 5000), *[0] * 10]


def test_a_view_of_a_whole_file_is_mapped_and_a_part_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    np.save(tmp_path / "a.npy", np.arange(5000))
    view = np.asarray(np.load(tmp_path / "a.npy", mmap_mode="r"))
    shapes: list[tuple[int, ...]] = []
    mapped = private_maps._mapped  # pyright: ignore[reportPrivateUsage]

    def seen(array: "np.memmap[Any, Any]", shape: tuple[int, ...]) -> NDArray[Any] | None:
        shapes.append(shape)
        return mapped(array, shape)

    monkeypatch.setattr(private_maps, "_mapped", seen)
    assert with_room(view, 1)[-2:].tolist() == [4999, 0]
    assert with_room(view[10:], 1)[:2].tolist() == [10, 11]
    assert with_room(view[::-1], 1)[:2].tolist() == [4999, 4998]
    assert shapes == [(5001,)]
