"""Names of claims in whatever case, by the corpus's own statistics."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hippohover.lexical import Stemmer
from hippohover.names.normal_forms import tokens_and_breaks
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim_names import ClaimNames, Words


def words_of(text: str) -> Words:
    return Words(*tokens_and_breaks(text))


@pytest.fixture(scope="module")
def find(toy_engine: HippoHover) -> ClaimNames:
    return ClaimNames(toy_engine.tables.arrays, Stemmer())


def found(engine: HippoHover, find: ClaimNames, text: str) -> set[str]:
    names = engine.tables.entities.column("name")
    return {names[entity].as_py() for entity in find(words_of(text)).tolist()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who was it", True),
        ("WHO WAS IT", True),
        ("Who was it", False),
        ("42", False),
        ("누구였습니까", False),
    ],
)
def test_a_claim_is_of_one_case_or_not(text: str, expected: bool):
    assert words_of(text).is_of_one_case() == expected


def test_a_name_of_two_words_is_found_in_any_case(toy_engine: HippoHover, find: ClaimNames):
    for typed in ("Lantern Hill", "lantern hill", "LANTERN hill", "lAntern Hill"):
        assert found(toy_engine, find, f"Who played in {typed}?") == {"Lantern Hill"}


def test_a_lower_case_word_is_a_name_where_the_corpus_has_it_as_one(toy_engine: HippoHover):
    """The same word, of which half the passages that hold it have it as a name, and fewer."""
    arrays = toy_engine.tables.arrays
    [entity] = ClaimNames(arrays, Stemmer())(words_of("Who was in Gullhaven then?")).tolist()
    term = arrays.lexical.query_terms(Stemmer().terms(["gullhaven"]))
    held = int(arrays.lexical.document_frequency(term)[0])

    def names(df: int) -> Sequence[int]:
        entity_df = arrays.entity_df.copy()
        entity_df[entity] = df
        reader = ClaimNames(replace(arrays, entity_df=entity_df), Stemmer())
        return reader(words_of("Who was in gullhaven then?")).tolist()

    assert held >= 1
    assert names(-(-held // 2)) == [entity]
    assert names(0) == []
