"""What a language model does for verification: judges, drafts, splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import dspy

from hippohover.errors import ReplyError, RequestRefusedError
from hippohover.language_model.client import LanguageModel, Token
from hippohover.records import RankedPassage
from hippohover.verification.payloads import Nli

_MAX_SENTENCES: Final = 12
_MAX_WORDS: Final = 60
_MAX_REPLY_TOKENS: Final = 512
_TELL_TOKENS: Final = {"logprobs": True, "top_logprobs": 5}


class JudgeClaim(dspy.Signature):
    """Say what the evidence says of the claim, by the evidence alone.

    "supported": it states every part of the claim, if need be over several sentences.
    "contradicted": it states something that cannot be true if the claim is.
    "open": neither.
    """

    evidence: str = dspy.InputField(desc="Numbered sentences, each behind its document's title")
    claim: str = dspy.InputField()
    verdict: Literal["supported", "contradicted", "open"] = dspy.OutputField()


class AnswerWithCitations(dspy.Signature):
    """Answer the question by the documents alone, in a few plain sentences.

    After each sentence cite the documents that say it, by their numbers in brackets, as in [2].
    When they do not tell, say so.
    """

    documents: str = dspy.InputField(desc="Numbered documents")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField()


class SplitIntoClaims(dspy.Signature):
    """Copy from the text each part that states one fact, word for word, in order."""

    text: str = dspy.InputField()
    parts: list[str] = dspy.OutputField(desc="Parts of the text, unchanged")


class LanguageModelNli:
    """Judges by one call per claim: the verdict on all sentences, with the model's certainty.

    A single verdict has no probabilities: it is given as 1 for what was said and 0 for the rest.

    Parameters
    ----------
    model : LanguageModel
    """

    by_sentence = False

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._judge = dspy.Predict(JudgeClaim)
        self.name = f"judged by {model.name}"

    def judge(self, sentences: Sequence[str], claim: str) -> tuple[Nli, ...]:
        """Judge all of the evidence at once, of which the first 12 sentences are read.

        Raises
        ------
        LanguageModelError
            There is no answer, or none of the three verdicts.
        """
        evidence = numbered(sentences[:_MAX_SENTENCES])
        answer, _ = _asked(self._model, "verify", self._judge, evidence=evidence, claim=claim)
        verdict: str = answer.verdict
        return (
            Nli(
                entail=float(verdict == "supported"),
                contradict=float(verdict == "contradicted"),
                neutral=float(verdict == "open"),
            ),
        )


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a model wrote, and the tokens of its reply, if it reports them."""

    text: str
    tokens: tuple[Token, ...] = ()


def draft_answer(
    model: LanguageModel, question: str, passages: Sequence[RankedPassage], *, sample: int = 0
) -> Written:
    """Draft an answer that cites passages by their numbers, from 1.

    The ``sample``-th further answer is drawn at temperature 1.

    Raises
    ------
    LanguageModelError
        There is no answer, or an empty one.
    """
    texts = [f"{passage.title}. {passage.text}" for passage in passages[:_MAX_SENTENCES]]
    predict = dspy.Predict(AnswerWithCitations)
    documents = numbered(texts)
    # The cache would give each sample the same reply to the same request.
    config: Mapping[str, Any] = {"temperature": 1.0 - sample / 1000} if sample else _TELL_TOKENS
    try:
        answer, tokens = _asked(
            model, "answer", predict, config=config, documents=documents, question=question
        )
    except RequestRefusedError:
        if sample:
            raise
        answer, tokens = _asked(model, "answer", predict, documents=documents, question=question)
    text = str(answer.answer or "").encode("utf-8", "ignore").decode().strip()
    if not text:
        raise ReplyError(f"{model.name} gave an empty answer")
    return Written(text, tokens)


def parts_by_model(model: LanguageModel, text: str) -> list[str]:
    """Return the parts of a text that state one fact each, as a model copies them."""
    answer, _ = _asked(model, "split", dspy.Predict(SplitIntoClaims), text=text)
    parts: list[str] = answer.parts or []
    return parts


def numbered(texts: Sequence[str]) -> str:
    """Write texts for a prompt: one per line, numbered, 60 words at most."""
    lines = [
        f"[{number}] {' '.join(text.split()[:_MAX_WORDS])}"
        for number, text in enumerate(texts, start=1)
    ]
    return "\n".join(lines)


def _asked(
    model: LanguageModel,
    stage: str,
    predict: dspy.Predict,
    *,
    config: Mapping[str, Any] | None = None,
    **inputs: str,
) -> tuple[Any, tuple[Token, ...]]:
    """Return the answer, and the tokens of its reply."""
    with model.asking(stage) as asking:
        answer = predict(config={"max_tokens": _MAX_REPLY_TOKENS, **(config or {})}, **inputs)
        asking.keep()
    return answer, asking.tokens
