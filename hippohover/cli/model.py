"""Opens a command's language model, closes it, and reports its cost."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, cast

import typer

from hippohover.cli.options import one_of, option
from hippohover.cli.output import note
from hippohover.cli.settings import Overrides, settings_of
from hippohover.errors import UsageError
from hippohover.progress import Progress
from hippohover.store.layout import CURRENT

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.language_model.ledger import Budget, Usage
    from hippohover.recipe import LanguageModelSettings
    from hippohover.retrieval.engine import HippoHover

FILTERING: Final = ("ppr", "hipporag2")
"""Retrievers that let a language model choose among facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """The language model of a command, and caps on what it may spend.

    There is none when neither option nor file names one; the options go before the file.
    """

    SECTION: ClassVar = "Language model"

    name: str | None = option(
        None,
        "Language model to ask: a LiteLLM name, or gguf:PATH; none by default.",
        "--lm",
        envvar="HIPPOHOVER_LM",
    )
    api_base: str | None = option(
        None,
        "Address of the model's OpenAI-compatible server.",
        "--lm-api-base",
        envvar="HIPPOHOVER_LM_API_BASE",
    )
    key_variable: str | None = option(
        None,
        "Environment variable with the model's key; default: the provider's own.",
        "--lm-key-variable",
    )
    settings_file: Path | None = option(
        None,
        "TOML file with the model's settings (name, api_base, timeout_seconds, "
        "temperature, n_retries, prices, ...), as in a recipe's [language_model]; other "
        "options override it.",
        "--lm-settings",
        envvar="HIPPOHOVER_LM_SETTINGS",
    )
    cache: Path | None = option(
        None, "Folder in which replies are kept.", "--lm-cache", envvar="HIPPOHOVER_LM_CACHE"
    )
    on_failure: str | None = None
    fact_filter: Path | None = None
    max_calls: int | None = option(None, "Stop after that many calls.", metavar="N", min=0)
    max_tokens: int | None = option(None, "Stop after that many tokens.", metavar="N", min=0)
    max_cost: float | None = option(None, "Stop after that many US dollars.", metavar="N", min=0)

    def check_nothing_is_lost(self) -> None:
        """Raise ``UsageError`` for options that have no effect without a language model."""
        given = {
            "--filter": self.fact_filter,
            "--on-filter-failure": self.on_failure,
            "--lm-key-variable": self.key_variable,
            "--max-calls": self.max_calls,
            "--max-tokens": self.max_tokens,
            "--max-cost": self.max_cost,
        }
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name} needs a language model: name one with --lm")

    @property
    def is_named(self) -> bool:
        """Whether there is a language model to ask."""
        return self.name is not None or self.settings_file is not None

    def settings(self, known: "LanguageModelSettings | None" = None) -> "LanguageModelSettings":
        """Return the settings: the options', else the file's, else those ``known``.

        ``UsageError`` when one is refused, or the file cannot be read.
        """
        from pydantic import ValidationError

        from hippohover.recipe import LanguageModelSettings
        from hippohover.recipe_files import describe, read_toml

        given = {
            "name": self.name,
            "api_base": self.api_base,
            "api_key_variable": self.key_variable,
        }
        whole = {} if known is None else known.model_dump()
        whole |= {} if self.settings_file is None else read_toml(self.settings_file)
        whole |= {name: value for name, value in given.items() if value is not None}
        place = "" if self.settings_file is None else f"{self.settings_file}: "
        try:
            return LanguageModelSettings.model_validate(whole)
        except ValidationError as error:
            raise UsageError(f"{place}the language model's {describe(error)}") from error

    def budget(self) -> "Budget":
        from hippohover.language_model.ledger import Budget

        return Budget(self.max_calls, self.max_tokens, self.max_cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededModel(ModelOptions):
    """A language model that a command cannot do without."""

    def __post_init__(self) -> None:
        """Refuse options that name none."""
        if not self.is_named:
            raise typer.BadParameter("name a language model: --lm NAME, or --lm-settings FILE")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteringModel(ModelOptions):
    """A language model that chooses among facts, and how."""

    on_failure: str | None = option(
        None,
        "What to do if the filter of facts fails: fallback (walk without facts), top-k "
        "(walk from the most similar facts), or fail. Default: the index's setting, mostly "
        "fallback.",
        "--on-filter-failure",
        callback=one_of("fallback", "top-k", "fail", said="name fallback, top-k or fail"),
    )
    fact_filter: Path | None = option(
        None, "File that optimize-filter wrote; default: the built-in filter.", "--filter"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeModel(ModelOptions):
    """The language model of an index's recipe, whose replies are kept beside the index."""

    name: str | None = option(
        None, "Language model of extractor llm; replaces the recipe's.", "--lm"
    )
    settings_file: Path | None = option(
        None, "TOML file with that model's settings.", "--lm-settings"
    )
    cache: Path | None = None


def await_vectors(index: Path, report: Progress) -> None:
    """Wait for vectors that a build left for later: what is measured must not change meanwhile."""
    from hippohover.indexing.updates.reencoding import reencode

    is_index = (index / CURRENT).exists()  # else it is one version, or none
    if is_index and os.access(index, os.W_OK):  # else nobody changes it
        reencode(index, beside=True, progress=report)


@contextmanager
def opened_engine(
    index: Path,
    options: ModelOptions,
    report: Progress,
    overrides: Overrides,
    *,
    filters: bool = True,
) -> Generator[tuple["HippoHover", "LanguageModel | None"]]:
    """Open the index, and the language model that ``filters`` its facts, if any.

    ``UsageError`` for options of a filter where there is none.
    """
    from hippohover.retrieval.engine import HippoHover

    open_index = partial(HippoHover.open, index, progress=report, ranking=overrides.ranking)
    changed_settings = settings_of(index, overrides.changes)
    if not options.is_named:
        options.check_nothing_is_lost()
        yield open_index(settings=changed_settings), None
        return
    from hippohover.language_model.opening import open_language_model

    if not filters and (options.fact_filter or options.on_failure):
        raise UsageError(
            "--filter and --on-filter-failure have no effect with --program: only the program uses "
            "the language model: leave one of them out"
        )
    plain = open_index(settings=changed_settings)
    settings = plain.retrievers.settings
    if options.on_failure is not None:
        wanted = cast("Literal['fallback', 'top-k', 'fail']", options.on_failure)
        own = settings.filter.model_copy(update={"on_failure": wanted})
        settings = settings.model_copy(update={"filter": own})
    with open_language_model(
        options.settings(), cache=options.cache, budget=options.budget()
    ) as model:
        if not filters:
            yield plain, model
            return
        fact_filter = None
        if options.fact_filter is not None:
            from hippohover.programs.saved import load_filter

            fact_filter = load_filter(options.fact_filter)
            note_versions(options.fact_filter)
        yield open_index(settings=settings, language_model=model, fact_filter=fact_filter), model


def note_usage(model: "LanguageModel | None") -> None:
    """Report on stderr what a language model cost, and what embedding did beside it."""
    if model is None:
        return
    from hippohover.language_model.embedding_endpoint import STAGE
    from hippohover.language_model.ledger import Usage

    stages = dict(model.ledger.by_stage())
    embedded = stages.pop(STAGE, None)
    note(f"{model.name}: {in_words(sum(stages.values(), Usage()))}")
    if embedded is not None:
        note(f"embeddings of the service: {in_words(embedded)}")


def note_versions(path: Path) -> None:
    """Say on stderr that a filter or program was saved by other versions."""
    from hippohover.programs.saved import other_versions

    if other := other_versions(path):
        note(f"{path}: was saved with {other}: its prompts may differ with the installed versions")


def in_words(usage: "Usage") -> str:
    """Describe the cost of calls on one line."""
    parts = [f"{usage.n_calls:,} calls"]
    if usage.n_cached:
        parts.append(f"{usage.n_cached:,} from the cache")
    if usage.n_failed:
        parts.append(f"{usage.n_failed:,} failed")
    parts.append(f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out")
    if usage.n_unpriced:
        parts.append(f"${usage.cost_usd:.4f} and {usage.n_unpriced:,} calls of unknown price")
    else:
        parts.append(f"${usage.cost_usd:.4f}")
    return ", ".join([*parts, f"{usage.seconds:.1f} s"])
