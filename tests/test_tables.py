"""The tables of the two READMEs are what benchmarks/results says."""

import sys

import pytest
import tables


def test_tables_match_the_results(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["tables.py", "--check"])
    assert tables.main() == 0, capsys.readouterr().out
