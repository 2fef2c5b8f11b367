"""SECURITY.md promises what a test shows: each that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = re.findall(
    r"^\| (?!threat|---)(.+) \| (.+) \| (.+) \|$", (ROOT / "SECURITY.md").read_text(), re.M
)


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_each_promise_names_tests_that_are_there(row: tuple[str, str, str]):
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row[2])
    assert named
    for path, function in named:
        content = (ROOT / path).read_text(encoding="utf-8")
        assert f"def {function or 'test_'}" in content, (path, function)


def test_every_threat_has_a_row():
    assert len(ROWS) > 20
