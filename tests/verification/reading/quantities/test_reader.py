"""Quantities of any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.verification.reading.quantities.quantity import likeness
from hippohover.verification.reading.quantities.reader import quantities_in


@given(st.text())
def test_any_text_is_read_and_spans_are_inside(text: str):
    for one in quantities_in(text):
        assert 0 <= one.start < one.stop <= len(text)
        assert likeness(one, one) in {"same", None}


@pytest.mark.parametrize("text", ["³", "12³", "٣ of them", "①", "½"])
def test_digits_of_other_kinds_break_nothing(text: str):
    quantities_in(text)
