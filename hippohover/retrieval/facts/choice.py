"""Candidate facts -> a language model's choice, with every way that can go wrong named."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hippohover.errors import LanguageModelError
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.ledger import Usage
from hippohover.recipe import FactFilterSettings
from hippohover.records import Triple
from hippohover.retrieval.facts.matching import match_facts
from hippohover.retrieval.facts.pool import NO_FACTS, ROUTE_OF_FAILURE, CandidateFacts, FactChoice

STAGE = "filter"
"""The stage of the ledger under which the calls are entered."""


class LanguageModelChooser:
    """Has a language model choose; a ``facts.FactChooser``.

    Parameters
    ----------
    model : LanguageModel
    fact_filter : callable
        ``FactFilter`` or a program like it: (question, facts) -> an object whose ``facts`` are
        lists of strings.
    settings : FactFilterSettings
    n_top : int
        Facts that stand in when nothing is kept and ``on_empty`` is "top-k".
    """

    def __init__(
        self,
        model: LanguageModel,
        fact_filter: Callable[..., Any],
        settings: FactFilterSettings,
        *,
        n_top: int,
    ) -> None:
        self._model = model
        self._filter = fact_filter
        self._settings = settings
        self._n_top = n_top

    def __call__(
        self, claim: str, candidates: CandidateFacts, triples: tuple[Triple, ...]
    ) -> FactChoice:
        """The choice.

        Raises
        ------
        LanguageModelError
            No usable answer came, and ``on_failure`` is "fail".
        BudgetError
            A cap is reached.
        """
        choice = FactChoice(candidates=candidates)
        similarities = candidates.similarities
        if not len(similarities) or similarities.max() < self._settings.min_fact_score:
            return replace(choice, route="filter-skipped")
        usage = Usage()
        try:
            with self._model.asking(STAGE) as asking:
                try:
                    answered: Sequence[Sequence[str]] = self._filter(
                        question=claim, facts=triples
                    ).facts
                finally:
                    usage = asking.usage
                asking.keep()
        except LanguageModelError as error:
            if self._settings.on_failure == "fail":
                raise
            return replace(choice, route=ROUTE_OF_FAILURE, usage=usage, failure=str(error))
        matched = match_facts(
            answered,
            [(triple.subject, triple.predicate, triple.object) for triple in triples],
            min_closeness=self._settings.min_closeness,
            max_kept=self._settings.max_kept,
        )
        choice = replace(choice, usage=usage, invented=matched.invented)
        if not matched.kept:
            return replace(choice, route="filter-empty", facts=self._instead(candidates))
        kept = np.array(matched.kept, np.int64)
        facts = CandidateFacts(candidates.rows[kept], similarities[kept])
        return replace(choice, route="filtered", facts=facts)

    def _instead(self, candidates: CandidateFacts) -> CandidateFacts:
        if self._settings.on_empty == "walk":
            return NO_FACTS
        n = self._n_top
        return CandidateFacts(candidates.rows[:n], candidates.similarities[:n])
