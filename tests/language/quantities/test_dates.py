"""Days, seasons, years, decades and centuries."""

import pytest

from hippohover.language.quantities.quantity import Quantity
from hippohover.language.quantities.reader import quantities_in


def only(text: str) -> Quantity:
    [found] = quantities_in(text)
    return found


@pytest.mark.parametrize(
    ("text", "years", "months", "day"),
    [
        ("born on 19 June 1959", (1959, 1959), {6}, 19),
        ("born on June 19, 1959", (1959, 1959), {6}, 19),
        ("born on 1959-06-19", (1959, 1959), {6}, 19),
        ("in June 1959", (1959, 1959), {6}, 0),
        ("in the spring of 1932", (1932, 1932), {3, 4, 5}, 0),
        ("in 1959", (1959, 1959), set[int](), 0),
        ("in the fifties", (1950, 1959), set[int](), 0),
        ("in the 50s", (1950, 1959), set[int](), 0),
        ("a 60s film", (1960, 1969), set[int](), 0),
        ("in the 1950s", (1950, 1959), set[int](), 0),
        ("the 1939-45 war", (1939, 1945), set[int](), 0),
        ("between 1939 and 1945", (1939, 1945), set[int](), 0),
        ("the 19th century", (1801, 1900), set[int](), 0),
    ],
)
def test_dates_with_their_granularity(
    text: str, years: tuple[int, int], months: set[int], day: int
):
    found = only(text)
    assert found.kind == "date"
    assert ((found.low, found.high), found.months, found.day) == (years, months, day)
