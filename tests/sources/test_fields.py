"""Fields of replies, whatever type they have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.sources.fields import (
    arxiv_id_in,
    count_in,
    doi_in,
    mapping,
    plain,
    rows,
    words_of,
    year_in,
)

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def test_texts_are_plain():
    assert plain("a <b>bold</b>\n claim &lt; x") == "a bold claim < x"
    assert plain("1 < 2 and 3 > 2") == "1 < 2 and 3 > 2"
    assert plain("a\ud800b") == "ab"
    assert len(plain("x" * 9000)) == 4000
    assert plain(None) == plain(3) == plain(["x"]) == ""


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, 7),
        ("2004", 2004),
        (True, None),
        ("²", None),
        (2.5, None),
        (None, None),
        ("9" * 99, None),
        (10**4000, None),
        (0, 0),
        (-5, None),
        ("-5", None),
    ],
)
def test_counts_are_whole_and_never_below_0(value: object, number: int | None):
    assert count_in(value) == number


@pytest.mark.parametrize(
    ("value", "year"),
    [(2004, 2004), ("1987", 1987), (999, None), (3001, None), (10**4000, None), (0, None)],
)
def test_years_are_those_of_papers(value: object, year: int | None):
    assert year_in(value) == year


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("https://doi.org/10.1000/ABC.7", "10.1000/abc.7"),
        ("10.48550/arXiv.2401.01234", "10.48550/arxiv.2401.01234"),
        ("see (10.1000/x).", "10.1000/x"),
        ("10.1/x", ""),
        (None, ""),
    ],
)
def test_dois(text: object, doi: str):
    assert doi_in(text) == doi


@pytest.mark.parametrize(
    ("text", "arxiv_id"),
    [
        ("http://arxiv.org/abs/2401.01234v2", "2401.01234"),
        ("https://arxiv.org/pdf/2401.01234", "2401.01234"),
        ("10.48550/arXiv.2401.01234", "2401.01234"),
        ("arxiv:hep-th/9901001", "hep-th/9901001"),
        ("https://example.org/abs/2401.01234", ""),
        ("arxiv:", ""),
        (7, ""),
    ],
)
def test_arxiv_ids(text: object, arxiv_id: str):
    assert arxiv_id_in(text) == arxiv_id


def test_words_of_a_query():
    assert words_of('all:"tides" AND (Orle-estuary) tides', 3) == ["all", "tides", "AND"]
    assert words_of("?!", 3) == []


@given(ANY)
def test_any_value_is_taken(value: object):
    assert isinstance(plain(value), str)
    assert count_in(value) is None or isinstance(count_in(value), int)
    assert all(isinstance(one, dict) for one in rows(value))
    assert isinstance(mapping(value), dict)
