"""What somebody is said to have said, and what the claim makes of it."""

import pytest

from tests.verification.against.comparing import findings, kinds

FIRE = ("Ted Vane", "Abe Sorn said that Ted Vane burnt the mill.")
POLICE = [
    ("Mill fire", "Police said the fire at the mill was an accident."),
    ("Mill fire", "The owner of the barn said it was arson."),
]


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Ted Vane burnt the mill.", FIRE),
        ("Abe Sorn burnt the mill.", FIRE),
        ("The show ended in 1999.", ("Show", "The show ended in 1999, Tom Reed said.")),
        (
            "Ida Roth argued that the mill was haunted.",
            ("Mill", "Critics argued that the mill was haunted."),
        ),
    ],
)
def test_what_another_says_is_not_said_outright(claim: str, told: tuple[str, str]):
    assert ("hedged", False) in kinds(claim, told)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Abe Sorn said that Ted Vane burnt the mill.", FIRE[1]),
        ("Tom Reed sold the show.", "Tom Reed said on Monday that he had sold the show."),
        ("According to Abe Sorn, Ted Vane burnt the mill.", FIRE[1]),
        ("The mill is said to be haunted.", "The mill is said to be haunted."),
    ],
)
def test_what_is_said_of_oneself_or_with_its_source_is_said(claim: str, sentence: str):
    assert ("hedged", False) not in kinds(claim, ("Mill", sentence))


def test_where_a_sentence_says_it_outright_too_it_is_said():
    assert findings("Ted Vane burnt the mill.", FIRE, ("Ted Vane", "He burnt the mill.")) == []


def test_the_words_of_one_are_not_the_words_of_another():
    assert ("hedged", False) in kinds("Police said the fire at the mill was arson.", *POLICE)
    assert kinds("Police said the fire at the mill was an accident.", *POLICE) == set()
