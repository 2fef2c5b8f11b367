"""The stage of a build that reads triples: by rules, by the words between names, or by a model."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from hippohover.errors import BuildError, RecipeError
from hippohover.indexing.parallel import chunks, ordered_map
from hippohover.indexing.triple_cache import extract_all, extract_each
from hippohover.indexing.triples import BetweenTriples, ExtractionFailure
from hippohover.indexing.triples_spacy import SpacyTriples
from hippohover.language_model.ledger import Budget
from hippohover.mentions import KnownNames
from hippohover.progress import Progress
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage, Triple

if TYPE_CHECKING:
    from hippohover.indexing.triples_llm import LanguageModelTriples
    from hippohover.language_model.client import LanguageModel

TRIPLES: Final = "triples.sqlite"
"""Triples that were extracted once, in the folder of a build's cache."""

_PASSAGES_A_TASK = 1000
_PASSAGES_A_QUESTION = 16


@dataclass
class Extraction:
    """What a recipe's extractor needs, opened before the work; and what it could not read.

    Attributes
    ----------
    failures : list of ExtractionFailure
        Passages that have no triples for that.
    n_by_rules : int
        Passages that a language model failed at and the rules read.
    """

    recipe: IndexRecipe
    cache: Path
    budget: Budget | None
    progress: Progress
    failures: list[ExtractionFailure] = field(default_factory=list[ExtractionFailure])
    n_by_rules: int = 0
    _parser: SpacyTriples | None = None
    _model: "LanguageModel | None" = None
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        """Open parser and language model; a missing one must not cost an hour first."""
        extractor = self.recipe.extractor
        if extractor in ("spacy", "llm+rules"):
            self._parser = SpacyTriples(self.recipe.spacy_model)
        if extractor.startswith("llm"):
            self._model = self._open.enter_context(self._opened_model())
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def triples(
        self, passages: Sequence[Passage], names: KnownNames, *, workers: int
    ) -> Generator[list[Triple]]:
        """Triples of each passage, in order; those of a failure are none.

        Raises
        ------
        BuildError
            More passages failed than the recipe allows.
        """
        path = self.cache / TRIPLES
        report = _Report(self, len(passages))

        def failed(failure: ExtractionFailure, passage: Passage) -> list[Triple]:
            if self._model is not None and self._parser is not None:
                self.n_by_rules += 1
                return next(self._parser.extract([passage]))
            self._fail(failure, len(passages))
            return []

        if self._model is not None:
            yield from extract_all(
                passages, self._asking(self._model), cache_path=path, workers=1,
                on_done=report, on_failure=failed, passages_a_task=_PASSAGES_A_QUESTION,
            )  # fmt: skip
        elif self._parser is not None:
            yield from extract_all(
                passages, self._parser, cache_path=path, workers=workers,
                on_done=report, on_failure=failed,
            )  # fmt: skip
        elif self.recipe.extractor == "between":
            yield from self._between(passages, names, workers, report)

    def models(self) -> dict[str, dict[str, str]]:
        """What the manifest says of the extractor and of its language model."""
        extractor = {"name": self.recipe.extractor}
        if self._model is not None:
            extractor["version"] = self._asking(self._model).version
            return {"extractor": extractor, "language_model": {"name": self._model.name}}
        if self.recipe.extractor != "none":
            version = BetweenTriples.version if self._parser is None else self._parser.version
            extractor["version"] = version
        return {"extractor": extractor}

    def log(self) -> dict[str, Any]:
        """What the build's log says: what a language model cost, by stage."""
        if self._model is None:
            return {}
        stages = self._model.ledger.by_stage().items()
        return {"language_model": {name: usage.as_dict() for name, usage in stages}}

    def report_cost(self) -> None:
        """Tell how many tokens and cents a language model has taken."""
        if self._model is not None:
            spent = self._model.ledger.total()
            most = self.budget.max_tokens if self.budget is not None else None
            self.progress("tokens", spent.n_tokens, most or 0)
            self.progress("cents", round(100 * spent.cost_usd), 0)

    def _between(
        self, passages: Sequence[Passage], names: KnownNames, workers: int, report: "_Report"
    ) -> Generator[list[Triple]]:
        between = BetweenTriples(names)
        tasks = chunks(passages, _PASSAGES_A_TASK)
        with closing(
            ordered_map(lambda task: extract_each(task, between), tasks, workers=workers)
        ) as answers:
            for found in answers:
                for triples in found:
                    if isinstance(triples, ExtractionFailure):
                        self._fail(triples, len(passages))
                    yield [] if isinstance(triples, ExtractionFailure) else triples
                report(len(found))

    def _fail(self, failure: ExtractionFailure, n_passages: int) -> None:
        self.failures.append(failure)
        n_failed = len(self.failures)
        most = self.recipe.max_failure_share
        if n_failed > most * n_passages:
            raise BuildError(
                f"extraction failed for {n_failed} of {n_passages} passages, where "
                f"{most:.1%} may ({failure}): mend the extractor or the corpus, or allow "
                "a larger max_failure_share; what is done is kept"
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
        from hippohover.indexing.triples_llm import LanguageModelTriples

        settings = self.recipe.language_model
        return LanguageModelTriples(model, parallel=4 if settings is None else settings.parallel)


class _Report:
    """Counts the passages that are done."""

    def __init__(self, extraction: Extraction, n_passages: int) -> None:
        self._extraction = extraction
        self._done, self._n_passages = 0, n_passages

    def __call__(self, n: int) -> None:
        self._done += n
        self._extraction.progress("triples", self._done, self._n_passages)
        self._extraction.report_cost()
