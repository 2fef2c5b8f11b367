"""The build stage that reads triples: by rules, words between names, a model."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from hippohover.errors import BuildError, CorpusError, RecipeError
from hippohover.indexing.chunk_stages import (
    TripleStage,
    is_whole,
    load_triples,
    save_new_triples,
)
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import damage_named, open_stream
from hippohover.indexing.corpus.readers.records import json_values
from hippohover.indexing.corpus.records import BadRecord
from hippohover.indexing.triples.between import BetweenTriples
from hippohover.indexing.triples.cache import extract_all, keep_triples
from hippohover.indexing.triples.extractor import OwnTriples
from hippohover.indexing.triples.from_file import FileTriples
from hippohover.indexing.triples.spacy_rules import SpacyTriples
from hippohover.indexing.work_folder import WorkFolder
from hippohover.indexing.workers.runners import Runner
from hippohover.indexing.workers.stage_cache import StageCache
from hippohover.language_model.ledger import Budget
from hippohover.progress import Progress
from hippohover.recipe import NO_FIELDS, IndexRecipe
from hippohover.records import ExtractionFailure, Passage, Triple
from hippohover.store.checksums import sha256_of

if TYPE_CHECKING:
    from hippohover.indexing.triples.language_model import LanguageModelTriples
    from hippohover.language_model.client import LanguageModel

TRIPLES: Final = "triples.sqlite"
"""Triples that were extracted once, in the folder of a build's cache."""

_PASSAGES_A_QUESTION = 16


@dataclass
class Extraction:
    """What a recipe's extractor needs, opened before the work; and its failures.

    Attributes
    ----------
    own : OwnTriples, optional
        Your own extractor, instead of a parser.
    failures : list of ExtractionFailure
        Passages that have no triples for that.
    n_by_rules : int
        Passages that a language model failed at and the rules read.
    """

    recipe: IndexRecipe
    cache: Path
    budget: Budget | None
    progress: Progress
    own: OwnTriples | None = None
    failures: list[ExtractionFailure] = field(default_factory=list[ExtractionFailure])
    n_by_rules: int = 0
    _file: FileTriples | None = None
    _n_not_in_file: int = 0
    _parser: SpacyTriples | None = None
    _model: "LanguageModel | None" = None
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        """Open parser and language model now: a missing one must not cost an hour first."""
        extractor = self.recipe.extractor
        if extractor in ("spacy", "llm+rules"):
            self._parser = SpacyTriples(self.recipe.spacy_model)
        if extractor == "file":
            self._file = _of_file(self.recipe)
        if extractor.startswith("llm"):
            self._model = self._open.enter_context(self._opened_model())
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def reads_ahead(self) -> bool:
        """Whether triples are read before the scan: by all extractors but ``between``."""
        return any(one is not None for one in (self.own, self._file, self._parser, self._model))

    def write_triples(self, work: WorkFolder, runner: Runner, *, workers: int) -> None:
        """Write the triples of each chunk that has none yet; a failed passage has none.

        By the words between names the scan reads them, and nothing is done here. A parser works on
        a runner that does not share memory without asking the cache of this process, which keeps
        what it read; a language model is asked from here.

        Raises
        ------
        BuildError
            More passages failed than the recipe allows.
        """
        n_passages = work.passages.n_passages
        report = _Report(self, n_passages)
        missing = [n for n in range(work.passages.n_chunks) if not is_whole(work.triples(n))]
        n_missing = sum(work.passages.length(number) for number in missing)
        report(n_passages - n_missing)
        if self._parser is not None and self._model is None and not runner.shares_memory:
            self._parse_elsewhere(self._parser.version, work, missing, runner, report)
            return
        failures: dict[str, str] = {}

        def failed(failure: ExtractionFailure, passage: Passage) -> list[Triple]:
            failures[passage.pid] = str(failure)
            if self._model is not None and self._parser is not None:
                self.n_by_rules += 1
                return next(self._parser.extract([passage]))
            self.fail([failure], n_passages)
            return []

        if self._file is not None:
            self._count_missing(self._file, work)
        extractor, size = self.own or self._file or self._parser, None
        if self._model is not None:
            extractor, size, workers = self._asking(self._model), _PASSAGES_A_QUESTION, 1
        if extractor is None:
            return
        passages = (passage for number in missing for passage in work.passages.chunk(number))
        stream = extract_all(
            passages,
            extractor,
            cache_path=self.cache / TRIPLES,
            workers=workers,
            on_done=report,
            on_failure=failed,
            passages_a_task=size,
        )
        with closing(stream):
            for number in missing:
                triples = list(islice(stream, work.passages.length(number)))
                pids = work.passages.table(number).column("pid").to_pylist()
                of_chunk = [failures[pid] for pid in pids if pid in failures]
                save_new_triples(work, number, triples, of_chunk)

    def _parse_elsewhere(
        self,
        version: str,
        work: WorkFolder,
        missing: Sequence[int],
        runner: Runner,
        report: "_Report",
    ) -> None:
        parser = partial(SpacyTriples, self.recipe.spacy_model)
        make = partial(TripleStage, work, parser, version)
        with (
            closing(StageCache(self.cache / TRIPLES)) as cache,
            closing(runner(make, work.folder, missing)) as finished,
        ):
            for number, failures in zip(missing, finished, strict=True):
                failed = {failure.pid for failure in failures}
                of_chunk = zip(
                    work.passages.chunk(number), load_triples(work.triples(number)), strict=True
                )
                keep_triples(
                    cache, version, (pair for pair in of_chunk if pair[0].pid not in failed)
                )
                self.fail(failures, work.passages.n_passages)
                report(work.passages.length(number))

    def _count_missing(self, file: FileTriples, work: WorkFolder) -> None:
        """Count the passages that a file lacks; ``BuildError`` when it lacks all."""
        chunks = map(work.passages.chunk, range(work.passages.n_chunks))
        self._n_not_in_file = sum(passage not in file for chunk in chunks for passage in chunk)
        if self._n_not_in_file == work.passages.n_passages:
            raise BuildError(
                f"{self.recipe.triples}: none of its {file.n_entries} passages is one of the "
                'corpus: give the file that was made of this corpus, with passages "title\\ntext"'
            )

    def models(self) -> dict[str, dict[str, str]]:
        """Return the manifest's entries for the extractor and its language model."""
        extractor = {"name": self.recipe.extractor}
        if self._model is not None:
            extractor["version"] = self._asking(self._model).version
            return {"extractor": extractor, "language_model": {"name": self._model.name}}
        if self.recipe.extractor != "none":
            extractor["version"] = (
                self.own or self._file or self._parser or BetweenTriples
            ).version
        return {"extractor": extractor}

    def log(self) -> dict[str, Any]:
        """Return the log's entries: passages that a file lacks, a model's cost by stage."""
        if self._file is not None:
            path = str(Path(self.recipe.triples or "").absolute())
            return {
                "triples_file": {
                    "path": path,
                    "n_missing": self._n_not_in_file,
                    "n_unusable": self._file.n_unusable,
                }
            }
        if self._model is None:
            return {}
        stages = self._model.ledger.by_stage().items()
        return {"language_model": {name: usage.as_dict() for name, usage in stages}}

    def report_cost(self) -> None:
        """Report how many tokens and cents a language model has taken."""
        if self._model is not None:
            spent = self._model.ledger.total()
            most = self.budget.max_tokens if self.budget is not None else None
            self.progress("tokens", spent.n_tokens, most or 0)
            self.progress("cents", round(100 * spent.cost_usd), 0)

    def fail(self, failures: Sequence[ExtractionFailure], n_passages: int) -> None:
        """Note failures; ``BuildError`` when more passages failed than the recipe allows."""
        self.failures += failures
        n_failed = len(self.failures)
        most = self.recipe.max_failure_share
        if failures and n_failed > most * n_passages:
            raise BuildError(
                f"extraction failed for {n_failed} of {n_passages} passages, limit "
                f"{most:.1%} ({failures[-1]}): fix the extractor or the corpus, or raise "
                "max_failure_share; finished work is kept"
            )

    def _opened_model(self) -> "LanguageModel":
        from hippohover.language_model.opening import open_language_model

        settings = self.recipe.language_model
        if settings is None:
            raise RecipeError(
                f"extractor {self.recipe.extractor!r} asks a language model: name one in the "
                "recipe ([language_model] name = ...) or with --lm"
            )
        return open_language_model(settings, cache=self.cache, budget=self.budget)

    def _asking(self, model: "LanguageModel") -> "LanguageModelTriples":
        from hippohover.indexing.triples.language_model import LanguageModelTriples

        settings = self.recipe.language_model
        return LanguageModelTriples(model, parallel=4 if settings is None else settings.parallel)


def _of_file(recipe: IndexRecipe) -> FileTriples:
    """Open the triples of a recipe's file."""
    if recipe.triples is None:
        raise RecipeError(
            'extractor "file" takes triples from a file: name it in the recipe (triples = ...) or '
            "with --triples FILE"
        )
    path = Path(recipe.triples).expanduser()
    with damage_named(str(path)):
        rows = json_values.read.rows(SourceFile(path.name, partial(open_stream, path)), NO_FIELDS)
        entries = (row[1] if not isinstance(row, BadRecord) else {} for row in rows)
        file = FileTriples(entries, digest=sha256_of(path))
    if not file.n_entries:
        raise CorpusError(
            f"{path}: no triples of passages: give HippoRAG's openie_results_*.json, with "
            '"passage" and "extracted_triples" in "docs"'
        )
    return file


class _Report:
    """Counts the finished passages."""

    def __init__(self, extraction: Extraction, n_passages: int) -> None:
        self._extraction = extraction
        self._done, self._n_passages = 0, n_passages

    def __call__(self, n: int) -> None:
        self._done += n
        self._extraction.progress("triples", self._done, self._n_passages)
        self._extraction.report_cost()
