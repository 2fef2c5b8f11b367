"""Checks what an index holds, before a compiled loop runs over it.

Checksums say that files are as their manifest has them; of an index from elsewhere that says
nothing of what is in them.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.errors import REBUILD, message, reads
from hippohover.entity_graph import EntityGraph, type_weights
from hippohover.errors import BuildError, IndexDamagedError
from hippohover.names.affixes import Affixes
from hippohover.names.gazetteer import BEGINNING
from hippohover.recipe import EdgeWeights
from hippohover.spans import first_unordered, lengths_of
from hippohover.store.array_rules import ARRAY_RULES, Sizes, check_array
from hippohover.store.tables import (
    JSON_PREFIX,
    METADATA_PREFIX,
    TEXT_TABLES,
    IndexFiles,
    array_file,
)

_STRINGS: Final = "list<item: large_string>"
PASSAGE_COLUMNS: Final[Mapping[str, str]] = {
    "pid": "large_string", "title": "large_string", "document": "large_string",
    "heading": "large_string", "part": "int32", "start": "int64", "links": _STRINGS,
    "aliases": _STRINGS,
}  # fmt: skip
"""Type of each column of every passage."""

RARE_COLUMNS: Final[Mapping[str, str]] = {
    "path": "large_string", "anchor": "large_string", "page": "int32",
    "sections": "list<item: struct<heading: large_string, anchor: large_string, n_tokens: int32>>",
}  # fmt: skip
"""Type of each column that only some passages have a value in."""

_NAMES: Final = {"name": "large_string"}
_NO_COLUMNS: Final[Mapping[str, str]] = {}


def check_contents(files: IndexFiles, folder: Path, weights: EdgeWeights) -> None:
    """Raise ``IndexDamagedError`` unless every array and table of a build is what it must be.

    ``folder`` is where the files are, ``weights`` those of the recipe, for the degrees.
    """
    _Contents(files, folder, weights).check()


_UNFIT: Final = (
    LookupError, ValueError, TypeError, ArithmeticError, AttributeError, StopIteration,
)  # fmt: skip


@contextmanager
def fitting(folder: Path) -> Generator[None]:
    """Turn what NumPy raises of arrays that do not fit each other into ``IndexDamagedError``.

    For work on a whole index: that every number of it fits every other one is not checked.
    """
    try:
        yield
    except (*_UNFIT, BuildError) as error:
        what = f"is damaged ({type(error).__name__}: {error})"
        raise IndexDamagedError(message(folder, what, REBUILD)) from error


class _Contents:
    def __init__(self, files: IndexFiles, folder: Path, weights: EdgeWeights) -> None:
        self._files, self._folder, self._weights = files, folder, weights
        self._arrays: dict[str, NDArray[Any]] = {}

    def check(self) -> None:
        tables = {name: self._table(name) for name in TEXT_TABLES}
        sizes = Sizes(predicates=len(tables["predicates"]))
        for name in ARRAY_RULES:
            self._check_array(name, sizes)
        self._check_gazetteer(sizes)
        self._check_words()
        self._check_counts(sizes)
        self._check_graph()
        self._check_rows(tables)

    def _table(self, name: str) -> Any:  # noqa: ANN401  (Arrow has no types)
        file = f"{name}.arrow"
        if name == "passages":
            return check_passages(self._folder / file, self._files.table(file))
        return check_table(self._folder / file, self._files.table(file), _NAMES)

    def _check_array(self, name: str, sizes: Sizes) -> None:
        rule = ARRAY_RULES[name]
        self._arrays[name] = np.asarray(self._files.array(array_file(name)))
        with reads(self._folder / array_file(name)):
            check_array(self._arrays[name], rule, sizes)

    def _check_gazetteer(self, sizes: Sizes) -> None:
        """Check that a search ends: the slots are a power of two, and one is free."""
        numbers = self._arrays["gazetteer_numbers"]
        n, n_entities = len(numbers), sizes.of("entities")
        fits = ((numbers < n_entities) | (numbers == BEGINNING)).all()
        free = n and n & (n - 1) == 0 and int(numbers.min()) == -1
        if not (fits and free):
            self._refuse("gazetteer_numbers", "its slots are no hash table")

    def _check_words(self) -> None:
        a = self._arrays
        with reads(self._folder / array_file("name_affixes")):
            Affixes.of_bytes(a["name_affixes"])
        lengths = np.diff(a["term_indptr"])
        if (a["title_lengths"] > lengths).any():
            self._refuse("title_lengths", "a title is longer than its passage")
        if (a["mentions"][:, 1] > a["mentions"][:, 2]).any():
            self._refuse("mentions", "a mention ends before it begins")
        if first_unordered(a["posting_spans"], a["posting_passages"]) >= 0:
            self._refuse("posting_passages", "its rows are not in order")

    def _check_counts(self, sizes: Sizes) -> None:
        a = self._arrays
        stated = np.bincount(a["passage_facts"][:, 0], minlength=len(a["facts"]))
        n_terms = np.count_nonzero(a["terms"] >= 0)
        for name, counted in (
            ("term_df", lengths_of(a["posting_spans"])),
            ("fact_df", stated),
            ("term_count", np.array([n_terms])),
        ):
            if not np.array_equal(a[name], counted):
                self._refuse(name, "it counts something else than is there")
        for name in ("name_values", "term_values", "predicate_values"):
            if not np.bincount(a[name], minlength=sizes.of(ARRAY_RULES[name].below or 0)).all():
                self._refuse(name, "something in the index has no key")

    def _check_graph(self) -> None:
        a = self._arrays
        if first_unordered(a["graph_spans"], a["graph_neighbours"], a["graph_types"]) >= 0:
            self._refuse("graph_neighbours", "its rows are not in order")
        graph = EntityGraph(
            n_passages=len(a["documents"]),
            n_entities=len(a["entity_df"]),
            spans=a["graph_spans"],
            neighbours=a["graph_neighbours"],
            weights=a["graph_weights"],
            types=a["graph_types"],
        )
        degrees = graph.degrees(type_weights(self._weights))
        if not np.allclose(degrees, a["graph_degrees"], rtol=1e-9, atol=0.0):
            self._refuse("graph_degrees", "it does not fit the weights of the edges")

    def _check_rows(self, tables: Mapping[str, Any]) -> None:
        a, n = self._arrays, len(tables["passages"])
        ids = np.frombuffer(_ids_of(tables["passages"]), ">u8")
        if not np.array_equal(ids, a["passage_keys"][:n]):
            self._refuse("passage_keys", "it does not fit the ids of the passages")
        if (a["documents"][n:] >= 0).any():
            self._refuse("documents", "it has passages that the table has not")
        if len(tables["entities"]) != len(a["entity_df"]):
            self._refuse("entity_df", "it does not fit the names of the entities")
        if len(a["passage_codes"]) not in {0, n}:
            self._refuse("passage_codes", "it does not fit the number of passages")
        if len(a["fact_vectors"]) not in {0, len(a["facts"])}:
            self._refuse("fact_vectors", "it does not fit the number of facts")

    def _refuse(self, name: str, problem: str) -> None:
        with reads(self._folder / array_file(name)):
            raise ValueError(problem)


def check_passages(path: Path, table: Any) -> Any:  # noqa: ANN401
    """Return a table of passages; ``IndexDamagedError`` where it is none."""
    kept = {name: name.partition(".")[0] + "." for name in table.column_names if "." in name}
    of_kept = {METADATA_PREFIX: "large_string", JSON_PREFIX: "bool"}
    rare = RARE_COLUMNS | {name: of_kept.get(prefix, "") for name, prefix in kept.items()}
    check_table(path, table, PASSAGE_COLUMNS, rare)
    with reads(path):
        for name in ("part", "start"):
            if len(table) and int(table.column(name).to_numpy().min()) < 0:
                raise ValueError(f"a passage has a {name} below 0")
        if not set(map(len, table.column("pid").to_pylist())) <= {16} or (
            len(_ids_of(table)) != 8 * len(table)
        ):
            raise ValueError("a passage has an id that is no number of 16 hexadecimal digits")
    return table


def check_table(
    path: Path,
    table: Any,  # noqa: ANN401  (Arrow has no types)
    columns: Mapping[str, str],
    rare: Mapping[str, str] = _NO_COLUMNS,
) -> Any:  # noqa: ANN401
    """Return a table; ``IndexDamagedError`` if it is not whole, or has not those columns.

    ``rare`` are types of columns that may be missing, and have no value in some rows.
    """
    import pyarrow

    with reads(path, pyarrow.ArrowException):
        table.validate(full=True)
        types = {field.name: str(field.type) for field in table.schema}
        if len(types) != table.num_columns or not columns.keys() <= types.keys():
            raise ValueError(f"its columns are {', '.join(table.column_names)}")
        for name, kind in types.items():
            if kind != (columns.get(name) or rare.get(name)):
                raise ValueError(f"its column {name} is of the type {kind}")
            if name in columns and _has_nulls(table.column(name)):
                raise ValueError(f"its column {name} has rows without a value")
    return table


def _has_nulls(column: Any) -> bool:  # noqa: ANN401
    return any(
        chunk.null_count or (hasattr(chunk, "flatten") and chunk.flatten().null_count)
        for chunk in column.chunks
    )


def _ids_of(passages: Any) -> bytes:  # noqa: ANN401
    """Return the ids of passages, 8 bytes each."""
    return bytes.fromhex("".join(passages.column("pid").to_pylist()))
