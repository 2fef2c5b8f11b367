"""Compiled loops: kept on disk where that can be, compiled anew where it cannot."""

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.kernels import HALVES, compiled


@compiled
def total(values: NDArray[np.float64]) -> float:
    summed = 0.0
    for value in values:
        summed += value
    return summed


def test_a_loop_is_compiled_and_kept():
    assert total(np.arange(4.0)) == 6.0
    kept = Path(__file__).parent / "__pycache__"
    assert list(kept.glob("test_kernels.total-*.nbi"))


def test_every_float16_has_its_value_at_the_place_of_its_bits():
    assert (HALVES.dtype, HALVES.shape) == (np.float32, (1 << 16,))
    for value in (0.0, 1.0, -2.5, 65_504.0, 2.0**-24, float("inf")):
        assert HALVES[int(np.float16(value).view(np.uint16))] == value


def test_where_nothing_can_be_kept_loops_still_run():
    """numba knows no folder to keep a loop in when its file is none that it can find."""
    made: dict[str, Any] = {}
    exec("def double(x):\n    return 2 * x\n", made)  # noqa: S102  (a file that is nowhere)
    with pytest.raises(RuntimeError, match="no locator available"):
        numba.njit(cache=True)(made["double"])
    assert compiled(made["double"])(3) == 6
