"""The clauses of a claim: by its marks."""

import pytest

from hippohover.language.clause_parts import parts_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The bridge is long.", ["The bridge is long."]),
        ("The bridge is long. It is old.", ["The bridge is long.", "It is old."]),
        ("The bridge is long; it is very old.", ["The bridge is long", "it is very old."]),
        (
            "The mill stood here and it was sold twice.",
            ["The mill stood here", "it was sold twice."],
        ),
        (
            "The mill stood here, which the town sold.",
            ["The mill stood here", "which the town sold."],
        ),
        ("It is his, and it rains.", ["It is his, and it rains."]),
        ("Dark, which is so.", ["Dark, which is so."]),  # too few words on one side
        ("", []),
    ],
)
def test_cut_by_marks(text: str, parts: list[str]):
    assert parts_of(text) == parts


def test_a_text_is_cut_into_parts_that_say_something():
    assert parts_of("Ann sang, and she danced in Rome. It rained; the river rose there.") == [
        "Ann sang, and she danced in Rome.", "It rained; the river rose there.",
    ]  # fmt: skip
    assert parts_of("The town lies on a river, which flows into the sea.") == [
        "The town lies on a river", "which flows into the sea.",
    ]  # fmt: skip
