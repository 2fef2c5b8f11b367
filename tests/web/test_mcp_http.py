"""The tools over HTTP: as over stdio, behind the server's token and away from other sites."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from hippohover.evaluation.hover import load_claims
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path
from hippohover.web.server import ServerSettings, make_app
from hippohover.web.service import Service

CLAIM = load_claims(toy_claims_path())[6].claim
TOKEN = "secret"  # noqa: S105
LOCAL = "http://127.0.0.1"
HEADERS = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def client(toy_engine: HippoHover) -> Iterator[TestClient]:
    app = make_app(Service(toy_engine), ServerSettings(token=TOKEN))
    with TestClient(app, base_url=LOCAL) as made:
        yield made


def asked(client: TestClient, method: str, params: dict[str, Any], **headers: str) -> Any:  # noqa: ANN401
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return client.post("/mcp", json=body, headers=HEADERS | headers)


def test_a_tool_answers_as_the_engine_does(client: TestClient, toy_engine: HippoHover):
    call = {"name": "search", "arguments": {"question": CLAIM, "k": 3}}
    result = asked(client, "tools/call", call).json()["result"]
    found = json.loads(result["content"][0]["text"])["passages"]
    assert [one["pid"] for one in found] == [
        one.pid for one in toy_engine.retrieve(CLAIM, 3).passages
    ]


def test_nothing_over_http_writes(client: TestClient):
    tools = asked(client, "tools/list", {}).json()["result"]["tools"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer other"}, 401),
        ({"Authorization": ""}, 401),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": LOCAL}, 200),
        ({"Host": "elsewhere.example"}, 400),
    ],
)
def test_who_may_ask(client: TestClient, headers: dict[str, str], status: int):
    assert asked(client, "tools/list", {}, **headers).status_code == status


def test_only_a_post_is_a_message(client: TestClient):
    assert client.get("/mcp", headers=HEADERS).status_code == 405
    broken = client.post(
        "/mcp", content="{", headers={**HEADERS, "Content-Type": "application/json"}
    )
    assert broken.json()["error"]["code"] == -32700
