"""Globs of the caller and of ``.gitignore`` files."""

from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.globs import EVERY, Globs, Ignored


def test_globs_are_those_of_gitignore():
    globs = Globs(include=("*.md", "!draft.md"), exclude=("/old/", "a/**/b.md"))
    assert globs.is_included("x/y.md")
    assert not globs.is_included("x/draft.md")
    assert globs.is_excluded("old/")
    assert not globs.is_excluded("new/old/")
    assert globs.is_excluded("a/c/d/b.md")


def test_without_globs_nothing_is_named():
    assert not EVERY.is_included("a.md")
    assert not EVERY.is_excluded("a.md")


def test_a_glob_that_is_none_is_named():
    with pytest.raises(CorpusError, match=r"--exclude: .*as in a \.gitignore"):
        Globs(exclude=("!",)).is_excluded("a")


def test_the_nearest_ignore_file_that_names_a_path_decides(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n/build/\n\xff\n")
    (tmp_path / "sub" / ".gitignore").write_text("!keep.log\n")
    above = Ignored().below(tmp_path, "")
    inner = above.below(tmp_path / "sub", "sub/")
    assert above.holds("a.log")
    assert above.holds("build/")
    assert not above.holds("sub/build/")
    assert inner.holds("sub/a.log")
    assert not inner.holds("sub/keep.log")
    assert above.below(tmp_path / "none", "none/") is above
