"""Fields of what a document says of itself."""

import pytest

from hippohover.indexing.corpus.readers.office.package import day, fields_from, fields_of, parsed


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2024-03-01T09:00:00Z", "2024-03-01"),
        ("D:20240301090000+01'00'", "2024-03-01"),
        ("D:2024", "2024"),
        ("2024-03", "2024-03"),
        ("last winter", "last winter"),
    ],
)
def test_a_date_is_its_day(date: str, expected: str):
    assert day(date) == expected


def test_several_authors_are_a_list_and_blank_values_are_none():
    root = parsed(
        b"<m><creator>A</creator><creator>B</creator><creator>A</creator><title> </title>"
        b"<other>x</other><subject>S</subject><created>2024-03-01T09:00:00Z</created></m>"
    )
    assert fields_of(root) == {"author": ["A", "B"], "subject": "S", "date": "2024-03-01"}
    assert fields_of(None) == {}


def test_the_first_of_several_titles_counts():
    assert fields_from([("title", "A"), ("title", "B"), ("", "C")]) == {"title": "A"}
