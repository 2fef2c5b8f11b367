"""Names of what is told of a passage, and where it stands in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.metadata import OWN_NAMES, Metadata, citation, iso_date, name_of_field, web_address

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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wed, 1 May 2024 10:00:00 +0200", "2024-05-01T10:00:00+0200"),
        ("1 May 2024 9:05", "2024-05-01T09:05"),
        ("Wed May  1 10:00:00 +0000 2024", "2024-05-01T10:00:00+00:00"),
        ("Wednesday, May 1st, 2024", "2024-05-01"),
        ("Sept. 3, 2024", "2024-09-03"),
        ("3-Sep-2024", "2024-09-03"),
        ("june 2024", "2024-06"),
        ("2024/05/01 10:30", "2024-05-01T10:30"),
        ("2024-5-1", "2024-05-01"),
        ("1.5.2024", "2024-05-01"),
        ("01.05.2024, 10:30", "2024-05-01T10:30"),
        ("1714557600", "2024-05-01T10:00:00+00:00"),
        ("1714557600000", "2024-05-01T10:00:00+00:00"),
        ("1714557600.5", "2024-05-01T10:00:00.500000+00:00"),
    ],
)
def test_dates_that_are_written_otherwise(text: str, expected: str):
    assert iso_date(text) == expected
    assert iso_date(f" {text}  ") == expected


@pytest.mark.parametrize(
    "text",
    ["", "5/6/2024", "13/5/2024", "2024", "Mayor 2024", "32 May 2024", "1.13.2024", "2024/05-01",
     "May 1", "12345", "171455760000", "x" * 90, "May 2024 was warm"],
)  # fmt: skip
def test_what_is_no_date_or_may_be_two(text: str):
    assert not iso_date(text)


@given(st.text(max_size=100))
def test_any_text_is_a_date_or_none(text: str):
    assert isinstance(iso_date(text), str)


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
