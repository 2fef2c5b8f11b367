"""The names a passage is known by."""

from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.normal_forms import entity_key
from hippohover.names.titles import TitleKind, opening_name, title_keys
from hippohover.records import Passage, PassageId


def keys_of(title: str, text: str = "x") -> dict[TitleKind, str]:
    return {kind: key for kind, key, _ in title_keys(Passage(PassageId("0"), title, text))}


def test_a_title_and_its_bare_form_are_names():
    both = {TitleKind.FULL: "velmora film", TitleKind.BARE: "velmora"}
    assert keys_of("Velmora (film)") == both
    assert keys_of("Otto Brenner") == {TitleKind.FULL: "otto brenner"}


def test_the_opening_counts_only_where_there_is_no_title():
    assert keys_of("", "The Aldermoor mill is old.") == {TitleKind.OPENING: "aldermoor"}
    assert keys_of("T", "Otto met.") == {TitleKind.FULL: "t"}


def test_a_passage_without_any_name_owns_none():
    assert keys_of("", "it rains a lot.") == {}


def test_opening_names():
    assert opening_name("Otto Brenner (born 1950) is a painter.") == "otto brenner"
    assert opening_name("A Kestrel flew.") == "kestrel"
    assert opening_name("House of the Long Road is a book.") == "house of the long road"
    assert opening_name("It was Otto.") == ""
    assert opening_name("in Rome Otto slept.") == ""
    assert opening_name("The") == ""
    assert opening_name("") == ""
    assert opening_name("Otto " * 17) == ""


@given(st.text(max_size=600))
def test_any_text_has_an_opening_that_is_a_key(text: str):
    name = opening_name(text)
    assert name == entity_key(name)


@given(st.sampled_from(["", "A", "A (b)", "b (A)", "!!!", "! (x)"]) | st.text(), st.text())
def test_own_names_are_different_keys(title: str, text: str):
    keys = keys_of(title, text)
    assert len(set(keys.values())) == len(keys)
    assert all(key == entity_key(key) for key in keys.values())
    assert keys.keys() <= {TitleKind.FULL, TitleKind.BARE, TitleKind.HEAD} or keys.keys() == {
        TitleKind.OPENING
    }
    assert (TitleKind.FULL in keys) == bool(title.strip())
