"""Where the user's cache is, and when compiled code is kept there."""

import os
import stat
from pathlib import Path

import pytest

from hippohover.user_cache import kept_code, own_key, user_cache


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HIPPOHOVER_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/hippohover"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/someone/.cache/hippohover"),
        ({"HIPPOHOVER_CACHE": "", "XDG_CACHE_HOME": ""}, "/home/someone/.cache/hippohover"),
        ({}, "/home/someone/.cache/hippohover"),
    ],
)
def test_where_the_cache_is(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
):
    for name in ("HIPPOHOVER_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/someone", **environment}.items():
        monkeypatch.setenv(name, value)
    assert str(user_cache()) == expected


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Named as the cache; not there yet."""
    monkeypatch.setenv("HIPPOHOVER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_made_is_the_users_alone(folder: Path):
    assert kept_code() == folder / "compiled"
    assert (mode(folder), mode(folder / "compiled")) == (0o700, 0o700)


def test_the_own_key_is_made_once_for_this_user_alone(folder: Path):
    keys: set[bytes] = set()
    for _ in range(3):
        own_key.cache_clear()
        keys.add(own_key())
    assert [len(key) for key in keys] == [32]
    assert [(path.name, mode(path)) for path in folder.iterdir()] == [("own-key", 0o600)]


@pytest.mark.parametrize("content", [b"", b"0" * 31, b"0" * 33])
def test_a_key_that_was_altered_is_none(folder: Path, content: bytes):
    folder.mkdir()
    (folder / "own-key").write_bytes(content)
    own_key.cache_clear()
    assert len(own_key()) == 32
    own_key.cache_clear()


def test_a_folder_that_was_open_to_others_is_closed(folder: Path):
    (folder / "compiled").mkdir(parents=True)
    (folder / "compiled").chmod(0o755)
    assert kept_code() == folder / "compiled"
    assert mode(folder / "compiled") == 0o700


@pytest.mark.parametrize(("above", "is_used"), [(0o777, False), (0o775, False), (0o1777, True)])
def test_a_folder_that_others_may_replace_is_not_used(folder: Path, above: int, is_used: bool):
    folder.mkdir()
    folder.chmod(above)
    assert (kept_code() is not None) == is_used


def test_a_folder_of_another_user_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch):
    assert kept_code() is not None
    monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    assert kept_code() is None


def test_a_link_to_elsewhere_is_not_used(folder: Path, tmp_path: Path):
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "compiled").symlink_to(tmp_path / "elsewhere")
    assert kept_code() is None


def test_a_cache_that_cannot_be_made_is_none(folder: Path):
    folder.write_text("in the way")
    assert kept_code() is None


def test_a_cache_that_cannot_be_written_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch):
    assert kept_code() == folder / "compiled"

    def refuse(_path: Path, _mode: int) -> bool:
        return False

    monkeypatch.setattr(os, "access", refuse)  # root may write everywhere
    assert kept_code() is None
