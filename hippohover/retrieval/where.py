"""Conditions on which passages may be answers."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.text_files import read_lines
from hippohover.errors import NotInIndexError, UsageError
from hippohover.metadata import name_of_field
from hippohover.names.normal_forms import without_unseen
from hippohover.retrieval.ranges import ORDERS, check_bound, in_range
from hippohover.store.near_titles import did_you_mean, near_titles
from hippohover.store.tables import IndexTables

Scope = Literal["answers", "walk"]
"""What conditions bound: the passages that may be answers, or all that is walked, too."""

_CONDITION = re.compile(
    r"(?P<field>[^=^@<>]+?)(?P<operator>\^=|!=|[<>]=?|=|@)(?P<value>.*)", re.DOTALL
)
_VALUES_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a field of a passage; a passage without the field does not meet it.

    Raises ``UsageError`` for values that are not texts.

    Attributes
    ----------
    field : str
        "title", "pid", "id" or another built-in name (``metadata.OWN_NAMES``), or a field of the
        corpus that the recipe keeps (``corpus.metadata``).
    values : frozenset of str, or what makes one
        The field must equal one of these, up to blanks and Unicode normalisation. Write numbers and
        booleans as Python's ``json`` does: ``true``, ``1901``, ``2.0``.
    prefix : bool
        Whether the field must begin with one of ``values`` instead.
    order : str
        "<", "<=", ">" or ">=": the field must be a number or a date, and compare in this way with
        the single one of ``values`` (``ranges.in_range``).
    negated : bool
        Whether passages meet it for which the rest is not so, those without the field too.
    """

    field: str
    values: frozenset[str]
    prefix: bool = False
    order: str = ""
    negated: bool = False

    def __post_init__(self) -> None:
        values = cast("object", self.values)
        if not isinstance(values, frozenset | set | list | tuple):
            raise UsageError(f"values is {values!r:.80}: give a set of texts")
        given = cast("Collection[object]", values)
        for value in (self.field, *given):
            if not isinstance(value, str):
                raise UsageError(f"condition on {self.field!r:.80}: {value!r:.80} is not a text")
            if value.encode("utf-8", "ignore").decode() != value:
                raise UsageError(
                    f"condition on {self.field!r:.80}: holds a lone surrogate, which no text has: "
                    "fix its encoding"
                )
        object.__setattr__(self, "values", frozenset(given))
        if self.order:
            if self.prefix or len(self.values) != 1:
                raise UsageError(
                    f"condition on {self.field!r:.80}: a range takes one value, and no prefix"
                )
            check_bound(self.order, *self.values)

    @classmethod
    def parse(cls, text: str, *, files: bool = True) -> "Condition":
        """Read ``FIELD=VALUE``, ``!=``, ``^=PREFIX``, ``>=BOUND`` or ``FIELD@FILE``.

        The file has one value per line; without ``files``, none is read.

        Raises
        ------
        UsageError
            It is none of these, the file cannot be used, or a bound is neither a number nor a date.
        """
        parts = _CONDITION.fullmatch(text)
        if parts is None:
            raise UsageError(
                f"condition {text!r:.80} cannot be read: write FIELD=VALUE, FIELD!=VALUE, "
                "FIELD^=PREFIX, FIELD@FILE or a range, FIELD>=BOUND, as in title^=Lantern"
            )
        values, operator = [parts["value"]], parts["operator"]
        if operator == "@":
            if not files:
                raise UsageError(
                    f"condition {text!r:.80}: files are not read here: give FIELD=VALUE"
                )
            values = read_lines(Path(parts["value"]))
        order = operator if operator in ORDERS else ""
        prefix, negated = operator == "^=", operator == "!="
        return cls(parts["field"].strip(), frozenset(values), prefix, order, negated)

    def __str__(self) -> str:
        values = sorted(self.values)
        shown = values[0][:_VALUES_SHOWN] if len(values) == 1 else f"one of {len(values):,} values"
        relation = "begins with" if self.prefix else self.order or "is"
        relation = f"not: {relation}" if self.negated else relation
        return f"{self.field} {relation} {shown!r}"


def excluding(names: Collection[str]) -> tuple[Condition, ...]:
    """Return conditions that no passage of these titles or pids meets."""
    fields = ("title", "pid") if names else ()
    return tuple(Condition(field, frozenset(names), negated=True) for field in fields)


def allowed_rows(tables: IndexTables, conditions: tuple[Condition, ...]) -> NDArray[np.bool_]:
    """Return whether each passage meets all conditions, shape (n_rows,).

    Raises
    ------
    NotInIndexError
        The index does not have a field, or no passage meets the conditions.
    """
    allowed = tables.arrays.documents >= 0
    for condition in conditions:
        met = meets(_column_of(tables, condition.field), condition)
        if within := tables.sections_within(condition.field):
            rows, values = within
            met[rows[meets(values, condition)]] = True
        allowed[: len(met)] &= met != condition.negated
    if not allowed.any():
        said = " and ".join(map(str, conditions))
        near = _near_titles(tables, conditions)
        fix = did_you_mean(near) if near else "relax the condition"
        raise NotInIndexError(f"no passage of the index meets {said}: {fix}")
    return allowed


def _near_titles(tables: IndexTables, conditions: tuple[Condition, ...]) -> tuple[str, ...]:
    """Return titles similar to the one that is asked for and that no passage has."""
    for condition in conditions:
        whole = not (condition.prefix or condition.negated) and len(condition.values) == 1
        if condition.field == "title" and whole:
            [title] = (_cleaned(value, condition) for value in condition.values)
            if not len(tables.rows_equal("title", title)):
                return near_titles(tables, title)
    return ()


def meets(column: Any, condition: Condition) -> NDArray[np.bool_]:  # noqa: ANN401  (of Arrow)
    """Return whether each value of a column meets a condition."""
    import pyarrow as pa
    import pyarrow.compute as arrow

    if condition.order:
        return in_range(column, condition.order, *condition.values)
    values = sorted({_cleaned(value, condition) for value in condition.values})
    if condition.prefix:
        options = [arrow.MatchSubstringOptions(value) for value in values]
        met = [arrow.call_function("starts_with", [column], value) for value in options]
    else:
        wanted = arrow.SetLookupOptions(pa.array(values, column.type))
        met = [arrow.call_function("is_in", [column], wanted)]
    return np.any([meets.fill_null(False).to_numpy() for meets in met], axis=0)


def text_column(values: list[str]) -> Any:  # noqa: ANN401  (of Arrow)
    """Return values as a column that ``meets`` takes."""
    import pyarrow as pa

    return pa.chunked_array([pa.array(values, pa.large_string())])


def _cleaned(value: str, condition: Condition) -> str:
    """Clean a value as an index does: NFC, single blanks, none at the ends.

    A prefix keeps one at its end: "The " is not the beginning of "Theodora".
    """
    words = unicodedata.normalize("NFC", " ".join(without_unseen(value).split()))
    return f"{words} " if condition.prefix and value[-1:].isspace() and words else words


def _column_of(tables: IndexTables, field: str) -> Any:  # noqa: ANN401  (of Arrow)
    if field in tables.conditions_on:
        return tables.condition_column(field)
    for kept in tables.kept_fields:  # by the name that an answer tells it by: "field.page"
        if name_of_field(kept) == field:
            return tables.condition_column(kept)
    raise NotInIndexError(
        f"this index keeps no field {field!r:.80}: name one of "
        f"{', '.join(tables.conditions_on)}, or build it with corpus.metadata"
    )
