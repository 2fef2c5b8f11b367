"""Which encoder a build takes that may choose, and what it says of the other."""

import pytest

from hippohover.vectors.choice import chosen, in_words

pytestmark = pytest.mark.usefixtures("as_shipped")


@pytest.mark.parametrize(
    ("name", "n", "taken"),
    [
        ("auto", 1, "minilm"),
        ("auto", 20_000, "minilm"),
        ("auto", 20_001, "minilm-static"),
        ("minilm", 10**7, "minilm"),
        ("none", 1, "none"),
    ],
)
def test_the_number_of_passages_decides_where_no_encoder_is_named(name: str, n: int, taken: str):
    assert chosen(name, n) == taken


@pytest.mark.parametrize(
    ("n", "words", "later", "said"),
    [
        (900, 60, False, "encoder minilm, as for up to 20,000 passages: minilm-static would take "
         "about 2 s less"),
        (10_000, 70, True, "encoder minilm-static until minilm has encoded the 10,000 passages in "
         "the background, about 29 s: inspect shows how far it is, and build --wait waits"),
        (345_177, 70, False, "encoder minilm-static, as for more than 20,000 passages: minilm "
         "would take about 17 minutes more (hippohover reencode INDEX --encoder minilm)"),
    ],
)  # fmt: skip
def test_a_build_says_what_the_other_costs(n: int, words: int, said: str, *, later: bool):
    assert in_words(n, n * words, 2, later=later) == said
