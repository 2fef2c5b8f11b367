"""The YAML above a note: its fields as they are written, and what is text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus.readers.texts.front_matter import split_front_matter


def test_fields_are_texts_lists_and_mappings_as_they_are_written():
    text = (
        "---\nTitle: 2024\naliases: [f-strings, 498]\ncreated: 2026-03-01 10:00\npublished: true\n"
        "nothing:\nnested: {a: [1]}\n---\nText.\n---\nMore."
    )
    fields, rest, _ = split_front_matter(text)
    assert fields == {
        "title": "2024",
        "aliases": ["f-strings", "498"],
        "created": "2026-03-01 10:00",
        "published": True,
        "nothing": "",
        "nested": {"a": ["1"]},
    }
    assert rest == "Text.\n---\nMore."


@pytest.mark.parametrize(
    "text", ["---\n---\nText.", "---\n# a comment\n...\nText.", "---  \n\n---\t\nText."]
)
def test_front_matter_may_be_empty(text: str):
    assert split_front_matter(text) == ({}, "Text.", False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\nno end: x",
        "Text.\n---\na: b\n---\n",
        "----\na: b\n----\n",
        "---\na rule above, a sentence, a rule below\n---\nText.",
        "---\n- a\n- list\n---\n",
        "---\nIt froze: all of it\nand then: no more\nthe ice\nof the\nharbour {\nwent.\n---\n",
        "---\n? [a]\n: b\n---\n",  # a list is no name
        f"---\na: {'x' * 20_000}\n---\n",
    ],
)
def test_what_is_no_front_matter_is_text(text: str):
    assert split_front_matter(text) == ({}, text, False)


def test_a_tag_makes_nothing_but_text():
    fields, *_ = split_front_matter("---\na: !!int 7\nb: !!python/name:os.system x\n---\n")
    assert fields == {"a": "7", "b": "x"}


def test_a_bomb_of_aliases_costs_nothing():
    """Each line stands for ten of the line before: whole, it would be 10 ** 30 texts."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    merged = ["m0: &m0 {k: v}"]
    merged += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}" for n in range(1, 30)]
    for bomb in (lines, merged):
        fields, rest, _ = split_front_matter("\n".join(["---", *bomb, "---", "Text."]))
        assert len(fields) == 30
        assert rest == "Text."
    assert fields["m1"] == {"<<": [{"k": "v"}] * 10}


@given(st.text(st.sampled_from("-.:\n[]{}&*!ab #'\"|>%@`?\t"), max_size=60))
def test_any_text_has_fields_or_stays_whole(text: str):
    whole = f"---\n{text}\n---\nText."
    fields, rest, _ = split_front_matter(whole)
    assert whole.endswith(rest)
    assert rest == whole or all(name == name.lower() for name in fields)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1930", 1930),
        ("-7", -7),
        ("0", 0),
        ("2.5", 2.5),
        ("true", True),
        ("False", False),
        ('"1930"', "1930"),
        ("'true'", "true"),
        ("007", "007"),
        ("1.10", "1.10"),
        ("1_000", "1_000"),
        ("2024-05-01", "2024-05-01"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("yes", "yes"),
        (">-\n  1930", "1930"),
        ("1" * 30, int("1" * 30)),
    ],
)
def test_numbers_and_truth_values_are_what_they_are(written: str, value: object):
    fields, *_ = split_front_matter(f"---\nyear: {written}\ntitle: C: more\n---\n")
    assert (fields["year"], type(fields["year"])) == (value, type(value))
    whole, *_ = split_front_matter(f"---\nyear: {written}\n---\n")
    assert whole == {"year": value}


def test_a_name_stays_a_text():
    fields, *_ = split_front_matter("---\ntitle: 1984\naliases: 84\nyear: 1949\n---\n")
    assert fields == {"title": "1984", "aliases": "84", "year": 1949}


@pytest.mark.parametrize(
    ("broken", "fields"),
    [
        ("title: The Weir\ntags: [a, 'b'\nyear: 1930", {"tags": ["a", "b"], "year": 1930}),
        ('title: The Weir\nby: "Ada\nyear: 1930', {"by": '"Ada', "year": 1930}),
        ("title: The Weir\n  by: Ada\nyear: 1930", {"year": 1930}),
        ("title: The Weir\n\tby: Ada\nyear: 1930", {"year": 1930}),
        (f"title: The Weir\na: {'[' * 9_000}{']' * 9_000}", {"a": []}),
        ("title: 'The Weir'\ntags:\n  - a\n - b\nok: \"yes\"", {"tags": "", "ok": "yes"}),
    ],
)
def test_broken_front_matter_is_read_line_by_line_and_is_no_text(broken: str, fields: object):
    found = split_front_matter(f"---\n{broken}\n---\n# More\nText.")
    assert (found.text, found.is_broken) == ("# More\nText.", True)
    assert found.fields == {"title": "The Weir", **dict(fields)}  # pyright: ignore


def test_broken_toml_is_read_line_by_line_too():
    found = split_front_matter('+++\ntitle = "The Weir"\nyear = 1930\nby = Ada\n+++\nText.')
    assert found == ({"title": "The Weir", "year": 1930, "by": "Ada"}, "Text.", True)


@pytest.mark.parametrize(
    "number", ["0x" + "f" * 5000, "9" * 25, "-9223372036854775809", "[[1], 0x1" + "0" * 16 + "]"]
)
def test_a_number_that_toml_has_none_of_is_broken_front_matter(number: str):
    said = split_front_matter(f'+++\ntitle = "Rates"\nweight = {number}\n+++\nText.\n')
    assert said.is_broken
    assert (said.fields["title"], said.text) == ("Rates", "Text.\n")


def test_the_largest_numbers_of_toml_are_numbers():
    said = split_front_matter("+++\na = 0x7fffffffffffffff\nb = -9223372036854775808\n+++\n")
    assert said.fields == {"a": 2**63 - 1, "b": -(2**63)}
