"""Numbers of one sentence that belong to other words, or to other numbers, of it."""

import pytest

from hippohover.language.clauses import ClauseReader
from hippohover.verification.against.pairs import is_of_another

READ = ClauseReader()


def another(claim: str, sentence: str) -> bool:
    said, of_claim = READ(sentence), READ(claim)
    predicate = next(iter(of_claim.relation), "")
    return any(is_of_another(said, of_claim, one, predicate) for one in of_claim.quantities)


BEGUN = "The bridge was begun in 1930 and opened in 1934."
SALES = "In 1990 it had sales of 30 million dollars, up from 20 million dollars in 1980."


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The bridge was begun in 1934.", BEGUN),
        ("The bridge opened in 1930.", BEGUN),
        ("It had sales of 20 million dollars in 1990.", SALES),
        ("340 of 12 boats sank.", "In the storm 12 of 340 boats sank."),
        ("Una Rask was born in 1951.", "Una Rask (2 May 1870 – 4 June 1951) was a baker."),
        ("Una Rask died in 1870.", "Una Rask (1870–1951) was a baker."),
    ],
)
def test_a_number_of_another(claim: str, sentence: str):
    assert another(claim, sentence)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The bridge was begun in 1930.", BEGUN),
        ("The bridge opened in 1934.", BEGUN),
        ("It had sales of 30 million dollars in 1990.", SALES),
        ("It had sales of 20 million dollars in 1980.", SALES),
        ("The team won in 1951.", "The team won four times: in 1934, 1951, 1988 and 2019."),
        ("Una Rask was born in 1870.", "Una Rask (2 May 1870 – 4 June 1951) was a baker."),
        ("Una Rask died in 1951.", "Una Rask (1870–1951) was a baker born in Varn."),
        ("The bridge opened in 1934.", "The bridge opened in 1934."),
        ("The team won 18 games and lost 13.", "They won 18 games, drew 7 and lost 13."),
        ("The bridge opened in 1935.", "The bridge opened in 1934."),
    ],
)
def test_its_own_number(claim: str, sentence: str):
    assert not another(claim, sentence)
