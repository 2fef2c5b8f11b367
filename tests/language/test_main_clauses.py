"""Main clauses that stand side by side in one sentence."""

import pytest

from hippohover.language.clause_parts import main_clauses


@pytest.mark.parametrize(
    ("first", "join", "second"),
    [
        ("Mia Sand was replaced by Tom Hale", ", and ", "Telk was bought by Varn."),
        ("The queue returns 404", ", and ", "the client was stopped."),
        ("Mia Sand was born in Telk", " and ", "Tom Hale was born in Varn."),
        ("Some people speak Telk", ", and ", "Kell Mill is on the Varn."),
        ("Mia Sand, who sang with Ann Roe, was born in Telk", ", and ", "her sister died in Varn."),
        ("The mill is open", "; ", "most of its rooms are cold."),
        ("Telk won it", ", but ", "12 people were hurt."),
    ],
)
def test_clauses_with_subject_and_predicate(first: str, join: str, second: str):
    assert main_clauses(f"{first}{join}{second}") == [first, second]


@pytest.mark.parametrize(
    "sentence",
    [
        "The film directed by Mia Sand and Tom Hale was released.",
        "The film that was directed by Mia Sand and Tom Hale was long.",
        "Mia Sand wrote Dust, Moth, and the Bell.",
        "Mia Sand met Tom Hale, Ann Roe, and the man who won.",
        "It is false that Mia Sand won, and the team lost.",
        "Mia Sand won the cup, and later lost it.",
        "Low Tide, directed by Mia Sand, and the sequel directed by Tom Hale are films.",
        "The animal that uses cording, and the Telk Cur are both dogs.",
    ],
)
def test_what_is_one_clause(sentence: str):
    assert main_clauses(sentence) == [sentence]
