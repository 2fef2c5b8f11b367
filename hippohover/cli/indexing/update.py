"""The commands ``add``, ``delete`` and ``gc``."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from hippohover.cli.groups.indexes import Added
from hippohover.cli.indexing.build import asking, note_what_is_missing
from hippohover.cli.indexing.description import what_is_loose
from hippohover.cli.indexing.files_read import failures_named
from hippohover.cli.model import ModelOptions
from hippohover.cli.output import console, counted, joined, note, plain, print_json, progress
from hippohover.disk.text_files import read_lines
from hippohover.indexing.garbage import collect_garbage
from hippohover.indexing.update import add, alias, compact, delete
from hippohover.indexing.updates.changes import Update
from hippohover.indexing.updates.small_change import TOO_SMALL
from hippohover.names.aliases import read_aliases
from hippohover.store.reader import StoredIndex


def add_documents(
    index: Path, corpus: Path, added: Added, model: ModelOptions, *, as_json: bool
) -> None:
    """Add the documents of a corpus, then print the result."""
    start = time.perf_counter()
    with StoredIndex.open(index, check=False) as stored:
        recipe = asking(stored.recipe(), model)
    with progress() as report:
        done = add(
            index,
            corpus,
            replace=added.replace,
            root=added.root,
            workers=added.workers,
            language_model=recipe.language_model,
            budget=model.budget(),
            progress=report,
        )
    _say(index, done, seconds=time.perf_counter() - start, as_json=as_json)


def delete_documents(
    index: Path, titles: Sequence[str], file: Path | None, *, workers: int | None, as_json: bool
) -> None:
    """Delete the documents of these titles and of those in a file, one per line."""
    start = time.perf_counter()
    if file is not None:
        titles = [*titles, *read_lines(file)]
    with progress() as report:
        done = delete(index, titles, workers=workers, progress=report)
    _say(index, done, seconds=time.perf_counter() - start, as_json=as_json)


def replace_aliases(index: Path, file: Path | None, *, workers: int | None, as_json: bool) -> None:
    """Replace the aliases of an index by a file's, or by none, then print it."""
    start = time.perf_counter()
    aliases = {} if file is None else read_aliases(file)
    with StoredIndex.open(index, check=False) as stored:
        before = stored.version
    with progress() as report:
        alias(index, aliases, workers=workers, progress=report)
    seconds = time.perf_counter() - start
    with StoredIndex.open(index) as stored:
        if stored.version == before:
            note("the index already has these aliases: nothing was published")
        if as_json:
            about = {"index": str(index), "version": stored.version, "seconds": seconds}
            print_json({**about, "n_aliases": len(aliases)})
            return
        console().print(
            f"{plain(str(index))}  {stored.version}  in {seconds:.1f} s: "
            f"{counted(len(aliases), 'alias', 'aliases')}"
        )


def compact_index(
    index: Path, *, rebuild: bool, beside: bool, workers: int | None, as_json: bool
) -> None:
    """Merge small updates into their index, then print it."""
    start = time.perf_counter()
    with progress() as report:
        done = compact(index, rebuild=rebuild, beside=beside, workers=workers, progress=report)
    seconds = time.perf_counter() - start
    with StoredIndex.open(index) as stored:
        if as_json:
            about = {"index": str(index), "version": stored.version, "seconds": seconds}
            print_json({**about, "published": done})
            return
        if not done:
            large = "large " if beside else ""
            note(f"no {large}update waits to be merged: nothing was published")
        console().print(f"{plain(str(index))}  {stored.version}  in {seconds:.1f} s")


def collect(index: Path, *, keep: int, as_json: bool) -> None:
    """Remove old versions, and what the cache holds only for them."""
    with progress() as report:
        done = collect_garbage(index, keep=keep, progress=report)
    if as_json:
        print_json({"index": str(index), **asdict(done)})
        return
    removed = joined(done.removed, 5) if done.removed else "no version"
    console().print(
        f"{plain(str(index))}  removed {removed}, and {done.n_results:,} results of the cache; "
        f"kept {joined(done.kept, 5)}"
    )
    if done.held:
        note(f"{joined(done.held, 5)}: a reader uses it; run gc again when it has closed")


def note_why_built(done: Update) -> None:
    """Say why an update built the whole index again, unless the index is small."""
    if done.built not in {"", TOO_SMALL}:
        note(f"the whole index was built again: {done.built}")


def _say(index: Path, done: Update, *, seconds: float, as_json: bool) -> None:
    with StoredIndex.open(index) as stored:
        if as_json:
            version = {"index": str(index), "version": stored.version, "seconds": seconds}
            print_json({**version, **asdict(done), "note": what_is_loose(stored.manifest) or None})
            return
        if done.n_repeats and not (done.n_added or done.n_removed):
            passages = counted(done.n_repeats, "passage says", "passages say")
            note(f"{passages} the same as another document of the index, which answers for both")
        elif not done.is_change:
            if failed := failures_named(done.n_failed, done.failures):
                note(failed)
            note("the index already holds all of it: nothing was published")
        else:
            note_what_is_missing(stored)
        note_why_built(done)
        if done.n_beside:
            documents = counted(done.n_beside, "document was", "documents were")
            note(
                f"{documents} there with another text, and both are kept: use add FILE "
                "--replace to keep only the new one"
            )
        if done.n_namesakes:
            documents = counted(done.n_namesakes, "document", "documents")
            note(
                f"{documents} with an id had the title of one that came without, and both are "
                "kept: to change a file, add it with --root; or delete the title first"
            )
        if done.n_differing:
            note(
                f"{counted(done.n_differing, 'passage')} in the index had other fields, links or "
                "aliases and were kept: use --replace to take the new ones"
            )
        known = f" ({done.n_known:,} were there)" if done.n_known and done.n_added else ""
        replaced = f" ({counted(done.n_replaced, 'document')} replaced)" if done.n_replaced else ""
        console().print(
            f"{plain(str(index))}  {stored.version}  in {seconds:.1f} s: "
            f"{counted(done.n_added, 'passage')} added{known}, "
            f"{done.n_removed:,} deleted{replaced}, {done.n_passages:,} in all"
        )
