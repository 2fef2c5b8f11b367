"""How the loops over arrays are compiled."""

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

HALVES: Final[NDArray[np.float32]] = (
    np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
)
"""Value of every float16, by its bits: machine code here knows no float16."""

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled_sums(loop: Loop) -> Loop:
    """As ``compiled``, for sums whose order is free: several values are added at a time."""
    return _compiled(loop, fastmath={"reassoc", "contract"})


def compiled(loop: Loop) -> Loop:
    """The loop as machine code, which is kept on disk and does not hold the interpreter's lock.

    Where neither the package's folder nor the user's cache can be written to, numba refuses to
    keep it: every process then compiles it at its first call.
    """
    return _compiled(loop)


def _compiled(loop: Loop, **options: Any) -> Loop:  # noqa: ANN401
    try:
        return cast("Loop", njit(cache=True, nogil=True, **options)(loop))
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return cast("Loop", njit(nogil=True, **options)(loop))
