"""Documents that follow each other: places in names, and series that are in an order."""

import itertools
import random

import pytest

from hippohover.indexing.sequences import Member, Place, kind_pattern, pairs_in_order, place_of

PLACES = [
    # (title, id, path), kind, numbers
    (("Mill talk, turn 7", "", ""), "turn 0", (7,)),
    (("Meeting 12, block 7", "", ""), "block 0", (12, 7)),
    (("Meeting 1, turns 20 to 33", "x9", ""), "turns 0 to 0", (1, 20, 33)),
    (("2026-01 Board", "", ""), "0-0 Board", (2026, 1)),
    (("Rules, 3.8.1", "", ""), "0.0.0", (3, 8, 1)),
    (("Of the weir", "talks/mill 3", ""), "mill 0", (3,)),
    (("Board", "minutes/2026-01-05", "minutes/2026-01-05.md"), "0-0-0", (2026, 1, 5)),
    (("Part 12, opening", "", ""), None, ()),
    (("Order 17", "", ""), None, ()),
    (("fact-00017", "", ""), None, ()),
    (("Of the weir", "17", ""), None, ()),
    (("S 4, row 2", "orders#17", "orders.csv"), None, ()),
    (("Mill", "mill", "mill.md"), None, ()),
]


@pytest.mark.parametrize(("named", "kind", "numbers"), PLACES)
def test_a_place_is_a_number_within_something(
    named: tuple[str, str, str], kind: str | None, numbers: tuple[int, ...]
):
    place = place_of(*named)
    assert (place and place.kind) == kind
    assert not place or place.numbers == numbers


def test_a_number_of_any_length_is_read():
    assert place_of(f"Talk, turn {'9' * 5000}", "", "")


def test_the_pattern_of_a_kind_matches_the_end_of_its_names():
    import pyarrow as pa
    import pyarrow.compute as arrow

    names = ["Mill, turns (2) to 30", "Mill, turns (2) to x", "turns (3) to 4, again"]
    options = arrow.MatchSubstringOptions(kind_pattern("turns (0) to 0"))
    found = arrow.call_function("match_substring_regex", [pa.array(names)], options)
    assert found.to_pylist() == [True, False, False]


def members(n: int, *, document: str = "") -> list[Member]:
    """Turns of a talk whose keys say nothing of their order."""
    keys = random.Random(1).sample(range(1000), n)  # noqa: S311
    places = (Place("turn 0", "Mill, turn 0", (at * 3,)) for at in range(n))
    return [Member(p, 0, key, document or str(key)) for p, key in zip(places, keys, strict=True)]


def test_a_series_counts_where_neighbours_are_alike():
    some = members(40)
    terms = {one.key: {at // 4, 100 + at} for at, one in enumerate(some)}
    pairs = list(pairs_in_order(some, terms.__getitem__))
    keys = [one.key for one in some]
    assert pairs == list(itertools.pairwise(keys))  # whatever gaps numbers have
    assert list(pairs_in_order(some[::-1], terms.__getitem__)) == pairs
    # In no order, in one of too few turns to tell, and in one where all say the same: none.
    mixed = dict(zip(terms, random.Random(2).sample(list(terms.values()), 40), strict=True))  # noqa: S311
    for of, found in ((some, mixed), (some[:8], terms), (some, {key: {1} for key in terms})):
        assert list(pairs_in_order(of, found.__getitem__)) == []


def test_two_documents_of_one_place_have_none_and_parts_of_one_follow_each_other():
    some = members(40)
    terms = {one.key: {at // 4, 100 + at} for at, one in enumerate(some)}
    twice = Member(some[20].place, 0, 2000, "another")
    part = Member(some[10].place, 1, 3000, some[10].document)
    terms |= {2000: {5}, 3000: {2}}
    pairs = list(pairs_in_order([*some, twice, part], terms.__getitem__))
    keys = [one.key for one in some]
    assert (keys[19], keys[21]) in pairs
    assert not {keys[20], 2000} & {key for pair in pairs for key in pair}
    assert (3000, keys[11]) in pairs
    assert (keys[10], 3000) not in pairs  # they are neighbours
