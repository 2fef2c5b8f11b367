"""Recipe -> stages in order -> published index.

read, names, scan, triples, graph, lexical, vectors, publish. What depends on one passage alone and
is dear (its parse) is cached beside the index as it is made, so a build that was stopped goes on
where it was; the rest is made again.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hippohover.embedding import Encoder, load_encoder, save_encoder
from hippohover.errors import CorpusError
from hippohover.index_store import IndexWriter, ManifestFields
from hippohover.index_tables import IndexTables
from hippohover.indexing.assemble import Names, assemble, keep_phrases
from hippohover.indexing.corpus import CorpusCounts, read_corpus
from hippohover.indexing.download import download
from hippohover.indexing.fact_table import FactCollector
from hippohover.indexing.own_names import own_names
from hippohover.indexing.parallel import chunks, default_workers, ordered_map
from hippohover.indexing.passage_scan import PassageScanner, Scan, join_scans
from hippohover.indexing.triple_cache import extract_all
from hippohover.indexing.triples import BetweenTriples
from hippohover.indexing.triples_spacy import SpacyTriples
from hippohover.mentions import KnownNames
from hippohover.recipe import IndexRecipe, load_recipe
from hippohover.records import Passage, Triple

_PASSAGES_A_TASK = 1000
_TEXTS_A_BATCH = 8192


class Progress(Protocol):
    """Is told how far a stage has come; ``total`` is 0 while it is not known."""

    def __call__(self, stage: str, done: int, total: int, /) -> None: ...


def _silent(stage: str, done: int, total: int, /) -> None: ...


def build(  # noqa: PLR0913
    recipe: IndexRecipe | str | Path = "default",
    *,
    corpus: str | Path | None = None,
    out: str | Path | None = None,
    limit: int | None = None,
    workers: int | None = None,
    progress: Progress = _silent,
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
    progress : callable
        Called with (stage, done, total).

    Returns
    -------
    Path
        The folder of the index: what ``HippoHover.open`` takes.

    Raises
    ------
    RecipeError, CorpusError, ModelError, BuildError, IndexStoreError
    """
    recipe = recipe if isinstance(recipe, IndexRecipe) else load_recipe(recipe)
    root = Path(out) if out is not None else Path("index") / recipe.name
    with IndexWriter(root) as writer:
        stages = _Build(
            recipe, writer, workers or default_workers(), progress, cache=root / ".cache"
        )
        stages.run(_corpus_path(recipe, corpus, root / ".cache", progress), limit)
    return root


@dataclass
class _Build:
    """One build: its stages, with what they share."""

    recipe: IndexRecipe
    writer: IndexWriter
    workers: int
    progress: Progress
    cache: Path
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    def run(self, corpus: Path, limit: int | None) -> None:
        counts = CorpusCounts()
        with self._stage("read"):
            passages = self._read(corpus, limit, counts)
        with self._stage("names"):
            numbers, owners = own_names(passages)
            names = KnownNames(numbers)
        with self._stage("scan"):
            scan = self._scan(passages, names)
        entities = Names.of(passages, numbers, owners)
        phrases = keep_phrases(scan, entities, len(passages))
        collector = FactCollector(entities.numbers, entities.displays)
        with self._stage("triples"):
            for row, triples in enumerate(self._triples(passages, names)):
                collector.add(row, triples)
        with self._stage("graph"):
            tables = assemble(passages, entities, scan=scan, phrases=phrases, collector=collector)
        with self._stage("vectors"):
            encoder = load_encoder(self.recipe.encoder)
            tables = self._with_vectors(tables, encoder)
        with self._stage("publish"):
            tables.save(self.writer)
            if encoder is not None:
                save_encoder(encoder, self.writer.folder / "encoder")
            self.writer.log.update(seconds=self.seconds, workers=self.workers, corpus=str(corpus))
            self.writer.publish(self._manifest(counts, tables, collector.n_triples, encoder))

    def _read(self, corpus: Path, limit: int | None, counts: CorpusCounts) -> list[Passage]:
        settings = self.recipe.corpus
        stream = read_corpus(
            corpus,
            format=settings.format,
            max_words=settings.max_words,
            limit=limit,
            max_bad_share=settings.max_bad_share,
            titles=settings.titles,
            counts=counts,
        )
        passages: list[Passage] = []
        for passage in stream:
            passages.append(passage)
            if len(passages) % _PASSAGES_A_TASK == 0:
                self.progress("read", len(passages), 0)
        passages.sort(key=lambda passage: passage.pid)
        return passages

    def _scan(self, passages: Sequence[Passage], names: KnownNames) -> Scan:
        scanner = PassageScanner(names)
        scans: list[Scan] = []
        tasks = chunks(passages, _PASSAGES_A_TASK)
        for scan in ordered_map(scanner, tasks, workers=self._workers_for(passages)):
            scans.append(scan)
            self.progress("scan", min(len(scans) * _PASSAGES_A_TASK, len(passages)), len(passages))
        return join_scans(scans)

    def _triples(self, passages: Sequence[Passage], names: KnownNames) -> Iterator[list[Triple]]:
        if self.recipe.extractor == "none":
            return
        workers = self._workers_for(passages)
        done = 0

        def report(n: int) -> None:
            nonlocal done
            done += n
            self.progress("triples", done, len(passages))

        if self.recipe.extractor == "spacy":
            extractor = SpacyTriples(self.recipe.spacy_model)
            yield from extract_all(
                passages, extractor, cache_path=self.cache / "triples.sqlite", workers=workers,
                on_done=report,
            )  # fmt: skip
            return
        between = BetweenTriples(names)
        tasks = chunks(passages, _PASSAGES_A_TASK)
        for found in ordered_map(lambda task: list(between.extract(task)), tasks, workers=workers):
            yield from found
            report(len(found))

    def _with_vectors(self, tables: IndexTables, encoder: Encoder | None) -> IndexTables:
        if encoder is None:
            return tables
        passages = self._encode(encoder, _passage_texts(tables), tables.arrays.n_passages)
        n_facts = len(tables.arrays.facts) if self.recipe.fact_vectors else 0
        facts = self._encode(encoder, islice(fact_texts(tables), n_facts), n_facts)
        arrays = replace(tables.arrays, passage_vectors=passages, fact_vectors=facts)
        return replace(tables, arrays=arrays)

    def _encode(self, encoder: Encoder, texts: Iterable[str], n: int) -> NDArray[np.float16]:
        vectors = np.empty((n, encoder.dim), np.float16)
        done = 0
        for batch in chunks(texts, _TEXTS_A_BATCH):
            vectors[done : done + len(batch)] = encoder.encode(batch)
            done += len(batch)
            self.progress("vectors", done, n)
        return vectors

    def _manifest(
        self,
        counts: CorpusCounts,
        tables: IndexTables,
        n_triples: int,
        encoder: Encoder | None,
    ) -> ManifestFields:
        arrays = tables.arrays
        edges = arrays.graph.edge_counts()
        models: dict[str, dict[str, str]] = {"extractor": {"name": self.recipe.extractor}}
        if encoder is not None:
            models["encoder"] = {"name": encoder.name, "sha256": encoder.fingerprint}
        return ManifestFields(
            recipe=self.recipe.model_dump(mode="json"),
            recipe_sha256=self.recipe.sha256,
            models=models,
            counts={
                "n_passages": arrays.n_passages,
                "n_documents": counts.n_documents,
                "n_entities": tables.entities.num_rows,
                "n_linked_entities": len(arrays.entity_df),
                "n_facts": len(arrays.facts),
                "n_triples": n_triples,
                "n_edges": sum(edges.values()),
                **{f"n_{kind}_edges": n for kind, n in edges.items()},
                "n_duplicates": counts.n_duplicates,
                "n_empty": counts.n_empty,
            },
            dimensions={"encoder": 0 if encoder is None else encoder.dim},
            failures=counts.failures,
            n_failures=counts.n_bad_records,
        )

    def _workers_for(self, passages: Sequence[Passage]) -> int:
        return 1 if len(passages) < 4 * _PASSAGES_A_TASK else self.workers

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 3)


def _corpus_path(
    recipe: IndexRecipe, corpus: str | Path | None, cache: Path, progress: Progress
) -> Path:
    settings = recipe.corpus
    if corpus is not None:
        return Path(corpus)
    if settings.path is not None and (Path(settings.path).exists() or settings.url is None):
        return Path(settings.path)
    if settings.url is None or settings.sha256 is None or settings.n_bytes is None:
        raise CorpusError(
            f"recipe {recipe.name!r} names no corpus: give one with --corpus PATH, or set "
            "corpus.path (or corpus.url with sha256 and n_bytes) in the recipe"
        )
    to = Path(settings.path) if settings.path else cache / settings.url.rsplit("/", 1)[-1]

    def report(done: int, total: int) -> None:
        progress("download", done, total)

    return download(
        settings.url, to, sha256=settings.sha256, n_bytes=settings.n_bytes, progress=report
    )


def fact_texts(tables: IndexTables) -> Iterator[str]:
    """Facts as an encoder reads them: subject, predicate and object, a blank between."""
    entities = tables.entities.column("name")
    predicates = tables.predicates.column("name")
    for rows in np.array_split(
        tables.arrays.facts, max(1, len(tables.arrays.facts) // _TEXTS_A_BATCH)
    ):
        subjects = entities.take(rows[:, 0]).to_pylist()
        relations = predicates.take(rows[:, 1]).to_pylist()
        objects = entities.take(rows[:, 2]).to_pylist()
        for subject, relation, target in zip(subjects, relations, objects, strict=True):
            yield f"{subject} {relation} {target}"


def _passage_texts(tables: IndexTables) -> Iterator[str]:
    for batch in tables.passages.select(["title", "text"]).to_batches(_TEXTS_A_BATCH):
        for title, text in zip(batch[0].to_pylist(), batch[1].to_pylist(), strict=True):
            yield f"{title}. {text}" if title else text
