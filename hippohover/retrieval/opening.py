"""How an engine opens its index: at first, at each reload, and where it is unpickled."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hippohover.errors import UsageError, in_a_line
from hippohover.progress import Progress, silent
from hippohover.recipe import QuerySettings
from hippohover.retrieval.facts.pool import FactChooser
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.retrieval.mapped_memory import MappedMemory
from hippohover.retrieval.reranking.tuned import SHIPPED, TunedRanking, ranking_of
from hippohover.retrieval.retriever import RetrieverContext
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.vector_lists import lists_of
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from hippohover.store.tables import IndexTables
from hippohover.vectors.embedding import Encoder
from hippohover.vectors.own_encoder import encoder_of_index

if TYPE_CHECKING:
    from hippohover.language_model.client import LanguageModel

FactFilterProgram = Callable[..., Any]
"""(question, facts) -> an object whose ``facts`` are lists of strings, such as a ``FactFilter``."""


class OpenVersion(NamedTuple):
    """One version of an index, open."""

    stored: StoredIndex
    tables: IndexTables
    retrievers: Retrievers
    mapped: MappedMemory


@dataclass(frozen=True)
class Opening:
    """What an engine was opened with; see ``HippoHover.open``.

    Attributes
    ----------
    choose : callable or None
        Settings -> a chooser of facts that asks a language model.
    """

    path: str | Path
    settings: QuerySettings | None
    progress: Progress
    choose: Callable[[QuerySettings], FactChooser] | None
    encoder: Encoder | None
    ranking: str | Path | TunedRanking | None

    def open_live(self) -> OpenVersion:
        """Open the version that is live now."""
        stored = StoredIndex.open(self.path, progress=self.progress)
        recipe = stored.recipe()
        settings = self.settings or recipe.query
        tables = opened_tables(stored)
        mapped = MappedMemory(getattr(tables.arrays, array.name) for array in fields(tables.arrays))
        vectors = IndexVectors(
            tables,
            stored.home / "encoder",
            mapped.release,
            encoder_of_index(self.encoder, stored.manifest.models.get("encoder", {})),
            lists_of(stored, tables, settings.vectors),
        )
        context = RetrieverContext(
            tables=tables,
            settings=settings,
            vectors=vectors,
            recipe=recipe,
            choose=self.choose and self.choose(settings),
            choose_published=self.choose and self.choose(published(settings)),
            tuned=self._tuned(stored, settings),
            encoder_worth=stored.manifest.encoder_worth,
            series_share=stored.manifest.series_share,
        )
        return OpenVersion(stored, tables, Retrievers(context), mapped)

    def for_elsewhere(self, absolute: Path) -> "Opening":
        """Return the same for another process, which may stand in another folder.

        Raises
        ------
        UsageError
            There is a language model, whose key stays here; or encoder or callback do not pickle.
        """
        if self.choose is not None:
            raise UsageError(
                "an engine with a language model cannot be pickled, for its key stays in this "
                "process: open the index where it is used, with a language model made there"
            )
        if self.progress is not silent:
            _check("progress callback", self.progress)
        if self.encoder is not None:
            _check(f"encoder {self.encoder.name!r}", self.encoder)
        ranking = self.ranking
        if isinstance(ranking, str | Path) and ranking != SHIPPED:
            ranking = Path(ranking).absolute()
        return replace(self, path=absolute, ranking=ranking)

    def _tuned(self, stored: StoredIndex, settings: QuerySettings) -> TunedRanking | None:
        if self.ranking is not None and self.ranking != SHIPPED and not settings.rerank:
            raise UsageError(
                "query.rerank is false, so a ranking has no effect: set it to true, or give no "
                "ranking"
            )
        encoder = stored.manifest.models.get("encoder", {})
        return ranking_of(self.ranking, stored.folder.parent, encoder)


def published(settings: QuerySettings) -> QuerySettings:
    """Return settings that make the choice among facts ask as HippoRAG 2 does."""
    asked = settings.filter.model_copy(update={"prompt": "hipporag2"})
    return settings.model_copy(update={"filter": asked})


def fact_chooser(
    model: "LanguageModel", fact_filter: FactFilterProgram | None, settings: QuerySettings
) -> FactChooser:
    from hippohover.retrieval.facts.choice import LanguageModelChooser

    if fact_filter is None:
        from hippohover.retrieval.facts.filter import FactFilter

        fact_filter = FactFilter(settings.filter.prompt)
    return LanguageModelChooser(model, fact_filter, settings.filter, n_top=settings.n_facts)


def _check(what: str, value: Any) -> None:  # noqa: ANN401
    try:
        pickle.dumps(value)
    except Exception as error:  # objects raise whatever they like
        raise UsageError(
            f"the {what} of the engine cannot be pickled ({in_a_line(error)}): make it a class or "
            "function of a module, or open the index where it is used"
        ) from error
