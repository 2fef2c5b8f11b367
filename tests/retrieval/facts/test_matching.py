"""What a model answered with, matched to its candidates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.retrieval.facts.matching import Words, match_facts

CANDIDATES: list[Words] = [
    ("Lantern Hill", "was directed by", "Mira Oldane"),
    ("Mira Oldane", "was born in", "Vellmouth"),
    ("Mira Oldane", "was born in", "1951"),
    ("Vellmouth", "lies on", "the River Sill"),
]


def matched(
    answered: list[list[str]], *, min_closeness: float = 0.8, max_kept: int = 4
) -> tuple[tuple[int, ...], tuple[Words, ...]]:
    found = match_facts(answered, CANDIDATES, min_closeness=min_closeness, max_kept=max_kept)
    return found.kept, found.invented


def test_copies_are_found_in_the_order_of_the_answer():
    assert matched([list(CANDIDATES[2]), list(CANDIDATES[0])]) == ((2, 0), ())


def test_case_and_punctuation_do_not_count():
    assert matched([["LANTERN HILL", "was directed by", "“Mira Oldane”"]])[0] == (0,)


def test_each_is_kept_once():
    assert matched([list(CANDIDATES[1])] * 3) == ((1,), ())


def test_ten_facts_instead_of_four_are_cut():
    answered = [list(CANDIDATES[i % 4]) for i in range(10)]
    assert matched(answered, max_kept=3)[0] == (0, 1, 2)


def test_a_small_slip_finds_the_closest():
    assert matched([["Mira Oldane", "was born at", "Vellmouth"]])[0] == (1,)


def test_two_elements_find_what_they_stand_for():
    assert matched([["Lantern Hill was directed by", "Mira Oldane"]])[0] == (0,)


@pytest.mark.parametrize(
    "words", [["Paris", "is the capital of", "France"], ["Mira Oldane"], [], [""], ["", "", ""]]
)
def test_what_no_candidate_is_close_to_is_invented(words: list[str]):
    assert matched([words, list(CANDIDATES[3])]) == ((3,), (tuple(words),))


def test_nothing_is_invented_where_any_closeness_will_do():
    assert matched([["Paris", "is in", "France"]], min_closeness=0.0)[1] == ()


def test_without_candidates_all_is_invented():
    found = match_facts([["a", "b", "c"]], [], min_closeness=0.0, max_kept=4)
    assert (found.kept, found.invented) == ((), (("a", "b", "c"),))


@given(st.lists(st.lists(st.text(max_size=12), max_size=5), max_size=8), st.integers(1, 5))
def test_whatever_is_answered_places_are_candidates_and_distinct(
    answered: list[list[str]], max_kept: int
):
    kept, invented = matched(answered, max_kept=max_kept)
    assert len(set(kept)) == len(kept) <= max_kept
    assert set(kept) <= set(range(len(CANDIDATES)))
    assert set(invented) <= {tuple(words) for words in answered}
