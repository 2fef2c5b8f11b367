"""A folder that is watched, by watchfiles itself."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hippohover.indexing.updates.watching import changes_below


@pytest.mark.slow
def test_changes_are_told_but_those_of_the_index_and_hidden_ones(tmp_path: Path):
    for name in ("index", ".git", "sub"):
        (tmp_path / name).mkdir()
    answers = changes_below(tmp_path, without=tmp_path / "index", tell=pytest.fail, seconds=0.3)
    assert next(answers) is False
    (tmp_path / "index" / "CURRENT").write_text("v2")
    (tmp_path / ".git" / "HEAD").write_text("x")
    (tmp_path / ".a.md.swp").write_text("x")
    assert [next(answers) for _ in range(4)] == [False] * 4
    (tmp_path / "sub" / "a.md").write_text("x")
    assert any(next(answers) for _ in range(20))
    answers.close()  # pyright: ignore[reportAttributeAccessIssue]


def is_seen(answers: Iterator[bool]) -> bool:
    return any(next(answers) for _ in range(40))


def moved_away(folder: Path) -> None:
    folder.rename(folder.with_name("old"))
    folder.mkdir()


def removed(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


@pytest.mark.slow
@pytest.mark.parametrize("replace", [moved_away, removed])
def test_another_folder_in_the_place_of_the_watched_one_is_watched(
    tmp_path: Path, replace: Callable[[Path], None]
):
    folder = tmp_path / "notes"
    folder.mkdir()
    answers = changes_below(folder, without=tmp_path / "index", tell=pytest.fail, seconds=0.3)
    assert next(answers) is False
    replace(folder)
    assert is_seen(answers)
    (folder / "a.md").write_text("x")
    assert is_seen(answers)
    shutil.rmtree(folder)
    assert not all(next(answers) for _ in range(4))  # it goes on without one
    folder.mkdir()
    assert is_seen(answers)


@pytest.mark.slow
def test_a_link_that_is_turned_to_another_folder_is_followed(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    link = tmp_path / "current"
    link.symlink_to("one")
    answers = changes_below(link, without=tmp_path / "index", tell=pytest.fail, seconds=0.3)
    assert next(answers) is False
    (tmp_path / "new").symlink_to("two")
    (tmp_path / "new").replace(link)
    assert is_seen(answers)
    (tmp_path / "two" / "a.md").write_text("x")
    assert is_seen(answers)


@pytest.mark.slow
def test_a_name_that_is_not_utf_8_does_not_end_the_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hippohover.indexing.updates.watching._UNWATCHED_SECONDS", 0.1)
    said: list[str] = []
    answers = changes_below(tmp_path, without=tmp_path / "index", tell=said.append, seconds=0.3)
    assert next(answers) is False
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("x")
    except OSError:
        pytest.skip("this file system takes no such name")
    assert is_seen(answers)
    (tmp_path / "a.md").write_text("x")
    assert is_seen(answers)
    assert len(said) == 1
    assert said[0].startswith(f"{tmp_path}: cannot be watched (")
    assert said[0].endswith("it is checked every 0.1 seconds")
