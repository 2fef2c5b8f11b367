"""The command ``ask``: from a folder to an answer, by an index that is kept for the user."""

import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from hippohover.cli.indexing.build import note_what_is_missing
from hippohover.cli.indexing.files_read import failures_named
from hippohover.cli.model import ModelOptions
from hippohover.cli.options import Json, argument
from hippohover.cli.output import counted, note, progress
from hippohover.cli.query import Asked, Search, query_one
from hippohover.cli.which_index import is_index
from hippohover.errors import IndexStoreError, UsageError
from hippohover.store.reader import StoredIndex
from hippohover.user_cache import private_folder

_FOLDER = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of which documents."""

    documents: Path = argument(..., "Folder or file of documents, or an index.")
    question: str = argument(..., "A question or a claim, in words.")
    as_json: Json = False


def ask(question: Question, search: Search) -> None:
    """Answer a question from a folder. Its index is made, kept in your cache, and kept up to date.

    Example:  hippohover ask my-documents/ "Where was the director of Lantern Hill born?"
    """
    documents = question.documents
    index = documents if is_index(documents) else kept_index(documents)
    asked = Asked(index=index, claim=question.question, as_json=question.as_json)
    query_one(index, asked, search, ModelOptions())


def kept_index(documents: Path) -> Path:
    """Return the index of a folder or a file in the user's cache, equal to what is there now.

    ``UsageError`` where there is none, or the cache cannot be written.
    """
    if not documents.exists():
        raise UsageError(f"{documents}: is not there: name a folder or a file of documents")
    folder = private_folder(_FOLDER)
    if folder is None:
        raise UsageError(
            "your cache cannot be written: set HIPPOHOVER_CACHE, or build an index with hippohover "
            f"build {documents}"
        )
    whole = documents.resolve()
    index = folder / f"{whole.name or 'root'}-{sha256(str(whole).encode()).hexdigest()[:12]}"
    if not (is_index(index) and _follows(index, whole)):
        _build(index, whole)
    return index


def _follows(index: Path, documents: Path) -> bool:
    """Make an index equal its folder; return whether it could, without being built again."""
    from hippohover.indexing.garbage import collect_garbage
    from hippohover.indexing.updates.compaction import due
    from hippohover.indexing.updates.compactor import start_beside
    from hippohover.indexing.updates.sync import sync
    from hippohover.store.layout import CURRENT

    if documents.is_file():
        return (index / CURRENT).stat().st_mtime > documents.stat().st_mtime
    try:
        with progress() as report:
            done = sync(index, documents, take_over=True, progress=report)
    except IndexStoreError:  # of another version of the program, or damaged: it is a copy
        return False
    if done.is_change:
        collect_garbage(index)  # nobody else would: it is not the user's own index
        if command := due(index):
            start_beside(command, index)
        note(f"{counted(len(done.changes), 'document')} changed since the last question")
    if failed := failures_named(done.n_failed, done.failures):
        note(failed)
    return True


def _build(index: Path, documents: Path) -> None:
    from hippohover.indexing.build import build

    start = time.perf_counter()
    with progress() as report:
        build("default", corpus=documents, out=index, progress=report)
    with StoredIndex.open(index) as stored:
        n = stored.manifest.counts["n_documents"]
        seconds = time.perf_counter() - start
        note(f"read {counted(n, 'document')} in {seconds:.1f} s; the index is kept in {index}")
        note_what_is_missing(stored)
