"""The commands ``add``, ``delete`` and ``gc``."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import typer

from hippohover.cli.indexing.build import Root, StdinTitle, asking, note_what_is_missing
from hippohover.cli.indexing.description import notes_on, own_ranking
from hippohover.cli.indexing.files_read import failures_named
from hippohover.cli.model import ModelOptions, RecipeModel
from hippohover.cli.options import Index, Json, Workers, argument, option
from hippohover.cli.output import console, counted, joined, note, plain, print_json, progress
from hippohover.cli.standard_input import corpus_typed
from hippohover.disk.text_files import read_lines
from hippohover.indexing.garbage import collect_garbage
from hippohover.indexing.update import add, alias, compact, delete
from hippohover.indexing.updates.changes import Update
from hippohover.indexing.updates.compaction import due
from hippohover.indexing.updates.compactor import start_beside
from hippohover.indexing.updates.reencoding import reencode
from hippohover.indexing.updates.small_change import TOO_SMALL
from hippohover.names.aliases import read_aliases
from hippohover.store.reader import StoredIndex
from hippohover.store.versions import encoded_so_far
from hippohover.trust import allowed

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The documents that are added to an index."""

    corpus: Path = argument(..., "File or folder of documents; - is stdin, JSON lines or a text.")
    replace: bool | None = option(
        None,
        "Replace a document that has the same id, or else title; or keep both. "
        "Default: replace with a folder or --root, else keep both.",
        "--replace/--keep-both",
    )
    title: StdinTitle = None
    root: Root = None
    workers: Workers = None


def add_documents(index: Index, added: Added, model: RecipeModel, as_json: Json = False) -> None:
    """Add documents to an index. It then answers as if it had been built with them.

    Example:  hippohover add index/mine new-documents.jsonl
    """
    with corpus_typed(added.corpus, added.title) as path:
        start = time.perf_counter()
        work = partial(add, index, path or added.corpus, replace=added.replace, root=added.root)
        done = changed(index, model, partial(work, workers=added.workers))
    _say(index, done, seconds=time.perf_counter() - start, as_json=as_json)


def changed(index: Path, model: ModelOptions, work: Callable[..., Done]) -> Done:
    """Change an index, which asks the model of the options, or one that was confirmed."""
    with StoredIndex.open(index, check=False) as stored:
        recipe = stored.recipe()
    if not model.is_named:
        recipe = allowed(index, recipe)
    asked = asking(recipe, model).language_model
    with progress() as report:
        done = work(language_model=asked, budget=model.budget(), progress=report)
    if due(index) == "reencode" and encoded_so_far(index) is None:
        start_beside("reencode", index)  # the run that its build began was stopped
    return done


def delete_documents(
    index: Index,
    title: list[str] | None = option(
        None, "Title of a document to delete; may be repeated.", metavar="TITLE"
    ),
    file: Path | None = option(None, "Text file with one title per line.", "--from"),
    workers: Workers = None,
    as_json: Json = False,
    *,
    model: RecipeModel,
) -> None:
    """Delete documents from an index by title.

    Example:  hippohover delete index/mine --title "Lantern Hill"
    """
    if not title and file is None:
        raise typer.BadParameter("give --title T, or --from FILE")
    titles = list(title or ())
    start = time.perf_counter()
    if file is not None:
        titles += read_lines(file)
    done = changed(index, model, partial(delete, index, titles, workers=workers))
    _say(index, done, seconds=time.perf_counter() - start, as_json=as_json)


def replace_aliases(
    index: Index,
    file: Path | None = argument(
        None, "Lines of ALIAS<tab>NAME; without a file all aliases are removed."
    ),
    workers: Workers = None,
    as_json: Json = False,
    *,
    model: RecipeModel,
) -> None:
    """Treat an alias and its name as one entity. Without its line in the file, they are two again.

    Example:  hippohover alias index/mine aliases.tsv
    """
    start = time.perf_counter()
    aliases = {} if file is None else read_aliases(file)
    with StoredIndex.open(index, check=False) as stored:
        before = stored.version
    changed(index, model, partial(alias, index, aliases, workers=workers))
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
    index: Index,
    rebuild: bool = option(
        False,
        "Build the index again from its passages: the same bytes as a new build.",
        "--rebuild",
    ),
    beside: bool = option(
        False, "Do not block other updates. What they change meanwhile is not merged.", "--beside"
    ),
    workers: Workers = None,
    as_json: Json = False,
    *,
    model: RecipeModel,
) -> None:
    """Merge the small updates of an index into it.

    Updates, `sync --watch` and `serve --follow` do this when there are many. Answers stay the same.

    Example:  hippohover compact index/mine
    """
    if rebuild and beside:
        raise typer.BadParameter("give --rebuild or --beside, not both")
    start = time.perf_counter()
    work = partial(compact, index, rebuild=rebuild, beside=beside, workers=workers)
    if rebuild:
        done = changed(index, model, work)
    else:
        with progress() as report:
            done = work(progress=report)
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


def reencode_index(
    index: Index,
    encoder: str = option(
        "auto", "A name as in a recipe, or a folder; auto chooses by the number of passages."
    ),
    beside: bool = option(False, "Only if its build left that for later.", "--beside"),
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Give an index the vectors of another encoder. All else stays; others may write meanwhile.

    What a stopped run has encoded is kept for the next.

    Example:  hippohover reencode index/mine --encoder minilm
    """
    start = time.perf_counter()
    with progress() as report:
        done = reencode(index, encoder, beside=beside, workers=workers, progress=report)
    seconds = time.perf_counter() - start
    with StoredIndex.open(index) as stored:
        encoder = stored.recipe().encoder
        if as_json:
            about = {"index": str(index), "version": stored.version, "seconds": seconds}
            print_json({**about, "published": done, "encoder": encoder})
            return
        if not done:
            note("the index has these vectors: nothing was published")
        for line in notes_on(stored.manifest):
            note(line)
        if problem := (own_ranking(stored) or {}).get("problem"):
            note(problem)
        console().print(
            f"{plain(str(index))}  {stored.version}  in {seconds:.1f} s: {plain(encoder)}"
        )


def collect(
    index: Index,
    keep: int = option(
        1, "How many of the newest versions to keep; each update adds two.", metavar="N", min=1
    ),
    as_json: Json = False,
) -> None:
    """Remove old versions that no reader holds. Also removes what is cached only for them.

    Example:  hippohover gc index/mine --keep 2
    """
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
            print_json(
                {**version, **asdict(done), "note": "; ".join(notes_on(stored.manifest)) or None}
            )
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
