"""Removes what nobody needs from an index: old versions, and their cached parts."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hippohover.disk import door
from hippohover.errors import UsageError
from hippohover.indexing.triple_stage import TRIPLES
from hippohover.indexing.triples.cache import cache_key
from hippohover.indexing.updates.compaction import awaits_vectors
from hippohover.indexing.work_folder import VECTORS, WORK, cache_of
from hippohover.indexing.workers.stage_cache import StageCache, text_key
from hippohover.progress import Progress, silent
from hippohover.store.layout import LISTS, LOCK
from hippohover.store.locks import exclusive
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from hippohover.store.tables import array_file
from hippohover.store.versions import (
    base_of,
    check_is_root,
    remove_left_overs,
    remove_old,
    version_folder,
    versions,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What ``collect_garbage`` did.

    Attributes
    ----------
    removed : tuple of str
        Versions that are gone, oldest first.
    held : tuple of str
        Old versions that stay because a reader holds them.
    kept : tuple of str
        All others.
    n_results : int
        Triples of passages, and vectors, that were dropped from the cache.
    """

    removed: tuple[str, ...]
    held: tuple[str, ...]
    kept: tuple[str, ...]
    n_results: int


def collect_garbage(index: str | Path, *, keep: int = 1, progress: Progress = silent) -> Collected:
    """Remove old versions of an index, and cached results that no other version needs.

    The live version stays, and so does each version that a reader holds, in this process or
    another. The work of a stopped build is in no version and is removed: finish the build first.
    Downloaded corpora and paid replies of language models stay.

    Parameters
    ----------
    index : str or Path
        Folder of an index.
    keep : int
        Number of newest versions that stay, 1 or more. A publish leaves two.
    progress : callable
        Called with (stage, done, total).

    Raises
    ------
    UsageError
        ``keep`` is below 1.
    IndexStoreError
        There is no index, it has another format, or another process writes to it.
    IndexDamagedError
        The live version is damaged. Nothing is removed then.
    BuildError
        The cache cannot be changed.
    """
    if keep < 1:
        raise UsageError(f"keep is {keep}: give 1 or more; to remove an index, remove its folder")
    root = door.resolved(index)
    check_is_root(root)
    # Raises where no whole index is: the only whole version may be one that would go.
    StoredIndex.open(root, progress=progress).close()
    with exclusive(root / LOCK):
        remove_left_overs(root)
        before = [path.name for path in versions(root)]
        remove_old(root, keep)
        after = [path.name for path in versions(root)]
        n_results = _drop_results(root, after, progress)
        door.remove(cache_of(root) / WORK)  # that of stopped builds
        _drop_lists(cache_of(root) / LISTS, [root / name for name in after])
    live = version_folder(root).name
    needed = {live, *(base_of(root / name) for name in (live, *after[-keep:]))}
    held = [name for name in after[:-keep] if name not in needed]
    return Collected(
        removed=tuple(name for name in before if name not in after),
        held=tuple(held),
        kept=tuple(name for name in after if name not in held),
        n_results=n_results,
    )


def _drop_lists(lists: Path, versions: Sequence[Path]) -> None:
    """Remove lists of vectors that no version has."""
    needed: set[str] = set()
    for version in versions:
        with closing(StoredIndex.open(version, check=False)) as stored:
            files = (stored.base or stored).manifest.files
            needed |= {files[array_file(name)].sha256 for name in ("passage_codes", "fact_vectors")}
    for file in sorted(lists.iterdir()) if door.is_folder(lists) else ():
        if file.stem.split(".")[0] not in needed:
            door.remove(file)


def _drop_results(root: Path, names: Sequence[str], progress: Progress) -> int:
    stored = [StoredIndex.open(root / name, progress=progress) for name in names]
    progress("cache", 0, 2)
    n = 0
    for done, (file, part, keys_of) in enumerate(
        [(TRIPLES, "extractor", _triple_keys), (VECTORS, "encoder", _vector_keys)], start=1
    ):
        path = cache_of(root) / file
        is_wanted = file == VECTORS and awaits_vectors(root)  # by a version that is to come
        if not is_wanted and door.status(path) is not None:
            keys = (key for index in stored for key in keys_of(index))
            said = [index.manifest.models.get(part, {}) for index in stored]
            made_by = sorted({text for model in said for text in model.values()})
            with closing(StageCache(path)) as cache:
                n += cache.keep(keys, made_by)
        progress("cache", done, 2)
    for index in stored:
        index.close()
    return n


def _triple_keys(stored: StoredIndex) -> Iterator[str]:
    passages = opened_tables(stored).passages
    columns = (passages.column(name).to_pylist() for name in ("pid", "title"))
    return map(cache_key, *columns)


def _vector_keys(stored: StoredIndex) -> Iterator[str]:
    tables = opened_tables(stored)
    yield from map(text_key, tables.passage_texts())
    if len(tables.arrays.fact_vectors):
        yield from map(text_key, tables.fact_texts())
