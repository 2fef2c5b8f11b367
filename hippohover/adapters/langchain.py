"""A retriever for LangChain: ``pip install 'hippohover[langchain]'``."""

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any

from pydantic import PrivateAttr

from hippohover.adapters.asking import AskedIndex, Filters, metadata_of
from hippohover.adapters.extras import needed
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition, Scope

with needed("langchain-core", of=__name__, extra="langchain"):
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class HippoHoverRetriever(BaseRetriever):
    """Passages of an index as LangChain documents, best first.

    A document's ``id`` is the passage's; its metadata has ``title``, ``score``, ``rank``,
    ``citation``, ``pid`` and what the index keeps of the passage.

    Attributes
    ----------
    index : str, Path or HippoHover
        The folder of an index, or an open engine.
    k : int
        Most documents to return, 1 to 1,000; ``invoke(query, k=3)`` overrides it.
    retriever : str
        ``ppr``, ``bm25``, ``dense``, ``hybrid``, ``hipporag2`` or ``linearrag``.
    where : mapping or list, optional
        Which passages may be answers: ``{"lang": "en"}`` or ``["year>=1930"]``. Conditions of
        ``invoke(query, where=...)`` must be met too.
    scope : {"answers", "walk"}
        With ``"walk"``, other passages are not used at all.

    Raises
    ------
    IndexStoreError
        There is no index at that path.
    pydantic.ValidationError
        A field is refused; the message has hippohover's words behind "Value error".
    UsageError
        ``k`` or ``where`` of a call, or of a field that was assigned, is refused.
    """

    index: str | Path | HippoHover
    k: int = 10
    retriever: str = "ppr"
    where: dict[str, Any] | list[str | Condition] | None = None
    scope: Scope = "answers"

    _asked: AskedIndex = PrivateAttr()
    _asked_with: tuple[object, ...] = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401  (pydantic's)
        """Open the index."""
        super().model_post_init(context)
        self._open()

    def _open(self) -> None:
        self._asked_with = self._fields()
        self._asked = AskedIndex(
            self.index, retriever=self.retriever, where=self.where, scope=self.scope
        )

    def _fields(self) -> tuple[object, ...]:
        return self.index, self.retriever, deepcopy(self.where), self.scope

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun | None = None,
        k: int | None = None,
        where: Filters | None = None,
    ) -> list[Document]:
        if self._fields() != self._asked_with:  # assigned, or changed by ``model_copy``
            self._open()
        passages = self._asked.search(query, self.k if k is None else k, where)
        return [
            Document(id=one.pid, page_content=one.text, metadata=metadata_of(one))
            for one in passages
        ]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun | None = None,
        k: int | None = None,
        where: Filters | None = None,
    ) -> list[Document]:
        return await asyncio.to_thread(self._get_relevant_documents, query, k=k, where=where)
