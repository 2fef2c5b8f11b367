"""What words are worth, what numbers are, and how close words come."""

import numpy as np
import pytest

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.terms import TermReader, closeness


@pytest.fixture
def read(toy_engine: HippoHover) -> TermReader:
    return TermReader(toy_engine.tables.arrays.lexical)


def test_terms_are_stems_with_what_they_tell(read: TermReader):
    terms = read("The directors directed zyxzyx films, films of the directing")
    assert terms.stems == ("director", "direct", "zyxzyx", "film")
    assert terms.words[3] == "films"
    rarity = dict(zip(terms.stems, terms.rarity, strict=True))
    n = 245
    assert rarity["zyxzyx"] == pytest.approx(np.log((n + 1) / 0.5))
    assert rarity["film"] < rarity["zyxzyx"]
    assert (terms.rarity >= 0).all()
    assert read("the of").stems == ()


def test_closeness_is_one_for_what_is_held_and_a_cosine_for_the_rest(read: TermReader):
    vectors = {"boats": [1.0, 0.0], "ships": [0.8, 0.6], "fog": [0.0, 1.0]}

    def encode(words: object) -> np.ndarray:
        return np.array([vectors[w] for w in words], np.float32)  # pyright: ignore

    claim, evidence = read("fog boats"), read("fog ships")
    assert closeness(claim, evidence, encode).tolist() == pytest.approx([1.0, 0.8])
    assert closeness(claim, evidence, None).tolist() == [1.0, 0.0]
    assert closeness(claim, read(""), encode).tolist() == [0.0, 0.0]
    assert closeness(read(""), evidence, encode).tolist() == []
