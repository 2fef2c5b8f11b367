"""Facts from the words between names."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import UsageError
from hippohover.indexing.triples.cache import extract_each
from hippohover.indexing.triples.extractor import BetweenTriples, OwnTriples, TripleExtractor
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.normal_forms import without_qualifier
from hippohover.names.sentences import sentence_spans
from hippohover.records import ExtractionFailure, Passage, PassageId, Triple

NO_NAMES = BetweenTriples(Gazetteer({}))


def passage(text: str, title: str = "") -> Passage:
    return Passage(PassageId("p"), title, text)


def read(text: str, title: str = "", extractor: TripleExtractor = NO_NAMES) -> list[Triple]:
    (triples,) = extractor.extract([passage(text, title)])
    assert not isinstance(triples, ExtractionFailure)
    return triples


def test_words_between_the_opening_name_and_a_later_one():
    text = "Velmora is a drama directed by Mara Lindqvist in 1990. It was shot in Kestrel Bay."
    assert read(text, "Velmora (film)") == [
        Triple("Velmora", "is a drama directed by", "Mara Lindqvist", 0),
        Triple("Velmora", "It was shot in", "Kestrel Bay", 1),
    ]


def test_a_name_within_three_tokens_opens_the_sentence():
    text = "In 1990 Otto Brenner met Mara Lindqvist."
    assert read(text, "Velmora") == [Triple("Otto Brenner", "met", "Mara Lindqvist", 0)]
    later = "It was in 1990 that Mara Lindqvist came."
    assert {triple.subject for triple in read(later, "Velmora")} == {"Velmora"}


def test_every_later_name_is_an_object_of_the_same_subject():
    text = "Otto Brenner met Mara Lindqvist near Kestrel Bay."
    assert read(text, "Velmora") == [
        Triple("Otto Brenner", "met", "Mara Lindqvist", 0),
        Triple("Otto Brenner", "near", "Kestrel Bay", 0),
    ]


def test_the_predicate_is_at_most_the_last_six_words():
    text = "Velmora one two three four five six seven eight Kestrel."
    assert read(text, "Velmora")[0].predicate == "three four five six seven eight"


def test_a_name_without_a_word_before_it_gives_none():
    names = Gazetteer({"velmora": 0, "kestrel bay": 1})
    assert read("Velmora Kestrel Bay", "Velmora", BetweenTriples(names)) == []


def test_known_names_are_found_in_whatever_case_they_go_on():
    names = Gazetteer({"velmora": 0, "house of the long road": 1})
    text = "Velmora came before House of the long road."
    assert read(text, "Velmora", BetweenTriples(names)) == [
        Triple("Velmora", "came before", "House of the long road", 0)
    ]


def test_without_a_title_the_first_name_stands_for_it():
    text = "Velmora is old. We all liked Kestrel Bay and how it sounds."
    assert read(text)[-1] == Triple("Velmora", "We all liked", "Kestrel Bay", 1)


def test_whitespace_in_a_surface_is_collapsed():
    text = "Velmora was\n made \t by Mara\u00a0 Lindqvist."
    assert read(text, "Velmora") == [Triple("Velmora", "was made by", "Mara Lindqvist", 0)]


@pytest.mark.parametrize(
    "text", ["", " \n ", "...", "no name here", "\u0300", "東京は日本の首都。"]
)
def test_a_text_without_names_is_no_error(text: str):
    assert all(triple.subject for triple in read(text, "Velmora"))


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_gives_surfaces_of_the_text(text: str, title: str):
    plain = " ".join(text.split())
    for triple in read(text, title):
        assert triple.subject == without_qualifier(title) or triple.subject in plain
        assert triple.predicate in plain
        assert triple.object in plain
        assert all((triple.subject, triple.predicate, triple.object))
        assert 0 <= triple.sentence < len(sentence_spans(text))


WORDS = st.sampled_from(
    [
        "Velmora",
        "Mara",
        "Lindqvist",
        "of",
        "the",
        "met",
        "in",
        "It",
        "near",
        ".",
        "!",
        "1990",
        "Bay,",
        "bay\n",
    ]
)


@given(st.lists(WORDS, max_size=40).map(" ".join), st.sampled_from(["", "Velmora", "Bay (sea)"]))
def test_texts_full_of_names_keep_the_same_promises(text: str, title: str):
    test_any_text_gives_surfaces_of_the_text.hypothesis.inner_test(text, title)  # pyright: ignore[reportFunctionMemberAccess]
    assert read(text, title) == read(text, title)


def test_a_passage_does_not_depend_on_its_neighbours():
    one, two = passage("Otto met Mara.", "A"), passage("We saw Kestrel Bay.")
    assert list(NO_NAMES.extract([one, two])) == [
        *NO_NAMES.extract([one]),
        *NO_NAMES.extract([two]),
    ]
    assert list(NO_NAMES.extract([])) == []


class Answering:
    """Gives one answer for each passage."""

    name = "answering"
    version = "1"

    def __init__(self, answer: object) -> None:
        self._answer: Any = answer

    def extract(self, passages: Sequence[Passage]) -> Iterator[list[Triple] | ExtractionFailure]:
        for _ in passages:
            yield self._answer


def test_an_extractor_of_ones_own_is_named_for_a_cache():
    own = OwnTriples(Answering([]))
    assert (own.name, own.version) == ("custom:answering", "custom:answering 1")


def test_its_triples_come_as_it_gives_them_with_whitespace_collapsed():
    given = [Triple(" Otto\nBrenner ", "made", "Velmora", 3)]
    failure = ExtractionFailure(PassageId("p"), "too dark to read")
    assert read("...", extractor=OwnTriples(Answering(given))) == [
        Triple("Otto Brenner", "made", "Velmora", 3)
    ]
    assert list(OwnTriples(Answering(failure)).extract([passage("...")])) == [failure]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [("Otto", "made", "Velmora")],
        [Triple("", "made", "Velmora")],
        [Triple("Otto", " ", "Velmora")],
        [Triple("Otto", "made", "\ud800")],
        [Triple("Otto", "made", "Velmora", -1)],
        [Triple("Otto", "made", "Velmora", 2**31)],
        [Triple("Otto", "made", "Velmora", cast("int", 2.5))],
        [Triple("Otto", cast("str", 5), "Velmora")],
    ],
)
def test_what_is_no_triple_is_a_failure_of_its_passage(answer: object):
    (failure,) = extract_each([passage("...")], OwnTriples(Answering(answer)))
    assert isinstance(failure, ExtractionFailure)


@pytest.mark.parametrize(
    ("field", "value"), [("name", "a b"), ("version", ""), ("version", 1), ("version", "\ud800")]
)
def test_a_name_or_version_that_cannot_be_used_is_an_error(field: str, value: object):
    extractor = Answering([])
    setattr(extractor, field, value)
    with pytest.raises(UsageError, match=f"has (the )?{field}"):
        OwnTriples(extractor)
