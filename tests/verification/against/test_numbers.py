"""Numbers and dates of a claim that sentences have, have otherwise, or say of something else."""

import pytest

from hippohover.verification.against.numbers import numbers_held, other_numbers
from tests.verification.against.comparing import compared, findings, kinds


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Norland Bank",
            "Norland Bank paid its head 2 million dollars a month.",
            "Norland Bank paid its head 2 million dollars a year.",
        ),
        ("Moss Virus", "Moss Virus survives at 20 °C.", "It survives at −20 °C."),
        ("Moss Virus", "Moss Virus survives at minus 20 degrees Celsius.", "It survives at 20 °C."),
        ("Heron Dam", "Heron Dam is 1.2 km high.", "Heron Dam is 1.2 km long and 85 m high."),
        ("Heron Dam", "Heron Dam limits speed to 50 mph.", "It limits speed to 50 km/h."),
        ("Heron Dam", "Heron Dam opens at 3 pm.", "It opens at 14:00."),
        (
            "Dune Fair",
            "Dune Fair drew 4 million visitors in 2016.",
            "In 2017, it drew 4 million visitors, a third more than in 2016.",
        ),
    ],
)
def test_another_number_contradicts(title: str, claim: str, sentence: str):
    assert ("number", True) in kinds(claim, (title, sentence))


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Veltorin",
            "The maximum dose of Veltorin is 40 mg a day.",
            "The maximum dose is 40 mg per day.",
        ),
        (
            "Norland Bank",
            "Norland Bank paid its head 2 million dollars a year.",
            "Norland Bank paid its head 2 million dollars annually.",
        ),
        ("Moss Virus", "Moss Virus survives at -20 °C.", "It survives at −20 degrees Celsius."),
        ("Heron Dam", "Heron Dam is 85 m high.", "Heron Dam is 1.2 km long and 85 m high."),
        ("Heron Dam", "Heron Dam opens at 2 pm.", "It opens at 14:00."),
        (
            "Heron Dam",
            "One in five visitors of Heron Dam pays.",
            "20 % of the visitors of Heron Dam pay.",
        ),
        (
            "Heron Dam",
            "Half of the visitors of Heron Dam pay.",
            "Of the visitors of Heron Dam 50 % pay.",
        ),
        (
            "Heron Dam",
            "Four in five runners of Heron Dam finish.",
            "One in five runners of Heron Dam drops out.",
        ),
        (
            "Dune Fair",
            "Dune Fair drew 4 million visitors in 2017.",
            "In 2017, it drew 4 million visitors, a third more than in 2016.",
        ),
        (
            "Heron Act",
            "The Heron Act was passed by 212 votes to 198.",
            "The Heron Act was passed by 212 votes to 198.",
        ),
        (
            "Ann Barrie",
            "Ann Barrie managed it from its founding in 1922 until 1975.",
            "She managed it from its founding in 1922 until 1975.",
        ),
    ],
)
def test_the_same_in_another_form_is_held(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Veltorin",
            "The maximum dose of Veltorin is 40 mg a week.",
            "The maximum dose is 40 mg per day.",
        ),
        (
            "Heron Dam",
            "One in ten visitors of Heron Dam pays.",
            "One in five visitors of Heron Dam pays.",
        ),
        ("Heron Dam", "Heron Dam kills a third of the fish.", "Heron Dam kills half of the fish."),
        (
            "Sabel",
            "Sabel was the capital of Norland until 1950.",
            "Sabel is the capital of Norland since 1950.",
        ),
        (
            "Heron Probe",
            "The Heron Probe reached the moon in 2011.",
            "It was launched in 2011 and reached the moon five years later.",
        ),
        (
            "Heron Act",
            "The Heron Act was passed by 198 votes to 212.",
            "The Heron Act was passed by 212 votes to 198.",
        ),
    ],
)
def test_what_is_not_sure_only_keeps_a_claim_from_being_supported(
    title: str, claim: str, sentence: str
):
    told = compared(claim, (title, sentence))
    assert findings(claim, (title, sentence)) or False in numbers_held(told).values()


def test_a_number_of_a_part_may_stand_in_the_passage_of_another():
    """The leader whom the claim does not name has a passage of his own."""
    own = ("Bo Tarn", "Bo Tarn (born March 17, 1967) is a singer.")
    claim = "The leader of the band was born on March 17, 1967."
    assert list(numbers_held(compared(claim, own)).values()) == [True]
    other = ("Bo Tarn", "Bo Tarn (born March 18, 1967) is a singer.")
    assert list(numbers_held(compared(claim, other)).values()) == [False]
    named = "Ida Fenn was born on March 17, 1967."
    assert list(numbers_held(compared(named, own)).values()) == [False]
    assert list(numbers_held(compared(named, own, alone=False)).values()) == [True]


def test_a_rate_is_told_with_what_it_is_counted_by():
    [found] = findings(
        "The maximum dose of Veltorin is 40 mg a week.",
        ("Veltorin", "The maximum dose is 40 mg per day."),
    )
    assert found.told == "40 mg a day, not 40 mg a week"


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (
            "The Heron Probe reached the moon in 2016.",
            "It left in 2011 and reached the moon five years later.",
        ),
        (
            "The Heron Fair was not held in 2020.",
            "The Heron Fair has been held every May since 1976, except in 2020.",
        ),
    ],
)
def test_a_true_claim_is_not_contradicted_by_a_date_it_counts_from(claim: str, sentence: str):
    title = " ".join(claim.split()[1:3])
    assert ("number", True) not in kinds(claim, (title, sentence))


SUNG = ("Jo Fay", "She sang at Velm Hall from 1920 to 1934.")


@pytest.mark.parametrize(
    "claim",
    [
        "Jo Fay was born before 1905.",
        "Jo Fay was born after 1890.",
        "Jo Fay was born prior to 1905.",
        "Jo Fay sang at Velm Hall in 1925.",
        "Jo Fay sang at Velm Hall in the 1920s.",
        "Jo Fay sang at Velm Hall until 1934.",
        "Jo Fay sang at Velm Hall since 1920.",
        "Jo Fay sang at Velm Hall for fourteen years.",
        "Jo Fay sang at Velm Hall from 1920 until 1934.",
    ],
)
def test_years_beyond_or_inside_a_date_are_held(claim: str):
    grounds = compared(claim, ("Jo Fay", "She was born on 2 May 1899."), SUNG)
    assert [*numbers_held(grounds).values()] == [True]
    assert other_numbers(grounds) == []


@pytest.mark.parametrize(
    "claim",
    [
        "Jo Fay was born before 1890.",
        "Jo Fay was born after 1899.",
        "Jo Fay sang at Velm Hall in 1936.",
        "Jo Fay sang at Velm Hall from 1920 to 1940.",
        "Jo Fay sang at Velm Hall from 1915 to 1934.",
        "Jo Fay sang at Velm Hall until 1930.",
    ],
)
def test_years_outside_it_or_with_one_wrong_end_are_not(claim: str):
    grounds = compared(claim, ("Jo Fay", "She was born on 2 May 1899."), SUNG)
    assert [*numbers_held(grounds).values()] == [False]
    assert [one.kind for one in other_numbers(grounds)] == ["number"]


def test_a_year_amid_two_others_of_other_verbs_contradicts_nothing():
    told = ("Jo Fay", "She entered the guild in 1920 and left it in 1934.")
    assert not any(
        one.sure for one in other_numbers(compared("Jo Fay was in the guild in 1925.", told))
    )


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Ona Brask was mayor of Tell in 2011.", "Ona Brask has been mayor of Tell since 2006."),
        ("Ona Brask was mayor of Tell in 1990.", "Ona Brask was mayor of Tell until 1994."),
        (
            "Ona Brask was mayor of Tell in March 1994.",
            "Ona Brask was mayor of Tell until July 1994.",
        ),
    ],
)
def test_a_time_with_one_end_holds_the_dates_inside(claim: str, sentence: str):
    assert ("number", True) not in kinds(claim, ("Ona Brask", sentence))


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Ona Brask was mayor of Tell in 2001.", "Ona Brask has been mayor of Tell since 2006."),
        ("Ona Brask was mayor of Tell in 1999.", "Ona Brask was mayor of Tell until 1994."),
    ],
)
def test_a_time_with_one_end_does_not_hold_the_dates_beyond(claim: str, sentence: str):
    assert ("number", True) in kinds(claim, ("Ona Brask", sentence))


def test_what_was_done_since_a_year_was_not_done_in_each_year_since():
    told = ("Ona Brask", "Ona Brask won four races since 2006.")
    assert ("number", False) in kinds("Ona Brask won a race in 2011.", told)


def test_a_limit_is_held_beside_another_amount():
    told = ("Kiln Bar", "Kiln Bar cost $3 million and earned less than $500,000.")
    assert findings("Kiln Bar earned less than $500,000.", told) == []
    assert ("number", True) in kinds("Kiln Bar earned less than $100,000.", told)


@pytest.mark.parametrize(("month", "other"), [("March", False), ("April", True)])
def test_a_version_behind_a_name_in_lower_case_is_another_one(month: str, other: bool):
    found = kinds(
        f"fen 2.1 was released in {month} 2019.",
        ("fen 2.0", "fen 2.0 was released on 4 April 2019."),
        ("fen 2.1", "fen 2.1 was released on 9 March 2019."),
    )
    assert (("number", True) in found) == other


def test_a_result_is_no_count():
    told = ("Kell FC", "They beat Brun 3-1 in April and lost to Telk 2-0 in May.")
    assert not [one for one in findings("Kell FC won 18 matches.", told) if one.sure]


def test_a_field_has_its_own_date():
    fields = (("LEP 7", "Created: 18 August 2021."), ("LEP 7", "Resolved: 2 March 2022."))
    assert kinds("LEP 7 was created on 2 March 2022.", *fields) != set()
    assert kinds("LEP 7 was created on 18 August 2021.", *fields) == set()


def test_fifth_is_not_in_fourth_place():
    told = ("Kell FC", "Kell FC finished the season of 2015 in fourth place.")
    assert any(kind == "number" for kind, _ in kinds("Kell FC finished fifth in 2015.", told))
    assert kinds("Kell FC finished fourth in 2015.", told) == set()


def test_a_third_is_not_two_thirds_of_the_same():
    told = ("Kell Tugs", "Two thirds of its crew are from Telk.")
    assert kinds("A third of the crew of Kell Tugs are from Telk.", told) != set()
    assert kinds("Two thirds of the crew of Kell Tugs are from Telk.", told) == set()


def test_a_date_that_another_is_only_compared_with_is_not_its_own():
    sold = ("Tern", "Tern was sold in Spain in 2014, three years later than in Norland.")
    weir = ("Telk weir", "Telk weir was built in 1931, a year before Kell weir.")
    assert kinds("Tern was sold in Norland in 2014.", sold) == {("number", False)}
    assert ("number", True) not in kinds("Tern was sold in Norland in 2011.", sold)
    assert ("number", False) in kinds("Kell weir was built in 1931.", weir)
    assert ("number", True) not in kinds("Kell weir was built in 1932.", weir)
    assert not kinds("Tern was sold in Spain in 2014.", sold)
    assert not kinds("Telk weir was built in 1931.", weir)


def test_an_age_is_another_whatever_noun_is_behind_it():
    told = ("Ida Mott", "She left Telk at the age of eleven and studied in Brun.")
    assert ("number", True) in kinds("Ida Mott was twelve when she left Telk.", told)
    assert not kinds("Ida Mott was eleven when she left Telk.", told)
    fare = ("Telk ferry", "Children aged 2 to 5 travel free.")
    assert ("number", False) in kinds("A child of nine travels free on the Telk ferry.", fare)


def test_a_number_with_another_thing_behind_with_is_that_things():
    dough = ("Plum bread", "Mix 400 g of white flour with 120 g of sweet butter.")
    assert ("number", False) in kinds("Plum bread takes 400 g of sweet butter.", dough)
    assert not kinds("Plum bread takes 120 g of sweet butter.", dough)


def test_a_number_beside_words_of_the_title_alone_is_another_but_never_surely():
    mill = ("Kell Mill", "It was sold in 1984, and the last miller, Tim Orr, left a year later.")
    assert kinds("The last miller left Kell Mill in 1985.", mill) == {("number", False)}


def test_how_much_more_it_is_than_another_is_not_what_it_is():
    told = ("Kell G2", "It holds 30 g of beans, 10 g more than the Kell G1.")
    assert ("number", True) not in kinds("The Kell G1 holds 20 g of beans.", told)


def test_what_is_excepted_may_have_another_date():
    told = ("Kell College", "Women have been admitted since 1887, except to the faculty of law.")
    claim = "The faculty of law of Kell College has admitted women since 1902."
    assert ("number", True) not in kinds(claim, told)


def test_the_same_in_parentheses_is_a_conversion():
    told = ("Corvan", "Its top speed is 90 km/h (56 mph).")
    assert findings("Corvan's top speed is 56 mph.", told) == []
    assert findings("Corvan's top speed is 90 km/h.", told) == []
    assert ("number", True) in kinds("Corvan's top speed is 65 mph.", told)


def test_who_did_it_is_told_by_a_sentence_about_what_was_done():
    told = ("Corvan", "Corvan is an engine built in 1906 by Blyth Works.")
    assert findings("Blyth Works built Corvan in 1906.", told) == []


def test_the_opposite_dates_nothing():
    told = ("Pier Gate", "The gate was closed for six months in 2006.")
    assert not any(sure for _, sure in kinds("Pier Gate was opened in 1989.", told))
