"""Evidence: similarity within a time limit, support by hand, the blend for choices."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.errors import BudgetError, HippoHoverError, ModelError, UsageError
from hippohover.language_model.embedding_endpoint import EmbeddingEndpoint, EmbeddingSettings
from hippohover.language_model.ledger import Budget, Ledger
from hippohover.programs.evidence_scoring import (
    CACHE_SIZE,
    EvidenceScorer,
    Support,
    blend_mcq_scores,
    hypothesis_evidence_aggregator,
    overlaps,
)


class Letters:
    """Unit vectors of how often the letters a to d stand in a text; counts what it encodes."""

    def __init__(self, held_by: threading.Event | None = None) -> None:
        self.held_by = held_by
        self.encoded: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.held_by is not None:
            self.held_by.wait(60)
        self.encoded += texts
        rows = np.array([[text.count(c) for c in "abcd"] for text in texts], np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def test_passages_of_most_overlap_are_scored_by_cosine():
    passages = ["dddd", "aa x", "b y", "x y a"]
    scores = EvidenceScorer(Letters()).passage_embed_score(passages, ["x a", "b"], n=3)
    # Overlap with the closer hypothesis: "b y" 1, "x y a" 1, "aa x" 1/2, "dddd" 0.
    assert scores.rows.tolist() == [2, 3, 1]
    assert scores.kind == "semantic"
    assert scores.similarities == pytest.approx(np.array([[0, 1], [1, 0], [1, 0]]))


def test_texts_are_encoded_once_and_512_are_kept():
    encode = Letters()
    scorer = EvidenceScorer(encode)
    scorer.passage_embed_score(["a", "b"], ["a"])
    assert encode.encoded == ["a", "b"]
    scorer.passage_embed_score(["b", "c"], ["a"])
    assert encode.encoded == ["a", "b", "c"]
    for number in range(CACHE_SIZE):
        scorer.passage_embed_score([f"d{number}"], ["d0"])
    scorer.passage_embed_score(["c"], ["d0"])
    assert encode.encoded.count("c") == 2  # it was let go


def test_an_encoder_that_takes_too_long_gives_way_to_overlap():
    free = threading.Event()
    scorer = EvidenceScorer(Letters(held_by=free), timeout_seconds=0.05)
    scores = scorer.passage_embed_score(["a b", "c"], ["a b c"])
    free.set()
    assert scores.kind == "overlap"
    assert scores.similarities.tolist() == [[2 / 3], [1 / 3]]


def test_a_measurement_fails_rather_than_differ():
    def broken(texts: Sequence[str]) -> NDArray[np.float32]:
        raise ModelError("the model is gone")

    free = threading.Event()
    late = EvidenceScorer(Letters(held_by=free), timeout_seconds=0.05, on_timeout="fail")
    with pytest.raises(HippoHoverError, match=r"encoding 2 texts took more than 0\.05 s"):
        late.passage_embed_score(["a"], ["b"])
    free.set()
    with pytest.raises(HippoHoverError, match="the model is gone"):
        EvidenceScorer(broken, on_timeout="fail").passage_embed_score(["a"], ["b"])
    found = EvidenceScorer(broken).passage_embed_score(["a"], ["b"])
    assert (found.kind, found.failure[:24]) == ("overlap", "encoding 2 texts failed ")


@pytest.mark.parametrize("error", [ConnectionError("cut"), RuntimeError("broken"), None])
def test_an_encoder_that_fails_gives_way_to_overlap(error: Exception | None):
    def broken(texts: Sequence[str]) -> NDArray[np.float32]:
        if error is not None:
            raise error
        return np.ones((len(texts) - 1, 2), np.float32)

    assert EvidenceScorer(broken).passage_embed_score(["a b"], ["a"]).kind == "overlap"
    with pytest.raises(
        HippoHoverError, match=r"encoding 2 texts failed \(\w+: (cut|broken|gave 1 rows)"
    ):
        EvidenceScorer(broken, on_timeout="fail").passage_embed_score(["a b"], ["a"])


def test_without_an_encoder_overlap_alone_is_measured():
    scores = EvidenceScorer(None).passage_embed_score(["Ada Finch sang.", ""], ["Finch, Ada"])
    assert (scores.kind, scores.similarities.tolist()) == ("overlap", [[1.0], [0.0]])
    assert EvidenceScorer(None).passage_embed_score([], ["a"]).similarities.shape == (0, 1)
    with pytest.raises(UsageError, match="hypotheses are empty"):
        EvidenceScorer(None).passage_embed_score(["a"], [])


def test_support_by_hand():
    similarities = np.array([[0.8, 0.1], [0.7, 0.2], [0.1, 0.1]])
    confirms = np.array([[True, False], [False, False], [False, True]])
    falsifies = np.array([[False, False], [True, True], [True, False]])
    found = hypothesis_evidence_aggregator(
        similarities, np.array([1.5, 1.0, 1.0]), confirms=confirms, falsifies=falsifies
    )
    # 0.8 * 1.5 + 0.7 + 0.1 - 0.15 (0.7 > 0.6; 0.1 is not); 0.15 + 0.2 + 0.1
    assert found.net == pytest.approx([1.85, 0.45])
    assert (found.best, found.has_consensus) == (0, True)
    assert found.confirm_hits.tolist() == [1, 1]
    assert found.falsify_hits.tolist() == [2, 1]


def test_there_is_no_consensus_where_the_second_has_half_or_where_nothing_speaks():
    none = np.zeros((1, 2), bool)
    half = hypothesis_evidence_aggregator(
        np.array([[1.0, 0.5]]), np.ones(1), confirms=none, falsifies=none
    )
    assert (half.has_consensus, half.net.tolist()) == (False, [1.0, 0.5])
    nothing = hypothesis_evidence_aggregator(
        np.zeros((0, 2)), np.ones(0), confirms=none[:0], falsifies=none[:0]
    )
    assert (nothing.best, nothing.has_consensus, nothing.net.tolist()) == (0, False, [0.0, 0.0])


def support_of(*net: float) -> Support:
    none = np.zeros((1, len(net)), bool)
    return hypothesis_evidence_aggregator(
        np.array([net]), np.ones(1), confirms=none, falsifies=none
    )


@pytest.mark.parametrize(
    ("net", "confidence"),
    [
        ((2.0, 1.0), 0.9 * 2 / 3 + 0.05),  # twice, not more: no consensus
        ((2.1, 1.0), 0.9 * 2.1 / 3.1 + 0.05 + 0.08),
        ((2.1, 1.0, 1.0), 0.9 * 2.1 / 4.1 + 0.05 + 0.08),
        ((3.0, -1.0), 1.0),  # 0.9 + 0.05 + 0.08, and no more than 1
        ((0.0, 0.0), 0.05),
        ((1.0,), 0.0),  # alone it is above nobody
    ],
)
def test_confidence_is_the_share_of_the_best_and_at_most_8_points_for_consensus(
    net: tuple[float, ...], confidence: float
):
    assert support_of(*net).confidence == pytest.approx(confidence)


def test_shapes_that_differ_are_refused():
    good = np.zeros((2, 3), bool)
    with pytest.raises(UsageError, match=r"similarities of shape \(2, 3\)"):
        hypothesis_evidence_aggregator(np.zeros((2, 3)), np.ones(3), confirms=good, falsifies=good)
    with pytest.raises(UsageError, match="give"):
        hypothesis_evidence_aggregator(
            np.zeros((2, 0)), np.ones(2), confirms=good[:, :0], falsifies=good[:, :0]
        )


def test_the_blend_for_choices():
    assert blend_mcq_scores([0.2, 0.8]) == [0.2, 0.8]
    assert blend_mcq_scores([0.2, 0.8], [3.0, 1.0]) == pytest.approx([0.44, 0.56])
    assert blend_mcq_scores([0.2, 0.8], [1.0, 1.0]) == pytest.approx([0.29, 0.71])
    assert blend_mcq_scores([], []) == []
    with pytest.raises(UsageError, match="2 model scores and 1 semantic"):
        blend_mcq_scores([0.1, 0.2], [1.0])


@given(st.lists(st.text(max_size=20), max_size=4), st.lists(st.text(max_size=20), max_size=4))
def test_overlap_is_a_share(passages: list[str], hypotheses: list[str]):
    found = overlaps(passages, hypotheses)
    assert found.shape == (len(passages), len(hypotheses))
    assert bool(np.all((found >= 0) & (found <= 1)))


def endpoint(*, fails: bool = False, calls: list[int] | None = None, cap: int | None = None):
    def post(*, input: list[str], **_: Any) -> dict[str, Any]:  # noqa: ANN401
        (calls if calls is not None else []).append(len(input))
        if fails:
            raise TimeoutError("no answer in 3 s")
        data = [{"index": i, "embedding": row} for i, row in enumerate(Letters()(input).tolist())]
        return {"data": data, "usage": {"total_tokens": 100}}

    settings = EmbeddingSettings(name="openai/stub", usd_per_million_tokens=1.0)
    return EmbeddingEndpoint(settings, post=post, ledger=Ledger(Budget(max_calls=cap)))


def test_a_service_scores_as_an_encoder_does_and_tells_what_it_took():
    calls: list[int] = []
    scorer = EvidenceScorer(endpoint(calls=calls))
    scores = scorer.passage_embed_score(["aa x", "b y"], ["x a", "b"])
    plain = EvidenceScorer(Letters()).passage_embed_score(["aa x", "b y"], ["x a", "b"])
    assert scores.kind == "semantic"
    assert scores.similarities == pytest.approx(plain.similarities)
    assert (scores.usage.input_tokens, scores.usage.cost_usd) == (100, pytest.approx(0.0001))
    assert scorer.passage_embed_score(["aa x"], ["b"]).usage == plain.usage  # all are kept
    assert calls == [4]


def test_a_service_that_fails_gives_way_to_overlap_but_a_cap_does_not():
    scorer = EvidenceScorer(endpoint(fails=True))
    scores = scorer.passage_embed_score(["aa x"], ["x a"])
    assert (scores.kind, scores.usage.n_requests, scorer.encodes) == ("overlap", 0, True)
    with pytest.raises(BudgetError, match="max_calls = 0 is reached"):
        EvidenceScorer(endpoint(cap=0)).passage_embed_score(["aa x"], ["x a"])
