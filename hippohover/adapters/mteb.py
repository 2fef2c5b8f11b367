"""A search for MTEB: ``pip install 'hippohover[mteb]'``."""

from collections.abc import Iterable, Mapping
from typing import Any

from hippohover.adapters.asking import AskedIndex
from hippohover.adapters.building import CorpusSearch, found_by
from hippohover.adapters.extras import needed
from hippohover.errors import UsageError
from hippohover.version import __version__

with needed("mteb", of=__name__, extra="mteb"):
    from mteb.models.model_meta import ModelMeta


class HippoHoverSearch(CorpusSearch):
    """Searches a retrieval task's corpus by its graph, as a ``SearchProtocol``.

    Parameters
    ----------
    folder : str or Path
        Where indexes are kept, one for each task, split and subset, and used again for the same
        corpus and recipe.
    retriever : str
        ``ppr``, ``bm25``, ``dense``, ``hybrid``, ``hipporag2`` or ``linearrag``.
    recipe : IndexRecipe, str or Path
        How to build, as ``hippohover.build`` takes it.
    """

    _asked: AskedIndex | None = None

    def index(
        self,
        corpus: Iterable[Mapping[str, Any]],
        *,
        task_metadata: Any,  # noqa: ANN401  (mteb's)
        hf_split: str,
        hf_subset: str,
        **more_of_mteb: Any,  # noqa: ANN401
    ) -> None:
        """Build the index of a corpus, or open an existing one.

        Raises
        ------
        UsageError, CorpusError, BuildError, IndexStoreError
            As ``hippohover.build`` raises.
        """
        folder = self._folder / f"{task_metadata.name}-{hf_split}-{hf_subset}"
        self._asked = self._opened(folder, corpus)

    def search(
        self,
        queries: Iterable[Mapping[str, Any]],
        *,
        top_k: int,
        top_ranked: Mapping[str, list[str]] | None = None,
        **more_of_mteb: Any,  # noqa: ANN401
    ) -> dict[str, dict[str, float]]:
        """Map query id -> document id -> score, at most ``top_k`` and 1,000 per query.

        Raises
        ------
        UsageError
            Nothing is indexed, the task is to re-rank, or a query is not a text.
        """
        if self._asked is None:
            raise UsageError("no corpus is indexed: call index before search")
        if top_ranked is not None:
            raise UsageError("a graph cannot re-rank given documents: search the whole corpus")
        return found_by(self._asked, ((one["id"], one["text"]) for one in queries), top_k)

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """What MTEB records about the search."""
        return ModelMeta.create_empty(
            {
                "name": f"hippohover/{self._retriever}",
                "revision": __version__,
                "open_weights": True,
                "license": "mit",
            }
        )
