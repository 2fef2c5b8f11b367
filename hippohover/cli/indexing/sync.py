"""The command ``sync``: an index that follows a folder, once or as long as it runs."""

import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from hippohover.cli.indexing.build import note_what_is_missing
from hippohover.cli.indexing.description import notes_on
from hippohover.cli.indexing.files_read import failures_named
from hippohover.cli.indexing.update import changed, note_why_built
from hippohover.cli.model import ModelOptions, RecipeModel
from hippohover.cli.options import Json, Workers, argument, option
from hippohover.cli.output import console, counted, error_line, note, plain, print_json
from hippohover.errors import HippoHoverError, UsageError
from hippohover.indexing.updates.sync import Sync, sync
from hippohover.store.reader import StoredIndex

_SHOWN_CHANGES = 20
_TRIED_AGAIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Syncing:
    """An index and the folder that it equals afterwards."""

    index: Path = argument(..., "Folder of an index, as `build` prints it.")
    folder: Path = argument(..., "Folder of documents.")
    dry_run: bool = option(False, "Show what would change, and change nothing.", "--dry-run")
    take_over: bool = option(
        False,
        "Also delete documents that are not from this folder, even if these are all.",
        "--take-over",
    )
    workers: Workers = None
    as_json: Json = False


def sync_folder(
    syncing: Syncing,
    watch: bool = option(
        False, "Keep running, and update whenever the folder changes; stop with Ctrl-C.", "--watch"
    ),
    *,
    model: RecipeModel,
) -> None:
    """Make an index equal a folder. Adds, replaces and deletes documents.

    Example:  hippohover sync index/mine my-documents/
    """
    if watch and syncing.dry_run:
        raise typer.BadParameter("give --watch or --dry-run, not both")
    (sync_always if watch else sync_once)(syncing, model)


def sync_once(asked: Syncing, model: ModelOptions) -> None:
    """Make the index equal to the folder, then say what changed."""
    _said(asked, model, told=True)


def sync_always(asked: Syncing, model: ModelOptions) -> None:
    """Make the index equal to the folder, again after each change, until Ctrl-C.

    A failure is reported, and tried again with the next change or after a minute.
    """
    from hippohover.indexing.updates.compactor import Compactor
    from hippohover.indexing.updates.watching import changes_below

    if not asked.folder.is_dir():
        raise UsageError(f"{asked.folder}: is not a folder: give one to watch")
    note(f"watching {asked.folder}: Ctrl-C ends it")
    passes = _Passes(lambda told: _said(asked, model, told=told, written=passes.end))
    compactor = Compactor(asked.index, error_line)
    with suppress(KeyboardInterrupt), closing(compactor):
        for has_changed in changes_below(asked.folder, without=asked.index, tell=note):
            passes.go_on(has_changed=has_changed)
            compactor.look()
    if passes.is_within:
        raise KeyboardInterrupt


class _Passes:
    """One pass after another: the first at once, the next when something has changed."""

    def __init__(self, work: Callable[[bool], None]) -> None:
        self.is_within = False
        self._work = work
        self._due: float | None = 0.0
        self._told = True
        self._failure = ""

    def end(self) -> None:
        """Say that a pass has written what it writes, and only tells of it."""
        self.is_within = False

    def go_on(self, *, has_changed: bool) -> None:
        """Begin a pass if it is time to."""
        if not has_changed and (self._due is None or time.monotonic() < self._due):
            return
        self.is_within, self._due = True, None
        try:
            self._work(self._told)
            self._told, self._failure = False, ""
        except (HippoHoverError, OSError) as error:
            self._due = time.monotonic() + _TRIED_AGAIN_SECONDS
            if str(error) != self._failure:
                error_line(str(error))
            self._failure = str(error)
        self.end()


def _said(
    asked: Syncing, model: ModelOptions, *, told: bool, written: Callable[[], None] = lambda: None
) -> None:
    """Run a pass, call ``written``, and print nothing without a change, unless ``told``."""
    start = time.perf_counter()
    work = partial(sync, asked.index, asked.folder, dry_run=asked.dry_run, workers=asked.workers)
    done = changed(asked.index, model, partial(work, take_over=asked.take_over))
    written()
    if not (told or done.changes or done.n_failed):
        return
    seconds = time.perf_counter() - start
    with StoredIndex.open(asked.index) as stored:
        if asked.as_json:
            print_json(_described(asked, done, stored, seconds))
        else:
            _print(asked, done, stored, seconds)


def _described(asked: Syncing, done: Sync, stored: StoredIndex, seconds: float) -> dict[str, Any]:
    return {
        "index": str(asked.index),
        "version": stored.version,
        "seconds": seconds,
        "dry_run": asked.dry_run,
        **asdict(done),
        "changes": [change._asdict() for change in done.changes],
        "note": "; ".join(notes_on(stored.manifest)) or None,
    }


def _print(asked: Syncing, done: Sync, stored: StoredIndex, seconds: float) -> None:
    screen = console()
    for change in done.changes[:_SHOWN_CHANGES]:
        screen.print(f"{change.kind:<8}  {plain(str(change))}", soft_wrap=True)
    if len(done.changes) > _SHOWN_CHANGES:
        screen.print(f"... and {len(done.changes) - _SHOWN_CHANGES:,} more (all with --json)")
    is_published = not asked.dry_run and done.is_change
    if is_published:
        note_what_is_missing(stored)
    elif failed := failures_named(done.n_failed, done.failures):
        note(failed)
    if asked.dry_run:
        note("this was a dry run: nothing was published")
    elif not is_published:
        what = "the readable part of the folder" if done.n_failed else "the folder"
        note(f"the index equals {what}: nothing was published")
    note_why_built(done)
    kinds = [change.kind for change in done.changes]
    screen.print(
        f"{plain(str(asked.index))}  {stored.version}  in {seconds:.1f} s: "
        f"{counted(kinds.count('added'), 'document')} added, {kinds.count('replaced'):,} replaced, "
        f"{kinds.count('deleted'):,} deleted; {counted(done.n_passages, 'passage')} in all"
    )
