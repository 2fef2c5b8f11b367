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


def test_files_above_a_folder_count_up_to_the_top_of_its_repository(tmp_path: Path):
    docs = tmp_path / "repo/wiki/docs"
    (docs / "drafts").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.md\n")
    (tmp_path / "repo/.gitignore").write_text("*.log\n/wiki/docs/old/\n/sub.txt\nkeep.md\n")
    (tmp_path / "repo/wiki/.gitignore").write_text("docs/drafts\n!keep.md\n")
    assert not Ignored.above(docs).specs
    (tmp_path / "repo/.git/info").mkdir(parents=True)
    (tmp_path / "repo/.git/info/exclude").write_text("mine.txt\n!b.log\n")
    above = Ignored.above(docs)
    ignored = (
        "a.log",
        "b.log",
        "old/",
        "old/x.md",
        "drafts/",
        "drafts/y.md",
        "mine.txt",
        "z/a.log",
    )
    assert [path for path in ignored if not above.holds(path)] == []
    assert [path for path in ("a.md", "keep.md", "sub.txt", "z/old/") if above.holds(path)] == []
    assert above.below(docs, "").specs == above.specs
    assert Ignored.above(tmp_path / "repo").holds("mine.txt")
    assert not Ignored.above(tmp_path / "repo").holds("a.log")  # of the folder's own file


@pytest.mark.parametrize("line", ["/wiki/", "wiki", "docs/", "*"])
def test_a_folder_that_is_ignored_itself_is_read_whole(tmp_path: Path, line: str):
    docs = tmp_path / "wiki/docs"
    docs.mkdir(parents=True)
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    (tmp_path / ".gitignore").write_text(f"{line}\n*.log\n")
    assert not Ignored.above(docs).holds("a.log")


def test_files_of_an_archive_count_below_their_folders():
    ignored = Ignored.of_files({"a/b/": b"!keep.md\n", "": b"*.md\n", "c/": b"\xff\n*.txt\n"})
    assert ignored.holds("a/x.md")
    assert not ignored.holds("a/b/keep.md")
    assert ignored.holds("a/keep.md")
    assert ignored.holds("c/d/e.txt")
    assert not ignored.holds("d/e.txt")
