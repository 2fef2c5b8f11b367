"""An index and its retrievers for PyTerrier: ``pip install 'hippohover[pyterrier]'``."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

from hippohover.adapters.asking import AskedIndex, Filters, document_of
from hippohover.adapters.extras import needed
from hippohover.recipe import MAX_SEARCH_DEPTH
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Scope

with needed("pyterrier", of=__name__, extra="pyterrier"):
    import pandas as pd
    import pyterrier as pt

_FOUND: Final = ("docno", "score", "rank", "title", "text")


class HippoHoverIndex(pt.Artifact):
    """An index as a PyTerrier artifact, which makes transformers; opened at once.

    ``pt.Artifact.load(path)`` recognises such a folder.

    Parameters
    ----------
    path : str or Path
        Folder of an index.

    Raises
    ------
    IndexStoreError
        There is no index at that path.
    """

    ARTIFACT_TYPE = "graph_index"
    ARTIFACT_FORMAT = "hippohover"

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.engine = HippoHover.open(path)

    def retriever(
        self,
        retriever: str = "ppr",
        *,
        num_results: int = MAX_SEARCH_DEPTH,
        where: Filters | None = None,
        scope: Scope = "answers",
    ) -> "HippoHoverRetriever":
        """Make a transformer on this index; parameters of ``HippoHoverRetriever``."""
        return HippoHoverRetriever(
            self.engine, retriever, num_results=num_results, where=where, scope=scope
        )

    def ppr(self, *, num_results: int = MAX_SEARCH_DEPTH) -> "HippoHoverRetriever":
        """Make the transformer of the walk over the graph: what hippohover is for."""
        return self.retriever("ppr", num_results=num_results)

    def bm25(self, *, num_results: int = MAX_SEARCH_DEPTH) -> "HippoHoverRetriever":
        """Make the transformer of BM25 over the same passages, to compare with."""
        return self.retriever("bm25", num_results=num_results)


class HippoHoverRetriever(pt.Transformer):
    """Turns queries into results with docno, score, rank (from 0), title and text.

    A document's docno is the id that the corpus gives it, else its title, else the id of the
    passage. ``% 21`` asks for no more than 21.

    Parameters
    ----------
    index : str, Path or HippoHover
        The folder of an index, or an open engine.
    retriever : str
        ``ppr``, ``bm25``, ``dense``, ``hybrid``, ``hipporag2`` or ``linearrag``.
    num_results : int
        Most results per query, 1 to 1,000.
    where : mapping or list, optional
        Which passages may be results: ``{"lang": "en"}`` or ``["year>=1930"]``.
    scope : {"answers", "walk"}
        With ``"walk"``, other passages are not used at all.

    Raises
    ------
    IndexStoreError
        There is no index at that path.
    UsageError
        A value is out of its range.
    """

    def __init__(
        self,
        index: str | Path | HippoHover,
        retriever: str = "ppr",
        *,
        num_results: int = MAX_SEARCH_DEPTH,
        where: Filters | None = None,
        scope: Scope = "answers",
    ) -> None:
        super().__init__()
        self._asked = AskedIndex(index, retriever=retriever, where=where, scope=scope)
        self._opening: dict[str, Any] = {"where": where, "scope": scope}
        self.retriever = retriever
        self.num_results = num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Answer all queries, best first within each, in the order of the queries."""
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        kept = [name for name in inp.columns if name not in _FOUND]
        rows: list[dict[str, Any]] = []
        for values in inp[kept].itertuples(index=False, name=None):
            query = dict(zip(kept, values, strict=True))
            rows += [{**query, **found} for found in self._results(str(query["query"]))]
        made = pd.DataFrame(rows, columns=[*kept, *_FOUND])
        return made.astype({"score": "float64", "rank": "int64"})

    def _results(self, query: str) -> list[dict[str, Any]]:
        """Return one result for each document, by its best passage."""
        best: dict[str, dict[str, Any]] = {}
        for passage in self._asked.search(query, self.num_results):
            found = {"score": passage.score, "title": passage.title, "text": passage.text}
            best.setdefault(document_of(passage), {**found, "rank": len(best)})
        return [{"docno": name, **found} for name, found in best.items()]

    def fuse_rank_cutoff(self, k: int) -> "HippoHoverRetriever":
        """Search for no more than ``k``, when a pipeline with ``% k`` is compiled."""
        if k >= self.num_results:
            return self
        return HippoHoverRetriever(
            self._asked.engine, self.retriever, num_results=k, **self._opening
        )

    def schematic(self, *, input_columns: Sequence[str] | None = None) -> dict[str, Any]:
        """Describe the drawing for PyTerrier, without fetching a page from its site."""
        settings = {"retriever": self.retriever, "num_results": self.num_results}
        return {"label": self.retriever, "settings": settings, "help_url": None}

    def __repr__(self) -> str:
        return f"HippoHoverRetriever({self.retriever!r}, num_results={self.num_results})"


def metadata_of_folder(path: str, files: Collection[str]) -> dict[str, str] | None:
    """Tell ``pt.Artifact.load`` that a folder is an index; None if it is not."""
    if "CURRENT" not in files and "manifest.json" not in files:
        return None
    return {
        "type": HippoHoverIndex.ARTIFACT_TYPE,
        "format": HippoHoverIndex.ARTIFACT_FORMAT,
        "package_hint": "hippohover[pyterrier]",
    }
