"""Orders of candidate facts: by hand, and on the toy index."""

import sys
from pathlib import Path

import pytest
from fact_candidates import Bench, main, new_ends_first, one_a_sentence

from hippohover.evaluation.hover import load_claims
from hippohover.toy import toy_claims_path


def test_the_first_fact_of_each_place_leads():
    place = {1: (0, 0, 5), 2: (0, 0, 5), 3: (0, 1, 5), 4: (0, 0, 6), 5: (0, 1, 5)}
    assert one_a_sentence([1, 2, 3, 4, 5], lambda fact: place[fact]) == [1, 3, 4, 2, 5]
    assert one_a_sentence([], lambda fact: place[fact]) == []


def test_facts_that_lead_somewhere_new_come_first():
    ends = {1: {7}, 2: {7, 8}, 3: {8}, 4: set[int](), 5: {9}}
    assert new_ends_first([1, 2, 3, 4, 5], ends.__getitem__, known={7}) == [2, 5, 1, 3, 4]


def test_every_order_holds_the_same_facts_and_is_measured(toy_index: Path):
    bench = Bench(toy_index)
    for claim in load_claims(toy_claims_path())[::12]:
        orders = bench.orders(claim.claim)
        assert len({tuple(sorted(facts)) for facts in orders.values()}) == 1
        every = bench.measured(claim, orders["closest"])
        some = bench.measured(claim, orders["closest"][:5])
        assert all(0 <= value <= 1 for value in every.values())
        assert every["stated"] >= some["stated"]
        assert every["named"] >= some["named"]
        assert bench.measured(claim, []) == dict.fromkeys(every, 0.0)


def test_the_script_writes_what_it_measured(
    toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    out = tmp_path / "r.json"
    claims = str(toy_claims_path())
    arguments = ["x", str(toy_index), claims, "--n", "5", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", arguments)
    main()
    assert '"sentence, new end @ 20"' in out.read_text(encoding="utf-8")
