"""Opens a command's language model, closes it, and reports its cost."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from hippohover.cli.output import note
from hippohover.cli.settings import settings_of
from hippohover.errors import UsageError
from hippohover.progress import Progress
from hippohover.retrieval.engine import HippoHover

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.language_model.ledger import Budget, Usage
    from hippohover.recipe import LanguageModelSettings

FILTERING: Final = ("ppr", "hipporag2")
"""Retrievers that let a language model choose among facts."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Caps on what a command may spend; None for none."""

    calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """The language model of a command; none when neither option nor file names one.

    Attributes
    ----------
    file : Path or None
        TOML of ``LanguageModelSettings``; the options go before it.
    """

    name: str | None = None
    api_base: str | None = None
    key_variable: str | None = None
    cache: Path | None = None
    on_failure: str | None = None
    fact_filter: Path | None = None
    caps: Caps = field(default_factory=Caps)
    file: Path | None = None

    def check_nothing_is_lost(self) -> None:
        """Raise ``UsageError`` for options that have no effect without a language model."""
        given = {
            "--filter": self.fact_filter,
            "--on-filter-failure": self.on_failure,
            "--lm-key-variable": self.key_variable,
            "--max-calls": self.caps.calls,
            "--max-tokens": self.caps.tokens,
            "--max-cost": self.caps.cost_usd,
        }
        for option, value in given.items():
            if value is not None:
                raise UsageError(f"{option} needs a language model: name one with --lm")

    @property
    def is_named(self) -> bool:
        """Whether there is a language model to ask."""
        return self.name is not None or self.file is not None

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
        whole |= {} if self.file is None else read_toml(self.file)
        whole |= {name: value for name, value in given.items() if value is not None}
        place = "" if self.file is None else f"{self.file}: "
        try:
            return LanguageModelSettings.model_validate(whole)
        except ValidationError as error:
            raise UsageError(f"{place}the language model's {describe(error)}") from error

    def budget(self) -> "Budget":
        from hippohover.language_model.ledger import Budget

        return Budget(self.caps.calls, self.caps.tokens, self.caps.cost_usd)


@contextmanager
def opened_engine(  # noqa: PLR0913
    index: Path,
    options: ModelOptions,
    report: Progress,
    *,
    filters: bool = True,
    changes: Sequence[str] = (),
    ranking: str | None = None,
) -> Generator[tuple[HippoHover, "LanguageModel | None"]]:
    """Open the index, and the language model that ``filters`` its facts, if any.

    ``changes`` are of the query's settings, as ``settings.changed`` takes them, ``ranking`` is what
    ``HippoHover.open`` takes. ``UsageError`` for options of a filter where there is none.
    """
    changed_settings = settings_of(index, changes)
    if not options.is_named:
        options.check_nothing_is_lost()
        yield (
            HippoHover.open(index, settings=changed_settings, progress=report, ranking=ranking),
            None,
        )
        return
    from hippohover.language_model.opening import open_language_model

    if not filters and (options.fact_filter or options.on_failure):
        raise UsageError(
            "--filter and --on-filter-failure have no effect with --program: only the program uses "
            "the language model: leave one of them out"
        )
    plain = HippoHover.open(index, settings=changed_settings, progress=report, ranking=ranking)
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
        engine = HippoHover.open(
            index,
            settings=settings,
            progress=report,
            language_model=model,
            fact_filter=fact_filter,
            ranking=ranking,
        )
        yield engine, model


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
