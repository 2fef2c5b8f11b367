"""Five claims by hypotheses stay within money and time, by a clock that the services advance.

Nothing waits: each service says how long it takes, and a limit of time is compared with that.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any, Final

import pytest
from dspy.lm15 import Request, Response
from dspy.lm15 import Usage as Tokens
from dspy.utils import DummyLM

from hippohover.language_model.client import LanguageModel, Server
from hippohover.language_model.embedding_endpoint import EmbeddingEndpoint, EmbeddingSettings
from hippohover.programs.evidence_scoring import EvidenceScorer
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.hypothesis_run import HypothesisRun
from hippohover.sources.document import SourceDocument
from hippohover.sources.router import SourceRouter
from tests.programs.program_samples import ScriptedSearch
from tests.sources.reply_samples import Shelf, document

CLAIMS: Final = [f"The director of film number {n} was born in Vessby." for n in range(5)]
MOST_USD: Final = 3.0
MOST_SECONDS_MORE: Final = 60.0
EMBEDDING_SECONDS: Final = 3.0
SECONDS_A_REPLY: Final = 6.0
SECONDS_A_SEARCH: Final = 1.0
PRICES: Final = (3.0, 15.0)
"""US dollars for a million tokens in and out, of a large model."""

GUESSES = [
    {"hypotheses": json.dumps([f"Guess {n} of {claim}" for n in range(3)])} for claim in CLAIMS
]
QUERIES = {
    "queries": json.dumps(
        [
            {"hypothesis": h, "intent": i, "query": f"Vessby {h} {i} {n}"}
            for h in (1, 2, 3, 4)
            for i in ("confirm", "falsify")
            for n in range(2)
        ]
    )
}
MISSING = {"queries": '["Vessby film", "Vessby director"]'}


@dataclass
class Clock:
    """Time that passes where a service says so."""

    now: float = 0.0

    def passes(self, seconds: float) -> None:
        self.now += seconds


class Clocked:
    """A language model's client that takes its time, and counts a token for four characters."""

    model = "dummy"
    history: tuple[object, ...] = ()
    kwargs: dict[str, float] = {"temperature": 0.0}  # noqa: RUF012

    def __init__(self, clock: Clock, answers: Sequence[dict[str, str]]) -> None:
        self._clock = clock
        self._answers = DummyLM(list(answers))

    def __call__(self, request: Request) -> Response:
        self._clock.passes(SECONDS_A_REPLY)
        response = self._answers(request)
        n_in = len(json.dumps(asdict(request), default=str)) // 4
        n_out = len(response.message.text or "") // 4
        tokens = Tokens(input_tokens=n_in, output_tokens=n_out, total_tokens=n_in + n_out)
        return replace(response, usage=tokens)


class ClockedShelf(Shelf):
    clock: Clock

    def search(self, query: str, k: int) -> Sequence[SourceDocument]:
        self.clock.passes(SECONDS_A_SEARCH)
        return super().search(query, k)

    def references(self, document_id: str) -> Sequence[SourceDocument]:
        self.clock.passes(SECONDS_A_SEARCH)
        return super().references(document_id)


def embedding_of(clock: Clock, seconds: float) -> Callable[..., dict[str, Any]]:
    """A service that takes so long; one that would take longer than it may is given up then."""

    def post(*, input: list[str], timeout: float, **_: Any) -> dict[str, Any]:  # noqa: ANN401
        clock.passes(min(seconds, timeout))
        if seconds > timeout:
            raise TimeoutError(f"no answer in {timeout} s")
        data = [
            {"index": n, "embedding": [1.0, float("Vessby" in text)]}
            for n, text in enumerate(input)
        ]
        return {"data": data, "usage": {"total_tokens": sum(map(len, input)) // 4}}

    return post


def runs_of(
    *, embedding_seconds: float = 1.0, coverage: float | None = None
) -> tuple[list[HypothesisRun], list[float]]:
    """A run for each claim, and how long it took by the clock."""
    clock = Clock()
    hypotheses = [one for guesses in GUESSES for one in (guesses, QUERIES)]
    client: Any = Clocked(clock, hypotheses if coverage is None else [MISSING] * 10)
    model = LanguageModel(client, server=Server(prices=PRICES), n_retries=0)
    papers = [document(f"Vessby paper number {n}", "Wet. " * 500, year=2015) for n in range(40)]
    shelf = ClockedShelf(papers, {paper.document_id: papers[20:] for paper in papers[:5]})
    shelf.clock = clock
    settings = EmbeddingSettings(name="voyage-3-lite", usd_per_million_tokens=0.02)
    endpoint = EmbeddingEndpoint(settings, post=embedding_of(clock, embedding_seconds))
    program = HypothesisDriven(
        ScriptedSearch({"": [f"Title {n}" for n in range(30)]}),
        model,
        scorer=EvidenceScorer(endpoint),
        sources=SourceRouter([shelf]),
        coverage=coverage,
    )
    runs: list[HypothesisRun] = []
    seconds: list[float] = []
    for claim in CLAIMS:
        before = clock.now
        runs.append(program(claim=claim).run)
        seconds.append(clock.now - before)
    return runs, seconds


@pytest.fixture(scope="module")
def measured() -> tuple[list[HypothesisRun], list[float]]:
    return runs_of()


def test_each_claim_costs_3_dollars_at_most(measured: tuple[list[HypothesisRun], list[float]]):
    for run in measured[0]:
        assert len(run.queries) == 11
        assert run.usage.n_calls == 2
        assert run.usage.input_tokens > 1000
        assert run.embedding.n_calls == 2 - (run is not measured[0][0])  # texts are embedded once
        assert run.cost_usd is not None
        assert 0 < run.embedding.cost_usd < run.cost_usd <= MOST_USD
        assert run.cost_usd == pytest.approx(run.usage.cost_usd + run.embedding.cost_usd)


def test_the_median_claim_takes_a_minute_more_at_most_than_filling_gaps(
    measured: tuple[list[HypothesisRun], list[float]],
):
    gaps, baseline = runs_of(coverage=0.0)
    assert {run.winner_kind for run in gaps} == {"claim"}
    more = median(measured[1]) - median(baseline)
    assert 0 < more <= MOST_SECONDS_MORE


@pytest.mark.parametrize(
    ("seconds", "scored_by", "fallbacks"),
    [(0.5, "semantic", 0), (3.0, "semantic", 0), (3.1, "overlap", 1), (900.0, "overlap", 1)],
)
def test_embedding_ends_within_3_seconds_or_words_stand_in(
    seconds: float, scored_by: str, fallbacks: int
):
    runs, took = runs_of(embedding_seconds=seconds)
    plain = runs_of(embedding_seconds=0.0)[1]
    for run in runs:
        assert (run.scored_by, run.fallbacks) == (scored_by, fallbacks)
    n_asked = 2  # for what papers are followed, and for what the answer is
    assert max(a - b for a, b in zip(took, plain, strict=True)) <= n_asked * EMBEDDING_SECONDS
