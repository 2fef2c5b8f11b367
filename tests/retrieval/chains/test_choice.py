"""Which passages make a chain: by what they cover, what joins them, and where they rank."""

import numpy as np
import pytest

from hippohover.retrieval.chains.asked import AskedWords
from hippohover.retrieval.chains.choice import Choice

NOTHING: dict[tuple[int, int], float] = {}


def choice_of(holds: list[str], joins: dict[tuple[int, int], float], named: str = "") -> Choice:
    """Of passages in the order of their ranks, the letters of a claim that each has."""
    letters = sorted(set("".join(holds)))
    strength = np.zeros((len(holds), len(holds)))
    for (one, other), worth in joins.items():
        strength[one, other] = strength[other, one] = worth
    words = AskedWords(
        terms=np.arange(len(letters)),
        weights=np.full(len(letters), 1 / len(letters)),
        holds=np.array([[letter in own for letter in letters] for own in holds]),
        nearness=np.array([2 * (str(at) in named) for at in range(len(holds))]),
    )
    return Choice(words, strength)


@pytest.mark.parametrize(
    ("holds", "joins", "best"),
    [
        (["ab", "ab", "cd"], {(0, 2): 0.5, (0, 1): 0.5}, (0, 2)),  # what is new counts
        (["ab", "cd", "cd"], {(0, 2): 0.9}, (0, 2)),  # what nothing joins is no chain
        (["ab", "cd", "cd"], {(0, 1): 0.2, (0, 2): 0.9}, (0, 2)),  # the stronger join
        (["ab", "cd", "cd"], {(0, 1): 0.5, (0, 2): 0.5}, (0, 1)),  # the better rank
        (["ab", "cd"], NOTHING, (0,)),
        (["abc", "abd", "d"], {(0, 1): 0.5, (0, 2): 0.5}, (0, 2)),  # each answers its own part
        (["abcd", "ab", "cd"], NOTHING, (0,)),
        (["ab", "cd", "ef", "gh"], {(0, 1): 0.9, (1, 2): 0.9, (2, 3): 0.9}, (0, 1, 2, 3)),
        (["ab", "cd", "ef"], {(0, 2): 0.9, (2, 1): 0.9}, (0, 2, 1)),  # in the order of the joins
    ],
)
def test_the_best_chain(
    holds: list[str], joins: dict[tuple[int, int], float], best: tuple[int, ...]
):
    chosen = choice_of(holds, joins).best()[0]
    assert chosen.order == best
    assert chosen.coverage == pytest.approx(
        len(set("".join(holds[at] for at in best))) / len(set("".join(holds)))
    )


def test_a_chain_begins_with_what_the_claim_names():
    assert choice_of(["ab", "cd"], {(0, 1): 0.9}, named="1").best()[0].order == (1, 0)
    assert choice_of(["ab", "cd"], {(0, 1): 0.9}).best()[0].order == (0, 1)


def test_what_joins_an_earlier_passage_says_which():
    middle = {(0, 1): 0.9, (0, 2): 0.9, (0, 3): 0.9}
    chosen = choice_of(["ab", "cd", "ef", "gh"], middle).best()[0]
    assert len(chosen.order) == 4
    joined = {
        frozenset((chosen.order[at + 1], chosen.order[start]))
        for at, start in enumerate(chosen.starts)
    }
    assert joined == {frozenset(pair) for pair in middle}


def test_a_further_chain_is_about_as_likely_and_around_no_better_one():
    chains = choice_of(["ab", "cd", "cd"], {(0, 1): 0.5, (0, 2): 0.5, (1, 2): 0.5}).best()
    assert [set(one.order) for one in chains[:2]] == [{0, 1}, {0, 2}]
    wider = choice_of(["ab", "cd", "d"], {(0, 1): 0.9, (0, 2): 0.9, (1, 2): 0.9}).best()
    assert wider[0].order == (0, 1)
    assert not any({0, 1} < set(one.order) for one in wider)
    assert all(one.share >= chains[0].share / 10 for one in chains)


def test_a_path_leads_from_what_is_named_to_its_passage_and_no_further():
    way = {(0, 1): 0.9, (1, 2): 0.9, (2, 3): 0.9}
    choice = choice_of(["ab", "cd", "ef", "gh"], way, named="0")
    assert [path.order for path in choice.paths()] == [(0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)]
    assert [path.coverage for path in choice.paths()] == pytest.approx([0.25, 0.5, 0.75, 1.0])


def test_a_path_begins_with_what_is_named_whatever_its_rank():
    choice = choice_of(["ab", "cd"], {(0, 1): 0.9}, named="1")
    assert [path.order for path in choice.paths()] == [(1, 0), (1,)]


def test_the_shares_of_all_sets_sum_to_1():
    choice = choice_of(["ab", "bc"], {(0, 1): 0.5})
    of_sets = [one.share for one in choice.best()] + [choice.paths()[1].share]
    assert sum({round(share, 12) for share in of_sets}) <= 1.0
    assert choice_of(["a"], NOTHING).best()[0].share == 1.0


def test_passages_behind_the_tenth_have_paths_too():
    choice = choice_of(["a"] * 11 + ["b"], {(0, 11): 0.9}, named="0")
    assert choice.paths()[11].order == (0, 11)
