"""Builds the index of documents from a framework once, and keeps it in a folder."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from hippohover.adapters.asking import AskedIndex, scores_of
from hippohover.disk.text_files import write_lines
from hippohover.indexing.build import build
from hippohover.recipe import MAX_SEARCH_DEPTH, IndexRecipe

CORPUS: Final = "corpus.jsonl"
INDEX: Final = "index"


def index_of(
    folder: str | Path,
    documents: Iterable[Mapping[str, str]],
    recipe: IndexRecipe | str | Path = "default",
) -> Path:
    """Build the index of these documents, unless the folder has it; return its path.

    Parameters
    ----------
    folder : str or Path
        Gets ``corpus.jsonl`` and ``index``. An existing index is used again if it has the same
        documents and recipe, and built again if not.
    documents : iterable of mapping
        ``id``, ``title`` and ``text`` of each; those without words are left out.
    recipe : IndexRecipe, str or Path
        As ``hippohover.build`` takes it.

    Raises
    ------
    UsageError, RecipeError, CorpusError, ModelError, BuildError, IndexStoreError
        As ``hippohover.build`` raises.
    """
    folder = Path(folder)
    corpus, index, finished = folder / CORPUS, folder / INDEX, folder / "made_of.json"
    lines = [
        json.dumps({"id": one["id"], "title": one.get("title") or "", "text": one["text"]})
        for one in documents
        if f"{one.get('title') or ''}{one['text']}".strip()
    ]
    made_of = json.dumps({"recipe": str(recipe), "documents": _sum_of(lines)})
    if finished.exists() and finished.read_text(encoding="utf-8").strip() == made_of:
        return index
    folder.mkdir(parents=True, exist_ok=True)
    finished.unlink(missing_ok=True)  # a build that is stopped leaves none
    write_lines(corpus, lines)
    build(recipe, corpus=corpus, out=index)
    write_lines(finished, [made_of])
    return index


class CorpusSearch:
    """A search of corpora that a benchmark hands over, whose indexes are kept in a folder."""

    def __init__(
        self,
        folder: str | Path,
        *,
        retriever: str = "ppr",
        recipe: IndexRecipe | str | Path = "default",
    ) -> None:
        self._folder = Path(folder)
        self._retriever = retriever
        self._recipe = recipe

    def _opened(self, folder: Path, documents: Iterable[Mapping[str, str]]) -> AskedIndex:
        """Open the index of these documents, which is built if the folder has another."""
        return AskedIndex(index_of(folder, documents, self._recipe), retriever=self._retriever)


def found_by(
    asked: AskedIndex, queries: Iterable[tuple[str, str]], k: int
) -> dict[str, dict[str, float]]:
    """Map query id -> document id -> score, at most ``k`` and 1,000 per query."""
    k = min(k, MAX_SEARCH_DEPTH)
    return {name: scores_of(asked.search(query, k)) for name, query in queries}


def _sum_of(lines: Iterable[str]) -> str:
    from hashlib import sha256

    total = sha256()
    for line in lines:
        total.update(line.encode() + b"\n")
    return total.hexdigest()
