"""Conditions on passages: which of them may be answers."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import NotInIndexError, UsageError
from hippohover.index_tables import METADATA_PREFIX, IndexTables
from hippohover.text_files import read_lines

_CONDITION = re.compile(r"(?P<field>[^=^@]+)(?P<operator>\^=|=|@)(?P<value>.*)", re.DOTALL)
_VALUES_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a field of a passage; a passage without the field does not meet it.

    Attributes
    ----------
    field : str
        "title", "pid", or a field of the corpus that the recipe keeps (``corpus.metadata``).
    values : frozenset of str
        The field is one of these; numbers and truth values are written as JSON writes them.
    prefix : bool
        It begins with one of these instead.
    """

    field: str
    values: frozenset[str]
    prefix: bool = False

    @classmethod
    def parse(cls, text: str) -> "Condition":
        """``FIELD=VALUE``, ``FIELD^=PREFIX``, or ``FIELD@FILE`` with one value a line.

        Raises
        ------
        UsageError
            It is none of these, or the file cannot be used.
        """
        found = _CONDITION.fullmatch(text)
        if found is None:
            raise UsageError(
                f"condition {text!r} is none: write FIELD=VALUE, FIELD^=PREFIX or FIELD@FILE, as "
                "in title^=Lantern"
            )
        values = [found["value"]]
        if found["operator"] == "@":
            values = read_lines(Path(found["value"]))
        return cls(found["field"].strip(), frozenset(values), prefix=found["operator"] == "^=")

    def __str__(self) -> str:
        values = sorted(self.values)
        shown = values[0][:_VALUES_SHOWN] if len(values) == 1 else f"one of {len(values):,} values"
        return f"{self.field} {'begins with' if self.prefix else 'is'} {shown!r}"


def allowed_rows(tables: IndexTables, conditions: tuple[Condition, ...]) -> NDArray[np.bool_]:
    """Whether each passage meets all conditions, shape (n_passages,).

    Raises
    ------
    NotInIndexError
        The index does not have a field, or no passage meets the conditions.
    """
    import pyarrow as pa
    import pyarrow.compute as arrow

    allowed = np.ones(tables.arrays.n_passages, np.bool_)
    for condition in conditions:
        column = tables.passages.column(_column_of(tables, condition.field))
        values = sorted(unicodedata.normalize("NFC", value) for value in condition.values)
        if condition.prefix:
            options = [arrow.MatchSubstringOptions(value) for value in values]
            met = [arrow.call_function("starts_with", [column], one) for one in options]
        else:
            wanted = arrow.SetLookupOptions(pa.array(values, column.type))
            met = [arrow.call_function("is_in", [column], wanted)]
        allowed &= np.any([one.fill_null(False).to_numpy() for one in met], axis=0)
    if not allowed.any():
        said = " and ".join(map(str, conditions))
        raise NotInIndexError(f"no passage of the index has a {said}: loosen the condition")
    return allowed


def _column_of(tables: IndexTables, field: str) -> str:
    if field in ("title", "pid"):
        return field
    names: list[str] = tables.passages.column_names
    if (name := f"{METADATA_PREFIX}{field}") in names:
        return name
    kept = [one.removeprefix(METADATA_PREFIX) for one in names if one.startswith(METADATA_PREFIX)]
    raise NotInIndexError(
        f"this index keeps no field {field!r}: name one of {', '.join(['title', 'pid', *kept])}, "
        "or build it with corpus.metadata"
    )
