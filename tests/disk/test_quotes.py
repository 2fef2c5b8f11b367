"""Quotes of a row of CSV."""

import pytest

from hippohover.disk.quotes import NO_END, quote_problem


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a,b\n", ""),
        ('a,"b, ""c""\nd"\n', ""),
        ('a,"b\nc,d\n', NO_END),
        ('a,"b\nc,"d"\n', "',' expected after '\"'"),
    ],
)
def test_a_quote_is_closed_before_the_next_cell(row: str, problem: str):
    assert quote_problem(row.splitlines(keepends=True), ",") == problem


def test_the_sign_between_cells_counts():
    assert quote_problem(['a;"b";c\n'], ";") == ""
    assert quote_problem(['a;"b";c\n'], ",") == ""  # one cell, whose quotes open nothing
    assert quote_problem(['"b";c\n'], ",") != ""
