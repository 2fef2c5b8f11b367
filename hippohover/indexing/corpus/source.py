"""Finds and reads the corpus of a build, as a recipe says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hippohover.disk import door
from hippohover.errors import CorpusError
from hippohover.indexing.corpus.blocks import CorpusBlocks
from hippohover.indexing.corpus.files.download import PART, download
from hippohover.indexing.corpus.files.globs import Globs
from hippohover.indexing.corpus.formats import corpus_file
from hippohover.indexing.corpus.passage_store import PassageStore
from hippohover.indexing.corpus.passages import CorpusCounts, PassageMaking
from hippohover.indexing.corpus.stream import line_format, read_corpus
from hippohover.indexing.corpus.versions import Versions, without_older
from hippohover.indexing.workers.runners import Runner
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage
from hippohover.store.checksums import sha256_of


@dataclass(frozen=True)
class CorpusStream:
    """A corpus that one process reads from beginning to end.

    Attributes
    ----------
    read : callable
        As of ``versions.without_older``.
    metadata : tuple of str
    counts : CorpusCounts
        Filled by ``write``.
    """

    read: Callable[[Versions], Iterator[Passage]]
    metadata: tuple[str, ...]
    counts: CorpusCounts

    def write(
        self,
        folder: Path,
        runner: Runner,
        *,
        passages_a_chunk: int,
        progress: Callable[[int, int], None],
    ) -> PassageStore:
        """Write the passages, sorted, into an empty folder."""

        def read(versions: Versions) -> PassageStore:
            self.counts.clear()
            for file in folder.iterdir():
                door.remove(file)
            store = PassageStore.write(
                folder,
                self.read(versions),
                self.metadata,
                passages_a_chunk=passages_a_chunk,
                progress=progress,
            )
            self.counts.miss(name for name in self.metadata if not store.has_field(name))
            return store

        return without_older(read, Versions())


def passage_source(
    recipe: IndexRecipe,
    path: Path,
    limit: int | None,
    counts: CorpusCounts,
    *,
    root: Path | None = None,
) -> CorpusStream | CorpusBlocks:
    """Choose how to read a corpus: in blocks, if its format can be cut and all is wanted."""
    settings = recipe.corpus
    read = partial(read_corpus, path, settings, limit=limit, counts=counts, root=root, repeats=True)
    read()  # arguments are checked here
    globs = Globs(settings.include, settings.exclude)
    format_name = line_format(path, settings.format, globs)
    if format_name is None or limit is not None or root is not None:
        return CorpusStream(lambda versions: read(versions=versions), tuple(settings.kept), counts)
    making = PassageMaking.of(settings)
    file = corpus_file(path)
    if file != path:
        counts.understand(f"of this folder only the documents in {file.name} are read, as BEIR's")
    return CorpusBlocks(file, format_name, making, settings.max_bad_share, counts, settings.fields)


def _checked(path: Path, recipe: IndexRecipe) -> Path:
    """Return the path of a corpus, checked against the recipe."""
    settings = recipe.corpus
    if not path.is_file():  # a folder has no sum; what is missing, the reader says
        return path
    measured = {
        "n_bytes": path.stat().st_size if settings.n_bytes else None,
        "sha256": sha256_of(path) if settings.sha256 else None,
    }
    for key, value in measured.items():
        if value != getattr(settings, key):
            raise CorpusError(
                f"{path}: its {key} is {value} and not {getattr(settings, key)}, as recipe "
                f"{recipe.name!r} wants: fix corpus.{key} or corpus.path"
            )
    return path


def corpus_path(
    recipe: IndexRecipe, corpus: str | Path | None, cache: Path, progress: Progress = silent
) -> Path:
    """Return the path of a build's corpus, downloaded first if the recipe says so."""
    settings = recipe.corpus
    if corpus is not None:
        return Path(corpus).expanduser()
    if settings.path is not None and (
        Path(settings.path).expanduser().exists() or settings.url is None
    ):
        return _checked(Path(settings.path).expanduser(), recipe)
    if settings.url is None or settings.sha256 is None or settings.n_bytes is None:
        raise CorpusError(
            f"recipe {recipe.name!r} names no corpus: give one with --corpus PATH, or set "
            "corpus.path (or corpus.url with sha256 and n_bytes) in the recipe"
        )
    if settings.path:
        to = Path(settings.path).expanduser()
    else:
        to = cache / (settings.url.rsplit("/", 1)[-1] or "corpus")
        for file in (to, to.with_name(f"{to.name}{PART}")):
            door.status(file, has_one_name=True)

    def report(done: int, total: int) -> None:
        progress("download", done, total)

    return download(
        settings.url, to, sha256=settings.sha256, n_bytes=settings.n_bytes, progress=report
    )
