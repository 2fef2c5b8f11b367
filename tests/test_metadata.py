"""Names of what is told of a passage, and where it stands in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.metadata import OWN_NAMES, Metadata, citation, name_of_field

NAMES = st.lists(st.sampled_from(["field.", *OWN_NAMES, "_id", "."]), max_size=4).map("".join)


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"path": "in/report.pdf", "page": 12}, "in/report.pdf, p. 12"),
        ({"path": "notes/x.md", "anchor": "Rates"}, "notes/x.md#Rates"),
        ({"path": "a.pdf", "page": 3, "anchor": "x"}, "a.pdf, p. 3"),
        ({"page": 3}, "Rates of 1901, p. 3"),
        ({"path": "notes/x.md"}, "notes/x.md"),
        ({"anchor": "Rates", "id": "7"}, "Rates of 1901"),
        ({}, "Rates of 1901"),
    ],
)
def test_a_citation_names_the_page_or_the_place_else_the_title(metadata: Metadata, told: str):
    assert citation("Rates of 1901", metadata) == told


def test_what_has_no_title_is_cited_by_its_file():
    assert citation("", {"path": "notes/x.md"}) == "notes/x.md"
    assert citation("", {}) == ""


def test_a_field_has_its_own_name_where_that_is_none_of_ours():
    assert [name_of_field(name) for name in ("_id", "Page", "page", "field.page", "fields")] == [
        *("_id", "Page", "field.page", "field.field.page", "fields")
    ]


@given(NAMES, NAMES)
def test_no_two_fields_have_one_name(one: str, other: str):
    assert (name_of_field(one) == name_of_field(other)) == (one == other)
    assert name_of_field(one) not in OWN_NAMES
