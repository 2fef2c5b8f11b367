"""What each array of an index must be, so that the compiled loops over it stay inside it.

The loops check no bounds. So the arrays are checked before a loop runs: type, shape, range, order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, N_TYPES
from hippohover.names.gazetteer import BEGINNING
from hippohover.names.mentions import CaseRule
from hippohover.names.spelling_blocks import N_BLOCKS
from hippohover.names.titles import TitleKind

_LARGEST_HALF: Final = 0x7BFF
"""Bits of the largest finite float16; those of a negative one are above."""

Bound = str | int
"""A number, the name of a size, or a sum of such: "rows + 1"."""


@dataclass(frozen=True)
class ArrayRule:
    """What one array must be.

    Attributes
    ----------
    dtype : str
    shape : tuple of str or int
        Sizes: those of one name are equal in all arrays, and free where they are named first.
    low : int
        Every value is at least this; floating ones are finite.
    below : str or int, optional
        Every value is less.
    columns : tuple of str or int
        In place of ``below``, for each column.
    spans_of : str
        Size of the array whose rows these spans are: ``hippohover.spans``.
    starts_of : str
        Size of the array whose rows begin at these places, in order; the last is that size.
    ascends : bool
        Every value is above the one before.
    """

    dtype: str
    shape: tuple[Bound, ...]
    low: int = 0
    below: Bound | None = None
    columns: tuple[Bound, ...] = ()
    spans_of: str = ""
    starts_of: str = ""
    ascends: bool = False


def _spans(rows: str, of: str) -> ArrayRule:
    return ArrayRule("int64", (rows, 2), spans_of=of)


def _hashes(size: str, *, ascends: bool = False) -> ArrayRule:
    return ArrayRule("uint64", (size,), ascends=ascends)


def _numbers(size: str, below: Bound | None, low: int = 0) -> ArrayRule:
    return ArrayRule("int32", (size,), low, below)


_MOST_TOKENS: Final = 2**31 - 1

ARRAY_RULES: Final[Mapping[str, ArrayRule]] = {
    "documents": _numbers("rows", "rows", -1),
    "entity_df": _numbers("entities", "rows + 1"),
    "term_df": _numbers("terms", "rows + 1"),
    "facts": ArrayRule("int32", ("facts", 3), columns=("entities", "predicates", "entities")),
    "fact_df": _numbers("facts", "rows + 1"),
    "passage_keys": _hashes("rows"),
    "title_entities": ArrayRule("int32", ("rows", len(TitleKind)), -1, "entities"),
    "owner_passages": _numbers("owners", "rows"),
    "owner_spans": _spans("entities", "owners"),
    "entity_standing": ArrayRule("uint8", ("entities",), below=KNOWN + 1),
    "mentions": ArrayRule(
        "int32", ("mentions", 3), columns=("entities", _MOST_TOKENS, _MOST_TOKENS)
    ),
    "mention_spans": _spans("rows", "mentions"),
    "graph_neighbours": _numbers("edges", "rows + entities"),
    "graph_weights": ArrayRule("float16", ("edges",)),
    "graph_types": ArrayRule("uint8", ("edges",), below=N_TYPES),
    "graph_spans": _spans("rows + entities", "edges"),
    "graph_degrees": ArrayRule("float64", ("rows + entities",)),
    "name_hashes": _hashes("names", ascends=True),
    "name_values": _numbers("names", "entities"),
    "predicate_hashes": _hashes("predicates", ascends=True),
    "predicate_values": _numbers("predicates", "predicates"),
    "name_affixes": ArrayRule("uint8", ("affixes",)),
    "gazetteer_hashes": _hashes("slots"),
    "gazetteer_numbers": _numbers("slots", BEGINNING + 1, -1),
    "gazetteer_rules": ArrayRule("uint8", ("entities",), below=max(CaseRule) + 1),
    "term_hashes": _hashes("terms", ascends=True),
    "term_values": _numbers("terms", "terms"),
    "posting_passages": _numbers("postings", "rows"),
    "posting_weights": ArrayRule("float16", ("postings",)),
    "posting_spans": _spans("terms", "postings"),
    "terms": _numbers("tokens", "terms", -1),
    "term_indptr": ArrayRule("int64", ("rows + 1",), starts_of="tokens"),
    "title_lengths": _numbers("rows", None),
    "passage_facts": ArrayRule("int32", ("statements", 2), columns=("facts", _MOST_TOKENS)),
    "fact_spans": _spans("rows", "statements"),
    "text_frames": ArrayRule("uint8", ("frame bytes",)),
    "text_indptr": ArrayRule("int64", ("rows + 1",), starts_of="frame bytes"),
    "text_dictionary": ArrayRule("uint8", ("dictionary bytes",)),
    "passage_codes": ArrayRule("int8", ("vectors", "dim"), -128),
    "passage_scales": ArrayRule("float32", ("vectors",)),
    "fact_vectors": ArrayRule("float16", ("fact vectors", "fact dim"), -1),
    "term_count": ArrayRule("int64", (1,), below="tokens + 1"),
    "entity_blocks": ArrayRule("uint64", ("entities", N_BLOCKS)),
    "head_hashes": _hashes("rows"),
    "tail_hashes": _hashes("tails"),
    "tail_rows": _numbers("tails", "rows", -1),
    "form_hashes": _hashes("forms"),
    "form_names": _numbers("forms", "entities"),
    "run_hashes": _hashes("runs"),
    "run_rows": _numbers("runs", "rows", -1),
    "phrase_hashes": _hashes("phrases"),
    "phrase_rows": _numbers("phrases", "rows", -1),
    "target_hashes": _hashes("targets"),
    "target_rows": _numbers("targets", "rows", -1),
}
"""The rule of each of ``IndexArrays``; an array whose length decides a size stands before others
that have it."""


class Sizes:
    """The sizes that arrays have together, by name."""

    def __init__(self, **known: int) -> None:
        self._known = known

    def of(self, bound: Bound) -> int:
        """Return a bound as a number."""
        parts = str(bound).split(" + ")
        return sum(int(part) if part.isdecimal() else self._known[part] for part in parts)

    def fit(self, bounds: tuple[Bound, ...], shape: tuple[int, ...]) -> bool:
        """Return whether a shape is what it should be; a size without a number takes its own."""
        if len(bounds) != len(shape):
            return False
        for bound, n in zip(bounds, shape, strict=True):
            if isinstance(bound, str) and " + " not in bound:
                self._known.setdefault(bound, n)
            if self.of(bound) != n:
                return False
        return True


def check_array(array: NDArray[Any], rule: ArrayRule, sizes: Sizes) -> None:
    """Raise ``ValueError`` unless an array keeps its rule."""
    if array.dtype != np.dtype(rule.dtype) or not array.flags.c_contiguous:
        raise ValueError(f"its type is {array.dtype}, not {rule.dtype}")
    if not sizes.fit(rule.shape, array.shape):
        raise ValueError(f"its shape is {array.shape}")
    if not array.size:
        return
    if rule.spans_of:
        _check_spans(array, sizes.of(rule.spans_of))
    elif rule.starts_of:
        ends = array[0] == 0 and array[-1] == sizes.of(rule.starts_of)
        if not ends or not (array[:-1] <= array[1:]).all():
            raise ValueError("its rows are not in order")
    elif rule.ascends:
        if not (array[:-1] < array[1:]).all():
            raise ValueError("its values do not ascend")
    elif array.dtype.kind == "f":
        if not _is_finite(array, rule.low):
            raise ValueError("it has a value that is no number, or too low")
    else:
        _check_range(array, rule, sizes)


def _check_spans(spans: NDArray[np.int64], n: int) -> None:
    starts, stops = spans[:, 0], spans[:, 1]
    if int(starts.min()) < 0 or int(stops.max()) > n or not (starts <= stops).all():
        raise ValueError(f"it has a row outside of its {n} values")
    # Rows that share places would make one pass over all rows cost as much as they are together.
    if int(stops.sum() - starts.sum()) > n:
        raise ValueError("its rows overlap")


def _check_range(array: NDArray[np.integer[Any]], rule: ArrayRule, sizes: Sizes) -> None:
    bounds = rule.columns or (rule.below,)
    columns = array.T if rule.columns else (array,)
    for column, below in zip(columns, bounds, strict=True):
        if below is not None and int(column.max()) >= sizes.of(below):
            raise ValueError(f"it has the value {column.max()} where {sizes.of(below)} is too much")
    if array.dtype.kind == "i" and int(array.min()) < rule.low:
        raise ValueError(f"it has the value {array.min()}, below {rule.low}")


def _is_finite(array: NDArray[np.floating[Any]], low: int) -> bool:
    """Return whether all values are finite and ``low`` or more."""
    if array.dtype == np.float16 and int(array.view(np.uint16).max()) <= _LARGEST_HALF:
        return low <= 0  # a tenth of the time
    least, most = array.min(), array.max()  # one that is no number is both
    return bool(np.isfinite(least) and np.isfinite(most) and least >= low)
