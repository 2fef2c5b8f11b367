"""Names of what is told of a passage, and where it stands in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.metadata import OWN_NAMES, Metadata, citation, name_of_field, web_address

NAMES = st.lists(st.sampled_from(["field.", *OWN_NAMES, "_id", "."]), max_size=4).map("".join)


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"path": "in/report.pdf", "page": 12}, "in/report.pdf, p. 12"),
        ({"path": "notes/x.md", "anchor": "Rates"}, "notes/x.md#Rates"),
        ({"path": "a.pdf", "page": 3, "anchor": "x"}, "a.pdf, p. 3"),
        ({"page": 3}, "Rates of 1901, p. 3"),
        ({"path": "notes/x.md"}, "notes/x.md"),
        ({"path": "notes/x.md", "id": "notes/x"}, "notes/x.md"),
        ({"path": "a/fees.csv", "id": "a/fees.csv#5"}, "a/fees.csv, row 5"),
        ({"path": "a/fees.csv", "id": "50003"}, "a/fees.csv, 50003"),
        ({"path": "a/chat.txt", "id": "a/chat#12"}, "a/chat.txt, no. 12"),
        ({"path": "Inbox", "id": "1@mail.example"}, "Inbox, 1@mail.example"),
        ({"path": "words.md", "id": "words#fender"}, "words.md#fender"),
        ({"anchor": "Rates", "id": "7"}, "Rates of 1901"),
        ({}, "Rates of 1901"),
    ],
)
def test_a_citation_names_the_page_or_the_place_else_the_title(metadata: Metadata, told: str):
    assert citation("Rates of 1901", metadata) == told


def test_an_address_of_the_web_stands_behind_the_title():
    assert citation("Rates", {"url": "https://x.org/r"}) == "Rates, https://x.org/r"
    assert citation("Rates", {"url": "https://x.org/r", "path": "a.md"}) == "a.md"


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("https://x.org/r?a=b", "https://x.org/r?a=b"),
        ("http://x.org", "http://x.org"),
        ("javascript:alert(1)", ""),
        ("https://x.org/a b", ""),
        ('https://x.org/"onclick=', ""),
        ("x.org", ""),
        (7, ""),
        (None, ""),
    ],
)
def test_addresses_that_a_browser_opens(value: object, address: str):
    assert web_address(value) == address


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
