"""The door to the files of an index: what is no plain file, and what a link leads to."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hippohover.disk import door
from hippohover.errors import IndexDamagedError, IndexStoreError
from tests.index_samples import refused

Make = Callable[[Path, Path], object]


def _socket(path: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


SPECIAL: dict[str, Make] = {
    "a link": lambda path, victim: path.symlink_to(victim),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a socket": _socket,
    "a folder": lambda path, _: path.mkdir(),
}
CALLS: dict[str, Callable[[Path], Any]] = {
    "opened": door.opened,
    "opened to write": lambda path: door.opened(path, "wb"),
    "opened to change": lambda path: door.opened(path, "rb+"),
    "read": door.read,
    "mapped": door.mapped,
    "status": door.status,
    "link": lambda path: door.link(path, path.with_name("new")),
}


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder that nothing may change."""
    folder = tmp_path / "victim"
    (folder / "deep").mkdir(parents=True)
    (folder / "CURRENT").write_text("precious")
    (folder / "deep" / "CURRENT").write_text("precious")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", SPECIAL)
def test_only_plain_files_are_opened(root: Path, victim: Path, kind: str, call: str):
    SPECIAL[kind](root / "CURRENT", victim / "CURRENT")
    with refused(IndexDamagedError, f"CURRENT: is {kind} and not a plain file: move it away"):
        CALLS[call](root / "CURRENT")
    assert (victim / "CURRENT").read_text() == "precious"


WAYS: dict[str, Callable[[Path], Any]] = {
    **{name: lambda path, call=call: call(path / "CURRENT") for name, call in CALLS.items()},
    "make_folder": lambda path: door.make_folder(path / "new" / "below"),
    "the folder itself": door.make_folder,
    "is_folder": door.is_folder,
    "files_below": lambda path: list(door.files_below(path)),
    "files_below, below": lambda path: list(door.files_below(path / "deep")),
    "written": lambda path: door.written(path / "CURRENT").__enter__(),
    "remove": lambda path: door.remove(path / "CURRENT"),
    "remove a folder": lambda path: door.remove(path / "deep"),
    "replace": lambda path: door.replace(path / "CURRENT", path / "other"),
    "replace by another": lambda path: door.replace(path.with_name("mine"), path / "CURRENT"),
    "sync": lambda path: door.sync(path / "CURRENT"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["a link", "a pipe", "a file"])
def test_no_link_and_no_file_leads_further(root: Path, victim: Path, kind: str, way: str):
    make: dict[str, Make] = {**SPECIAL, "a file": lambda path, _: path.write_text("")}
    (root / "mine").write_text("mine")
    make[kind](root / "part", victim)
    before = _content(victim)
    with refused(IndexDamagedError, f"part: is {kind} and not a folder"):
        WAYS[way](root / "part")
    assert _content(victim) == before


def test_a_user_s_own_path_may_have_links(root: Path, tmp_path: Path):
    (tmp_path / "way").symlink_to(root)
    (root / "CURRENT").write_text("v")
    path = door.resolved(tmp_path / "way") / "CURRENT"
    assert path == root / "CURRENT"
    assert door.read(path) == b"v"


def test_a_link_is_removed_and_not_what_it_leads_to(root: Path, victim: Path):
    before = _content(victim)
    (root / "folder" / "deep").mkdir(parents=True)
    (root / "folder" / "deep" / "link").symlink_to(victim)
    (root / "link").symlink_to(victim)
    os.mkfifo(root / "pipe")
    for name in ("folder", "link", "pipe", "nothing"):
        door.remove(root / name)
    assert not list(root.iterdir())
    assert _content(victim) == before


def test_a_very_deep_folder_is_one_line(root: Path):
    place = os.open(root, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=place)
        below = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)
    with refused(IndexStoreError, r"/d: (cannot be written|has folders nested too deeply)"):
        door.remove(root / "d")
    subprocess.run(["rm", "-r", root / "d"], check=True)  # noqa: S603, S607  (pytest cannot)


@pytest.mark.parametrize("flags", [os.O_RDWR | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC])
def test_what_has_a_second_name_is_not_written_to(root: Path, victim: Path, flags: int):
    (root / ".lock").hardlink_to(victim / "CURRENT")
    with refused(IndexDamagedError, "lock: has a second name"):
        door.descriptor(root / ".lock", flags)
    with refused(IndexDamagedError, "lock: has a second name"):
        door.status(root / ".lock", has_one_name=True)
    assert (victim / "CURRENT").read_text() == "precious"


@pytest.mark.parametrize("name", [*door.MOST_BYTES, "lists.sha256"])
def test_files_that_are_read_as_a_whole_are_bounded(root: Path, name: str):
    path = root / name
    path.write_bytes(b"v")
    assert door.read(path) == b"v"
    os.truncate(path, 2**40)
    with refused(IndexDamagedError, "larger than .* bytes, the most"):
        door.read(path)


def test_a_file_of_no_known_kind_is_not_read_as_a_whole(root: Path):
    (root / "passages.arrow").write_bytes(b"")
    with pytest.raises(KeyError):
        door.read(root / "passages.arrow")


def test_what_is_written_comes_whole_or_not_at_all(root: Path):
    path = root / "CURRENT"
    for content in (b"old", b"new"):
        with door.written(path, synced=True) as file:
            file.write(content)
    with pytest.raises(KeyboardInterrupt), door.written(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert {one.name: one.read_bytes() for one in root.iterdir()} == {"CURRENT": b"new"}


def _content(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in [folder, *folder.rglob("*")]
    }
