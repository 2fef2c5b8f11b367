"""One update of an index: the old version, what changes, the new version.

The lock comes first: no other writer publishes between reading and writing. The log of a version
holds what the index was made of, which no checksum covers.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, cast

from hippohover.errors import UsageError
from hippohover.indexing.build import MADE_OF, make_version
from hippohover.indexing.corpus.source import passages_of
from hippohover.indexing.corpus.stream import CorpusCounts
from hippohover.indexing.corpus.versions import DocumentNames, Versions, without_older
from hippohover.indexing.own_models import OwnModels
from hippohover.indexing.updates.changes import Update
from hippohover.language_model.ledger import Budget
from hippohover.progress import Progress
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.records import Passage
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from hippohover.store.versions import check_is_root
from hippohover.store.writer import IndexWriter


class Change(NamedTuple):
    """Passages of the next version, and what is said of them.

    Attributes
    ----------
    log : dict
        Of the build's log.
    made_of : list of str
        Paths of what the index was made of.
    recipe : IndexRecipe or None
        A new one.
    """

    passages: Iterator[Passage]
    update: Update
    log: dict[str, Any]
    made_of: list[str]
    recipe: IndexRecipe | None = None


@dataclass(kw_only=True)
class Updating:
    """How an index is updated; with ``dry_run`` nothing is written."""

    root: Path
    workers: int | None
    progress: Progress
    own: OwnModels
    language_model: LanguageModelSettings | None = None
    budget: Budget | None = None
    dry_run: bool = False

    def run(self, change: Callable[[IndexTables, IndexRecipe, list[str]], Change]) -> Update:
        """Publish what ``change`` makes of the tables, the recipe and what these were made of."""
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"workers is {self.workers!r}: give 1 or more, or None")
        with (
            nullcontext() if self.dry_run else IndexWriter(self.root) as writer,
            StoredIndex.open(self.root, progress=self.progress) as stored,
        ):
            recipe = stored.recipe()
            self.own.check(recipe)
            if recipe.extractor == "file":  # a manifest holds no path
                of_file = (stored.log() or {}).get("triples_file", {})
                recipe = recipe.model_copy(update={"triples": of_file.get("path")})
            if self.language_model is not None:
                recipe = recipe.model_copy(update={"language_model": self.language_model})
            tables, before = IndexTables.open(stored), _made_of(stored.log())
            passages, update, log, after, new = change(tables, recipe, before)
            if writer and (update.n_added or update.n_removed or new is not None):
                make_version(
                    writer,
                    new or recipe,
                    passages,
                    workers=self.workers,
                    budget=self.budget,
                    progress=self.progress,
                    own=self.own,
                    log=lambda: {"update": _numbers(update), **log, MADE_OF: after},
                )
        return update


def read_passages(
    recipe: IndexRecipe, corpus: Path, *, root: Path | None, counts: CorpusCounts
) -> tuple[list[Passage], DocumentNames]:
    """The passages of a corpus, no two of one id, and what names its documents."""
    names = DocumentNames(by_path=corpus.is_dir() or root is not None)

    def read(versions: Versions) -> list[Passage]:
        counts.clear()
        return list(
            passages_of(recipe, corpus, limit=None, counts=counts, versions=versions, root=root)
        )

    return without_older(read, Versions(names)), names


def _made_of(log: dict[str, Any] | None) -> list[str]:
    """Paths of what an index was made of, as its log says, which may be lost or altered."""
    known: object = (log or {}).get(MADE_OF)
    if not isinstance(known, list):
        return []
    return [path for path in cast("list[object]", known) if isinstance(path, str)]


def _numbers(update: Update) -> dict[str, int]:
    """What an update counted."""
    counts = (field.name for field in fields(Update) if field.name != "failures")
    return {name: getattr(update, name) for name in counts}


def root_of(index: str | Path) -> Path:
    """Folder of an index, refused before a writer makes anything there."""
    root = Path(index)
    check_is_root(root)
    StoredIndex.open(root, check=False).close()
    return root
