"""A retriever for Haystack: ``pip install 'hippohover[haystack]'``."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from hippohover.adapters.asking import AskedIndex, condition_of, metadata_of
from hippohover.adapters.extras import needed
from hippohover.errors import UsageError
from hippohover.retrieval.where import Condition, Scope

with needed("haystack-ai", of=__name__, extra="haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict


@component
class HippoHoverRetriever:
    """Passages of an index as Haystack documents, best first.

    A document's ``id`` is the passage's, its ``score`` too; its ``meta`` has ``title``, ``rank``,
    ``citation``, ``pid``, ``score`` and what the index keeps of the passage.

    Parameters
    ----------
    index : str or Path
        The folder of an index; it is opened by ``warm_up``, or when it is first asked.
    filters : dict, optional
        Which passages may be answers, as Haystack writes filters: ``==``, ``in``, ``<``, ``<=``,
        ``>`` and ``>=``, joined by ``AND``. Filters given to ``run`` must be met too.
    top_k : int
        Most documents to return, 1 to 1,000.
    retriever : str
        ``ppr``, ``bm25``, ``dense``, ``hybrid``, ``hipporag2`` or ``linearrag``.
    scope : {"answers", "walk"}
        With ``"walk"``, other passages are not used at all.
    """

    def __init__(
        self,
        index: str | Path,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        retriever: str = "ppr",
        scope: Scope = "answers",
    ) -> None:
        self.index = str(index)
        self.filters = filters
        self.top_k = top_k
        self.retriever = retriever
        self.scope: Scope = scope
        self._where = conditions_of_filters(filters)
        self._asked: AskedIndex | None = None

    def warm_up(self) -> None:
        """Open the index; ``IndexStoreError`` when there is none at that path."""
        if self._asked is None:
            self._asked = AskedIndex(
                self.index, retriever=self.retriever, where=self._where, scope=self.scope
            )

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Find the documents that a claim or a question needs.

        Raises
        ------
        UsageError
            The query is blank, ``top_k`` is out of its range, or an index cannot apply the filter.
        """
        self.warm_up()
        assert self._asked is not None  # noqa: S101
        k = self.top_k if top_k is None else top_k
        passages = self._asked.search(query, k, conditions_of_filters(filters))
        documents = [
            Document(id=one.pid, content=one.text, meta=dict(metadata_of(one)), score=one.score)
            for one in passages
        ]
        return {"documents": documents}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Run ``run`` on a thread."""
        return await asyncio.to_thread(self.run, query, filters, top_k)

    def to_dict(self) -> dict[str, Any]:
        """Save the retriever for a pipeline's file: the index by its path."""
        return default_to_dict(
            self,
            index=self.index,
            filters=self.filters,
            top_k=self.top_k,
            retriever=self.retriever,
            scope=self.scope,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "HippoHoverRetriever":
        """Make the retriever that ``to_dict`` describes."""
        return default_from_dict(cls, data)


def conditions_of_filters(filters: Mapping[str, Any] | None) -> list[Condition]:
    """Turn Haystack's filters into conditions; ``UsageError`` for ``OR`` and others.

    ``meta.year`` is the field ``year``; ``id`` is the passage's, ``meta.id`` the document's.
    """
    if not filters:
        return []
    operator = filters.get("operator")
    if "conditions" in filters:
        if operator != "AND":
            raise UsageError(
                f"filters are joined by {operator!r:.40}, and an index supports only 'AND': give "
                "a list of values with 'in', or filter the results"
            )
        inner = cast("list[Mapping[str, Any]]", filters["conditions"])
        return [condition for one in inner for condition in conditions_of_filters(one)]
    if not {"field", "operator", "value"} <= filters.keys():
        raise UsageError(f"filter {dict(filters)!r:.80} is incomplete: give field, operator, value")
    name = str(filters["field"])
    field = "pid" if name == "id" else name.removeprefix("meta.")
    return [condition_of(field, str(operator), filters["value"])]
