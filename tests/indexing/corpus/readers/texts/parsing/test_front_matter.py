"""The YAML above a note: its fields as they are written, and what is text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus.readers.texts.parsing.front_matter import split_front_matter


def test_fields_are_texts_lists_and_mappings_as_they_are_written():
    text = (
        "---\nTitle: 2024\naliases: [f-strings, 498]\ncreated: 2026-03-01 10:00\npublished: true\n"
        "nothing:\nnested: {a: [1]}\n---\nText.\n---\nMore."
    )
    fields, rest = split_front_matter(text)
    assert fields == {
        "title": "2024",
        "aliases": ["f-strings", "498"],
        "created": "2026-03-01 10:00",
        "published": "true",
        "nothing": "",
        "nested": {"a": ["1"]},
    }
    assert rest == "Text.\n---\nMore."


@pytest.mark.parametrize(
    "text", ["---\n---\nText.", "---\n# a comment\n...\nText.", "---  \n\n---\t\nText."]
)
def test_front_matter_may_be_empty(text: str):
    assert split_front_matter(text) == ({}, "Text.")


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
        "---\na: [b\n---\n",
        "---\na: b\n  c: d\n---\n",
        "---\n? [a]\n: b\n---\n",  # a list is no name
        "---\na: !!python/object/apply:os.system [ls]\nb: &x [*x]\n---\n",
        f"---\na: {'x' * 20_000}\n---\n",
        f"---\na: {'[' * 9_000}{']' * 9_000}\n---\n",
    ],
)
def test_what_is_no_front_matter_is_text(text: str):
    assert split_front_matter(text) == ({}, text)


def test_a_tag_makes_nothing_but_text():
    fields, _ = split_front_matter("---\na: !!int 7\nb: !!python/name:os.system x\n---\n")
    assert fields == {"a": "7", "b": "x"}


def test_a_bomb_of_aliases_costs_nothing():
    """Each line stands for ten of the line before: whole, it would be 10 ** 30 texts."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    merged = ["m0: &m0 {k: v}"]
    merged += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}" for n in range(1, 30)]
    for bomb in (lines, merged):
        fields, rest = split_front_matter("\n".join(["---", *bomb, "---", "Text."]))
        assert len(fields) == 30
        assert rest == "Text."
    assert fields["m1"] == {"<<": [{"k": "v"}] * 10}


@given(st.text(st.sampled_from("-.:\n[]{}&*!ab #'\"|>%@`?\t"), max_size=60))
def test_any_text_has_fields_or_stays_whole(text: str):
    whole = f"---\n{text}\n---\nText."
    fields, rest = split_front_matter(whole)
    assert whole.endswith(rest)
    assert rest == whole or all(name == name.lower() for name in fields)
