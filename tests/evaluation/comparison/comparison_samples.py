"""A comparison that is typed, and not measured."""

from hippohover.evaluation.comparison.compare import MEASURES, Cell, Comparison
from hippohover.evaluation.comparison.significance import Difference
from hippohover.evaluation.intervals import Estimate


def estimate(value: float) -> Estimate:
    return Estimate(value=value, low=value - 0.1, high=min(1.0, value + 0.1), n=1200)


def difference(value: float, p: float) -> Difference:
    return Difference(value=value, low=value - 0.1, high=value + 0.1, p=p / 2, p_corrected=p)


def comparison(*, p: float = 0.01, second: str = "walk_2") -> Comparison:
    """Two arms, two sets, two cut-offs: the second gains 0.2 on dev, and loses 0.1 on test."""
    measures = tuple(f"{name}@{k}" for name in MEASURES for k in (5, 21))
    cells = {
        name: {
            "ppr": {measure: Cell(estimate(0.5)) for measure in measures},
            second: {m: Cell(estimate(0.5 + gain), difference(gain, p)) for m in measures},
        }
        for name, gain in (("dev", 0.2), ("test", -0.1))
    }
    return Comparison(("ppr", second), measures, cells, 24)
