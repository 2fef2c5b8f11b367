"""A draft from a language model over a real socket: what it cites, how sure it was, failures."""

import json
import math
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import ReplyError, UsageError
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import LanguageModelSettings
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.answer import entropy_of, metadata_of, write_draft
from hippohover.verification.judging import Token, Written
from hippohover.verification.verifier import Verifier
from tests.stub_server import Reply, chat, completion, send, serving

QUESTION = "Where was Mira Oldane raised?"
ANSWER = "Mira Oldane was raised above a bakery. [1] She was tall."


@pytest.fixture
def engine(encoded_toy_index: Path) -> HippoHover:
    return HippoHover.open(encoded_toy_index)


def settings(base: str) -> LanguageModelSettings:
    return LanguageModelSettings(name="openai/stub", api_base=base)


def with_tokens(text: str, tokens: list[str]) -> Callable[[BaseHTTPRequestHandler], None]:
    """A reply whose tokens have ln p = -0.1 and one alternative of ln p = -3."""
    body = json.loads(completion(text))
    body["choices"][0]["logprobs"] = {
        "content": [
            {
                "token": token, "logprob": -0.1, "bytes": None,
                "top_logprobs": [{"token": token, "logprob": -0.1, "bytes": None},
                                 {"token": "x", "logprob": -3.0, "bytes": None}],
            }
            for token in tokens
        ]
    }  # fmt: skip
    content = json.dumps(body).encode()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        send(handler, content)

    return reply


def test_a_draft_is_written_from_what_is_found_and_verified(engine: HippoHover):
    text = chat("", answer=ANSWER)
    tokens = [text[at : at + 4] for at in range(0, len(text), 4)]
    with serving([with_tokens(text, tokens)]) as stub:
        with open_language_model(settings(stub.api_base)) as model:
            draft = write_draft(engine, model, QUESTION)
            again = write_draft(engine, model, QUESTION)
        [asked] = stub.requests
    assert (asked["logprobs"], asked["top_logprobs"]) == (True, 5)
    assert draft.text == again.text == ANSWER
    assert draft.passages is not None
    assert len(draft.passages) == 8
    assert f"[1] {draft.passages[0].title}" in asked["messages"][-1]["content"]
    found = Verifier(engine).verify(draft)
    first = found.verified_claims[0].confidence_breakdown
    assert first["entropy_score"]["value"] == pytest.approx(0.1)
    p, q = math.exp(-0.1), math.exp(-3)
    entropy = -p * math.log(p) - q * math.log(q) - (1 - p - q) * math.log(1 - p - q)
    assert first["mean_entropy"]["value"] == pytest.approx(entropy)
    assert first["citation_integrity"]["value"] is not None
    kept = Verifier(engine).verify(again).verified_claims[0].confidence_breakdown
    assert kept["entropy_score"] == first["entropy_score"]  # the cache keeps them


def test_a_server_that_knows_no_log_probabilities_is_asked_without(engine: HippoHover):
    def answer(body: dict[str, Any]) -> Reply:
        return 400 if "logprobs" in body else chat("", answer=ANSWER)

    with serving(answer=answer) as stub, open_language_model(settings(stub.api_base)) as model:
        found = Verifier(engine).verify(write_draft(engine, model, QUESTION))
    reading = found.verified_claims[0].confidence_breakdown["entropy_score"]
    assert reading == {"value": None, "reason": "the model gave no log-probabilities"}


def test_samples_are_asked_for_one_by_one(engine: HippoHover):
    replies = [chat("", answer=text) for text in (ANSWER, "Above a bakery.", "Nobody knows.")]
    with serving(list(replies)) as stub, open_language_model(settings(stub.api_base)) as model:
        draft = write_draft(engine, model, QUESTION, n_samples=2)
        temperatures = [request["temperature"] for request in stub.requests]
    assert draft.samples == ("Above a bakery.", "Nobody knows.")
    assert len(set(temperatures)) == 3
    breakdown = Verifier(engine).verify(draft).verified_claims[0].confidence_breakdown
    assert 0 < (breakdown["consistency_score"]["value"] or 0) < 1  # pyright: ignore


def test_what_cannot_be_answered(engine: HippoHover):
    with (
        serving([chat("", answer=" ")]) as stub,
        open_language_model(settings(stub.api_base)) as model,
    ):
        with pytest.raises(ReplyError, match="empty answer"):
            write_draft(engine, model, QUESTION)
        with pytest.raises(UsageError, match="n_samples is 11"):
            write_draft(engine, model, QUESTION, n_samples=11)
        with pytest.raises(UsageError, match="n_passages is 0"):
            write_draft(engine, model, QUESTION, n_passages=0)
        with pytest.raises(UsageError, match="claim is empty"):
            write_draft(engine, model, " ")
        with pytest.raises(UsageError, match="nothing was found"):
            write_draft(engine, model, "qqqq", retriever="bm25")


def test_tokens_that_do_not_spell_the_text_say_nothing():
    of_span = metadata_of(Written("Isk is old.", (Token("Other", -1.0),)))
    assert of_span((0, 3)).log_probabilities == ()
    spelled = metadata_of(
        Written("Isk is", (Token(">> ", -9.0), Token("Isk", -1.0), Token(" is", -2.0, (-2.0,))))
    )
    assert spelled((0, 3)).log_probabilities == (-1.0,)
    assert spelled((0, 6)).log_probabilities == (-1.0, -2.0)
    assert len(spelled((0, 6)).entropies) == 1


def test_entropy_counts_what_is_left_as_one_more():
    assert entropy_of([0.0]) == 0.0
    assert entropy_of([math.log(0.5)]) == pytest.approx(math.log(2))
    assert entropy_of([math.log(0.25)] * 4) == pytest.approx(math.log(4))


def test_tokens_that_say_nothing_of_the_text_say_why():
    apart = metadata_of(Written("Isk is old.", (Token("Other", -1.0),)))((0, 3))
    assert (apart.log_probabilities, apart.reason) == (
        (), "the tokens that the model reported do not spell its answer"
    )  # fmt: skip
    odd = metadata_of(Written("Isk", (Token("Isk", 0.3),)))((0, 3))
    assert (odd.log_probabilities, odd.reason) == (
        (),
        "the model reported a log-probability above 0",
    )
    none = metadata_of(Written("Isk"))((0, 3))
    assert none.reason == "the model gave no log-probabilities"
