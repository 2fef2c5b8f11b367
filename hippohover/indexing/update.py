"""Passages and aliases into and out of a published index: the next version is as a build makes it.

An update builds anew from the passages of the live version and its own. What is dear depends on
one passage alone and was kept, triples and vectors; the rest is corpus-wide, and is made again.
So an updated index equals, byte for byte, one that is built from the resulting corpus.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.indexing.build import make_version
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.indexing.corpus.records import clean_title
from hippohover.indexing.corpus.source import passages_of
from hippohover.indexing.corpus.stream import CorpusCounts
from hippohover.indexing.own_models import OwnModels
from hippohover.indexing.triples.extractor import TripleExtractor
from hippohover.language_model.ledger import Budget
from hippohover.names.aliases import merge
from hippohover.names.normal_forms import entity_key
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.records import Passage
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import METADATA_PREFIX, IndexTables
from hippohover.store.versions import check_is_root
from hippohover.store.writer import IndexWriter
from hippohover.vectors.embedding import Encoder

_NEAR_TITLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What an update did.

    Attributes
    ----------
    n_added, n_removed : int
        Passages that came and went.
    n_known : int
        Passages that were to be added and are in the index.
    n_passages : int
        Passages of the live version now.
    n_differing : int
        Of those known, how many came with other fields, links or aliases: those of the index stay.
    """

    n_added: int
    n_removed: int
    n_known: int
    n_passages: int
    n_differing: int = 0


def add(  # noqa: PLR0913
    index: str | Path,
    corpus: str | Path,
    *,
    workers: int | None = None,
    language_model: LanguageModelSettings | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
) -> Update:
    """Add the documents of a corpus to an index, read as its recipe says, and publish.

    A document whose title is there with another text stands beside it, and one whose text is there
    too stays as it was, its fields and links with it: to replace one, delete its title first.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    corpus : str or Path
    workers : int, optional
        As in ``build``.
    language_model : LanguageModelSettings, optional
        Replaces the recipe's, where the extractor asks one.
    budget : Budget, optional
        Caps on what a language model may cost.
    progress : callable
        Called with (stage, done, total).
    encoder, extractor : Encoder and TripleExtractor, optional
        Those of your own that the index was built with, if it was: without them it is refused.

    Raises
    ------
    UsageError, CorpusError, ModelError, BudgetError, BuildError, IndexStoreError
        The live version stays.
    """
    update = _Updating(
        root=_root_of(index),
        workers=workers,
        progress=progress,
        own=OwnModels.of(encoder, extractor),
        language_model=language_model,
        budget=budget,
    )
    return update.run(lambda old, recipe: _added(old, recipe, Path(corpus)))


def delete(  # noqa: PLR0913
    index: str | Path,
    titles: Iterable[str],
    *,
    workers: int | None = None,
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
        As the index shows them; but for blanks and Unicode's form they must be the same.
    workers, progress
        As in ``build``.
    encoder, extractor : Encoder and TripleExtractor, optional
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
    own = OwnModels.of(encoder, extractor)
    update = _Updating(root=_root_of(index), workers=workers, progress=progress, own=own)
    return update.run(lambda old, _: _without(old, wanted))


def alias(  # noqa: PLR0913
    index: str | Path,
    aliases: Mapping[str, str],
    *,
    workers: int | None = None,
    progress: Progress = silent,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
) -> Update:
    """Replace the aliases of an index, and publish: what no alias merges any more comes apart.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    aliases : mapping of str to str
        Alias to name, all of them; ``aliases.read_aliases`` reads a file. Empty for none.
    workers, progress
        As in ``build``.
    encoder, extractor : Encoder and TripleExtractor, optional
        As in ``add``.

    Raises
    ------
    UsageError
        Aliases stand for one another, or one is no name.
    ModelError, BuildError, IndexStoreError
        The live version stays.
    """
    merge(aliases)

    def changed(old: IndexTables, recipe: IndexRecipe) -> _Change:
        new = recipe.model_copy(update={"aliases": dict(sorted(aliases.items()))})
        same = new.aliases == recipe.aliases
        update = Update(n_added=0, n_removed=0, n_known=0, n_passages=old.arrays.n_passages)
        return _Change(stored_passages(old), update, {}, None if same else new)

    own = OwnModels.of(encoder, extractor)
    update = _Updating(root=_root_of(index), workers=workers, progress=progress, own=own)
    return update.run(changed)


class _Change(NamedTuple):
    """Passages of the next version, what is said of them and in the build's log, a new recipe."""

    passages: Iterator[Passage]
    update: Update
    log: dict[str, Any]
    recipe: IndexRecipe | None = None


@dataclass(kw_only=True)
class _Updating:
    """One update: the old version, what changes, the new version."""

    root: Path
    workers: int | None
    progress: Progress
    own: OwnModels
    language_model: LanguageModelSettings | None = None
    budget: Budget | None = None

    def run(self, change: Callable[[IndexTables, IndexRecipe], _Change]) -> Update:
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"workers is {self.workers!r}: give 1 or more, or None")
        # The lock comes first: no other writer publishes between reading and writing.
        with (
            IndexWriter(self.root) as writer,
            StoredIndex.open(self.root, progress=self.progress) as stored,
        ):
            recipe = stored.recipe()
            self.own.check(recipe)
            if recipe.extractor == "file":  # a manifest holds no path
                of_file = (stored.log() or {}).get("triples_file", {})
                recipe = recipe.model_copy(update={"triples": of_file.get("path")})
            if self.language_model is not None:
                recipe = recipe.model_copy(update={"language_model": self.language_model})
            passages, update, log, new = change(IndexTables.open(stored), recipe)
            if update.n_added or update.n_removed or new is not None:
                make_version(
                    writer,
                    new or recipe,
                    passages,
                    workers=self.workers,
                    budget=self.budget,
                    progress=self.progress,
                    own=self.own,
                    log=lambda: {"update": asdict(update), **log},
                )
        return update


def _added(old: IndexTables, recipe: IndexRecipe, corpus: Path) -> _Change:
    """The passages of an index, and those of a corpus that are not among them."""
    counts = CorpusCounts()
    read = {
        passage.pid: passage for passage in passages_of(recipe, corpus, limit=None, counts=counts)
    }
    there = old.passages.take(np.flatnonzero(_is_in(old.passages.column("pid"), read)))
    kept = [f"{METADATA_PREFIX}{name}" for name in recipe.corpus.metadata]
    columns = [there.column(name).to_pylist() for name in ("pid", "links", "aliases", *kept)]
    n_differing = 0
    for pid, links, aliases, *metadata in zip(*columns, strict=True):
        passage = read.pop(pid)
        theirs = (passage.links, passage.aliases, passage.metadata)
        n_differing += (tuple(links), tuple(aliases), tuple(metadata)) != theirs
    n_known = there.num_rows
    update = Update(
        n_added=len(read),
        n_removed=0,
        n_known=n_known,
        n_passages=old.arrays.n_passages + len(read),
        n_differing=n_differing,
    )
    log = {"corpus": str(corpus), "read": asdict(counts)}
    return _Change(chain(stored_passages(old), read.values()), update, log)


def _without(old: IndexTables, titles: set[str]) -> _Change:
    """The passages of an index without those of some titles."""
    there = old.passages.column("title")
    if there.unique().to_pylist() == [""]:
        raise UsageError("this index hides its titles: build it again without the documents")
    wanted = sorted(titles)
    lost = [wanted[at] for at in np.flatnonzero(~_is_in(wanted, there))]
    if lost:
        named = (title for title in there.unique().to_pylist() if title)
        near = sorted(title for title in named if entity_key(title) == entity_key(lost[0]))
        hint = f" (there is {', '.join(map(repr, near[:_NEAR_TITLES]))})" if near else ""
        more = f", nor {len(lost) - 1} more of those given" if len(lost) > 1 else ""
        raise UsageError(
            f"no passage of the index has the title {lost[0][:200]!r}{hint}{more}: nothing was "
            "deleted; take titles from an answer"
        )
    n_removed = int(_is_in(there, titles).sum())
    n_left = old.arrays.n_passages - n_removed
    if not n_left:
        raise UsageError("nothing would be left of the index: remove its folder instead")
    left = (passage for passage in stored_passages(old) if passage.title not in titles)
    return _Change(left, Update(n_added=0, n_removed=n_removed, n_known=0, n_passages=n_left), {})


def _is_in(values: Any, some: Any) -> NDArray[np.bool_]:  # noqa: ANN401  (Arrow has no types)
    """Whether each of the first strings is among the second, shape (len(values),)."""
    import pyarrow as pa
    import pyarrow.compute as arrow

    strings = [
        one
        if isinstance(one, pa.ChunkedArray)
        else pa.chunked_array([list(one)], pa.large_string())
        for one in (values, some)
    ]
    options = arrow.SetLookupOptions(strings[1].combine_chunks())
    return arrow.call_function("is_in", [strings[0]], options).to_numpy()


def _root_of(index: str | Path) -> Path:
    """Folder of an index, refused before a writer makes anything there."""
    root = Path(index)
    check_is_root(root)
    StoredIndex.open(root, check=False).close()
    return root
