"""A question -> passages, a draft that cites them, and the verified draft."""

import math
from collections.abc import Callable, Sequence
from typing import Final

from hippohover.errors import UsageError
from hippohover.language_model.client import LanguageModel
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS, check_claim
from hippohover.verification.judging import Written, draft_answer
from hippohover.verification.signals import GeneratorMetadata
from hippohover.verification.verifier import Draft, Retrieve

PASSAGES_READ: Final = 8
MAX_SAMPLES: Final = 10


def write_draft(
    engine: HippoHover,
    model: LanguageModel,
    question: str,
    *,
    retrieve: Retrieve | None = None,
    retriever: str = "ppr",
    n_passages: int = PASSAGES_READ,
    n_samples: int = 0,
) -> Draft:
    """Write an answer to a question from what a retriever or a program finds.

    Parameters
    ----------
    retrieve : Retrieve, optional
        Where programs answer by name; the engine's own when not given.
    n_passages : int
        Best passages that the model reads, 1 to 12.
    n_samples : int
        Further answers, for the signals of consistency, 0 to 10; each is a call.

    Raises
    ------
    UsageError
        The question is blank or too long, a number is out of its range, or nothing was found.
    LanguageModelError
        There is no answer.
    """
    check_claim(question)
    if not 0 <= n_samples <= MAX_SAMPLES:
        raise UsageError(f"n_samples is {n_samples}: give 0 to {MAX_SAMPLES}")
    if not 1 <= n_passages <= 12:
        raise UsageError(f"n_passages is {n_passages}: give 1 to 12")
    retrieval = (retrieve or engine.retrieve)(question[:MAX_CLAIM_CHARS], n_passages, retriever)
    if not retrieval.passages:
        raise UsageError("nothing was found for the question: the index knows none of its words")
    passages: tuple[RankedPassage, ...] = retrieval.passages
    written = draft_answer(model, question, passages)
    samples = [
        draft_answer(model, question, passages, sample=number).text
        for number in range(1, n_samples + 1)
    ]
    return Draft(written.text, question, passages, metadata_of(written), tuple(samples))


def metadata_of(written: Written) -> Callable[[tuple[int, int]], GeneratorMetadata]:
    """Map characters of a written text, (start, stop), to the model's data on its tokens."""
    spans = _token_spans(written)
    reason = "the model gave no log-probabilities"
    if written.tokens and not spans:
        reason = "the tokens that the model reported do not spell its answer"
    if any(token.log_probability > 0 for token in written.tokens):
        spans, reason = [], "the model reported a log-probability above 0"

    def of_span(span: tuple[int, int]) -> GeneratorMetadata:
        at = [
            number
            for number, (start, stop) in enumerate(spans)
            if start < span[1] and span[0] < stop
        ]
        tokens = [written.tokens[number] for number in at]
        return GeneratorMetadata(
            log_probabilities=tuple(token.log_probability for token in tokens),
            entropies=tuple(
                entropy_of(token.alternatives) for token in tokens if token.alternatives
            ),
            reason=reason,
        )

    return of_span


def entropy_of(alternatives: Sequence[float]) -> float:
    """Return the entropy in nats of a token's alternatives, from their ln p.

    What these leave of the probability counts as one more, so this is a lower bound.
    """
    shares = [math.exp(log_probability) for log_probability in alternatives]
    rest = max(1.0 - sum(shares), 0.0)
    return -sum(share * math.log(share) for share in (*shares, rest) if share > 0)


def _token_spans(written: Written) -> Sequence[tuple[int, int]]:
    """Return where each token is in the text; none where the tokens do not spell it."""
    spelled = "".join(token.text for token in written.tokens)
    begin = spelled.find(written.text)
    if begin < 0:
        return []
    spans: list[tuple[int, int]] = []
    at = -begin
    for token in written.tokens:
        spans.append((at, at + len(token.text)))
        at += len(token.text)
    return spans
