"""Facts from the words between names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.triples.between import NAMED_WITH, BetweenTriples
from hippohover.indexing.triples.extractor import TripleExtractor
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


FACTS: dict[str, list[tuple[str, str, str]]] = {
    "Velmora is a drama directed by Mara Lindqvist in 1990.": [
        ("Velmora", "directed by", "Mara Lindqvist")
    ],
    "It was shot in Kestrel Bay.": [("Kelmark", "was shot in", "Kestrel Bay")],
    "Otto Brenner met Mara Lindqvist near Kestrel Bay.": [
        ("Otto Brenner", "met", "Mara Lindqvist"),
        ("Otto Brenner", "met near", "Kestrel Bay"),
    ],
    # Names joined by "and" share what governs the first.
    "It lies between Tessel and near the Lunn.": [
        ("Kelmark", "lies between", "Tessel"),
        ("Kelmark", "lies near", "Lunn"),
    ],
    "It lies between Tessel, Skell, Lunn.": [
        ("Kelmark", "lies between", "Tessel"),
        ("Kelmark", "lies between", "Skell"),
        ("Kelmark", "lies between", "Lunn"),
    ],
    "Tessel, which has Lunn, is near Veldria.": [
        ("Tessel", "has", "Lunn"),
        ("Tessel", "is near", "Veldria"),
    ],
    # What stands in brackets governs nothing behind them, nor the other way round.
    "Stig Aamot (1930–2010) was a painter from Isk.": [("Stig Aamot", "was a painter from", "Isk")],
    "Stig Aamot (born 1930 in Isk) painted.": [("Stig Aamot", "born 1930 in", "Isk")],
    # A name behind a preposition is no subject, and waits for its verb.
    "late in Isk, the mill was closed by Otto Brenner.": [
        ("Kelmark", "was closed in", "Isk"),
        ("Kelmark", "was closed by", "Otto Brenner"),
    ],
    "It was led by Mara Lindqvist, who was born in Isk.": [
        ("Kelmark", "was led by", "Mara Lindqvist"),
        ("Mara Lindqvist", "was born in", "Isk"),
    ],
    "It was made by Otto Brenner, and Mara Lindqvist directed Velmora.": [
        ("Kelmark", "was made by", "Otto Brenner"),
        ("Mara Lindqvist", "directed", "Velmora"),
    ],
    # An adjective is what something is, or nothing.
    "Otto Brenner was a Danish painter.": [("Otto Brenner", "was", "Danish")],
    "Otto Brenner met a Danish painter.": [],
    "Otto Brenner and, at the rest, Mara Lindqvist.": [
        ("Otto Brenner", "is named with", "Mara Lindqvist")
    ],
    "Loam supersedes Sedge.": [("Loam", "supersedes", "Sedge")],
}
"""Sentences of a passage about Kelmark, and what they state."""


@pytest.mark.parametrize("text", FACTS)
def test_what_a_sentence_states(text: str):
    told = [tuple(triple.words()) for triple in read(text, "Kelmark (province)")]
    assert told == FACTS[text]


def test_facts_know_their_sentence():
    text = "We all know that it is the oldest of them. It was shot in Kestrel Bay."
    assert read(text, "Velmora") == [Triple("Velmora", "was shot in", "Kestrel Bay", 1)]


def test_a_long_predicate_loses_its_middle():
    text = "It was one two three four five six seven eight nine ten of Kestrel Bay."
    (triple,) = read(text, "Velmora")
    assert triple.predicate == "was one four five six seven eight nine ten of"


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("Velmora wurde 1990 von Otto Brenner gegründet.", "wurde 1990 von"),
        ("Velmora eins zwei drei vier fünf sechs sieben acht neun zehn elf Kestrel.", "zwei drei"),
        ("Velmora (1990) liegt bei Isk.", "liegt bei"),
    ],
)
def test_in_other_languages_it_is_the_words_between_the_names(text: str, predicate: str):
    assert read(text, "Velmora")[0].predicate.startswith(predicate)


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
    assert read(text)[-1] == Triple("Velmora", "liked", "Kestrel Bay", 1)


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
        words = f"{plain} {NAMED_WITH}"
        assert all(word in words for word in triple.predicate.split(" "))
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
