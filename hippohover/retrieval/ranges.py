"""Numbers and dates in texts, as spans that can be compared.

A date is as precise as it is written: "2024" is the whole year, "2024-03" the month, "2024-03-05
10:30" that minute. ``iso_date`` reads dates in other forms. A date without a time zone is
in UTC. Spans are half open, in microseconds since 1970.
"""

import re
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.language.written_dates import iso_date

ORDERS: Final = ("<", "<=", ">", ">=")

_NUMBER: Final = r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?"
_DATE: Final = (
    r"(?P<year>[0-9]{4})(?:-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12][0-9]|3[01])"
    r"(?:[Tt ](?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
    r"(?::(?P<second>[0-5][0-9])(?:\.(?P<fraction>[0-9]{1,9}))?)?"
    r" ?(?P<zone>[Zz]|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?)?)?"
)
"""ISO 8601, as far as documents have it; also what RE2 reads, which Arrow matches by."""

_MAY_BE_DATE: Final = r"^.{0,76}[0-9]{4}.{0,76}$"
_MICROSECONDS: Final = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}
_DAY: Final = 86_400_000_000


class Spans(NamedTuple):
    """Texts as numbers and as dates; NaN where a text is not a number.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n,)
    is_date : ndarray of bool, shape (n,)
    starts, ends : ndarray of int64, shape (n,)
        First microsecond of each date, and the one after its last.
    """

    numbers: NDArray[np.float64]
    is_date: NDArray[np.bool_]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def check_bound(order: str, bound: str) -> None:
    """Raise ``UsageError`` unless this is an order, and a number or a date."""
    if order not in ORDERS:
        raise UsageError(f"order {order!r:.20} is unknown: give one of {', '.join(ORDERS)}")
    spans = spans_of([bound])
    if not (spans.is_date[0] or np.isfinite(spans.numbers[0])):
        raise UsageError(
            f"{bound!r:.80} after {order} is neither a number nor a date: write 1901, 2.5, 2024, "
            "2024-03, 2024-03-05 or 2024-03-05T10:30"
        )


def in_range(
    texts: Any,  # noqa: ANN401  (of Arrow, which has no types)
    order: str,
    bound: str,
) -> NDArray[np.bool_]:
    """Return whether each text is in a range; False for what is neither number nor date.

    A number is compared with a number; what is not, by its whole span: "2024-03" is not
    ``<= 2024-03-05``, and ``<= 2024`` holds the last day of that year.

    Parameters
    ----------
    texts : pyarrow array of large_string
    order, bound : str
        As ``check_bound`` accepts them.
    """
    limit, spans = spans_of([bound]), spans_of(texts)
    number = limit.numbers[0]
    by_number, by_date = {
        "<": (spans.numbers < number, spans.ends <= limit.starts[0]),
        "<=": (spans.numbers <= number, spans.ends <= limit.ends[0]),
        ">": (spans.numbers > number, spans.starts >= limit.ends[0]),
        ">=": (spans.numbers >= number, spans.starts >= limit.starts[0]),
    }[order]
    of_two_numbers = np.isfinite(spans.numbers) & np.isfinite(number)
    return np.where(of_two_numbers, by_number, by_date & spans.is_date & limit.is_date[0])


def greatest_first(
    spans: Spans, at: NDArray[np.int64], *, least_first: bool = False
) -> NDArray[np.int64]:
    """Sort some of the texts: greatest number first, or latest date.

    They are numbers if none of them can only be a date, such as "2024-03"; else they are dates.
    Values that are neither come last in either order, and equal ones keep their order.

    Parameters
    ----------
    spans : Spans
    at : ndarray of int64, shape (n,)
        Which of the texts.

    Returns
    -------
    ndarray of int64, shape (n,)
        ``at`` in another order.
    """
    numbers, is_date = spans.numbers[at], spans.is_date[at]
    known, values = np.isfinite(numbers), numbers
    if np.any(is_date & ~known):
        known, values = is_date, spans.starts[at]
    ascending = np.where(known, values, 0)
    return at[np.lexsort((ascending if least_first else -ascending, ~known))]


def spans_of(texts: Any) -> Spans:  # noqa: ANN401
    """Read texts as numbers and dates, each distinct one once.

    Parameters
    ----------
    texts : pyarrow array of large_string, or list of str
    """
    import pyarrow as pa
    import pyarrow.compute as arrow

    column = pa.array(texts, pa.large_string()) if isinstance(texts, list) else texts
    distinct = column.unique()
    trimmed = arrow.call_function("utf8_trim_whitespace", [distinct])
    numbers = _numbers(trimmed)
    is_date, starts, ends = _dates(_in_iso(trimmed))
    place = arrow.call_function("index_in", [column], arrow.SetLookupOptions(distinct))
    at = place.to_numpy()
    return Spans(numbers[at], is_date[at], starts[at], ends[at])


def _in_iso(texts: Any) -> Any:  # noqa: ANN401
    """Convert dates in other forms to ISO 8601; keep other texts."""
    import pyarrow as pa
    import pyarrow.compute as arrow

    def matches(form: str) -> Any:  # noqa: ANN401
        options = arrow.MatchSubstringOptions(form)
        return arrow.call_function("match_substring_regex", [texts], options).fill_null(False)

    others = arrow.call_function("and_not", [matches(_MAY_BE_DATE), matches(f"^(?:{_DATE})$")])
    at = np.flatnonzero(others.to_numpy(zero_copy_only=False))
    if not len(at):
        return texts
    found: list[str | None] = texts.to_pylist()
    for place in at.tolist():
        found[place] = iso_date(found[place] or "") or found[place]
    return pa.array(found, pa.large_string())


def _numbers(texts: Any) -> NDArray[np.float64]:  # noqa: ANN401
    import pyarrow.compute as arrow

    written = arrow.MatchSubstringOptions(f"^(?:{_NUMBER})$")
    is_number = arrow.call_function("match_substring_regex", [texts], written).fill_null(False)
    digits = arrow.call_function("utf8_ltrim", [texts.filter(is_number)], arrow.TrimOptions("+"))
    mask = is_number.to_numpy(zero_copy_only=False)
    numbers = np.full(len(mask), np.nan)
    numbers[mask] = digits.cast("float64").to_numpy(zero_copy_only=False)
    return numbers


def _dates(
    texts: Any,  # noqa: ANN401
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Return whether texts are dates, and each date's first and end microseconds."""
    import pyarrow.compute as arrow

    form = arrow.ExtractRegexOptions(f"^(?:{_DATE})$")
    parts = arrow.call_function("extract_regex", [texts], form)
    written = {
        name: arrow.call_function("struct_field", [parts], arrow.StructFieldOptions([name]))
        for name in re.compile(_DATE).groupindex
    }
    has = {name: _length(text) > 0 for name, text in written.items()}
    # The days that a date begins with, and those behind its month and its year.
    years = _whole(written["year"]) - 1970
    months = years * 12 + np.maximum(_whole(written["month"]) - 1, 0)
    first, behind = _days(months, "M"), _days(months + 1, "M")
    days = first + np.maximum(_whole(written["day"]) - 1, 0)
    is_date = (years > -1970) & (days < behind)
    starts = days * _DAY - _zones(written["zone"])
    for name, unit in _MICROSECONDS.items():
        starts += _whole(written[name]) * unit
    nine = arrow.call_function("utf8_rpad", [written["fraction"]], arrow.PadOptions(9, "0"))
    starts += _whole(nine) // 1000
    spans = {
        "fraction": 1,
        "second": _MICROSECONDS["second"],
        "minute": _MICROSECONDS["minute"],
        "day": _DAY,
        "month": (behind - first) * _DAY,
        "year": (_days(years + 1, "Y") - first) * _DAY,
    }
    lengths = np.select([has[name] for name in spans], list(spans.values()), 0)
    return is_date, starts, starts + lengths


def _length(texts: Any) -> NDArray[np.int64]:  # noqa: ANN401
    """Return the length of each part of a match; 0 where it is missing."""
    import pyarrow.compute as arrow

    lengths = arrow.call_function("binary_length", [texts]).fill_null(0)
    return lengths.to_numpy(zero_copy_only=False).astype(np.int64)


def _whole(digits: Any) -> NDArray[np.int64]:  # noqa: ANN401
    """Return whole numbers; 0 where there are no digits."""
    import pyarrow.compute as arrow

    padded = arrow.call_function("utf8_lpad", [digits.fill_null("")], arrow.PadOptions(1, "0"))
    return padded.cast("int64").to_numpy(zero_copy_only=False)


def _days(counts: NDArray[np.int64], unit: str) -> NDArray[np.int64]:
    """Convert months or years since 1970 to days."""
    return counts.astype(f"datetime64[{unit}]").astype("datetime64[D]").astype(np.int64)


def _zones(zones: Any) -> NDArray[np.int64]:  # noqa: ANN401
    """Return the microseconds by which clocks of zones such as "+02:00" are before UTC."""
    encoded = zones.fill_null("").dictionary_encode()
    minutes = [
        int(f"{zone[0]}1") * (60 * int(zone[1:3]) + int(zone[-2:])) if len(zone) > 1 else 0
        for zone in encoded.dictionary.to_pylist()
    ]
    place = encoded.indices.to_numpy(zero_copy_only=False)
    return np.array([*minutes, 0], np.int64)[place] * _MICROSECONDS["minute"]
