import numpy as np
import pytest

from hippohover.records import Triple
from hippohover.testing.own_models import HashedWords, IsA, both
from hippohover.testing.suites import passages_of


def test_the_encoder_counts_words_and_remembers_what_it_was_asked():
    encoder = HashedWords()
    rows = encoder.encode(["salt sea", "sea salt", "mill"])
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])
    assert encoder.asked == ["salt sea", "sea salt", "mill"]


def test_the_extractor_reads_what_a_title_is():
    found, nothing = IsA().extract(passages_of(["Orle is a river.", "Nothing here."]))
    assert found == [Triple("Title 0", "is a", "river")]
    assert nothing == []


def test_it_stumbles_where_it_is_told_to():
    with pytest.raises(RuntimeError, match="no word for Title 1"):
        list(IsA(stumbles="Title 1").extract(passages_of(["a", "b"])))


def test_both_share_a_name():
    models = both("mine")
    assert "encoder" in models
    assert "extractor" in models
    assert models["encoder"].name == models["extractor"].name == "mine"
