"""What a run of the hypothesis program keeps, and what is read from it."""

import pytest

from hippohover.programs.hypothesis_run import TraversalYield, gives_too_little, is_covered

CLAIM = "The director of Lantern Hill was born in Vessby."


@pytest.mark.parametrize(
    ("shares", "little"),
    [((0.3, 0.4, 0.15), False), ((0.29, 1, 1), True), ((1, 0.39, 1), True), ((1, 1, 0.14), True)],
)
def test_the_thresholds_of_yield(shares: tuple[float, float, float], little: bool):
    assert gives_too_little([TraversalYield(*shares)] * 3) == little


@pytest.mark.parametrize(
    ("gold", "covered"),
    [
        (("Lantern Hill", "Mira Oldane (director)"), True),
        (("Lantern Hill", "Isk"), False),
        (("Lantern Hill",), True),
        (("Vessby",), True),
        (("Mira",), True),
        (("Old",), False),
    ],
)
def test_hypotheses_cover_a_claim_when_one_names_a_bridge(gold: tuple[str, ...], covered: bool):
    assert is_covered(CLAIM, gold, ["Nobody", "mira oldane directed it"]) == covered


def test_every_run_of_a_row_must_give_too_little():
    runs = [TraversalYield(unique=share, selected=1.0, used=1.0) for share in (0.0, 0.2, 0.3)]
    assert not gives_too_little(runs)
    assert gives_too_little(runs[:2])
