"""What of a folder is read, and what is passed over and why."""

import os
from pathlib import Path

import pytest

from hippohover.indexing.corpus.files.globs import EVERY, Globs
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.records import PassedOver
from hippohover.indexing.corpus.tree import (
    EXCLUDED,
    HIDDEN,
    IGNORED,
    INDEX,
    NOT_INCLUDED,
    VENDORED,
    tree_files,
)

FILES = [
    ".git/config",
    ".gitignore",
    ".notes.md",
    "README",
    "docs/a.md",
    "docs/b.txt",
    "docs/Desktop.ini",
    "docs/draft.md",
    "env/pyvenv.cfg",
    "node_modules/x/README.md",
    "site/CACHEDIR.TAG",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("draft.md\n" if name == ".gitignore" else "x")
    return tmp_path


def read(root: Path, globs: Globs) -> list[str]:
    return [item.place for item in tree_files(root, globs) if isinstance(item, SourceFile)]


def test_hidden_vendored_and_ignored_files_are_passed_over(root: Path):
    assert read(root, EVERY) == ["README", "docs/a.md", "docs/b.txt"]
    passed_over = [item for item in tree_files(root, EVERY) if isinstance(item, PassedOver)]
    assert passed_over == [
        PassedOver(".git/", HIDDEN),
        PassedOver(".gitignore", HIDDEN),
        PassedOver(".notes.md", HIDDEN),
        PassedOver("docs/Desktop.ini", HIDDEN),
        PassedOver("docs/draft.md", IGNORED),
        PassedOver("env/", VENDORED),
        PassedOver("node_modules/", VENDORED),
        PassedOver("site/", VENDORED),
    ]


def test_what_the_repository_above_ignores_is_passed_over(root: Path):
    (root / "docs/drafts").mkdir()
    (root / "docs/drafts/c.md").write_text("x")
    (root / ".gitignore").write_text("draft.md\n/docs/drafts/\n")
    assert read(root / "docs", EVERY) == ["a.md", "b.txt"]
    assert read(root / "docs", Globs(include=("*.md",))) == ["a.md"]
    named = Globs(include=("*.md", "drafts/", "draft.md"))
    assert read(root / "docs", named) == ["a.md", "draft.md", "drafts/c.md"]
    passed_over = [
        item for item in tree_files(root / "docs", EVERY) if isinstance(item, PassedOver)
    ]
    assert PassedOver("drafts/", IGNORED) in passed_over


def test_an_index_in_the_folder_is_passed_over(root: Path):
    (root / "index" / "default" / "v000001").mkdir(parents=True)
    (root / "index" / "default" / "CURRENT").write_text("v000001 6c1d7ab6\n")
    (root / "index" / "default" / "v000001" / "manifest.json").write_text("{}")
    (root / "docs" / "CURRENT").write_text("the current of the river\n")
    assert PassedOver("index/default/", INDEX) in tree_files(root, EVERY)
    assert read(root, EVERY) == ["README", "docs/CURRENT", "docs/a.md", "docs/b.txt"]


def test_a_pipe_among_the_files_that_say_what_to_read_is_not_waited_for(root: Path):
    (root / "sub").mkdir()
    for name in ("CURRENT", ".gitignore"):
        os.mkfifo(root / "sub" / name)
    (root / "sub" / "page.md").write_text("# Page")
    assert "sub/page.md" in read(root, EVERY)


def test_what_is_included_is_read_but_for_what_no_glob_names(root: Path):
    (root / ".venv/lib").mkdir(parents=True)
    (root / ".venv/lib/b.md").write_text("x")
    found = read(root, Globs(include=("*.md",)))
    assert found == [".notes.md", "docs/a.md"]
    passed_over = list(tree_files(root, Globs(include=("*.md",))))
    for place, reason in ((".venv/", HIDDEN), ("node_modules/", VENDORED), ("env/", VENDORED)):
        assert PassedOver(place, reason) in passed_over
    assert PassedOver("docs/draft.md", IGNORED) in passed_over
    for glob in ("node_modules/", "node_modules/**/*.md", "/node_modules/x/README.md"):
        assert read(root, Globs(include=(glob,))) == ["node_modules/x/README.md"]
    assert read(root, Globs(include=(".venv/**",))) == [".venv/lib/b.md"]
    assert read(root, Globs(include=("*.md", "!draft.md"))) == [".notes.md", "docs/a.md"]
    others = [
        item.place
        for item in tree_files(root, Globs(include=("*.md",)))
        if item == PassedOver(item.place, NOT_INCLUDED)
    ]
    assert "docs/b.txt" in others


def test_what_is_excluded_is_not_read(root: Path):
    globs = Globs(include=("*.md",), exclude=("node_modules/", "draft.md"))
    assert read(root, globs) == [".notes.md", "docs/a.md"]
    assert PassedOver("node_modules/", EXCLUDED) in tree_files(root, globs)


def test_a_file_can_be_opened_where_it_is(root: Path):
    [file] = [f for f in tree_files(root, Globs(include=("a.md",))) if isinstance(f, SourceFile)]
    assert file.content() == b"x"
    assert file.on_disk == root / "docs" / "a.md"
    assert (file.stem, file.suffix, file.folder) == ("a", ".md", "docs")


@pytest.mark.parametrize("name", ["vendor", "third_party", "node_modules", "dist-packages"])
@pytest.mark.parametrize("above", ["", "src/"])
def test_vendored_folders_are_passed_over_and_read_where_they_are_included(
    tmp_path: Path, above: str, name: str
):
    (tmp_path / above / name / "x").mkdir(parents=True)
    (tmp_path / above / name / "x" / "a.md").write_text("x")
    (tmp_path / above / f"{name}.md").write_text("y")
    found = list(tree_files(tmp_path, EVERY))
    assert PassedOver(f"{above}{name}/", VENDORED) in found
    files = [item.place for item in found if isinstance(item, SourceFile)]
    assert files == [f"{above}{name}.md"]
    within = tree_files(tmp_path, Globs(include=(f"{above}{name}/**",)))
    assert f"{above}{name}/x/a.md" in [one.place for one in within if isinstance(one, SourceFile)]
