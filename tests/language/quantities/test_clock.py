"""Times of day, and how long "2:24:31" is."""

import pytest

from hippohover.language.quantities.quantity import likeness
from hippohover.language.quantities.reader import quantities_in


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("at 14:32", 872), ("at 2:32 pm", 872), ("at 2.32 p.m. it", 872), ("at 2 pm", 840),
        ("at 12 am", 0), ("at 12:05 pm", 725), ("at 0:05", 5), ("at 9 a.m.", 540),
    ],
)  # fmt: skip
def test_times_of_day_in_minutes(text: str, minutes: int):
    [found] = quantities_in(text)
    assert (found.kind, found.low, found.high) == ("time", minutes, minutes)


@pytest.mark.parametrize("text", ["at 25:10", "at 13 pm", "at 9:75", "9 men", "9.30 metres"])
def test_what_is_no_time_of_day(text: str):
    assert all(one.kind != "time" for one in quantities_in(text))


def test_how_long_a_race_took():
    [found] = quantities_in("won in 2:24:31")
    assert (found.kind, found.unit, found.low) == ("number", "time", 8671)


def test_the_same_time_in_both_forms():
    [mine], [other], [later] = map(quantities_in, ("at 2 pm", "at 14:00", "at 15:00"))
    assert likeness(mine, other) == "same"
    assert likeness(mine, later) == "other"
