"""Times of day at a token: "14:32", "2 pm", "2.30 p.m."."""

import re
from typing import Final

from hippohover.language.quantities.quantity import Quantity
from hippohover.language.quantities.scan import Scan

_HOUR: Final = 60
_NOON: Final = 12
_DAY: Final = 24
_LASTS: Final = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})")
_CLOCK: Final = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?")


def time_at(scan: Scan) -> tuple[Quantity, int] | None:
    """Return minutes since midnight, or the duration of "2:24:31"; None where none begins."""
    if (lasts := _LASTS.fullmatch(scan.low())) is not None:
        hours, minutes, seconds = (int(part) for part in lasts.groups())
        n_seconds = float((hours * _HOUR + minutes) * _HOUR + seconds)
        return Quantity("number", n_seconds, n_seconds, "time"), 1
    clock = _CLOCK.fullmatch(scan.low())
    if clock is None:
        return None
    half, n_half = _half_of_day(scan)
    hour, minute = int(clock[1]), int(clock[2] or 0)
    if minute >= _HOUR or hour > (_NOON if half else _DAY) or (not half and ":" not in scan.low()):
        return None
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    at = float(hour * _HOUR + minute)
    return Quantity("time", at, at), 1 + n_half


def _half_of_day(scan: Scan) -> tuple[str, int]:
    """Return "a" or "p" where "am" or "p.m." follows, and its tokens; "", 0 without."""
    if scan.low(1) in {"am", "pm"}:
        return scan.low(1)[0], 1
    if scan.low(1) in {"a", "p"} and [scan.low(at) for at in (2, 3)] == [".", "m"]:
        return scan.low(1), 4 if scan.low(4) == "." else 3
    return "", 0
