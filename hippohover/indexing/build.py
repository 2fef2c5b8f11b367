"""A recipe -> stages in order -> a published index.

The stages are models, read, names, triples (if a parser or a language model reads them), scan,
graph, vectors, publish. They work on chunks of the passages and keep their results beside the index
until it is published, so a stopped build continues where it was. What is expensive and depends on
one passage alone (its parse) is kept for later builds too.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, Final, Literal

from hippohover.disk.columns import save_columns
from hippohover.disk.text_files import STANDARD_INPUT
from hippohover.errors import UsageError
from hippohover.indexing.assemble import Assembled, assemble
from hippohover.indexing.chunk_stages import ScanStage, collector_paused, is_whole
from hippohover.indexing.corpus.blocks import CorpusBlocks
from hippohover.indexing.corpus.passage_store import PassageStore
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.source import CorpusStream, corpus_path, passage_source
from hippohover.indexing.counts import counts_of
from hippohover.indexing.encoder_check import sentences_found
from hippohover.indexing.entity_numbers import EntityNumbers
from hippohover.indexing.own_models import OwnModels
from hippohover.indexing.text_stage import write_repeats, write_texts
from hippohover.indexing.triple_stage import Extraction
from hippohover.indexing.triples.extractor import TripleExtractor
from hippohover.indexing.updates.compaction import awaits_vectors
from hippohover.indexing.updates.compactor import start_beside
from hippohover.indexing.vector_stage import remembering, write_none, write_vectors
from hippohover.indexing.work_folder import WorkFolder, cache_of
from hippohover.indexing.workers.ray_runner import RayRunner
from hippohover.indexing.workers.runners import LocalRunner, Runner
from hippohover.language_model.ledger import Budget
from hippohover.names.affixes import SAMPLED, Stems, learn_affixes
from hippohover.names.aliases import merge
from hippohover.names.gazetteer import Gazetteer
from hippohover.processors import available_processors
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe
from hippohover.recipe_files import load_recipe
from hippohover.records import Passage
from hippohover.store.manifest import ManifestFields
from hippohover.store.tables import LEAST_WITH_SPARE, IndexTables
from hippohover.store.writer import IndexWriter
from hippohover.trust import remember, resolved
from hippohover.vectors.choice import AUTO, chosen, in_words
from hippohover.vectors.embedding import MINILM, MINILM_STATIC, Encoder, load_encoder, save_encoder
from hippohover.vectors.own_encoder import OwnEncoder
from hippohover.version import __version__

MADE_OF: Final = "made_of"
"""Key of the build's log: paths of the corpora that the passages came from."""

_PASSAGES_A_CHUNK = 1024  # so few that the processes of a small build end at about the same time
_MAX_FAILURES_KEPT = 100


def build(  # noqa: PLR0913
    recipe: IndexRecipe | str | Path = "default",
    *,
    corpus: str | Path | None = None,
    out: str | Path | None = None,
    root: str | Path | None = None,
    limit: int | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    runner: Literal["local", "ray"] = "local",
    address: str | None = None,
    wait: bool = True,
    encoder: Encoder | None = None,
    extractor: TripleExtractor | None = None,
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
    root : str or Path, optional
        For a corpus of a single text file: the file's path below this folder is its id; without it,
        the id is the file's name.
    limit : int, optional
        Documents to read at most.
    workers : int, optional
        Number of processes, by default one for each processor (of the cluster with
        ``runner="ray"``). The index does not depend on it.
    budget : Budget, optional
        Caps on what a language model may cost.
    progress : callable
        Called with (stage, done, total).
    runner : {"local", "ray"}
        What runs reading, parsing, the scan and the vectors of passages: processes of this machine,
        or Ray (the extra ``ray``), whose nodes must see the folder of the index under the same
        path. The index does not depend on it.
    address : str, optional
        Address of Ray's cluster, ``HOST:PORT``. By default the cluster that this process is
        connected to, if any; else a local Ray is started.
    wait : bool
        Whether the vectors of a transformer that ``encoder = "auto"`` chooses are made first. If
        not, an index of 1,000 passages or more is published with static vectors, and a process in
        the background encodes the passages and publishes again (``reencode``).
    encoder : Encoder, optional
        One of your own, in the place of the recipe's; the index names it ``"custom:NAME"``.
    extractor : TripleExtractor, optional
        One of your own, in the place of the recipe's; the index names it ``"custom:NAME"``.

    Returns
    -------
    Path
        The folder of the index: what ``HippoHover.open`` takes.

    Raises
    ------
    UsageError, RecipeError, CorpusError, ModelError, BudgetError, BuildError, IndexStoreError
        Replies of a language model are kept for the next build.
    """
    given: object = workers
    if given is not None and (type(given) is not int or given < 1):
        raise UsageError(f"workers is {given!r}: give a whole number, 1 or more, or None")
    own = OwnModels.of(encoder, extractor)
    if own and runner == "ray":
        raise UsageError(
            "an encoder or extractor of your own works in this process and those that it forks: "
            "give runner 'local'"
        )
    recipe = recipe if isinstance(recipe, IndexRecipe) else load_recipe(recipe)
    recipe = resolved(own.named_in(recipe))
    own.check(recipe)
    index = Path(out) if out is not None else Path("index") / recipe.name
    with _opened(runner, address, workers) as runs, IndexWriter(index) as writer:
        path = corpus_path(recipe, corpus, cache_of(index), progress)
        counts, below = CorpusCounts(), None if root is None else Path(root)
        passages = passage_source(recipe, path, limit, counts, root=below)
        make_version(
            writer,
            recipe,
            passages,
            workers=workers,
            budget=budget,
            progress=progress,
            runner=runs,
            own=own,
            later=not wait and runs is None,
            log=lambda: {
                "corpus": source_of(path),
                "read": asdict(counts),
                MADE_OF: [source_of(path.resolve())],
            },
        )
    if not wait and awaits_vectors(index):
        start_beside("reencode", index)
    return index


def source_of(path: Path) -> str:
    """Return the name of a corpus for a log: its path, or standard input."""
    is_typed = path.name == STANDARD_INPUT and path.is_file()
    return STANDARD_INPUT if is_typed else str(path)


def _opened(
    runner: str, address: str | None, workers: int | None
) -> AbstractContextManager[Runner | None]:
    """Open the runner of that name; None is this machine's."""
    if runner == "ray":
        return RayRunner(address, workers)
    if runner != "local":
        raise UsageError(f"runner is {runner!r}: give 'local' or 'ray'")
    if address is not None:
        raise UsageError(
            f"address is {address!r}, which runner 'local' does not use: leave it out, or give "
            "runner 'ray' (--runner ray)"
        )
    return nullcontext()


def make_version(  # noqa: PLR0913
    writer: IndexWriter,
    recipe: IndexRecipe,
    passages: Iterator[Passage] | CorpusStream | CorpusBlocks,
    *,
    workers: int | None,
    budget: Budget | None,
    progress: Progress,
    log: Callable[[], dict[str, Any]],
    own: OwnModels,
    runner: Runner | None = None,
    later: bool = False,
) -> None:
    """Build and publish a version of these passages; it depends only on their set.

    ``runner`` runs the stages: processes of this machine when None. ``log`` is asked for what
    ``build_log.json`` says more, once the passages are read. ``later`` leaves it to ``reencode``
    to encode them by the transformer that ``encoder = "auto"`` chooses.
    """
    extraction = Extraction(recipe, cache_of(writer.root), budget, progress, own=own.extractor)
    workers = workers or available_processors()
    runner = runner or LocalRunner(workers)
    stages = _Build(
        recipe=recipe,
        writer=writer,
        workers=workers,
        runner=runner,
        progress=progress,
        extraction=extraction,
        own_encoder=own.encoder,
        later=later,
    )
    stages.run(passages, log)
    remember(writer.root, recipe)


@dataclass(kw_only=True)
class _Build:
    """One build: its stages, and what they share."""

    recipe: IndexRecipe
    writer: IndexWriter
    workers: int
    runner: Runner
    progress: Progress
    extraction: Extraction
    own_encoder: OwnEncoder | None
    later: bool
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    def run(
        self,
        source: Iterator[Passage] | CorpusStream | CorpusBlocks,
        log: Callable[[], dict[str, Any]],
    ) -> None:
        with ExitStack() as stack:
            self._run(source, log, stack)

    def _run(
        self,
        source: Iterator[Passage] | CorpusStream | CorpusBlocks,
        log: Callable[[], dict[str, Any]],
        stack: ExitStack,
    ) -> None:
        merged = merge(self.recipe.aliases)
        with self._step("models"):  # before the work: a missing model must not cost an hour
            named = self.own_encoder or (
                None if self.recipe.encoder == AUTO else self._loaded(self.recipe.encoder)
            )
            stack.enter_context(self.extraction)
        with self._stage("read"):
            work = self._read(source)
        if self.recipe.encoder == AUTO:
            named = self._chosen(work.passages)
        with self._step("names"), collector_paused():
            chunks = map(work.passages.chunk, range(work.passages.n_chunks))
            entities = EntityNumbers.of_names(chunks, merged)
            texts = (text for text in _sample(work.passages) if not text.isascii())
            affixes = learn_affixes((key for key, _ in entities.findable()), texts)
            entities.add_stems(Stems(affixes))
            names = Gazetteer({}, entities.n_tokens())
            names.add(entities.findable())
            names.follow(entities.rules(), affixes)
            names.save(work.names())
            save_columns(work.forms(), entities.forms())
            del names
        if self.extraction.reads_ahead:
            with self._stage("triples"):
                self.extraction.write_triples(work, self.runner, workers=self.workers)
        with self._stage("scan"):
            self._scan(work)
        with self._stage("graph"), collector_paused():
            assembled = assemble(
                work, entities, self.writer, self.recipe, partial(self.progress, "graph")
            )
            del entities
            write_texts(work, self.writer, workers=self.workers)
            write_repeats(work, self.writer)
        encoder = None
        if named is None:
            write_none(self.writer)
        else:
            encoder = stack.enter_context(remembering(named, self.writer.root))
            with self._stage("vectors"):
                write_vectors(
                    work,
                    encoder,
                    self.writer,
                    of_facts=self.recipe.fact_vectors,
                    runner=self.runner,
                    on_done=partial(self.progress, "vectors"),
                )
            if self.own_encoder is None:
                with self.writer.writing("encoder") as folder:
                    save_encoder(named, folder)
        self.writer.log.update(seconds=self.seconds, workers=self.workers, **log())
        self.writer.log.update(self.extraction.log())
        fields = self._manifest(IndexTables.open(self.writer), encoder, assembled)
        self.writer.publish(fields, partial(self.progress, "publish"))
        work.remove()

    def _chosen(self, passages: PassageStore) -> Encoder | None:
        """Load the encoder of a recipe that leaves it open; an index names what was chosen."""
        n, name = passages.n_passages, chosen(AUTO, passages.n_passages)
        later = self.later and name == MINILM and n >= LEAST_WITH_SPARE
        n_words = n * mean([len(text.split()) for text in _sample(passages)] or [0])
        self.writer.log["encoder"] = in_words(n, n_words, self.workers, later=later)
        if later:
            return self._loaded(MINILM_STATIC)
        self.recipe = self.recipe.model_copy(update={"encoder": name})
        return self._loaded(name)

    def _loaded(self, name: str) -> Encoder | None:
        return load_encoder(name, threads=self.workers)

    def _read(self, source: Iterator[Passage] | CorpusStream | CorpusBlocks) -> WorkFolder:
        def write(folder: Path) -> PassageStore:
            progress = partial(self.progress, "read")
            if isinstance(source, Iterator):
                return PassageStore.write(
                    folder,
                    source,
                    self.recipe.corpus.kept,
                    passages_a_chunk=_PASSAGES_A_CHUNK,
                    progress=progress,
                )
            return source.write(
                folder, self.runner, passages_a_chunk=_PASSAGES_A_CHUNK, progress=progress
            )

        recipe = self.recipe.as_dict()
        del recipe["query"], recipe["encoder"]  # its vectors have its fingerprint in their name
        made_by = [__version__, json.dumps([recipe, self.extraction.models()], sort_keys=True)]
        return WorkFolder.of(cache_of(self.writer.root), write, made_by=made_by)

    def _scan(self, work: WorkFolder) -> None:
        store = work.passages
        missing = [n for n in range(store.n_chunks) if not is_whole(work.found(n))]
        done = store.n_passages - sum(map(store.length, missing))
        self.progress("scan", done, store.n_passages)
        make = partial(ScanStage, work, self.recipe.extractor)
        with closing(self.runner(make, work.folder, missing)) as finished:
            for number, failures in zip(missing, finished, strict=True):
                self.extraction.fail(failures, store.n_passages)
                done += store.length(number)
                self.progress("scan", done, store.n_passages)

    def _manifest(
        self, tables: IndexTables, encoder: Encoder | None, assembled: Assembled
    ) -> ManifestFields:
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
                **counts_of(tables),
                "n_triples": assembled.n_triples,
                "n_links": assembled.n_links,
                "n_unresolved_links": assembled.n_unresolved_links,
                "n_failed_extractions": len(failures),
                "n_extracted_by_rules": self.extraction.n_by_rules,
                **({} if encoder is None else sentences_found(tables, encoder)),
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
        """Yield around a stage whose progress is unknown."""
        self.progress(name, 0, 1)
        with self._stage(name):
            yield
        self.progress(name, 1, 1)


def _sample(passages: PassageStore) -> Iterator[str]:
    """Yield the texts of the first passages, a random sample of all."""
    tables = map(passages.table, range(passages.n_chunks))
    texts = (text for table in tables for text in table.column("text").to_pylist())
    return islice(texts, SAMPLED)
