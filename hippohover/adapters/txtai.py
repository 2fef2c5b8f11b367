"""A scoring for txtai: ``pip install 'hippohover[txtai]'``.

``Embeddings(keyword="hippohover.adapters.txtai.HippoHoverScoring")``
"""

import json
import math
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from hippohover.adapters.asking import AskedIndex, document_of
from hippohover.adapters.building import CORPUS, index_of
from hippohover.adapters.extras import needed
from hippohover.errors import UsageError
from hippohover.records import RankedPassage

with needed("txtai", of=__name__, extra="txtai"):
    from txtai.scoring import Scoring

_GIVEN: Final = "documents.jsonl"


class HippoHoverScoring(Scoring):
    """The walk over a graph instead of txtai's keyword index.

    Given ``index``, it asks that index, and results carry the ids of its documents. Without
    ``index``, it builds one from the documents that txtai hands it, when it is first asked or
    saved, and again after a change. Scores of ``ppr`` are log odds, but txtai drops scores that are
    not above 0, so they are returned as probabilities.

    Parameters
    ----------
    config : dict, optional
        ``index``: the folder of an index. ``retriever``: ``ppr``, ``bm25``, ``dense``, ``hybrid``,
        ``hipporag2`` or ``linearrag``. ``recipe``: how to build, ``default`` when not given.

    Raises
    ------
    IndexStoreError
        There is no index at ``config["index"]``.
    UsageError
        A value is out of its range.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__(config)
        self._retriever = str(self.config.get("retriever", "ppr"))
        self._documents: dict[int, dict[str, str]] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._asked: AskedIndex | None = None
        index = self.config.get("index")
        self._is_of_others = index is not None
        if index is not None:
            self._asked = AskedIndex(index, retriever=self._retriever)

    def insert(
        self,
        documents: Iterable[tuple[Any, Any, Any]],
        index: int | None = None,
        checkpoint: str | None = None,
    ) -> None:
        """Add (id, text or dict, tags), numbered from ``index``; skips items without text.

        ``UsageError`` if ``config["index"]`` names an index.
        """
        self._check_is_own()
        for number, (uid, document, _) in enumerate(documents):
            title = ""
            if isinstance(document, dict):
                title = str(document.get("title") or "")
                document = document.get(self.text, document.get(self.object))  # noqa: PLW2901
            if isinstance(document, list):
                document = " ".join(document)  # noqa: PLW2901  (tokens)
            if isinstance(document, str):
                name = int(uid) if index is None else index + number
                self._documents[name] = {"id": str(name), "title": title, "text": document}
        self._asked = None

    def delete(self, ids: Iterable[int]) -> None:
        """Remove documents by the numbers that ``search`` gives."""
        self._check_is_own()
        for number in ids:
            self._documents.pop(int(number), None)
        self._asked = None

    def weights(self, tokens: Sequence[str]) -> list[float]:
        """Weigh all tokens the same: a walk has no word weights."""
        return [1.0] * len(tokens)

    def search(self, query: str, limit: int = 3) -> list[tuple[Any, float]]:
        """Return (id, score) of the best documents."""
        if not self.count():
            return []
        passages = self._opened().search(query, limit)
        return [(self._id_of(one), self._above_0(one.score)) for one in passages]

    def batchsearch(
        self, queries: Sequence[str], limit: int = 3, threads: bool | int = True
    ) -> list[list[tuple[Any, float]]]:
        """Search for many queries, in their order."""
        return [self.search(query, limit) for query in queries]

    def count(self) -> int:
        """Count documents; passages for an index that is only searched."""
        if self._is_of_others:
            return self._opened().engine.n_passages
        return len(self._documents)

    def load(self, path: str) -> None:
        """Open what ``save`` wrote."""
        if self._is_of_others:
            return
        lines = (Path(path) / _GIVEN).read_text(encoding="utf-8").splitlines()
        self._documents = {int(one["id"]): one for one in map(json.loads, lines)}
        self._close_folder()
        self._folder = tempfile.TemporaryDirectory(prefix="hippohover-")
        shutil.copytree(path, self._folder.name, dirs_exist_ok=True, symlinks=True)
        self._asked = None

    def save(self, path: str) -> None:
        """Save documents and index to a folder; an index that is only searched stays in place."""
        if self._is_of_others:
            return
        folder = Path(path)
        if folder.exists():
            shutil.rmtree(folder)
        if self._documents:
            self._opened()
            shutil.copytree(self._own_folder(), folder, ignore=shutil.ignore_patterns(CORPUS))
        folder.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(one) for one in self._documents.values()]
        (folder / _GIVEN).write_text("\n".join([*lines, ""]), encoding="utf-8")

    def close(self) -> None:
        """Release the index."""
        if self._asked is not None:
            self._asked.engine.close()
        self._asked = None
        self._close_folder()

    def issparse(self) -> bool:
        """Return True: it answers queries by itself."""
        return True

    def isnormalized(self) -> bool:
        """Return False: its scores are no cosines, so a hybrid index fuses by rank."""
        return False

    def isbayes(self) -> bool:
        """Return False."""
        return False

    def _opened(self) -> AskedIndex:
        if self._asked is None:
            if self._is_of_others:
                self._asked = AskedIndex(self.config["index"], retriever=self._retriever)
                return self._asked
            recipe = self.config.get("recipe", "default")
            path = index_of(self._own_folder(), self._documents.values(), recipe)
            self._asked = AskedIndex(path, retriever=self._retriever)
        return self._asked

    def _own_folder(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="hippohover-")
        return Path(self._folder.name)

    def _close_folder(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _check_is_own(self) -> None:
        if self._is_of_others:
            raise UsageError(
                f"scoring asks the index {str(self.config['index'])!r:.80}, which only hippohover "
                "add and delete change: leave out config['index'] to let txtai build one"
            )

    def _id_of(self, passage: RankedPassage) -> str | int:
        name = document_of(passage)
        return name if self._is_of_others else int(name)

    def _above_0(self, score: float) -> float:
        return 1 / (1 + math.exp(-score)) if self._retriever == "ppr" else float(score)
