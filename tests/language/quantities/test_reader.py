"""Quantities of any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.language.quantities.quantity import likeness
from hippohover.language.quantities.reader import quantities_in


@given(st.text())
def test_any_text_is_read_and_spans_are_inside(text: str):
    for one in quantities_in(text):
        assert 0 <= one.start < one.stop <= len(text)
        assert likeness(one, one) in {"same", None}


@pytest.mark.parametrize("text", ["³", "12³", "٣ of them", "①", "½"])
def test_digits_of_other_kinds_break_nothing(text: str):
    quantities_in(text)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("She won the cup twice.", [2.0]),
        ("She won the cup thrice in all.", [3.0]),
        ("She won the cup once.", [1.0]),
        ("It was once a mill.", []),
        ("It is twice the size of the mill.", []),
        ("They meet twice a week.", []),
    ],
)
def test_how_often_is_a_number_where_nothing_is_compared(text: str, times: list[float]):
    assert [one.low for one in quantities_in(text) if one.unit == "times"] == times
