"""Blocks in which names of near-identical spelling meet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.spelling_blocks import N_BLOCKS, spelling_blocks


@pytest.mark.parametrize(
    ("one", "other"),
    [("sky fall", "skyfall"), ("fall sky", "sky fall"), ("john a smith jr", "john smith")],
)
def test_near_identical_spellings_meet(one: str, other: str):
    assert set(spelling_blocks(one)) & set(spelling_blocks(other))


def test_others_do_not_and_short_names_meet_nobody():
    assert not set(spelling_blocks("grey mill")) & set(spelling_blocks("grey hill"))
    assert spelling_blocks("abcd") == []
    assert spelling_blocks(" ".join(["word"] * 13)) == []


@given(st.text(alphabet="ab jr", max_size=30))
def test_blocks_are_few_distinct_and_ascending(key: str):
    blocks = spelling_blocks(" ".join(key.split()))
    assert blocks == sorted(set(blocks))
    assert len(blocks) <= N_BLOCKS
    assert 0 not in blocks
