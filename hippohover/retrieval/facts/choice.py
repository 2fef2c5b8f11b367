"""Candidate facts -> a language model's choice; every failure of it has a name."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from hippohover.errors import (
    AccessRefusedError,
    LanguageModelError,
    ReplyError,
    RequestRefusedError,
)
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.ledger import Usage
from hippohover.recipe import FactFilterSettings
from hippohover.records import Triple
from hippohover.retrieval.facts.matching import match_facts
from hippohover.retrieval.facts.pool import (
    NO_FACTS,
    ROUTE_OF_FAILURE,
    CandidateFacts,
    FactChoice,
    FallbackReason,
)

STAGE = "filter"
"""The stage of the ledger under which the calls are entered."""

MOST_FAILURES: Final = 5
REST_SECONDS: Final = 60.0


class LanguageModelChooser:
    """Asks a language model to choose; a ``facts.FactChooser``.

    Parameters
    ----------
    model : LanguageModel
    fact_filter : callable
        ``FactFilter`` or a program like it: (question, facts) -> an object whose ``facts`` are
        lists of strings.
    settings : FactFilterSettings
    n_top : int
        Number of facts that replace a choice if the settings say "top-k".
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
        self._breaker = Breaker()

    def __call__(
        self, claim: str, candidates: CandidateFacts, triples: tuple[Triple, ...]
    ) -> FactChoice:
        """Choose among the candidates.

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
            with self._breaker, self._model.asking(STAGE) as asking:
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
            return replace(
                choice,
                route=ROUTE_OF_FAILURE,
                facts=self._top(candidates) if self._settings.on_failure == "top-k" else NO_FACTS,
                usage=usage,
                failure=str(error),
                fallback=_reason(error),
            )
        matched = match_facts(
            answered,
            [(triple.subject, triple.predicate, triple.object) for triple in triples],
            min_closeness=self._settings.min_closeness,
            max_kept=self._settings.max_kept,
        )
        choice = replace(choice, usage=usage, invented=matched.invented)
        if not matched.kept:
            choice = replace(choice, route="filter-empty")
            if self._settings.on_empty == "walk":
                return choice
            return replace(
                choice,
                facts=self._top(candidates),
                failure="it chose none of the candidates: the most similar ones replace its choice",
                fallback="empty choice",
            )
        kept = np.array(matched.kept, np.int64)
        facts = CandidateFacts(candidates.rows[kept], similarities[kept])
        return replace(choice, route="filtered", facts=facts)

    def _top(self, candidates: CandidateFacts) -> CandidateFacts:
        n = self._n_top
        return CandidateFacts(candidates.rows[:n], candidates.similarities[:n])


class NotAskedError(LanguageModelError):
    """The language model failed several times and is not asked again."""


class Breaker:
    """Stops asking a language model after ``MOST_FAILURES`` failures in a row.

    After ``REST_SECONDS`` one request tries again. Each of a thousand claims would otherwise wait
    for a server that is down. Entered around each question; safe from several threads.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._n_failures = 0
        self._rests_until = 0.0
        self._last = ""

    def __enter__(self) -> None:
        with self._lock:
            if self._n_failures < MOST_FAILURES:
                return
            now = self._clock()
            if now < self._rests_until:
                raise NotAskedError(
                    f"not asked, after {self._n_failures} failures in a row: {self._last}"
                )
            self._rests_until = now + REST_SECONDS  # this one tries, others go on waiting

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        with self._lock:
            if error is None or isinstance(error, ReplyError):  # it answers, well or not
                self._n_failures = 0
            elif isinstance(error, LanguageModelError):
                self._n_failures += 1
                self._last = str(error)
                self._rests_until = self._clock() + REST_SECONDS


def _reason(error: LanguageModelError) -> FallbackReason:
    if isinstance(error, NotAskedError):
        return "not asked"
    if isinstance(error, RequestRefusedError | AccessRefusedError):
        return "refused"
    return "unreadable reply" if isinstance(error, ReplyError) else "no answer"
