"""Two who change places: by a verb, a comparison, a field, or prepositions."""

import pytest

from tests.verification.against.comparing import findings, kinds


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("LEP 12", "LEP 19 was superseded by LEP 12.", "Superseded-By: LEP 19."),
        ("LEP 19", "LEP 12 supersedes LEP 19.", "Supersedes: LEP 12."),
        (
            "Halmund",
            "Tom Bray succeeded Greta Sim.",
            "The mayor is Greta Sim, who succeeded Tom Bray.",
        ),
        (
            "Sedge",
            "Sedge is faster than Loam on small files.",
            "Sedge is slower than Loam on small files and faster on large files.",
        ),
        (
            "Veltorin trial",
            "Sumadine was less effective than Veltorin.",
            "Veltorin was less effective than Sumadine, but had fewer side effects.",
        ),
        (
            "Veltorin trial",
            "Veltorin had more side effects than Sumadine.",
            "Veltorin was less effective than Sumadine, but had fewer side effects.",
        ),
        (
            "Norland Lines",
            "Ostara Lines sold its ships to Norland Lines.",
            "Norland Lines sold its ships to Ostara Lines.",
        ),
    ],
)
def test_two_change_places(title: str, claim: str, sentence: str):
    assert "roles" in {kind for kind, _ in kinds(claim, (title, sentence))}


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("LEP 12", "LEP 12 was superseded by LEP 19.", "Superseded-By: LEP 19."),
        ("LEP 19", "LEP 19 supersedes LEP 12.", "Supersedes: LEP 12."),
        (
            "Halmund",
            "Greta Sim succeeded Tom Bray.",
            "The mayor is Greta Sim, who succeeded Tom Bray.",
        ),
        (
            "Sedge",
            "Sedge is faster than Loam on large files.",
            "Sedge is slower than Loam on small files and faster on large files.",
        ),
        (
            "Veltorin trial",
            "Veltorin was less effective than Sumadine.",
            "Veltorin was less effective than Sumadine, but had fewer side effects.",
        ),
        (
            "Veltorin trial",
            "Veltorin had fewer side effects than Sumadine.",
            "Veltorin was less effective than Sumadine, but had fewer side effects.",
        ),
        (
            "Norland Lines",
            "Norland Lines sold its ships to Ostara Lines.",
            "Norland Lines sold its ships to Ostara Lines.",
        ),
        (
            "Norland Lines",
            "Norland Lines bought ships from Ostara Lines.",
            "Norland Lines bought ships from Ostara Lines and from Kell Lines.",
        ),
    ],
)
def test_two_keep_their_places(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


def test_names_behind_prepositions_change_places():
    joined = ("Carl Moss", "He joined Ashby Rovers from Wexley Town.")
    assert kinds("Carl Moss joined Wexley Town from Ashby Rovers.", joined) == {("roles", False)}
    assert findings("Carl Moss joined Ashby Rovers from Wexley Town.", joined) == []


def test_who_starred_in_it_is_starred_by_it():
    film = ("Low Tide", "Low Tide is a film directed by Ann Venn and starring Tim Orr.")
    assert findings("Tim Orr starred in Low Tide.", film) == []
    assert findings("Low Tide stars Tim Orr.", film) == []
    assert findings("Tim Orr, star of Low Tide, died in 1987.", film) == []


def test_no_name_behind_a_noun_is_done_to():
    part = ("Low Tide", "The film is the third part of Venn's trilogy.")
    told = kinds("Low Tide is the second part of a trilogy by Ann Venn.", part)
    assert "roles" not in {kind for kind, _ in told}


@pytest.mark.parametrize(
    ("told", "claim", "turned"),
    [
        ("Mara Quist is suing Finn Aldo.", "Finn Aldo is suing Mara Quist.", True),
        ("Mara Quist is suing Finn Aldo.", "Mara Quist is suing Finn Aldo.", False),
        ("Mara Quist has already painted Finn Aldo.", "Finn Aldo has painted Mara Quist.", True),
        ("She had hired Finn Aldo.", "Finn Aldo had hired Mara Quist.", True),
        ("She had hired Finn Aldo.", "Mara Quist had hired Finn Aldo.", False),
        ("Mara Quist taught Finn Aldo.", "Finn Aldo teaches Mara Quist.", True),
        ("Mara Quist taught Finn Aldo.", "Mara Quist teaches Finn Aldo.", False),
        ("She agreed to buy Aldo Mills.", "Aldo Mills will buy Mara Quist.", True),
        ("She agreed to buy Aldo Mills.", "Aldo Mills was bought by Mara Quist.", False),
        ("She agreed to buy Aldo Mills.", "Mara Quist was bought by Aldo Mills.", True),
    ],
)
def test_a_verb_behind_an_auxiliary_or_in_another_form_has_the_same_roles(
    told: str, claim: str, turned: bool
):
    found = kinds(claim, ("Mara Quist", told))
    assert ("roles", True) in found if turned else not found


def test_a_participle_with_by_changes_no_places():
    told = (
        "Hartle Mills",
        "The company, founded by Nell Brook in 1952, still makes soup in Leeds.",
    )
    assert findings("Nell Brook founded Hartle Mills.", told) == []


def test_a_noun_that_looks_like_the_verb_turns_nothing():
    told = ("Sulland", "The head of government is Hugh Alder.")
    assert ("roles", True) not in kinds("Hugh Alder heads the government of Sulland.", told)
