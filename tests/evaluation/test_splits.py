"""Groups of claims, and folds that keep them whole."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippohover.errors import UsageError
from hippohover.evaluation.splits import folds, groups


@dataclass(frozen=True)
class Item:
    uid: str
    gold_titles: tuple[str, ...] = ()
    hpqa_id: str = ""


def test_claims_of_one_question_are_one_group():
    claims = [Item("c", hpqa_id="q1"), Item("a", hpqa_id="q2"), Item("b", hpqa_id="q1")]
    assert groups(claims) == ["b", "a", "b"]


def test_two_shared_gold_titles_join_and_one_does_not():
    claims = [
        Item("a", ("X", "Y", "Z")),
        Item("b", ("the y", "z", "W")),
        Item("c", ("W", "V")),
        Item("d", ("X", "V")),
    ]
    assert groups(claims) == ["a", "a", "c", "d"]


def test_joining_is_transitive_over_different_reasons():
    claims = [
        Item("a", ("X", "Y"), "q1"),
        Item("b", ("P", "Q"), "q1"),
        Item("c", ("Q", "P", "R"), "q2"),
        Item("d", ("S", "T"), "q2"),
        Item("e", ("S", "U"), "q3"),
    ]
    assert groups(claims) == ["a", "a", "a", "a", "e"]


def test_an_empty_question_id_joins_nothing_and_a_repeated_uid_does():
    assert groups([Item("a"), Item("b")]) == ["a", "b"]
    assert groups([Item("a", ("X", "Y")), Item("a", ("P", "Q"))]) == ["a", "a"]


def test_a_repeated_uid_joins_what_each_of_its_claims_joins():
    claims = [Item("b", ("X", "Y")), Item("b", ("P", "Q")), Item("a", ("X", "Y"))]
    assert groups(claims) == ["a", "a", "a"]


def test_claims_of_a_single_passage_are_one_group_where_that_is_asked_for():
    claims = [Item("b", ("X",)), Item("a", ("X", "Y")), Item("c", ("Y", "Z")), Item("d", ("x",))]
    assert groups(claims, by_one_title=True) == ["a", "a", "c", "a"]
    assert groups(claims) == ["b", "a", "c", "d"]


def test_titles_that_are_one_are_no_pair():
    assert groups([Item("a", ("Bell", "The Bell")), Item("b", ("bell", "BELL"))]) == ["a", "b"]


def test_no_claims_have_no_groups():
    assert groups([]) == []


def _random_claims(seed: int, n: int) -> list[Item]:
    rng = np.random.default_rng(seed)
    return [
        Item(
            f"u{i:03}",
            tuple(f"t{t}" for t in rng.choice(n, size=3, replace=False)),
            f"q{rng.integers(n)}",
        )
        for i in range(n)
    ]


@given(st.integers(0, 1_000), st.integers(4, 60))
@settings(max_examples=min(30, settings().max_examples))
def test_groups_are_the_connected_components(seed: int, n: int):
    claims = _random_claims(seed, n)
    found = groups(claims)
    for i, one in enumerate(claims):
        for j, other in enumerate(claims):
            related = (
                one.hpqa_id == other.hpqa_id
                or len(set(one.gold_titles) & set(other.gold_titles)) >= 2
            )
            if related:
                assert found[i] == found[j]
    # Not coarser than it must be: as many groups as a plain flood fill finds.
    assert len(set(found)) == _n_components(claims)


def _n_components(claims: list[Item]) -> int:
    left, n = set(range(len(claims))), 0
    while left:
        n, front = n + 1, [left.pop()]
        while front:
            one = claims[front.pop()]
            near = {
                i
                for i in left
                if claims[i].hpqa_id == one.hpqa_id
                or len(set(claims[i].gold_titles) & set(one.gold_titles)) >= 2
            }
            left -= near
            front += near
    return n


@given(st.integers(0, 1_000))
@settings(max_examples=min(30, settings().max_examples))
def test_group_ids_do_not_depend_on_the_order_of_claims(seed: int):
    claims = _random_claims(seed, 30)
    order = np.random.default_rng(seed + 1).permutation(30)
    by_uid = dict(zip((c.uid for c in claims), groups(claims), strict=True))
    mixed = [claims[i] for i in order]
    assert groups(mixed) == [by_uid[c.uid] for c in mixed]


@given(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=80), st.integers(0, 9))
def test_folds_keep_groups_whole_and_are_balanced(ids: list[str], seed: int):
    sizes = Counter(ids)
    n_folds = min(5, len(sizes))
    if n_folds < 2:
        return
    fold_of = folds(ids, n_folds, seed)
    assert all(len({f for f, g in zip(fold_of, ids, strict=True) if g == x}) == 1 for x in sizes)
    counts = np.bincount(fold_of, minlength=n_folds)
    assert counts.size == n_folds
    assert counts.min() > 0
    assert counts.max() - counts.min() <= max(sizes.values())


def test_a_large_group_is_placed_before_the_small_ones():
    for seed in range(5):
        assert np.bincount(folds(list("abcdeeee"), 2, seed)).tolist() == [4, 4]


def test_folds_follow_the_seed_but_not_the_order():
    ids = [f"g{i}" for i in range(40)]
    once, again = folds(ids, seed=1), folds(ids, seed=1)
    assert once.tolist() == again.tolist()
    assert folds(ids, seed=2).tolist() != once.tolist()
    assert folds(ids[::-1], seed=1).tolist() == once.tolist()[::-1]
    assert np.bincount(once).tolist() == [8] * 5


@pytest.mark.parametrize(("n_folds", "n_groups"), [(1, 4), (0, 4), (5, 4), (2, 0)])
def test_impossible_folds_are_an_error(n_folds: int, n_groups: int):
    with pytest.raises(UsageError, match=f"n_folds is {n_folds} for {n_groups} groups"):
        folds([f"g{i}" for i in range(n_groups)], n_folds)
