"""Bodies of the HTTP API: what is taken and what is refused, without a server."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval.where import Condition
from hippohover.web.schemas import AnswerRequest, RetrieveRequest, VerifyRequest, Where


def test_what_is_not_said_has_a_default():
    asked = RetrieveRequest.model_validate({"claim": "Isk is old."})
    assert (asked.k, asked.retriever, asked.where) == (MAX_RANKED_PASSAGES, "ppr", [])
    assert AnswerRequest.model_validate({"question": "Who?"}).n_samples == 0


@pytest.mark.parametrize("k", [21, 21.0, 1])
def test_a_whole_number_is_one_however_it_is_written(k: float):
    assert RetrieveRequest.model_validate({"claim": "x", "k": k}).k == int(k)


@pytest.mark.parametrize(
    ("model", "body"),
    [
        *((RetrieveRequest, {"claim": "x", "k": k}) for k in (20.5, "3", True, 0, 22, None)),
        *((RetrieveRequest, {"claim": claim}) for claim in ("", " ", "\n\x1f\u2003", 3, None)),
        (RetrieveRequest, {"claim": "x", "retriever": "magic"}),
        (RetrieveRequest, {"claim": "x", "where": [{"field": "title", "values": []}]}),
        (RetrieveRequest, {"claim": "x", "where": [{"field": "a", "values": ["1"], "order": "="}]}),
        (RetrieveRequest, {"claim": "x", "K": 3}),
        (VerifyRequest, {"text": "\t"}),
        (VerifyRequest, {"text": "x", "whole": 1}),
    ],
)
def test_what_is_refused(model: type[BaseModel], body: dict[str, Any]):
    with pytest.raises(ValidationError):
        model.model_validate(body)


def test_a_condition_is_the_engines():
    where = Where.model_validate({"field": "title", "values": ["Isk", "Ort"], "prefix": True})
    assert where.condition() == Condition("title", frozenset({"Isk", "Ort"}), True)
    where = Where.model_validate({"field": "year", "values": ["1901"], "order": "<="})
    assert where.condition() == Condition("year", frozenset({"1901"}), order="<=")
