"""One update of an index: the old version, the change, the new version.

The lock is taken first, so that no other writer publishes between reading and writing. The log of a
version says what the index was made of; no checksum covers it.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

from hippohover.errors import UsageError
from hippohover.indexing.build import MADE_OF, make_version
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.stream import read_corpus
from hippohover.indexing.corpus.versions import DocumentNames, Versions, without_older
from hippohover.indexing.own_models import OwnModels
from hippohover.indexing.triples.extractor import TripleExtractor
from hippohover.indexing.updates.changed_index import NotSmallError
from hippohover.indexing.updates.changes import Update
from hippohover.indexing.updates.compaction import is_overdue, merge_segments
from hippohover.indexing.updates.repeats import Repeats
from hippohover.indexing.updates.small_change import (
    opened_for_change,
    publish_segment,
    why_built,
)
from hippohover.language_model.ledger import Budget
from hippohover.progress import Progress
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.records import Passage
from hippohover.store.contents import fitting
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import OpenedRevision, opened_tables
from hippohover.store.tables import IndexTables
from hippohover.store.versions import check_is_root
from hippohover.store.writer import CompactedElsewhereError, IndexWriter
from hippohover.trust import allowed
from hippohover.vectors.embedding import Encoder


class Before(NamedTuple):
    """An index as it is before a change.

    Attributes
    ----------
    tables : IndexTables
    repeats : Repeats
    recipe : IndexRecipe
    made_of : list of str
        Paths of what it was made of.
    """

    tables: IndexTables
    repeats: Repeats
    recipe: IndexRecipe
    made_of: list[str]

    def passages(self) -> Iterator[Passage]:
        """Yield all passages that a build would read."""
        return chain(stored_passages(self.tables), self.repeats.passages())


class Change(NamedTuple):
    """Passages of the next version, and a report of them.

    Attributes
    ----------
    passages : iterator of Passage
        All that a build would read: of those of one id the first is the index's.
    repeats : Repeats
        Those of the next version.
    log : dict
        Of the build's log.
    made_of : list of str
        Paths of what the index was made of.
    recipe : IndexRecipe or None
        A new one.
    new : sequence of Passage
        Those that come, without a new recipe.
    gone : collection of str
        Ids of those that go.
    rebuild : bool
        Whether a build makes the next version, whatever changes.
    """

    passages: Iterator[Passage]
    repeats: Repeats
    update: Update
    log: dict[str, Any]
    made_of: list[str]
    recipe: IndexRecipe | None = None
    new: Sequence[Passage] = ()
    gone: Collection[str] = ()
    rebuild: bool = False


@dataclass(frozen=True)
class Updating:
    """How an index is updated, as ``add`` says; with ``dry_run`` nothing is written."""

    index: str | Path
    workers: int | None
    language_model: LanguageModelSettings | None
    budget: Budget | None
    progress: Progress
    encoder: Encoder | None
    extractor: TripleExtractor | None
    dry_run: bool = False

    @cached_property
    def root(self) -> Path:
        """Folder of the index, checked before a writer makes anything there."""
        root = Path(self.index)
        check_is_root(root)
        StoredIndex.open(root, check=False).close()
        return root

    @cached_property
    def own(self) -> OwnModels:
        """The caller's own models, checked."""
        return OwnModels.of(self.encoder, self.extractor)

    def run(self, change: Callable[[Before], Change]) -> Update:
        """Publish what ``change`` makes of an index."""
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"workers is {self.workers!r}: give 1 or more, or None")
        own = self.own  # checked before the lock is taken
        if not self.dry_run and is_overdue(self.root):
            would = replace(self, dry_run=True).run(change)
            if would.is_change:  # of nothing new none should pay for others
                with suppress(CompactedElsewhereError):
                    merge_segments(self.root, progress=self.progress)
        with (
            nullcontext() if self.dry_run else IndexWriter(self.root) as writer,
            StoredIndex.open(self.root, progress=self.progress) as stored,
        ):
            own.check(stored.recipe())
            recipe = allowed(self.root, stored.recipe(), self.language_model)
            why = why_built(stored, recipe)
            opened = None if why else opened_for_change(stored)
            tables = opened.revision.tables(named=False) if opened else opened_tables(stored)
            repeats = Repeats.of(stored, recipe.corpus.kept)
            found = change(Before(tables, repeats, recipe, _made_of(stored.log())))
            update = found.update
            if writer and (update.is_change or found.recipe or found.rebuild):
                why = self._publish(writer, stored, opened, recipe, found) or why
                update = replace(update, built=why)
        return update

    def _publish(
        self,
        writer: IndexWriter,
        stored: StoredIndex,
        opened: OpenedRevision | None,
        recipe: IndexRecipe,
        found: Change,
    ) -> str:
        """Publish a change as a segment, or by a build; return why by a build."""

        def log() -> dict[str, Any]:
            return {"update": _numbers(found.update), **found.log, MADE_OF: found.made_of}

        why = ""
        if found.recipe is not None:
            why = "the aliases changed"
        elif opened is not None and not found.rebuild:
            try:
                with fitting(stored.folder):
                    publish_segment(
                        writer,
                        stored,
                        opened,
                        recipe,
                        new=found.new,
                        gone=found.gone,
                        repeats=found.repeats,
                        log=log,
                        progress=self.progress,
                    )
            except NotSmallError as error:
                why = str(error)
            else:
                return ""
        make_version(
            writer,
            found.recipe or recipe,
            found.passages,
            workers=self.workers,
            budget=self.budget,
            progress=self.progress,
            own=self.own,
            log=log,
            later=True,
        )
        return why


def read_passages(
    recipe: IndexRecipe, corpus: Path, *, root: Path | None, counts: CorpusCounts
) -> tuple[list[Passage], DocumentNames]:
    """Return passages of a corpus, their repeats, and the documents' names."""
    names = DocumentNames(by_path=corpus.is_dir() or root is not None)

    def read(versions: Versions) -> list[Passage]:
        counts.clear()
        return list(
            read_corpus(
                corpus, recipe.corpus, counts=counts, versions=versions, root=root, repeats=True
            )
        )

    return without_older(read, Versions(names)), names


def _made_of(log: dict[str, Any] | None) -> list[str]:
    """Return the paths of an index's sources, from its log, which may be lost or altered."""
    known: object = (log or {}).get(MADE_OF)
    if not isinstance(known, list):
        return []
    return [path for path in cast("list[object]", known) if isinstance(path, str)]


def _numbers(update: Update) -> dict[str, int]:
    """Return the counts of an update."""
    counts = (field.name for field in fields(Update) if field.name not in {"built", "failures"})
    return {name: getattr(update, name) for name in counts}
