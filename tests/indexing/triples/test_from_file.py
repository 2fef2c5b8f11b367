"""Triples of HippoRAG's file: which passage has which."""

from typing import Any

import pytest

from hippohover.indexing.triples.from_file import FileTriples
from hippohover.records import Passage, PassageId, Triple

RAW = [["Orlo Vant", "painted", "glass"], ["He", "died in", " 1911 "]]
TEXT = "Orlo Vant was a painter. He painted glass. He died in 1911."


def passage(title: str, text: str, part: int = 0) -> Passage:
    return Passage(PassageId("00"), title, text, part=part)


def of(*entries: dict[str, Any]) -> FileTriples:
    return FileTriples(entries, digest="0123456789abcdef")


def entry(text: str, triples: object = RAW) -> dict[str, Any]:
    return {"idx": "x", "passage": text, "extracted_entities": [], "extracted_triples": triples}


def test_a_passage_has_the_triples_of_its_title_and_text_with_the_sentence_that_states_each():
    file = of(entry(f"Orlo Vant\n{TEXT}"), entry("Weir\nOther.", [["a", "b", "c"]]))
    [triples] = file.extract([passage("Orlo Vant", TEXT.replace(". ", ".\n"))])
    assert triples == [
        Triple("Orlo Vant", "painted", "glass", 1),
        Triple("He", "died in", "1911", 2),
    ]
    assert (file.version, file.n_entries, file.n_unusable) == ("file-1-0123456789ab", 2, 0)


@pytest.mark.parametrize("title", ["", "d-7", "Orlo Vant"])
def test_a_passage_of_text_alone_is_found_by_it(title: str):
    assert passage(title, TEXT) in of(entry(TEXT))


def test_a_text_that_is_broken_into_lines_is_found():
    broken = TEXT.replace("was a ", "was\na ")
    for text in (broken, f"Orlo\nVant\n{broken}"):
        assert passage("Orlo Vant", TEXT) in of(entry(text))
        assert passage("Orlo Vant", broken) in of(entry(text))
    assert passage("", "One two") in of(entry("One\ntwo"))


def test_one_title_may_have_several_passages():
    file = of(entry("Tessel\nOne.", [["a", "b", "c"]]), entry("Tessel\nTwo.", [["d", "e", "f"]]))
    found = list(file.extract([passage("Tessel", "Two."), passage("Tessel", "One.")]))
    assert [triples[0].subject for triples in found] == ["d", "a"]


def test_a_part_of_a_passage_has_the_triples_whose_names_it_holds():
    file = of(entry(f"Orlo Vant\n{TEXT}"))
    parts = [passage("Orlo Vant", "Orlo Vant was a painter. He painted glass."),
             passage("Orlo Vant", "He died in 1911.", 1)]  # fmt: skip
    first, second = file.extract(parts)
    assert first == [Triple("Orlo Vant", "painted", "glass", 1)]
    assert second == [Triple("He", "died in", "1911")]


def test_a_passage_that_the_file_has_not_has_none():
    file = of(entry(f"Orlo Vant\n{TEXT}"))
    other = passage("Orlo Vant", "He was a baker.")
    assert other not in file
    assert list(file.extract([other])) == [[]]


@pytest.mark.parametrize(
    "triple", [["a", "b"], ["a", "b", "c", "d"], ["a", "", "c"], ["a", 5, "c"], "abc", None,
               ["a", "b", "\ud800"]],
)  # fmt: skip
def test_what_is_no_triple_is_left_out_and_counted(triple: object):
    file = of(entry("T\nx", [triple, ["a", "b", "c"]]), {"passage": "U"}, {})
    assert list(file.extract([passage("T", "x")])) == [[Triple("a", "b", "c")]]
    assert (file.n_entries, file.n_unusable) == (1, 3)
