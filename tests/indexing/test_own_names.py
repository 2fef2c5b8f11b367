"""The names a passage is known by."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.own_names import OwnName, opening_name, own_names
from hippohover.names import entity_key
from hippohover.records import Passage, PassageId


def passages(*pairs: tuple[str, str]) -> list[Passage]:
    return [Passage(PassageId(str(n)), title, text) for n, (title, text) in enumerate(pairs)]


def test_a_title_and_its_bare_form_are_names():
    numbers, owners = own_names(passages(("Velmora (film)", "x"), ("Otto Brenner", "y")))
    assert numbers == {"velmora film": 0, "velmora": 1, "otto brenner": 2}
    assert owners.tolist() == [[0, 0, OwnName.FULL], [0, 1, OwnName.BARE], [1, 2, OwnName.FULL]]
    assert owners.dtype == np.int32


def test_passages_may_share_a_name():
    numbers, owners = own_names(passages(("Velmora", "x"), ("Velmora (film)", "y")))
    assert numbers == {"velmora": 0, "velmora film": 1}
    assert owners.tolist() == [[0, 0, OwnName.FULL], [1, 1, OwnName.FULL], [1, 0, OwnName.BARE]]


def test_the_opening_counts_only_where_there_is_no_title():
    numbers, owners = own_names(passages(("", "The Aldermoor mill is old."), ("T", "Otto met.")))
    assert numbers == {"aldermoor": 0, "t": 1}
    assert owners.tolist() == [[0, 0, OwnName.OPENING], [1, 1, OwnName.FULL]]


def test_a_passage_without_any_name_owns_none():
    numbers, owners = own_names(passages(("", "it rains a lot.")))
    assert numbers == {}
    assert owners.shape == (0, 3)


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


@given(
    st.lists(st.tuples(st.sampled_from(["", "A", "A (b)", "B", "b (A)"]), st.text()), max_size=8)
)
def test_numbers_and_owners_agree(pairs: list[tuple[str, str]]):
    numbers, owners = own_names(passages(*pairs))
    assert list(numbers.values()) == list(range(len(numbers)))
    assert owners[:, 0].tolist() == sorted(owners[:, 0].tolist())
    assert len({(row, name) for row, name, _ in owners.tolist()}) == len(owners)
    assert set(owners[:, 1].tolist()) == set(range(len(numbers)))
