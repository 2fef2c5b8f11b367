"""Schemathesis feeds the API what its own description allows, and what it does not."""

from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings

from hippohover.retrieval.engine import HippoHover
from hippohover.web.server import ServerSettings, make_app
from hippohover.web.service import Service

HOST = {"Host": "127.0.0.1"}
OPERATIONS = [
    ("GET", "/healthz"),
    ("GET", "/v1/documents"),
    ("GET", "/v1/index"),
    ("GET", "/v1/themes"),
    ("POST", "/v1/answer"),
    ("POST", "/v1/explain"),
    ("POST", "/v1/retrieve"),
    ("POST", "/v1/verify"),
]


@pytest.fixture(scope="module")
def app(toy_engine: HippoHover) -> FastAPI:
    return make_app(Service(toy_engine), ServerSettings(max_body_bytes=4 * 2**20))


def test_every_operation_is_fed(app: FastAPI):
    paths = app.openapi()["paths"]
    assert sorted((how.upper(), path) for path in paths for how in paths[path]) == OPERATIONS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        *((*operation, "positive") for operation in OPERATIONS),
        *((*operation, "negative") for operation in OPERATIONS if operation[0] == "POST"),
    ],
)
def test_the_api_is_as_it_is_described(app: FastAPI, method: str, path: str, mode: str):
    import schemathesis

    described = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HOST)
    inputs = described[path][method].as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @settings(max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    @given(case=inputs)
    def fed(case: "schemathesis.Case[Any]") -> None:
        case.call_and_validate(headers=HOST)

    fed()
