"""Recipe -> stages in order -> published index.

models, read, names, triples (where a parser or a language model reads them), scan, graph, vectors,
publish. Stages work on chunks of the passages and keep what they found beside the index until it is
published, so a build that was stopped goes on where it was. What depends on one passage alone and
is dear (its parse) is kept for later builds too.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal, cast

from hippohover.embedding import Encoder, load_encoder, save_encoder
from hippohover.errors import CorpusError, UsageError
from hippohover.index_layout import CACHE
from hippohover.index_manifest import ManifestFields, sha256_of
from hippohover.index_tables import IndexTables
from hippohover.index_writer import IndexWriter
from hippohover.indexing.aliases import merge
from hippohover.indexing.assemble import assemble
from hippohover.indexing.chunk_stages import ScanStage, is_whole
from hippohover.indexing.corpus import CorpusFormat, line_format, read_corpus
from hippohover.indexing.distribute import RayEngine
from hippohover.indexing.download import download
from hippohover.indexing.engines import Engine, LocalEngine
from hippohover.indexing.entity_numbers import EntityNumbers
from hippohover.indexing.extraction import Extraction
from hippohover.indexing.known_names import KnownNames
from hippohover.indexing.passage_making import CorpusCounts, PassageMaking
from hippohover.indexing.passage_store import PassageStore
from hippohover.indexing.reading import CorpusBlocks, with_fields
from hippohover.indexing.texts import write_texts
from hippohover.indexing.vectors import write_none, write_vectors
from hippohover.indexing.work_folder import WorkFolder
from hippohover.language_model.ledger import Budget
from hippohover.processors import available_processors
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe, load_recipe
from hippohover.records import Passage

VECTORS: Final = "vectors.sqlite"
"""Vectors that were made once, in the folder of ``cache_of``."""

_PASSAGES_A_CHUNK = 4096
_MAX_FAILURES_KEPT = 100


def build(  # noqa: PLR0913
    recipe: IndexRecipe | str | Path = "default",
    *,
    corpus: str | Path | None = None,
    out: str | Path | None = None,
    limit: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
) -> Path:
    """Build an index and publish it.

    Parameters
    ----------
    recipe : IndexRecipe, str or Path
        A recipe, the path of a TOML file, or the name of one that ships.
    corpus : str or Path, optional
        Corpus file or folder; replaces the recipe's.
    out : str or Path, optional
        Folder of the index; ``index/<recipe name>`` when not given.
    limit : int, optional
        Documents to read at most.
    workers : int, optional
        Processes; one for each processor when not given, of the cluster with ``engine="ray"``. The
        index does not depend on it.
    budget : Budget, optional
        Caps on what a language model may cost.
    progress : callable
        Called with (stage, done, total).
    engine : {"local", "ray"}
        Where the corpus is read, and triples of a parser, the scan and vectors of passages are
        made: on this machine, or on Ray (the extra ``ray``), whose nodes see the folder of the
        index under the same path. The index does not depend on it.
    address : str, optional
        Of Ray's cluster, ``HOST:PORT``. When not given, the one that this process is connected to,
        if it is; else a Ray of this machine alone is started.

    Returns
    -------
    Path
        The folder of the index: what ``HippoHover.open`` takes.

    Raises
    ------
    UsageError, RecipeError, CorpusError, ModelError, BudgetError, BuildError, IndexStoreError
        What a language model answered before it stopped is kept for the next build.
    """
    given: object = workers
    if given is not None and (type(given) is not int or given < 1):
        raise UsageError(f"workers is {given!r}: give a whole number, 1 or more, or None")
    recipe = recipe if isinstance(recipe, IndexRecipe) else load_recipe(recipe)
    root = Path(out) if out is not None else Path("index") / recipe.name
    with _opened(engine, address, workers) as runs, IndexWriter(root) as writer:
        path = corpus_path(recipe, corpus, cache_of(root), progress)
        counts = CorpusCounts()
        make_version(
            writer, recipe, _source(recipe, path, limit, counts), workers=workers, budget=budget,
            progress=progress, engine=runs,
            log=lambda: {"corpus": str(path), "read": asdict(counts)},
        )  # fmt: skip
    return root


def _opened(
    engine: str, address: str | None, workers: int | None
) -> AbstractContextManager[Engine | None]:
    """Engine of that name, ready; None is this machine's."""
    if engine == "ray":
        return closing(RayEngine(address, workers))
    if engine != "local":
        raise UsageError(f"engine is {engine!r}: give 'local' or 'ray'")
    if address is not None:
        raise UsageError(
            f"address is {address!r}, of no use to engine 'local': leave it out, or give engine "
            "'ray' (--engine ray)"
        )
    return nullcontext()


def _source(
    recipe: IndexRecipe, path: Path, limit: int | None, counts: CorpusCounts
) -> Iterator[Passage] | CorpusBlocks:
    """A corpus as it is read: in blocks, if its format can be cut and all of it is wanted."""
    stream = passages_of(recipe, path, limit=limit, counts=counts)  # settings are checked here
    settings = recipe.corpus
    format_name = line_format(path, cast("CorpusFormat", settings.format))
    if format_name is None or limit is not None:
        return with_fields(stream, settings.metadata)
    making = PassageMaking(settings.max_words, settings.titles == "hidden", settings.metadata)
    return CorpusBlocks(path, format_name, making, settings.max_bad_share, counts)


def make_version(  # noqa: PLR0913
    writer: IndexWriter,
    recipe: IndexRecipe,
    passages: Iterator[Passage] | CorpusBlocks,
    *,
    workers: int | None,
    budget: Budget | None,
    progress: Progress,
    log: Callable[[], dict[str, Any]],
    engine: Engine | None = None,
) -> None:
    """Build a version of these passages and publish it: it depends on their set alone.

    ``engine`` runs the stages: processes of this machine when None. ``log`` is asked for what
    ``build_log.json`` says more, once the passages are read.
    """
    extraction = Extraction(recipe, cache_of(writer.root), budget, progress)
    workers = workers or available_processors()
    engine = engine or LocalEngine(workers)
    stages = _Build(recipe, writer, workers, engine, progress, extraction)
    stages.run(passages, log)


def cache_of(root: Path) -> Path:
    """Folder beside the versions of an index that keeps what a later build need not do again."""
    return root / CACHE


def passages_of(
    recipe: IndexRecipe, corpus: Path, *, limit: int | None, counts: CorpusCounts | None = None
) -> Iterator[Passage]:
    """Passages of a corpus as a recipe wants them; ``counts`` fills while they are read."""
    settings = recipe.corpus
    return read_corpus(
        corpus,
        format=cast("CorpusFormat", settings.format),  # checked there
        max_words=settings.max_words,
        limit=limit,
        max_bad_share=settings.max_bad_share,
        titles=settings.titles,
        metadata=settings.metadata,
        counts=counts or CorpusCounts(),
    )


@dataclass
class _Build:
    """One build: its stages, with what they share."""

    recipe: IndexRecipe
    writer: IndexWriter
    workers: int
    engine: Engine
    progress: Progress
    extraction: Extraction
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    def run(
        self, source: Iterator[Passage] | CorpusBlocks, log: Callable[[], dict[str, Any]]
    ) -> None:
        with ExitStack() as stack:
            self._run(source, log, stack)

    def _run(
        self,
        source: Iterator[Passage] | CorpusBlocks,
        log: Callable[[], dict[str, Any]],
        stack: ExitStack,
    ) -> None:
        merged = merge(self.recipe.aliases)
        with self._step("models"):  # before the work: a missing model must not cost an hour
            encoder = load_encoder(self.recipe.encoder, progress=partial(self.progress, "encoder"))
            stack.enter_context(self.extraction)
        with self._stage("read"):
            work = self._read(source, encoder)
        with self._step("names"):
            chunks = map(work.passages.chunk, range(work.passages.n_chunks))
            entities = EntityNumbers.of_names(chunks, merged)
            names = KnownNames({}, entities.n_tokens())
            names.add(entities.findable())
            names.save(work.names())
            del names
        if self.extraction.reads_ahead:
            with self._stage("triples"):
                self.extraction.write_triples(work, self.engine, workers=self.workers)
        with self._stage("scan"):
            self._scan(work)
        with self._stage("graph"):
            weights = self.recipe.query.weights
            n_triples = assemble(
                work, entities, self.writer, weights, partial(self.progress, "graph")
            )
            del entities
            write_texts(work, self.writer, workers=self.workers)
        if encoder is None:
            write_none(self.writer)
        else:
            with self._stage("vectors"):
                write_vectors(
                    work, encoder, self.writer,
                    of_facts=self.recipe.fact_vectors,
                    cache_path=cache_of(self.writer.root) / VECTORS,
                    engine=self.engine, on_done=partial(self.progress, "vectors"),
                )  # fmt: skip
            with self.writer.writing("encoder") as folder:
                save_encoder(encoder, folder)
        self.writer.log.update(seconds=self.seconds, workers=self.workers, **log())
        self.writer.log.update(self.extraction.log())
        fields = self._manifest(IndexTables.open(self.writer), encoder, n_triples)
        self.writer.publish(fields, partial(self.progress, "publish"))
        work.remove()

    def _read(
        self, source: Iterator[Passage] | CorpusBlocks, encoder: Encoder | None
    ) -> WorkFolder:
        def write(folder: Path) -> PassageStore:
            progress = partial(self.progress, "read")
            if isinstance(source, CorpusBlocks):
                return source.write(
                    folder, self.engine, passages_a_chunk=_PASSAGES_A_CHUNK, progress=progress
                )
            return PassageStore.write(
                folder, source, self.recipe.corpus.metadata,
                passages_a_chunk=_PASSAGES_A_CHUNK, progress=progress,
            )  # fmt: skip

        recipe = self.recipe.as_dict()
        del recipe["query"]
        models = [self.extraction.models(), None if encoder is None else encoder.fingerprint]
        made_by = [version("hippohover"), json.dumps([recipe, models], sort_keys=True)]
        return WorkFolder.of(cache_of(self.writer.root), write, made_by=made_by)

    def _scan(self, work: WorkFolder) -> None:
        store = work.passages
        missing = [n for n in range(store.n_chunks) if not is_whole(work.found(n))]
        done = store.n_passages - sum(map(store.length, missing))
        self.progress("scan", done, store.n_passages)
        make = partial(ScanStage, work, self.recipe.extractor)
        with closing(self.engine(make, work.folder, missing)) as finished:
            for number, failures in zip(missing, finished, strict=True):
                self.extraction.fail(failures, store.n_passages)
                done += store.length(number)
                self.progress("scan", done, store.n_passages)

    def _manifest(
        self, tables: IndexTables, encoder: Encoder | None, n_triples: int
    ) -> ManifestFields:
        arrays = tables.arrays
        edges = arrays.graph.edge_counts()
        failures = self.extraction.failures
        kept = [str(failure) for failure in failures[:_MAX_FAILURES_KEPT]]
        models = self.extraction.models()
        if encoder is not None:
            models["encoder"] = {"name": encoder.name, "sha256": encoder.fingerprint}
        return ManifestFields(
            recipe=self.recipe.as_dict(),
            recipe_sha256=self.recipe.sha256,
            models=models,
            counts={
                "n_passages": arrays.n_passages,
                "n_documents": int((tables.passages.column("part").to_numpy() == 0).sum()),
                "n_entities": tables.entities.num_rows,
                "n_linked_entities": len(arrays.entity_df),
                "n_facts": len(arrays.facts),
                "n_triples": n_triples,
                "n_failed_extractions": len(failures),
                "n_extracted_by_rules": self.extraction.n_by_rules,
                "n_edges": sum(edges.values()),
                **{f"n_{kind}_edges": n for kind, n in edges.items()},
            },
            dimensions={"encoder": 0 if encoder is None else encoder.dim},
            failures=kept,
            n_failures=len(failures),
        )

    @contextmanager
    def _stage(self, name: str) -> Generator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 3)

    @contextmanager
    def _step(self, name: str) -> Generator[None]:
        """A stage that cannot say how far it is."""
        self.progress(name, 0, 1)
        with self._stage(name):
            yield
        self.progress(name, 1, 1)


def _checked(path: Path, recipe: IndexRecipe) -> Path:
    """A corpus that is there, if it is the file that the recipe describes."""
    settings = recipe.corpus
    if not path.is_file():  # a folder has no sum; what is missing, the reader says
        return path
    found = {"n_bytes": path.stat().st_size if settings.n_bytes else None,
             "sha256": sha256_of(path) if settings.sha256 else None}  # fmt: skip
    for key, value in found.items():
        if value != getattr(settings, key):
            raise CorpusError(
                f"{path}: its {key} is {value} and not {getattr(settings, key)}, as recipe "
                f"{recipe.name!r} wants: mend corpus.{key} or corpus.path"
            )
    return path


def corpus_path(
    recipe: IndexRecipe, corpus: str | Path | None, cache: Path, progress: Progress = silent
) -> Path:
    """Where the corpus of a build is, downloaded first if the recipe says so."""
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
    to = (
        Path(settings.path).expanduser()
        if settings.path
        else cache / (settings.url.rsplit("/", 1)[-1] or "corpus")
    )

    def report(done: int, total: int) -> None:
        progress("download", done, total)

    return download(
        settings.url, to, sha256=settings.sha256, n_bytes=settings.n_bytes, progress=report
    )
