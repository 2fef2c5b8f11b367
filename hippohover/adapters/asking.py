"""What all adapters share: opening an index by path, filters, metadata of a passage."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias, cast

from hippohover.errors import UsageError
from hippohover.metadata import MetadataValue
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover, check_scope
from hippohover.retrieval.ranges import ORDERS
from hippohover.retrieval.registry import is_retriever, retriever_names
from hippohover.retrieval.where import Condition, Scope

Filters: TypeAlias = Mapping[str, object] | Sequence["str | Condition"]
"""Which passages may be answers: ``{"year": 1930, "lang": ["en", "de"]}`` or ``["year>=1930"]``.

All must be met; of a list of values, one.
"""

_OURS: Final = ("title", "pid", "score", "rank", "citation", "chain")


class AskedIndex:
    """An index and the way to search it, from an adapter's parameters.

    Parameters
    ----------
    index : str, Path or HippoHover
        The folder of an index, or an open engine.
    retriever : str
        One of ``ppr``, ``bm25``, ``dense``, ``hybrid``, ``hipporag2`` and ``linearrag``, or of
        those that installed packages add.
    where : Filters, optional
        Which passages may be answers, in every call.
    scope : {"answers", "walk"}
        With ``"walk"``, other passages are not used at all.

    Raises
    ------
    UsageError
        A parameter has another value.
    IndexStoreError
        There is no index, another format version made it, or it is damaged.
    """

    def __init__(
        self,
        index: str | Path | HippoHover,
        *,
        retriever: str = "ppr",
        where: Filters | None = None,
        scope: Scope = "answers",
    ) -> None:
        if not is_retriever(retriever):
            names = ", ".join(retriever_names())
            raise UsageError(f"retriever is {retriever!r:.80}: give one of {names}")
        check_scope(scope, retriever)
        self._where = conditions_of(where)
        self._retriever = retriever
        self._scope: Scope = scope
        self.engine = index if isinstance(index, HippoHover) else HippoHover.open(index)

    def search(self, query: str, k: int, where: Filters | None = None) -> tuple[RankedPassage, ...]:
        """Find at most ``k`` passages, 1 to 1,000, best first, that also meet ``where``.

        Raises as ``HippoHover.search`` does.
        """
        conditions = (*self._where, *conditions_of(where))
        return self.engine.search(
            query, k, self._retriever, where=conditions, scope=self._scope
        ).passages


def conditions_of(filters: Filters | None) -> tuple[Condition, ...]:
    """Turn filters into conditions; ``UsageError`` for anything else."""
    if not filters:
        return ()
    if isinstance(filters, Mapping):
        return tuple(condition_of(field, "==", value) for field, value in filters.items())
    if isinstance(filters, str) or not isinstance(cast("object", filters), Sequence):
        raise UsageError(
            f"filters are {filters!r:.80}: give a mapping as {{'year': 1930}}, or a list as "
            "['year>=1930']"
        )
    return tuple(
        one if isinstance(one, Condition) else Condition.parse(_text(one)) for one in filters
    )


def condition_of(field: str, operator: str, value: object) -> Condition:
    """Make a condition on one field, as filters of frameworks write it.

    Parameters
    ----------
    operator : str
        ``==``, ``in``, ``<``, ``<=``, ``>`` or ``>=``; a list as ``value`` makes ``==`` an ``in``.

    Raises
    ------
    UsageError
        An index cannot compare in this way, or the value is not a text, a number or a truth value.
    """
    if operator in ORDERS:
        return Condition(field, frozenset([_written(field, value)]), order=operator)
    if operator not in ("==", "in"):
        raise UsageError(
            f"filter on {field!r:.80}: an index cannot compare by {operator!r:.40}: use ==, in, "
            "<, <=, > or >=, or filter the results"
        )
    many = isinstance(value, list | tuple | set | frozenset)
    values = cast("Sequence[object]", value) if many else [value]
    return Condition(field, frozenset(_written(field, one) for one in values))


def metadata_of(passage: RankedPassage) -> dict[str, MetadataValue]:
    """Return title, pid, score, rank, citation, chain and kept fields of a passage.

    The chain leads from what the claim names to the passage: ``Beacon ← Mara Oduya``. A field of
    the corpus that has one of these names is called ``field.NAME``.
    """
    kept = {
        f"field.{name}" if name in _OURS else name: value
        for name, value in passage.metadata.items()
    }
    chain = passage.path.summary() if passage.path else ""
    return kept | {name: getattr(passage, name) for name in _OURS[:-1]} | {_OURS[-1]: chain}


def document_of(passage: RankedPassage) -> str:
    """Return a document's name in runs and qrels: its id, else title, else pid."""
    return str(passage.metadata.get("id") or passage.title or passage.pid)


def scores_of(passages: Sequence[RankedPassage]) -> dict[str, float]:
    """Map each document to the score of its best passage, best first."""
    scores: dict[str, float] = {}
    for passage in passages:
        scores.setdefault(document_of(passage), float(passage.score))
    return scores


def _written(field: str, value: object) -> str:
    """Write a value as conditions have it: numbers and booleans as in JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise UsageError(
        f"filter on {field!r:.80}: {value!r:.80} is neither a text, a number nor a truth value"
    )


def _text(condition: object) -> str:
    if not isinstance(condition, str):
        raise UsageError(f"filter {condition!r:.80} cannot be read: write it as 'year>=1930'")
    return condition
