"""More of one than of another, by a verb, or by the numbers of two years."""

import pytest

from tests.verification.against.comparing import findings, kinds

BIRDS = ("Orm Lake", "At Orm Lake teals outnumber coots.")
MAPS = ("Kell Press", "Kell Press sold 210 maps in 2020, down from 380 maps in 2019.")
PUPILS = ("Telk School", "In 2018 Telk School had 420 pupils, compared with 370 in 2010.")


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("There are more coots than teals at Orm Lake.", BIRDS),
        ("There are fewer teals than coots at Orm Lake.", BIRDS),
        ("Coots outnumber teals at Orm Lake.", BIRDS),
        ("Teals are outnumbered by coots at Orm Lake.", BIRDS),
        ("Kell Press sold more maps in 2020 than in 2019.", MAPS),
        ("Kell Press sold fewer maps in 2019 than in 2020.", MAPS),
        ("Telk School had fewer pupils in 2018 than in 2010.", PUPILS),
    ],
)
def test_the_other_has_more(claim: str, told: tuple[str, str]):
    assert ("roles", False) in kinds(claim, told)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("There are more teals than coots at Orm Lake.", BIRDS),
        ("There are fewer coots than teals at Orm Lake.", BIRDS),
        ("Coots are outnumbered by teals at Orm Lake.", BIRDS),
        ("Kell Press sold more maps in 2019 than in 2020.", MAPS),
        ("Telk School had more pupils in 2018 than in 2010.", PUPILS),
        ("There are more coots than swans at Orm Lake.", BIRDS),
    ],
)
def test_it_has_more_or_nobody_says(claim: str, told: tuple[str, str]):
    assert not any(kind == "roles" for kind, _ in kinds(claim, told))


def test_a_number_with_its_own_year_is_not_another_years():
    assert not findings("Kell Press sold 380 maps in 2019.", MAPS)
    assert not findings("Kell Press sold 210 maps in 2020.", MAPS)
    assert findings("Kell Press sold 210 maps in 2019.", MAPS)
    assert findings("Kell Press sold 380 maps in 2020.", MAPS)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        (
            "It sold more maps in 2021 than in 2020.",
            "In 2021 it sold 90 maps, 120 fewer than in 2020.",
        ),
        (
            "It sold fewer maps in 2023 than in 2022.",
            "In 2023 it sold 70 maps, 9 more than in 2022.",
        ),
    ],
)
def test_a_difference_to_another_year_tells_which_had_more(claim: str, told: str):
    assert ("roles", False) in kinds(claim, ("Kell Press", told))
    more, fewer = ("fewer", "more") if "fewer" in told else ("more", "fewer")
    true = claim.replace(fewer, more)
    assert not {one for one in findings(true, ("Kell Press", told)) if one.kind == "roles"}
