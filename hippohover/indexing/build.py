"""Recipe -> stages in order -> published index.

models, read, names, scan, triples, graph, vectors, publish. What depends on one passage alone and
is dear (its parse) is cached beside the index as it is made, so a build that was stopped goes on
where it was; the rest is made again.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from sys import intern
from typing import Any, Final, cast

from hippohover.embedding import Encoder, load_encoder, save_encoder
from hippohover.errors import CorpusError, UsageError
from hippohover.index_manifest import ManifestFields, sha256_of
from hippohover.index_tables import IndexTables
from hippohover.index_writer import IndexWriter
from hippohover.indexing.aliases import Merged, merge
from hippohover.indexing.assemble import Names, assemble, keep_phrases
from hippohover.indexing.corpus import CorpusCounts, CorpusFormat, read_corpus
from hippohover.indexing.download import download
from hippohover.indexing.extraction import Extraction
from hippohover.indexing.fact_table import FactCollector
from hippohover.indexing.own_names import own_names
from hippohover.indexing.parallel import chunks, ordered_map
from hippohover.indexing.passage_scan import PassageScanner, Scan, join_scans
from hippohover.indexing.vectors import with_vectors
from hippohover.language_model.ledger import Budget
from hippohover.mentions import KnownNames
from hippohover.processors import available_processors
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe, load_recipe
from hippohover.records import Passage

VECTORS: Final = "vectors.sqlite"
"""Vectors that were made once, in the folder of ``cache_of``."""

_PASSAGES_A_TASK = 1000
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
        Processes; one for each processor when not given. The index does not depend on it.
    budget : Budget, optional
        Caps on what a language model may cost.
    progress : callable
        Called with (stage, done, total).

    Returns
    -------
    Path
        The folder of the index: what ``HippoHover.open`` takes.

    Raises
    ------
    UsageError, RecipeError, CorpusError, ModelError, BudgetError, BuildError, IndexStoreError
        What a language model answered before it stopped is kept for the next build.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers!r}: give 1 or more, or None")
    recipe = recipe if isinstance(recipe, IndexRecipe) else load_recipe(recipe)
    root = Path(out) if out is not None else Path("index") / recipe.name
    with IndexWriter(root) as writer:
        path = corpus_path(recipe, corpus, cache_of(root), progress)
        counts = CorpusCounts()
        stream = passages_of(recipe, path, limit=limit, counts=counts)
        passages = _with_fields(stream, recipe.corpus.metadata)
        make_version(
            writer, recipe, passages, workers=workers, budget=budget, progress=progress,
            log=lambda: {"corpus": str(path), "read": asdict(counts)},
        )  # fmt: skip
    return root


def _with_fields(passages: Iterator[Passage], names: Sequence[str]) -> Iterator[Passage]:
    """The passages, and a ``CorpusError`` behind them for a field that none of them has."""
    missing = set(names)
    for passage in passages:
        if missing:
            values = zip(names, passage.metadata, strict=True)
            missing -= {name for name, value in values if value is not None}
        yield passage
    for name in names:
        if name in missing:
            raise CorpusError(
                f"no record of the corpus has the field {name!r}: mend corpus.metadata"
            )


def make_version(  # noqa: PLR0913
    writer: IndexWriter,
    recipe: IndexRecipe,
    passages: Iterator[Passage],
    *,
    workers: int | None,
    budget: Budget | None,
    progress: Progress,
    log: Callable[[], dict[str, Any]],
) -> None:
    """Build a version of these passages and publish it: it depends on their set alone.

    ``log`` is asked for what ``build_log.json`` says more, once the passages are read.
    """
    extraction = Extraction(recipe, cache_of(writer.root), budget, progress)
    stages = _Build(recipe, writer, workers or available_processors(), progress, extraction)
    stages.run(passages, log)


def cache_of(root: Path) -> Path:
    """Folder beside the versions of an index that keeps what a later build need not do again."""
    return root / ".cache"


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
    progress: Progress
    extraction: Extraction
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    n_triples: int = 0

    def run(self, stream: Iterator[Passage], log: Callable[[], dict[str, Any]]) -> None:
        with ExitStack() as stack:
            self._run(stream, log, stack)

    def _run(
        self, stream: Iterator[Passage], log: Callable[[], dict[str, Any]], stack: ExitStack
    ) -> None:
        merged = merge(self.recipe.aliases)
        with self._step("models"):  # before the work: a missing model must not cost an hour
            encoder = load_encoder(self.recipe.encoder, progress=partial(self.progress, "encoder"))
            stack.enter_context(self.extraction)
        tables = self._tables(stream, merged)
        if encoder is not None:
            with self._stage("vectors"):
                tables = with_vectors(
                    tables,
                    encoder,
                    of_facts=self.recipe.fact_vectors,
                    cache_path=cache_of(self.writer.root) / VECTORS,
                    on_done=partial(self.progress, "vectors"),
                )
        with self._stage("publish"):
            tables.save(self.writer, partial(self.progress, "publish"))
            if encoder is not None:
                with self.writer.writing("encoder") as folder:
                    save_encoder(encoder, folder)
            self.writer.log.update(seconds=self.seconds, workers=self.workers, **log())
            self.writer.log.update(self.extraction.log())
            self.writer.publish(self._manifest(tables, encoder))

    def _tables(self, stream: Iterator[Passage], merged: Merged) -> IndexTables:
        """All tables but the vectors. What they are made of is freed on the way and at the end."""
        with self._stage("read"):
            passages = self._read(stream)
        with self._step("names"):
            numbers, owners = own_names(passages, merged.keys)
            entities = Names.of(passages, numbers, owners, merged)
            numbers |= entities.aliases
            names = KnownNames(numbers)
        with self._stage("scan"):
            scan = self._scan(passages, names)
            phrases = keep_phrases(scan, entities, len(passages))
            scan = replace(scan, phrases=[], phrase_places=scan.phrase_places[:0].copy())
        collector = FactCollector(entities.numbers, entities.displays, entities.aliases)
        triples = self.extraction.triples(passages, names, workers=self._workers_for(passages))
        with self._stage("triples"), closing(triples) as found:
            for row, triples in enumerate(found):
                collector.add(row, triples)
        self.n_triples = collector.n_triples
        del names, numbers, found, triples
        with self._stage("graph"):
            return assemble(
                passages, entities, scan=scan, phrases=phrases, collector=collector,
                metadata=self.recipe.corpus.metadata, progress=partial(self.progress, "graph"),
            )  # fmt: skip

    def _read(self, stream: Iterator[Passage]) -> list[Passage]:
        passages: list[Passage] = []
        for passage in stream:
            passages.append(passage)
            if len(passages) % _PASSAGES_A_TASK == 0:
                self.progress("read", len(passages), 0)
        self.progress("read", len(passages), len(passages))
        passages.sort(key=attrgetter("pid"))
        return passages

    def _scan(self, passages: Sequence[Passage], names: KnownNames) -> Scan:
        scanner = PassageScanner(names)
        scans: list[Scan] = []
        tasks = chunks(passages, _PASSAGES_A_TASK)
        with closing(ordered_map(scanner, tasks, workers=self._workers_for(passages))) as found:
            for scan in found:
                # Half of all phrases are repeats, and each would be kept as its own string.
                scans.append(replace(scan, phrases=[intern(key) for key in scan.phrases]))
                done = min(len(scans) * _PASSAGES_A_TASK, len(passages))
                self.progress("scan", done, len(passages))
        return join_scans(scans)

    def _manifest(self, tables: IndexTables, encoder: Encoder | None) -> ManifestFields:
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
                "n_documents": tables.passages.column("part").to_pylist().count(0),
                "n_entities": tables.entities.num_rows,
                "n_linked_entities": len(arrays.entity_df),
                "n_facts": len(arrays.facts),
                "n_triples": self.n_triples,
                "n_failed_extractions": len(failures),
                "n_extracted_by_rules": self.extraction.n_by_rules,
                "n_edges": sum(edges.values()),
                **{f"n_{kind}_edges": n for kind, n in edges.items()},
            },
            dimensions={"encoder": 0 if encoder is None else encoder.dim},
            failures=kept,
            n_failures=len(failures),
        )

    def _workers_for(self, passages: Sequence[Passage]) -> int:
        return 1 if len(passages) < 4 * _PASSAGES_A_TASK else self.workers

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
