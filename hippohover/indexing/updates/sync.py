"""Makes an index follow a folder: additions, changes and deletions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hippohover.errors import UsageError
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.triples.extractor import TripleExtractor
from hippohover.indexing.updates.changes import Difference, DocumentChange, Update, difference
from hippohover.indexing.updates.next_version import (
    Before,
    Change,
    Updating,
    read_passages,
)
from hippohover.language_model.ledger import Budget
from hippohover.progress import Progress, silent
from hippohover.recipe import LanguageModelSettings
from hippohover.store.tables import IndexTables
from hippohover.vectors.embedding import Encoder

_PATHS_NAMED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync(Update):
    """What ``sync`` did, or would do.

    Attributes
    ----------
    changes : tuple of DocumentChange
        Documents that came, gave way to another of their id, or went.
    """

    changes: tuple[DocumentChange, ...] = ()


def sync(  # noqa: PLR0913
    index: str | Path,
    folder: str | Path,
    *,
    dry_run: bool = False,
    take_over: bool = False,
    workers: int | None = None,
    language_model: LanguageModelSettings | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
) -> Sync:
    """Make an index equal to a folder: add, replace and delete documents.

    The index then answers like one that its recipe builds from the folder. If it does so already,
    nothing is published.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    folder : str or Path
        Of documents.
    dry_run : bool
        Say what would change, and change nothing.
    take_over : bool
        Whether documents may be deleted from an index that was made of anything other than this
        folder; or all documents at once, if none of their texts is there under another name.
    workers, language_model, budget, progress, encoder, extractor
        As in ``add``.

    Raises
    ------
    UsageError
        ``folder`` is not a folder, or documents would be deleted that need ``take_over``.
    CorpusError, ModelError, BudgetError, BuildError, IndexStoreError
        The live version stays.
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path}: is not a folder: hippohover add takes a file")
    update = Updating(index, workers, language_model, budget, progress, encoder, extractor, dry_run)

    def equal(before: Before) -> Change:
        old, repeats, recipe, made_of = before
        counts = CorpusCounts()
        read, names = read_passages(recipe, path, root=None, counts=counts)
        fields = recipe.corpus.kept
        counts.miss(
            name for at, name in enumerate(fields) if all(one.metadata[at] is None for one in read)
        )
        found = difference(old, repeats, read, names, taking="equal")
        if not (take_over or dry_run):
            _check_may_delete(found, made_of, path, old)
        log = {"corpus": str(path), "read": asdict(counts)}
        done = Sync(**asdict(found.update), changes=found.changes).with_failures(counts)
        made = [str(path.resolve())]
        passages = found.passages(old)
        return Change(passages, found.repeats, done, log, made, new=found.new, gone=found.gone)

    done = update.run(equal)
    assert isinstance(done, Sync)  # noqa: S101
    return done


def _check_may_delete(
    found: Difference, made_of: Sequence[str], folder: Path, old: IndexTables
) -> None:
    """Raise for a folder that is not the index's source, or that would empty it."""
    n_deleted = sum(change.kind == "deleted" for change in found.changes)
    if not n_deleted:
        return
    fix = "use --dry-run to see what would change, and --take-over (take_over=True) to do it"
    if list(made_of) != [str(folder.resolve())]:
        those = " and ".join(made_of[:_PATHS_NAMED]) or "sources that its log does not name"
        more = len(made_of) - _PATHS_NAMED
        raise UsageError(
            f"the index was made from {those}{f' and {more:,} more' if more > 0 else ''}, not from "
            f"{folder} alone, so {n_deleted:,} of its documents would be deleted: {fix}"
        )
    is_all = found.update.n_removed == old.arrays.n_passages and not found.update.n_replaced
    if is_all and not _keeps_a_text(found, old):
        raise UsageError(f"no document of the index is in {folder}: all would be deleted: {fix}")


def _keeps_a_text(found: Difference, old: IndexTables) -> bool:
    """Return whether any text of the index remains, as where all files were renamed."""
    texts = {passage.text for passage in found.new}
    return any(passage.text in texts for passage in stored_passages(old))
