"""Add, replace, delete, alias: publish a version that answers as a full build would.

A small change becomes a segment beside the built version (``updates.small_change``). Any other
update builds again from the passages of the live version and its own: triples and vectors, which
are expensive and depend on one passage alone, were kept; what depends on the whole corpus is made
again. Such an index equals, byte for byte, one that is built from the resulting corpus.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa

from hippohover.errors import UsageError
from hippohover.indexing.build import source_of
from hippohover.indexing.corpus.passage_table import is_in
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.records import clean_title
from hippohover.indexing.triples.extractor import TripleExtractor
from hippohover.indexing.updates.changes import Update, difference
from hippohover.indexing.updates.compaction import merge_segments
from hippohover.indexing.updates.next_version import (
    Before,
    Change,
    Updating,
    read_passages,
)
from hippohover.language_model.ledger import Budget
from hippohover.names.aliases import merge
from hippohover.progress import Progress, silent
from hippohover.recipe import LanguageModelSettings
from hippohover.store.near_titles import did_you_mean, near_titles
from hippohover.vectors.embedding import Encoder

_NEAR_TITLES = 3
_MOST_SOURCES = 100  # paths that are kept of what an index was made of


def add(  # noqa: PLR0913
    index: str | Path,
    corpus: str | Path,
    *,
    replace: bool | None = None,
    root: str | Path | None = None,
    workers: int | None = None,
    language_model: LanguageModelSettings | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
) -> Update:
    """Add a corpus's documents to an index, by its recipe, and publish.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    corpus : str or Path
    replace : bool, optional
        Whether a document replaces those with the same id, or, if it has no id, those with the same
        title and no id. If not, it is added beside them, and a document that says the same stays
        unchanged, with its fields and links. By default true if ``corpus`` is a folder or ``root``
        is given.
    root : str or Path, optional
        A file's path below this folder is its id; without it, the id is the file's name.
    workers : int, optional
        As in ``build``.
    language_model : LanguageModelSettings, optional
        Replaces the recipe's, if the extractor asks one. That is asked only if it was given to a
        build or update of this index on this machine, or confirmed (``inspect --confirm``).
    budget : Budget, optional
        Caps on what a language model may cost.
    progress : callable
        Called with (stage, done, total).
    encoder, extractor : Encoder and TripleExtractor, optional
        Your own encoder and extractor, if the index was built with them: it is refused without.

    Raises
    ------
    UsageError, CorpusError, ModelError, BudgetError, BuildError, IndexStoreError
        The live version stays.
    """
    update = Updating(index, workers, language_model, budget, progress, encoder, extractor)
    path, below = Path(corpus), None if root is None else Path(root)
    takes_places = path.is_dir() or root is not None if replace is None else replace

    def added(before: Before) -> Change:
        old, repeats, recipe, made_of = before
        counts = CorpusCounts()
        read, names = read_passages(recipe, path, root=below, counts=counts)
        taking = "replace" if takes_places else "beside"
        found = difference(old, repeats, read, names, taking=taking)
        log = {"corpus": source_of(path), "read": asdict(counts)}
        source = source_of((below or path).resolve())
        after = made_of if source in made_of else [*made_of, source][:_MOST_SOURCES]
        done = found.update.with_failures(counts)
        passages = found.passages(old)
        return Change(passages, found.repeats, done, log, after, new=found.new, gone=found.gone)

    return update.run(added)


def delete(  # noqa: PLR0913
    index: str | Path,
    titles: Iterable[str],
    *,
    workers: int | None = None,
    language_model: LanguageModelSettings | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
) -> Update:
    """Remove the documents with these titles from an index, and publish.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    titles : iterable of str
        As the index shows them; only blanks and Unicode normalisation may differ.
    workers, language_model, budget, progress, encoder, extractor
        As in ``add``.

    Raises
    ------
    UsageError
        A title is not there, titles are hidden, or nothing would be left.
    ModelError, BuildError, IndexStoreError
        The live version stays.
    """
    if isinstance(titles, str):
        raise UsageError(f"titles is one str: give a list, [{titles[:80]!r}]")
    wanted = {clean_title(title) for title in titles}
    update = Updating(index, workers, language_model, budget, progress, encoder, extractor)
    return update.run(lambda before: _without(before, wanted))


def alias(  # noqa: PLR0913
    index: str | Path,
    aliases: Mapping[str, str],
    *,
    workers: int | None = None,
    language_model: LanguageModelSettings | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
) -> Update:
    """Replace an index's aliases; split names that none joins; publish.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    aliases : mapping of str to str
        Alias to name, all of them; ``aliases.read_aliases`` reads a file. Empty for none.
    workers, language_model, budget, progress, encoder, extractor
        As in ``add``.

    Raises
    ------
    UsageError
        Aliases stand for one another, or one is not a name.
    ModelError, BuildError, IndexStoreError
        The live version stays.
    """
    merge(aliases)

    def changed(before: Before) -> Change:
        old, repeats, recipe, made_of = before
        new = recipe.model_copy(update={"aliases": dict(sorted(aliases.items()))})
        same = new.aliases == recipe.aliases
        update = Update(n_added=0, n_removed=0, n_known=0, n_passages=old.arrays.n_passages)
        changed = None if same else new
        return Change(before.passages(), repeats, update, {}, made_of, changed)

    update = Updating(index, workers, language_model, budget, progress, encoder, extractor)
    return update.run(changed)


def compact(  # noqa: PLR0913
    index: str | Path,
    *,
    rebuild: bool = False,
    beside: bool = False,
    workers: int | None = None,
    language_model: LanguageModelSettings | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
) -> bool:
    """Merge an index's small updates into it; return whether there were any.

    Answers stay the same.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    rebuild : bool
        Build it again from its passages, which takes as long as a build: the next version then has
        the bytes of a build.
    beside : bool
        Let others write meanwhile, and leave the newest updates unmerged. Does nothing if another
        process compacts beside already.
    workers, language_model, budget
        As in ``add``, for ``rebuild``.
    progress : callable
        Called with (stage, done, total).
    encoder, extractor : Encoder and TripleExtractor, optional
        As in ``add``, for ``rebuild``.

    Raises
    ------
    UsageError, ModelError, BudgetError, BuildError, IndexStoreError
        The live version stays.
    """
    update = Updating(index, workers, language_model, budget, progress, encoder, extractor)
    if rebuild and beside:
        raise UsageError("rebuild and beside are both True: a build keeps other writers out")
    if not rebuild:
        return merge_segments(update.root, beside=beside, progress=progress)

    def rebuilt(before: Before) -> Change:
        n_passages = before.tables.arrays.n_passages
        same = Update(n_added=0, n_removed=0, n_known=0, n_passages=n_passages)
        return Change(before.passages(), before.repeats, same, {}, before.made_of, rebuild=True)

    update.run(rebuilt)
    return True


def _without(before: Before, titles: set[str]) -> Change:
    """Return the passages of an index without those of some titles."""
    old, repeats, _, made_of = before
    there = old.passages.column("title")
    if len(old.rows_equal("title", "")) == old.arrays.n_passages:
        raise UsageError("this index hides its titles: build it again without the documents")
    wanted = sorted(titles)
    chosen = is_in(there, wanted) & old.is_there
    found = there.filter(pa.array(chosen))
    lost = [wanted[at] for at in np.flatnonzero(~is_in(wanted, found))]
    if lost:
        near = near_titles(old, lost[0])[:_NEAR_TITLES]
        fix = did_you_mean(near) if near else "copy it from an answer"
        more = f", nor {len(lost) - 1} more of those given" if len(lost) > 1 else ""
        raise UsageError(
            f"no passage of the index has the title {lost[0][:200]!r}{more}, so nothing was "
            f"deleted: {fix}"
        )
    gone = old.passages.column("pid").filter(pa.array(chosen)).to_pylist()
    n_removed = len(gone)
    n_left = old.arrays.n_passages - n_removed
    if not n_left:
        raise UsageError("nothing would be left of the index: remove its folder instead")
    left = (passage for passage in before.passages() if passage.title not in titles)
    update = Update(n_added=0, n_removed=n_removed, n_known=0, n_passages=n_left)
    repeats = repeats.but(repeats.concerned(gone, ()), [])
    return Change(left, repeats, update, {}, made_of, gone=gone)
