"""Codes and rows of words in running text: found whole, and what only looks like one is not."""

import pytest

from hippohover.names.codes import find_codes
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.mentions import ROW_MARK, TOKENS_A_NAME, Mention, find_word_runs
from hippohover.names.normal_forms import tokens, tokens_and_breaks


def codes(text: str, known: tuple[Mention, ...] = ()) -> list[str]:
    return [one.key for one in find_codes(text, tokens(text)[0], known)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pump HX-1007 failed.", ["hx 1007"]),
        ("built as b03e1, then 3f2a9c1d", ["b03e1", "3f2a9c1d"]),
        ("host 10.2.0.7 (port 80)", ["10 2 0 7"]),
        ("call parse_claim() or parse() there", ["parse claim", "parse"]),
        ("in src/net/io.c, and config.yaml.", ["src net io c", "config yaml"]),
        ("write to ada@ex.org", ["ada ex org"]),
        ("call +44 20 7946 0958, or 555-0134-22", ["44 20 7946 0958", "555 0134 22"]),
        ("account 10424277 was closed", ["10424277"]),
        ("версия АБ-12, узел-7", ["аб 12", "узел 7"]),
        ("機械HX-1007が壊れた", ["hx 1007"]),
    ],
)
def test_codes_are_found_whole(text: str, expected: list[str]):
    assert codes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "in the 19th century, the 1990s, of 1914-1918 and 2012",
        "20-year-old, 12-foot, 5pm, 10km, 4K, 3.5, 10,000 and 80%",
        "e.g. the U.S. at 5 p.m., and/or km/h, well-known",
        "nothing here",
        "",
    ],
)
def test_quantities_years_and_words_are_no_codes(text: str):
    assert codes(text) == []


def test_what_a_name_covers_is_no_code():
    assert codes("Pump HX-1007 failed", (Mention(0, 1, 3),)) == []
    assert codes("Pump HX-1007 failed", (Mention(0, 1, 2),)) == ["hx 1007"]


def test_a_code_is_no_phrase_of_its_letters():
    names = Gazetteer({})
    text = names.read("The Pump HX-1007 of Ada Finch")
    assert [one.key for one in text.phrases] == ["the pump", "ada finch"]
    assert text.phrase_keys() == ["the pump", "ada finch", "hx 1007"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it was said that the copper heron gate fell", [
            "copper heron", "copper heron gate", "heron gate", "heron gate fell", "gate fell",
        ]),
        ("near valve 12, and 12 13", ["near valve", "near valve 12", "valve 12"]),
        ("由王小明看", ["由 王 小", "王 小 明", "小 明 看"]),
        ("gates were closed", []),
        ("", []),
    ],
)  # fmt: skip
def test_words_in_a_row_join_a_text_that_names_little(text: str, expected: list[str]):
    folded, _, breaks = tokens_and_breaks(text)
    assert [one.key for one in find_word_runs(folded, (), breaks)] == [
        f"{ROW_MARK}{key}" for key in expected
    ]


@pytest.mark.parametrize(("n_tokens", "n_found"), [(TOKENS_A_NAME, 15), (TOKENS_A_NAME - 1, 0)])
def test_a_text_that_names_much_has_no_rows_of_words(n_tokens: int, n_found: int):
    folded = ["name", *(f"word{at}" for at in range(1, n_tokens))]
    assert len(find_word_runs(folded, [Mention(0, 0, 1)], [])) == n_found
