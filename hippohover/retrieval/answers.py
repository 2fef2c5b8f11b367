"""A ranking -> an answer: passages with titles and texts, and how they were found."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.records import CandidateFact, PassageId, RankedPassage, Trace
from hippohover.retrieval.facts.pool import FactChoice
from hippohover.retrieval.passage_metadata import PassageMetadata
from hippohover.retrieval.ranking import Others, Ranking
from hippohover.store.tables import IndexTables

MAX_OTHERS = 5
"""Further passages of a document that are listed behind its best."""


def trace_of(tables: IndexTables, ranking: Ranking, seconds: float) -> Trace:
    """Make the trace of a ranking, given its wall time in seconds."""
    choice, run = ranking.choice, ranking.run
    return Trace(
        route=choice.route,
        seeds=ranking.seeds,
        facts=ranking.facts,
        n_candidates=ranking.n_candidates,
        seconds=seconds,
        lm_calls=choice.usage.n_requests,
        fallbacks=ranking.fallbacks,
        input_tokens=choice.usage.input_tokens,
        output_tokens=choice.usage.output_tokens,
        cost_usd=choice.usage.known_cost_usd,
        candidate_facts=candidate_facts(run.tables if run else tables, choice),
        invented_facts=choice.invented,
        failure=choice.failure,
        fallback=choice.fallback,
        ranked_by=run.ranked_by if run else "",
        corrections=ranking.corrections,
    )


def candidate_facts(tables: IndexTables, choice: FactChoice) -> tuple[CandidateFact, ...]:
    """Return the facts that could be chosen, in words, and whether each was.

    None was if others stand in for a choice that failed or was empty.
    """
    candidates = choice.candidates
    kept = set[int]() if choice.fallback else set(choice.facts.rows.tolist())
    return tuple(
        CandidateFact(triple, similarity, row in kept)
        for triple, similarity, row in zip(
            tables.triples(candidates.rows),
            candidates.similarities.tolist(),
            candidates.rows.tolist(),
            strict=True,
        )
    )


def passages_of(
    tables: IndexTables,
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    others: Sequence[Others] = (),
    citing: PassageMetadata | None = None,
) -> tuple[RankedPassage, ...]:
    """Return passages of rows, ranked from 1 in the given order, with ``others``.

    ``citing`` says which of its sections each is cited by; without it that is the first.
    """
    metadata_of = citing.metadata_of if citing else tables.metadata_of
    pids, titles = (tables.passages.column(name) for name in ("pid", "title"))

    def passage(rank: int, row: int, score: float, **more: Any) -> RankedPassage:  # noqa: ANN401
        metadata = metadata_of(row)
        return RankedPassage(
            rank,
            PassageId(pids[row].as_py()),
            titles[row].as_py(),
            tables.texts[row],
            score,
            heading=str(metadata.get("heading", "")),
            metadata=metadata,
            **more,
        )

    documents = tables.arrays.documents
    passages: list[RankedPassage] = []
    for rank, (row, score) in enumerate(zip(rows.tolist(), scores.tolist(), strict=True), 1):
        behind = (
            [column[:MAX_OTHERS].tolist() for column in others[rank - 1]] if others else [[], []]
        )
        copies = documents[others[rank - 1].rows] if others else documents[:0]
        listed = tuple(
            passage(place, other, lower, near_copy=bool(documents[other] != documents[row]))
            for place, (other, lower) in enumerate(zip(*behind, strict=True), 2)
        )
        n_copies = len(np.unique(copies[copies != documents[row]])) if len(copies) else 0
        passages.append(passage(rank, row, score, others=listed, n_near_copies=n_copies))
    return tuple(passages)
