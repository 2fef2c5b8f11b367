"""A retriever for LlamaIndex: ``pip install 'hippohover[llamaindex]'``."""

import asyncio
from pathlib import Path
from typing import Any, Final

from hippohover.adapters.asking import AskedIndex, Filters, condition_of, metadata_of
from hippohover.adapters.extras import needed
from hippohover.errors import UsageError
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition, Scope

with needed("llama-index-core", of=__name__, extra="llamaindex"):
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters

_OF_NO_USE_TO_A_MODEL: Final = ["pid", "score", "rank"]


class HippoHoverRetriever(BaseRetriever):
    """Passages of an index as nodes with scores, best first.

    A node's id is the passage's; its metadata has ``title``, ``score``, ``rank``, ``citation``,
    ``pid`` and what the index keeps of the passage.

    Parameters
    ----------
    index : str, Path or HippoHover
        The folder of an index, or an open engine.
    similarity_top_k : int
        Most nodes to return, 1 to 1,000.
    filters : MetadataFilters, mapping or list, optional
        Which passages may be answers. LlamaIndex's filters may use ``==``, ``in``, ``<``, ``<=``,
        ``>`` and ``>=``, joined by "and".
    retriever : str
        ``ppr``, ``bm25``, ``dense``, ``hybrid``, ``hipporag2`` or ``linearrag``.
    scope : {"answers", "walk"}
        With ``"walk"``, other passages are not used at all.
    **of_llamaindex
        What LlamaIndex's ``BaseRetriever`` takes, such as ``callback_manager``.

    Raises
    ------
    IndexStoreError
        There is no index at that path.
    UsageError
        A value is out of its range, or an index cannot apply the filter.
    """

    def __init__(
        self,
        index: str | Path | HippoHover,
        similarity_top_k: int = 10,
        *,
        filters: MetadataFilters | Filters | None = None,
        retriever: str = "ppr",
        scope: Scope = "answers",
        **of_llamaindex: Any,  # noqa: ANN401  (LlamaIndex's own)
    ) -> None:
        super().__init__(**of_llamaindex)
        where = conditions_of_filters(filters) if isinstance(filters, MetadataFilters) else filters
        self._asked = AskedIndex(index, retriever=retriever, where=where, scope=scope)
        self.similarity_top_k = similarity_top_k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        passages = self._asked.search(query_bundle.query_str, self.similarity_top_k)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=one.pid,
                    text=one.text,
                    metadata=metadata_of(one),
                    excluded_llm_metadata_keys=list(_OF_NO_USE_TO_A_MODEL),
                    excluded_embed_metadata_keys=list(_OF_NO_USE_TO_A_MODEL),
                ),
                score=one.score,
            )
            for one in passages
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def conditions_of_filters(filters: MetadataFilters) -> list[Condition]:
    """Turn LlamaIndex's filters into conditions; ``UsageError`` for "or" and others."""
    if filters.condition not in (None, FilterCondition.AND) and len(filters.filters) > 1:
        raise UsageError(
            f"filters are joined by {filters.condition.value!r}, and an index supports only "
            "'and': give a list of values with 'in', or filter the results"
        )
    if filters.condition == FilterCondition.NOT:
        raise UsageError("filters use 'not', which an index does not support: filter the results")
    found: list[Condition] = []
    for one in filters.filters:
        if isinstance(one, MetadataFilters):
            found += conditions_of_filters(one)
        else:
            found.append(condition_of(one.key, one.operator.value, one.value))
    return found
