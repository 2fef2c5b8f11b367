"""A search for BEIR: ``pip install 'hippohover[beir]'``."""

from collections.abc import Mapping
from typing import Any

from hippohover.adapters.building import CorpusSearch, found_by
from hippohover.adapters.extras import needed
from hippohover.errors import UsageError

with needed("beir", of=__name__, extra="beir"):
    from beir.retrieval.search.base import BaseSearch


class HippoHoverSearch(CorpusSearch, BaseSearch):
    """Searches a BEIR corpus by its graph; pass it to ``EvaluateRetrieval``.

    Parameters
    ----------
    folder : str or Path
        Where the index is kept; it is used again for the same corpus and recipe.
    retriever : str
        ``ppr``, ``bm25``, ``dense``, ``hybrid``, ``hipporag2`` or ``linearrag``.
    recipe : IndexRecipe, str or Path
        How to build, as ``hippohover.build`` takes it.
    """

    def search(
        self,
        corpus: Mapping[str, Mapping[str, str]],
        queries: Mapping[str, str],
        top_k: int,
        *of_beir: Any,  # noqa: ANN401  (a name of a score function, for vectors)
        **more_of_beir: Any,  # noqa: ANN401
    ) -> dict[str, dict[str, float]]:
        """Map query id -> document id -> score, at most ``top_k`` and 1,000 per query.

        Raises
        ------
        UsageError, CorpusError, BuildError, IndexStoreError
            As ``hippohover.build`` and ``HippoHover.search`` raise.
        """
        documents = ({"id": name, **document} for name, document in corpus.items())
        return found_by(self._opened(self._folder, documents), queries.items(), top_k)

    def encode(self, *of_beir: Any, **more_of_beir: Any) -> None:  # noqa: ANN401
        """Raise ``UsageError``: a graph has no vectors to search."""
        raise UsageError("a graph has no embeddings to write: call retrieve, not encode")

    def search_from_files(
        self,
        *of_beir: Any,  # noqa: ANN401
        **more_of_beir: Any,  # noqa: ANN401
    ) -> dict[str, dict[str, float]]:
        """Raise ``UsageError``: a graph has no vectors to search."""
        raise UsageError("a graph is not searched from files of embeddings: call retrieve")
