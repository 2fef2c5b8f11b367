"""Places of hashes: those that a plain search finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippohover.store.segments.hash_places import places_of

HASHES = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5))


@given(HASHES, HASHES)
def test_places_are_those_of_a_plain_search(hashes: list[int], wanted: list[int]):
    some = [*wanted, *hashes[::3]]
    found = places_of(np.array(hashes, np.uint64), some)
    assert found.tolist() == [at for at, value in enumerate(hashes) if value in some]
