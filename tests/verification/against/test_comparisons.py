"""Two sides of a claim that change places."""

import pytest

from tests.verification.against.comparing import findings, kinds

TOWER = ("The old tower", "The old tower is taller than the new tower.")
HALL = ("Hall Pelmouth", "It is smaller than the Carvick hall.")
SNOW = ("Pass", "The pass is closed from October to May.")
HEIR = ("Karl Fenn", "He was the elder brother of the painter Ida Fenn.")
TAUGHT = ("Mira Venn", "Venn studied in Carvick, where Jon Pell was her teacher.")
PUMP = ("New pump", "It replaced the old pump in 1990.")


@pytest.mark.parametrize(
    ("claim", "evidence", "sure"),
    [
        ("The new tower is taller than the old tower.", TOWER, True),
        ("The old tower is shorter than the new tower.", TOWER, True),
        ("The Pelmouth hall is larger than the Carvick hall.", HALL, True),
        ("The pass is closed from May to October.", SNOW, True),
        ("Ida Fenn was the elder brother of Karl Fenn.", HEIR, True),
        ("Mira Venn was the teacher of Jon Pell.", TAUGHT, True),
        ("The old pump replaced the new pump.", PUMP, False),
    ],
)
def test_two_change_places(claim: str, evidence: tuple[str, str], *, sure: bool):
    assert ("roles", sure) in kinds(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The old tower is taller than the new tower.", TOWER),
        ("The new tower is shorter than the old tower.", TOWER),
        ("The Pelmouth hall is smaller than the Carvick hall.", HALL),
        ("The Carvick hall is larger than the Pelmouth hall.", HALL),
        ("The pass is closed from October to May.", SNOW),
        ("The pass is closed from October until May.", SNOW),
        ("Karl Fenn was the elder brother of Ida Fenn.", HEIR),
        ("Jon Pell was the teacher of Mira Venn.", TAUGHT),
        ("Mira Venn was the pupil of Jon Pell.", TAUGHT),
        ("The new pump replaced the old pump.", PUMP),
    ],
)
def test_two_keep_their_places(claim: str, evidence: tuple[str, str]):
    assert not {one for one in findings(claim, evidence) if one.kind == "roles"}


LODGE = ("Lodge Carvick", "The Carvick lodge opened in 2019 and has 85 beds.")


@pytest.mark.parametrize("claim", ["The Pelmouth lodge has 85 beds.", "The Pelmouth lodge opened."])
def test_what_is_said_of_another_of_the_kind(claim: str):
    assert ("object", False) in kinds(claim, LODGE)
    assert findings(claim.replace("Pelmouth", "Carvick"), LODGE) == []


def test_its_title_tells_which_one_a_sentence_is_about():
    told = ("Lodge Carvick", "The lodge will move to Varn.")
    assert ("object", False) in kinds("The Pelmouth lodge will move to Varn.", told)
    assert findings("The Carvick lodge will move to Varn.", told) == []


@pytest.mark.parametrize(
    ("claim", "turned"),
    [
        ("Lise Marn is the employer of Otto Vey.", False),
        ("Otto Vey is the employer of Lise Marn.", True),
        ("Otto Vey is the aunt of Lise Marn.", False),  # of them nothing is said
    ],
)
def test_each_of_several_relations_counts(claim: str, turned: bool):
    told = "Lise Marn is the aunt of Kim Marn and the employer of Otto Vey."
    assert (("roles", True) in kinds(claim, ("Lise Marn", told))) == turned


@pytest.mark.parametrize(
    "told",
    [
        "Critics of the ready-made vase, among them Olin, praised the potter.",
        "The vase was made for the potter.",
    ],
)
def test_no_sides_are_exchanged_where_the_verb_is_no_predicate_or_has_no_agent(told: str):
    assert ("roles", False) not in kinds("The potter made the vase.", ("Museum", told))


@pytest.mark.parametrize(
    ("told", "right", "turned"),
    [
        ("Lake Vorn is murkier than Lake Ost.", "Lake Vorn is murkier than Lake Ost.",
         "Lake Ost is murkier than Lake Vorn."),
        ("It is cooler than Lake Ost.", "Lake Ost is warmer than Lake Vorn.",
         "Lake Vorn is warmer than Lake Ost."),
        ("It is shallower than Lake Ost but holds more fish than Lake Pim.",
         "Lake Ost is deeper than Lake Vorn.", "Lake Vorn is deeper than Lake Ost."),
        ("It is half the size of Lake Ost.", "Lake Ost is twice the size of Lake Vorn.",
         "Lake Vorn is twice the size of Lake Ost."),
        ("It is half the size of Lake Ost.", "Lake Vorn is half the size of Lake Ost.",
         "Lake Ost is half the size of Lake Vorn."),
    ],
)  # fmt: skip
def test_any_comparative_compares_and_so_do_half_and_twice(told: str, right: str, turned: str):
    evidence = ("Lake Vorn", told)
    assert ("roles", True) not in kinds(right, evidence)
    assert ("roles", True) in kinds(turned, evidence)


@pytest.mark.parametrize(
    ("claim", "turned"),
    [
        ("Nora Hale is older than Edda Hale.", False),
        ("Edda Hale is younger than Nora Hale.", False),
        ("Nora Hale is younger than Edda Hale.", True),
        ("Edda Hale is older than Nora Hale.", True),
    ],
)
def test_an_elder_sister_is_older(claim: str, turned: bool):
    found = kinds(claim, ("Nora Hale", "She is the elder sister of Edda Hale, a potter."))
    assert (("roles", True) in found) == turned


def test_rather_than_compares_nothing():
    told = ("Lake Vorn", "It feeds Lake Ost rather than Lake Pim.")
    assert ("roles", True) not in kinds("Lake Pim feeds Lake Ost rather than Lake Vorn.", told)


def test_what_is_compared_may_stand_behind_a_preposition():
    told = ("Orin trial", "Fever was more common with Orin than with salt.")
    assert ("roles", True) in kinds("Fever was more common with salt than with Orin.", told)
    assert kinds("Fever was less common with salt than with Orin.", told) == set()


@pytest.mark.parametrize(
    ("false", "true", "told"),
    [
        (
            "Sabel has twice as many schools as Varn.",
            "Varn has twice as many schools as Sabel.",
            "It has 40 schools, about twice as many as Sabel.",
        ),
        (
            "Sabel is three times as large as Varn.",
            "Varn is three times as large as Sabel.",
            "Varn is three times as large as Sabel.",
        ),
    ],
)
def test_twice_as_many_is_of_the_first(false: str, true: str, told: str):
    assert ("roles", True) in kinds(false, ("Varn", told))
    assert ("roles", True) not in kinds(true, ("Varn", told))
