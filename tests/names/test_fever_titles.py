"""Titles and texts of FEVER, as people write them."""

import pytest

from hippohover.names.fever_titles import fever_title, with_signs


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Dune_-LRB-film-RRB-", "Dune (film)"),
        ("A-COLON-B_-LSB-c-RSB-_-LRB-d-RRB-_-LCB-e-RCB-", "A:B [c] (d) {e}"),
        ("T-LRB", "T-LRB"),
        ("", ""),
    ],
)
def test_a_title_is_read_as_it_is(written: str, title: str):
    assert fever_title(written) == title


def test_a_text_keeps_what_is_no_sign():
    assert with_signs("a_b -LRB- 1984 -RRB-") == "a_b ( 1984 )"
