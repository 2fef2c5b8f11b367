"""Settings for one run of a command: of the query, its ranking, and sources beyond the index.

``--set query.damping=0.85``, ``--source arxiv``.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from hippohover.cli.options import option
from hippohover.cli.output import note
from hippohover.errors import UsageError

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel
    from hippohover.language_model.embedding_endpoint import EmbeddingSettings
    from hippohover.programs.evidence_scoring import EvidenceScorer
    from hippohover.recipe import QuerySettings
    from hippohover.sources.router import SourceRouter

_TABLE: Final = "query"
_WORD: Final = re.compile(r"-?[A-Za-z][\w-]*")
_TOML_WORDS: Final = ("true", "false", "nan", "inf", "-inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What an index says of ranking, replaced for one run."""

    SECTION: ClassVar = "Settings for this run"

    changes: Sequence[str] | None = None
    ranking: str | None = option(
        None,
        "Ranking that `tune` wrote, or `shipped` to ignore the one that the index carries.",
        metavar="FILE|shipped",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOverrides(Overrides):
    """What an index says of ranking and the query, replaced for one run."""

    changes: list[str] | None = option(
        None,
        "A setting of the query for this run, such as query.damping=0.85; may be repeated.",
        "--set",
        metavar="NAME=VALUE",
    )


def settings_of(
    index: Path, changes: Sequence[str] | None, option: str = "--set"
) -> "QuerySettings | None":
    """Return an index's query settings with changes; None without changes."""
    if not changes:
        return None
    from hippohover.store.reader import StoredIndex

    with StoredIndex.open(index) as stored:
        return changed(stored.recipe().query, changes, option)


def changed(
    settings: "QuerySettings", changes: Sequence[str], option: str = "--set"
) -> "QuerySettings":
    """Return settings with some values replaced.

    Parameters
    ----------
    settings : QuerySettings
    changes : sequence of str
        ``query.NAME=VALUE`` each. The value is TOML's; a word needs no quotes. If a name is given
        twice, the later value counts.
    option : str
        By which they were given, for messages.

    Raises
    ------
    UsageError
        One is not of that form, names no setting, or its value is refused.
    """
    from pydantic import ValidationError

    from hippohover.recipe_files import describe

    for change in changes:
        values = cast("dict[str, Any]", {_TABLE: settings.model_dump()})
        name, equals, text = change.partition("=")
        path = name.strip().split(".")
        known = sorted(".".join(one) for one in _names({_TABLE: values[_TABLE]}))
        if not equals:
            raise UsageError(f"{option} {change}: holds no value: give {_TABLE}.NAME=VALUE")
        if ".".join(path) not in known:
            raise UsageError(f"{option} {_unknown('.'.join(path), known)}")
        table = values
        for part in path[:-1]:
            table = table[part]
        table[path[-1]] = _value(text.strip(), f"{option} {change}")
        try:
            settings = type(settings).model_validate(values[_TABLE])
        except ValidationError as error:
            raise UsageError(f"{option} {change}: {_TABLE}.{describe(error)}") from error
    return settings


def _names(table: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield dotted names of all values except tables."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from ((name, *rest) for rest in _names(cast("dict[str, Any]", value)))
        else:
            yield (name,)


def _unknown(name: str, known: Sequence[str]) -> str:
    last = [one.rpartition(".")[2] for one in known]
    near = get_close_matches(name.rpartition(".")[2], last)
    names = [one for end in near for one, own in zip(known, last, strict=True) if own == end]
    named = ", ".join(dict.fromkeys(names) or known)
    return f"{name}: no setting of the query has that name: name {named}"


def _value(text: str, change: str) -> object:
    """Read a TOML value; a bare word is a text, because a shell removes quotes."""
    if _WORD.fullmatch(text) and text not in _TOML_WORDS:
        return text
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{change}: cannot be read: give a number, true, false or a word"
        ) from error
    if list(parsed) != ["value"]:
        raise UsageError(f"{change}: holds several lines: give one option for each")
    return parsed["value"]


def opened_sources(names: Sequence[str] | None) -> "SourceRouter | None":
    """Open the sources of these names; None without names."""
    if not names:
        return None
    from hippohover.sources.by_name import open_sources

    return open_sources(names)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How the program ``hypothesis`` scores evidence: words, service or encoder."""

    SECTION: ClassVar = "Programs"

    by_words: bool = option(
        False,
        "Let `hypothesis` score evidence by shared words, without embeddings.",
        "--no-semantic-scoring",
    )
    embedder: str | None = option(
        None,
        "Service that embeds evidence for `hypothesis`, in place of the index's encoder: "
        "an OpenAI model, or a TOML file for an OpenAI-compatible server.",
        metavar="NAME|FILE",
    )

    def settings(self) -> "EmbeddingSettings | None":
        """Read the service's settings; None without one. ``UsageError`` for a bad file."""
        if self.embedder is None or self.by_words:
            return None
        from hippohover.language_model.embedding_endpoint import EmbeddingSettings
        from hippohover.recipe_files import read_settings

        if self.embedder.endswith(".toml"):
            return read_settings(Path(self.embedder), EmbeddingSettings)
        return EmbeddingSettings(name=self.embedder)

    def scorer(self, model: "LanguageModel | None") -> "EvidenceScorer | None":
        """Make the scorer; None leaves it to the program. The model's caps hold for both."""
        if self.by_words and self.embedder:
            raise UsageError(
                "--no-semantic-scoring turns embeddings off, and --embedder sets them: leave one "
                "out"
            )
        settings = self.settings()
        if settings is None and not self.by_words:
            return None
        from hippohover.language_model.embedding_endpoint import EmbeddingEndpoint
        from hippohover.programs.evidence_scoring import EvidenceScorer

        if settings is None:
            return EvidenceScorer(None)
        ledger = None if model is None else model.ledger
        return EvidenceScorer(
            EmbeddingEndpoint(settings, ledger=ledger), timeout_seconds=settings.timeout_seconds
        )


def note_failures(sources: "SourceRouter | None") -> None:
    """Say on stderr which sources did not answer, and in how many runs."""
    failures = {} if sources is None else sources.failures
    for failure, n in sorted(failures.items()):
        note(f"source {failure} ({n:,} run{'s' * (n != 1)})")
