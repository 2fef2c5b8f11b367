"""Schemathesis feeds the API what its own description allows, and what it does not."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from hippohover.retrieval.engine import HippoHover
from hippohover.web.server import ServerSettings, make_app
from hippohover.web.service import Service

HOST = {"Host": "127.0.0.1"}
OPERATIONS = [
    ("GET", "/healthz"),
    ("GET", "/v1/index"),
    ("POST", "/v1/answer"),
    ("POST", "/v1/explain"),
    ("POST", "/v1/retrieve"),
    ("POST", "/v1/verify"),
]


@pytest.fixture(scope="module")
def described(toy_engine: HippoHover) -> schemathesis.BaseSchema:
    app = make_app(Service(toy_engine), ServerSettings(max_body_bytes=4 * 2**20))
    return schemathesis.openapi.from_asgi("/openapi.json", app, headers=HOST)


def test_every_operation_is_fed(described: schemathesis.BaseSchema):
    paths = described.raw_schema["paths"]
    assert sorted((how.upper(), path) for path in paths for how in paths[path]) == OPERATIONS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        *((*operation, GenerationMode.POSITIVE) for operation in OPERATIONS),
        *((*one, GenerationMode.NEGATIVE) for one in OPERATIONS if one[0] == "POST"),
    ],
)
def test_the_api_is_as_it_is_described(
    described: schemathesis.BaseSchema, method: str, path: str, mode: GenerationMode
):
    operation = described[path][method]

    @settings(max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    @given(case=operation.as_strategy(generation_mode=mode))
    def fed(case: "schemathesis.Case[Any]") -> None:
        case.call_and_validate(headers=HOST)

    fed()
