"""A folder that is watched, by watchfiles itself."""

from pathlib import Path

import pytest

from hippohover.indexing.updates.watching import changes_below


@pytest.mark.slow
def test_changes_are_told_but_those_of_the_index_and_hidden_ones(tmp_path: Path):
    for name in ("index", ".git", "sub"):
        (tmp_path / name).mkdir()
    answers = changes_below(tmp_path, without=tmp_path / "index", seconds=0.3)
    assert next(answers) is False
    (tmp_path / "index" / "CURRENT").write_text("v2")
    (tmp_path / ".git" / "HEAD").write_text("x")
    (tmp_path / ".a.md.swp").write_text("x")
    assert [next(answers) for _ in range(4)] == [False] * 4
    (tmp_path / "sub" / "a.md").write_text("x")
    assert any(next(answers) for _ in range(20))
    answers.close()  # pyright: ignore[reportAttributeAccessIssue]
