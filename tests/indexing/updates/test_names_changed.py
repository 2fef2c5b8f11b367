"""What of a text may stay beyond ASCII once it is folded: looked at a character at a time."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippohover.indexing.updates.names_changed import may_stay_beyond_ascii
from hippohover.names.normal_forms import entity_key, tokens


@given(st.text(st.characters(), max_size=12))
@example("1\u0308")
@example("a\u200db")
@example("Caf\u00e9 \u2116 \u338f \u00bd")
@example("\u0418\u0306")
@example("\uff76\uff9e")
def test_no_text_with_other_letters_is_passed_over(text: str):
    words = tokens(text)[0]
    if not all(map(str.isascii, words)):
        assert may_stay_beyond_ascii(text)
    if words and not entity_key(text).isascii():
        assert may_stay_beyond_ascii(text)


def test_entities_of_html_may_be_anything():
    assert not entity_key("&#1046;").isascii()
    assert may_stay_beyond_ascii("&#1046;")


@pytest.mark.parametrize("text", ["plain", "José – “Peña”, Ångström…", "½ €"])
def test_what_folds_to_ascii_is_passed_over(text: str):
    assert not may_stay_beyond_ascii(text)
