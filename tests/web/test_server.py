"""The HTTP API: what it answers, what it refuses, and in which words."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from limits import parse
from starlette.testclient import TestClient
from starlette.types import Message

from hippohover.errors import BudgetError, IndexStoreError, LanguageModelError
from hippohover.evaluation.hover import load_claims
from hippohover.language_model.opening import open_language_model
from hippohover.overview.themes import themes
from hippohover.recipe import LanguageModelSettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from hippohover.toy import toy_claims_path
from hippohover.web import service as service_module
from hippohover.web.schemas import (
    Explained,
    IndexDescription,
    Retrieved,
    ThemesDescription,
    Verified,
    Where,
)
from hippohover.web.server import ServerSettings, make_app, status_of
from hippohover.web.service import Service
from tests.stub_server import chat, serving

FILE = Path(__file__).with_name("refusals.jsonl")
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
CLAIM = load_claims(toy_claims_path())[6].claim
LOCAL = "http://127.0.0.1"


@pytest.fixture(scope="module")
def service(toy_engine: HippoHover) -> Service:
    return Service(toy_engine)


@pytest.fixture(scope="module")
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(make_app(service), base_url=LOCAL) as made:
        yield made


def refused(client: TestClient, path: str, body: object, status: int) -> str:
    """The one line that a refusal has."""
    response = client.post(path, json=body)
    assert response.status_code == status, response.text
    assert list(response.json()) == ["detail"]
    detail: str = response.json()["detail"]
    assert "\n" not in detail
    return detail


def test_passages(client: TestClient, toy_engine: HippoHover):
    response = client.post("/v1/retrieve", json={"claim": CLAIM, "k": 3, "retriever": "bm25"})
    assert response.status_code == 200
    found = Retrieved.model_validate(response.json())
    wanted = toy_engine.retrieve(CLAIM, 3, "bm25").passages
    assert [(one.rank, one.pid) for one in found.passages] == [(o.rank, o.pid) for o in wanted]
    assert found.retriever == "bm25"


def test_who_hops_names_seeds_and_what_is_known(client: TestClient, toy_engine: HippoHover):
    first = toy_engine.retrieve(CLAIM, 1).passages[0]
    how: dict[str, Any] = {"seeds": ["Vessby"], "exclude": [first.pid]}
    found = client.post("/v1/retrieve", json={"claim": CLAIM, "k": 3, **how}).json()
    wanted = toy_engine.retrieve(CLAIM, 3, **how).passages
    assert [one["pid"] for one in found["passages"]] == [one.pid for one in wanted]
    assert "Vessby" in {seed["label"] for seed in found["seeds"]}
    assert "Zyxwv" in refused(client, "/v1/retrieve", {"claim": CLAIM, "seeds": ["Zyxwv"]}, 404)
    body = {"claim": CLAIM, "seeds": ["Vessby"], "retriever": "bm25"}
    assert "does not walk" in refused(client, "/v1/retrieve", body, 409)


@pytest.mark.parametrize("k", [21, 21.0, 1])
def test_a_whole_number_is_one_however_it_is_written(client: TestClient, k: float):
    asked = {"claim": CLAIM, "k": k}
    assert len(client.post("/v1/retrieve", json=asked).json()["passages"]) == int(k)


def test_k_and_retriever_have_defaults(client: TestClient):
    found = client.post("/v1/retrieve", json={"claim": CLAIM}).json()
    assert (len(found["passages"]), found["retriever"]) == (21, "ppr")


def test_conditions(client: TestClient):
    title = client.post("/v1/retrieve", json={"claim": CLAIM}).json()["passages"][4]["title"]
    where = [{"field": "title", "values": [title[:4]], "prefix": True}]
    found = client.post("/v1/retrieve", json={"claim": CLAIM, "where": where}).json()["passages"]
    assert title in [one["title"] for one in found]
    assert all(one["title"].startswith(title[:4]) for one in found)


def test_a_condition_is_the_engines():
    where = Where.model_validate({"field": "year", "values": ["1901"], "order": "<="})
    assert where.condition() == Condition("year", frozenset({"1901"}), order="<=")


def test_an_explanation(client: TestClient):
    first = client.post("/v1/retrieve", json={"claim": CLAIM}).json()["passages"][1]
    by_title = client.post("/v1/explain", json={"claim": CLAIM, "title": first["title"]})
    by_pid = client.post("/v1/explain", json={"claim": CLAIM, "pid": first["pid"]})
    assert Explained.model_validate(by_title.json()).rank == 2
    assert by_title.json() == by_pid.json()


def test_a_scope_and_its_explanation(client: TestClient, toy_engine: HippoHover):
    where = [{"field": "title", "values": ["L"], "prefix": True}]
    asked = {"claim": CLAIM, "where": where, "scope": "walk"}
    found = client.post("/v1/retrieve", json=asked).json()
    assert {one["title"][0] for one in found["passages"]} == {"L"}
    assert (
        found["seeds"]
        != client.post("/v1/retrieve", json={**asked, "scope": "answers"}).json()["seeds"]
    )
    second = found["passages"][1]
    told = client.post("/v1/explain", json={**asked, "pid": second["pid"]}).json()
    assert (told["rank"], told["score"], told["seeds"]) == (2, second["score"], found["seeds"])
    other = next(title for title in toy_engine.titles() if title[0] != "L")
    refusal = refused(client, "/v1/explain", {**asked, "title": other}, 404)
    assert "no passage that meets the conditions has the title" in refusal


def test_a_verification(client: TestClient):
    response = client.post("/v1/verify", json={"text": "Lantern Hill is a film. It is red."})
    found = Verified.model_validate(response.json())
    assert len(found.claims) == 2
    whole = client.post(
        "/v1/verify", json={"text": "Lantern Hill is a film. It is red.", "whole": True}
    )
    assert len(whole.json()["claims"]) == 1


def test_an_answer_is_that_of_the_model(toy_engine: HippoHover):
    with serving([chat("", answer="Lantern Hill is a film [1].")]) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        with (
            open_language_model(settings) as model,
            TestClient(make_app(Service(toy_engine, model=model)), base_url=LOCAL) as asking,
        ):
            response = asking.post("/v1/answer", json={"question": "What is Lantern Hill?"})
            described = asking.get("/v1/index").json()
    assert Verified.model_validate(response.json()).query.text == "What is Lantern Hill?"
    assert described["language_model"] == "openai/stub"


def test_the_index_and_the_health(client: TestClient):
    found = IndexDescription.model_validate(client.get("/v1/index").json())
    assert found.retrievers == ["ppr", "bm25"]
    assert client.get("/healthz").json() == {"status": "ok", "version": "v000001"}


def test_the_themes_are_those_of_the_index(client: TestClient, toy_index: Path):
    told = client.get("/v1/themes").json()
    assert ThemesDescription.model_validate(told)
    assert told == json.loads(json.dumps(themes(toy_index).as_dict()))


def test_themes_of_a_large_index_are_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(service_module, "_MOST_FOR_THEMES", 100)
    response = client.get("/v1/themes")
    assert response.status_code == 409
    assert (
        "245 passages are over the limit of 100: run hippohover inspect --communities"
        in response.json()["detail"]
    )


def test_lines_end_with_the_result(client: TestClient):
    response = client.post(
        "/v1/verify", json={"text": CLAIM}, headers={"Accept": "application/x-ndjson"}
    )
    assert response.headers["content-type"] == "application/x-ndjson"
    *before, last = [json.loads(line) for line in response.text.splitlines()]
    assert all(set(line) == {"stage", "done", "total"} for line in before)
    Verified.model_validate(last["result"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["names"])
def test_what_is_refused_says_why(client: TestClient, row: dict[str, Any]):
    """``refusals.jsonl`` has a body on each line, what its message must name, and the message."""
    said = refused(client, row["path"], row["body"], row["status"])
    assert row["names"] in said
    assert said == row.get("says", said)  # one lists every retriever


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/v1/retrieve", {"claim": "x" * 10_001}, "claim = 'xxx"),
        ("/v1/retrieve", {"claim": "x", "y" * 5000: 2}, "y" * 60 + " = 2: is unknown"),
        ("/v1/verify", {"text": "x" * 100_001}, "text = 'xxx"),
    ],
)
def test_what_is_too_long_is_refused_in_short(
    client: TestClient, path: str, body: object, said: str
):
    told = refused(client, path, body, 422)
    assert told.startswith(said) and len(told) < 200


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 422),
        (b'{"claim": "x"}', "text/plain", 422),
        (b'{"claim": "\xff"}', "application/json", 422),
        (rb'{"claim": "\ud800"}', "application/json", 422),
        (b"[" * 100_000, "application/json", 422),
    ],
)
def test_what_is_no_json_is_refused(client: TestClient, content: bytes, kind: str, status: int):
    """A page of another site can send text/plain without asking first: it is not taken."""
    response = client.post("/v1/retrieve", content=content, headers={"Content-Type": kind})
    assert response.status_code == status, response.text
    assert list(response.json()) == ["detail"]
    if content == b"{":
        assert response.json()["detail"].startswith(
            "the body: is not a JSON object in UTF-8: send one"
        )


def test_other_paths_and_methods(client: TestClient):
    assert client.get("/v2/none").json() == {"detail": "Not Found"}
    response = client.get("/v1/retrieve")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert client.get("/static/../server.py").status_code == 404
    assert client.get("/static/%2e%2e/server.py").status_code == 404


def test_large_bodies_are_refused_however_they_come(service: Service):
    app = make_app(service, ServerSettings(max_body_bytes=1000))
    with TestClient(app, base_url=LOCAL) as client:
        assert "larger than 1,000 bytes" in refused(
            client, "/v1/retrieve", {"claim": "x" * 1000}, 413
        )
        said = {"Content-Length": "10000000000", "Content-Type": "application/json"}
        assert client.post("/v1/retrieve", content=b"{}", headers=said).status_code == 413
        parts = (b" " * 100 for _ in range(11))
        assert client.post("/v1/retrieve", content=parts).status_code == 413
        assert client.post("/v1/retrieve", json={"claim": CLAIM}).status_code == 200


def test_a_token_is_asked_for(service: Service):
    with TestClient(make_app(service, ServerSettings(token="s3cret")), base_url=LOCAL) as client:  # noqa: S106
        for headers in ({}, {"Authorization": "Bearer s3cre"}, {"Authorization": "Basic s3cret"}):
            response = client.post("/v1/retrieve", json={"claim": CLAIM}, headers=headers)
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == "Bearer"
        for path in ("/v1/index", "/metrics", "/openapi.json"):
            assert client.get(path).status_code == 401
        for path in ("/", "/healthz", "/static/page.js"):
            assert client.get(path).status_code == 200
        good = {"Authorization": "Bearer s3cret"}
        assert client.post("/v1/retrieve", json={"claim": CLAIM}, headers=good).status_code == 200
        assert client.get("/metrics", headers=good).status_code == 200
        told = client.get("/openapi.json", headers=good).json()
        assert told["components"]["securitySchemes"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example"])
def test_a_name_of_another_site_is_refused(client: TestClient, host: str):
    """Else a page that has its own name point here could read the index through a browser."""
    assert client.get("/v1/index", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"])
def test_names_of_this_machine_are_served(client: TestClient, host: str):
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


def test_a_rate_is_kept_for_the_api_alone(service: Service):
    app = make_app(service, ServerSettings(rate=parse("2/hour")))
    with TestClient(app, base_url=LOCAL) as client:
        for _ in range(2):
            assert client.get("/v1/index").status_code == 200
        response = client.get("/v1/index")
        assert response.status_code == 429
        assert 0 < int(response.headers["retry-after"]) <= 3600
        assert "2 per 1 hour" in response.json()["detail"]
        assert client.get("/healthz").status_code == 200


def test_who_leaves_in_the_middle_is_no_error_of_the_server(service: Service):
    app = make_app(service)
    left: Message = {"type": "http.disconnect"}

    async def receive() -> Message:
        return left

    async def send(message: Message) -> None:
        raise AssertionError(message)

    scope = {
        "type": "http", "method": "POST", "path": "/v1/retrieve", "raw_path": b"/v1/retrieve",
        "query_string": b"", "headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1),
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    with TestClient(app, base_url=LOCAL) as client:
        assert 'status="499"} 1.0' in client.get("/metrics").text


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (LanguageModelError("the model does not answer"), 502, "the model does not answer"),
        (BudgetError("a cap is reached"), 503, "a cap is reached"),
        (IndexStoreError("damaged"), 500, "damaged"),
        (ZeroDivisionError("secret"), 500, "unexpected: ZeroDivisionError"),
    ],
)
def test_errors_have_their_status(error: Exception, status: int, said: str):
    assert status_of(error) == (status, said)


def test_an_unexpected_error_is_told_without_its_words(
    service: Service, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object, **__: object) -> dict[str, Any]:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(service, "retrieve", broken)
    with TestClient(make_app(service), base_url=LOCAL, raise_server_exceptions=False) as client:
        detail = refused(client, "/v1/retrieve", {"claim": CLAIM}, 500)
    assert detail == "unexpected: ZeroDivisionError"
