"""Passages and hypotheses -> each passage's support of each hypothesis, and the winner."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTimeError
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import BudgetError, HippoHoverError, UsageError, in_a_line
from hippohover.language_model.embedding_endpoint import EmbeddingEndpoint
from hippohover.language_model.ledger import Usage
from hippohover.names.normal_forms import tokens

Encode: TypeAlias = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to unit rows, shape (len(texts), dim)."""

CACHE_SIZE: Final = 512
N_SCORED: Final = 30
TIMEOUT_SECONDS: Final = 3.0
FALSIFY_PENALTY: Final = 0.15
FALSIFY_SIMILARITY: Final = 0.6
CONSENSUS_BONUS: Final = 0.08
MODEL_SHARE: Final = 0.7
_SHARE_WEIGHT: Final = 0.9
_AGREEMENT_WEIGHT: Final = 0.05


@dataclass(frozen=True)
class EvidenceScores:
    """Similarity of passages and hypotheses.

    Attributes
    ----------
    rows : ndarray of int64, shape (n_scored,)
        Places of the scored passages, those with most overlap, in that order.
    similarities : ndarray of float64, shape (n_scored, n_hypotheses)
        Cosine, or share of shared tokens, by ``kind``.
    kind : {"semantic", "overlap"}
    usage : Usage
        Cost of a service.
    failure : str
        Why overlap replaced vectors; "" if there is no encoder, or it succeeded.
    """

    rows: NDArray[np.int64]
    similarities: NDArray[np.float64]
    kind: Literal["semantic", "overlap"]
    usage: Usage = field(default_factory=Usage)
    failure: str = ""


class _NoVectorsError(Exception):
    """Encoding failed, or took too long; overlap of words replaces it."""


class EvidenceScorer:
    """Scores passages against hypotheses; keeps the vectors of the last 512 texts.

    Parameters
    ----------
    encode : callable or EmbeddingEndpoint, optional
        An encoder of this machine, or a service. Without one, only overlap is measured.
    timeout_seconds : float
        Longest time that encoding may take.
    on_timeout : {"overlap", "fail"}
        What follows if it takes longer, or fails: overlap of tokens; or an error, for measurements
        that must be repeatable.
    """

    def __init__(
        self,
        encode: Encode | EmbeddingEndpoint | None,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        on_timeout: Literal["overlap", "fail"] = "overlap",
    ) -> None:
        self._encode = encode
        self.timeout_seconds = timeout_seconds
        self.on_timeout: Literal["overlap", "fail"] = on_timeout
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Return itself: DSPy's optimizers copy programs, and what is kept serves all of them."""
        return self

    @property
    def encodes(self) -> bool:
        """Whether it compares by similarity where it can."""
        return self._encode is not None

    def passage_embed_score(
        self, passages: Sequence[str], hypotheses: Sequence[str], *, n: int = N_SCORED
    ) -> EvidenceScores:
        """Score the ``n`` passages of most overlap with any hypothesis against all of them.

        Raises
        ------
        UsageError
            There is no hypothesis.
        HippoHoverError
            Encoding took too long or failed, and ``on_timeout`` is "fail".
        """
        if not hypotheses:
            raise UsageError("hypotheses are empty: give one or more to score passages against")
        overlap = overlaps(passages, hypotheses)
        rows = np.argsort(-overlap.max(axis=1, initial=0.0), kind="stable")[:n]
        if self._encode is None or not len(rows):
            return EvidenceScores(rows, overlap[rows], "overlap")
        texts = [*(passages[int(row)] for row in rows), *hypotheses]
        usage = Usage()
        try:
            vectors, usage = self._vectors(texts)
        except _NoVectorsError as error:
            return EvidenceScores(rows, overlap[rows], "overlap", failure=str(error))
        similarities = vectors[: len(rows)] @ vectors[len(rows) :].T
        return EvidenceScores(rows, similarities.astype(np.float64), "semantic", usage)

    def _vectors(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], Usage]:
        """Return unit rows, cached ones without encoding, and the time it took."""
        keys = [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        usage = Usage()
        if new:
            rows, usage = self._in_time(list(new.values()))
            known |= dict(zip(new, rows, strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = known[key]
                self._kept.move_to_end(key)
            while len(self._kept) > CACHE_SIZE:
                self._kept.popitem(last=False)
        return np.stack([known[key] for key in keys]), usage

    def _in_time(self, texts: list[str]) -> tuple[NDArray[np.float32], Usage]:
        pool = ThreadPoolExecutor(1)
        try:
            rows, usage = pool.submit(self._embedded, texts).result(timeout=self.timeout_seconds)
            if len(rows) != len(texts):
                raise ValueError(f"gave {len(rows)} rows")
            return rows, usage
        except BudgetError:
            raise
        except Exception as error:  # an encoder may be anybody's
            late = isinstance(error, NotInTimeError)
            reason = (
                f"took more than {self.timeout_seconds:g} s"
                if late
                else f"failed ({in_a_line(error)})"
            )
            said = f"encoding {len(texts)} texts {reason}"
            if self.on_timeout == "fail":
                raise HippoHoverError(f"{said}: allow more time, or overlap instead") from error
            raise _NoVectorsError(said) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _embedded(self, texts: list[str]) -> tuple[NDArray[np.float32], Usage]:
        assert self._encode is not None  # noqa: S101
        if isinstance(self._encode, EmbeddingEndpoint):
            return self._encode.embed(texts)
        return self._encode(texts), Usage()


@dataclass(frozen=True)
class Support:
    """The support of each hypothesis by the evidence.

    Attributes
    ----------
    net : ndarray of float64, shape (n_hypotheses,)
        Sum of similarity times weight over the passages, minus 0.15 for each passage of a
        falsifying query that is closer than 0.6.
    confirm_hits, falsify_hits : ndarray of int64, shape (n_hypotheses,)
        Number of scored passages that its own queries of each intent found.
    best : int
        Hypothesis with the most support; the first of equal ones.
    has_consensus : bool
        Whether it has more than twice the support of the second.
    """

    net: NDArray[np.float64]
    confirm_hits: NDArray[np.int64]
    falsify_hits: NDArray[np.int64]
    best: int
    has_consensus: bool

    @property
    def confidence(self) -> float:
        """How certain the best one's lead is, in [0, 1].

            0.9 (share of the best in the support of all, as far as it is above 0)
            + 0.05 (agreement of an ensemble: of one model 1, which says nothing)
            + 0.08 if it has consensus

        It is 1 at most, and 0 if no other hypothesis competed. The agreement's other 0.05 of
        several models is in the consensus.
        """
        if len(self.net) < 2:
            return 0.0
        above = np.maximum(self.net, 0.0)
        share = float(above[self.best] / above.sum()) if above.any() else 0.0
        consensus = CONSENSUS_BONUS if self.has_consensus else 0.0
        return min(_SHARE_WEIGHT * share + _AGREEMENT_WEIGHT + consensus, 1.0)


def hypothesis_evidence_aggregator(
    similarities: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    confirms: NDArray[np.bool_],
    falsifies: NDArray[np.bool_],
) -> Support:
    """Compute the support of every hypothesis.

    Parameters
    ----------
    similarities : ndarray of float64, shape (n_passages, n_hypotheses)
    weights : ndarray of float64, shape (n_passages,)
        1.5 for a passage that states a quantity, else 1.
    confirms, falsifies : ndarray of bool, shape (n_passages, n_hypotheses)
        Whether a query of that intent for that hypothesis found the passage.

    Raises
    ------
    UsageError
        The shapes differ, or there is no hypothesis.
    """
    shape = similarities.shape
    if (
        len(shape) != 2
        or not shape[1]
        or (shape, shape, shape[:1]) != (confirms.shape, falsifies.shape, weights.shape)
    ):
        raise UsageError(
            f"similarities of shape {shape}, confirms {confirms.shape}, falsifies "
            f"{falsifies.shape}, weights {weights.shape}: give (n, m), (n, m), (n, m) and (n,)"
        )
    net = (similarities * weights[:, None]).sum(axis=0)
    net -= FALSIFY_PENALTY * (falsifies & (similarities > FALSIFY_SIMILARITY)).sum(axis=0)
    best = int(np.argmax(net))
    others = np.delete(net, best)
    consensus = bool(len(others) and net[best] > 0 and net[best] > 2 * others.max())
    return Support(net, confirms.sum(axis=0), falsifies.sum(axis=0), best, consensus)


def blend_mcq_scores(
    model_scores: Sequence[float], semantic_scores: Sequence[float] | None = None
) -> list[float]:
    """Blend scores of choices: 70 % the model's, 30 % the evidence's scaled to [0, 1].

    Without ``semantic_scores``, only the model's. ``UsageError`` if their numbers differ.
    """
    if semantic_scores is None:
        return list(model_scores)
    if len(model_scores) != len(semantic_scores):
        raise UsageError(
            f"{len(model_scores)} model scores and {len(semantic_scores)} semantic ones: give one "
            "of each a choice"
        )
    support = np.asarray(semantic_scores, dtype=np.float64)
    low, high = support.min(initial=np.inf), support.max(initial=-np.inf)
    scaled = (support - low) / (high - low) if high > low else np.full(len(support), 0.5)
    blended = MODEL_SHARE * np.asarray(model_scores) + (1 - MODEL_SHARE) * scaled
    return [float(score) for score in blended]


def overlaps(passages: Sequence[str], hypotheses: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of each hypothesis's tokens in a passage, shape (n, m)."""
    wanted = [set(tokens(text)[0]) for text in hypotheses]
    shares = np.zeros((len(passages), len(hypotheses)))
    for row, passage in enumerate(passages):
        held = set(tokens(passage)[0])
        shares[row] = [len(held & words) / len(words) if words else 0.0 for words in wanted]
    return shares
