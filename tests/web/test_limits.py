"""The documented limits are the program's, over HTTP and MCP alike."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS
from hippohover.verification.against import sentences
from hippohover.verification.answer import MAX_SAMPLES
from hippohover.verification.claims import (
    MAX_CHARS,
    MAX_CLAIMS,
    MAX_DRAFT_CHARS,
    MAX_TEXT_WORDS,
    MAX_WORDS,
)
from hippohover.web.connections import ConnectionLimits
from hippohover.web.mcp import tools_of
from hippohover.web.schemas import MAX_ASKED_CHARS, MAX_CONDITIONS, MAX_SEEDS, MAX_VALUES
from hippohover.web.server import ServerSettings, make_app
from hippohover.web.service import VERIFY_SECONDS, Service

PAGE = Path(__file__).parents[2] / "docs" / "server.md"
SERVER, LINES = ServerSettings(), ConnectionLimits()
LIMITS = {
    "claim or question": [MAX_CLAIM_CHARS],
    "`title`, `pid` or value of a condition": [MAX_ASKED_CHARS],
    "conditions": [MAX_CONDITIONS, MAX_VALUES],
    "`k`": [MAX_RANKED_PASSAGES],
    "seeds; titles and pids to exclude": [MAX_SEEDS, MAX_VALUES],
    "`n_samples`": [MAX_SAMPLES],
    "text to verify": [MAX_DRAFT_CHARS, MAX_CLAIMS],
    "its claims that are compared, together": [MAX_TEXT_WORDS],
    "one that is compared": [MAX_WORDS, MAX_WORDS, MAX_CHARS],
    "verification of a text": [VERIFY_SECONDS],
    "evidence of a claim": [sentences.MAX_SENTENCES, sentences.MAX_CHARS],
    "body of a request": [SERVER.max_body_bytes >> 20, SERVER.body_seconds],
    "headers of a request": [LINES.header_bytes, LINES.header_seconds],
    "requests of a connection that wait for an answer before": [LINES.waiting],
    "connections": [LINES.most, LINES.of_a_client],
    "answer": [SERVER.seconds],
    "short requests": [SERVER.n_threads, SERVER.n_waiting],
    "long requests": [SERVER.n_threads, SERVER.n_waiting],
}


def test_the_documented_limits_are_those_of_the_program():
    table = PAGE.read_text("utf-8").partition("### Limits")[2].partition("\n\n")[2]
    rows = re.findall(r"^\| (.+?) \| (.+?) \| .+ \|$", table.partition("\n\nA conn")[0], re.M)
    told = {
        name: [
            float(one.replace(",", ""))
            for one in re.findall(r"\d[\d,]*(?:\.\d+)?\b(?! MiB,)", limit)
        ]
        for name, limit in rows
        if name.strip(" -")
    }
    assert told == LIMITS


def tools(engine: HippoHover) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        async with Client(tools_of(Service(engine))) as client:
            return {one.name: one.input_schema for one in (await client.list_tools()).tools}

    return asyncio.run(ask())


def bounds(schema: Any, defined: dict[str, Any]) -> dict[str, object]:  # noqa: ANN401
    """The lengths and ranges of a schema, by their place in it."""
    found: dict[str, object] = {}
    if isinstance(schema, dict):
        if "$ref" in schema:
            return bounds(defined[schema["$ref"].rpartition("/")[2]], defined)
        for key, value in schema.items():
            if key in {"maxLength", "maximum", "minimum", "maxItems"}:
                found[key] = value
            elif key != "$defs":
                found |= {f"{key}.{at}": one for at, one in bounds(value, defined).items()}
    elif isinstance(schema, list):
        found = {at: one for part in schema for at, one in bounds(part, defined).items()}
    return found


@pytest.mark.parametrize(
    ("tool", "body", "shared"),
    [
        ("search", "RetrieveRequest", {"question": "claim"}),
        ("search", "RetrieveRequest", {name: name for name in ("k", "seeds", "exclude")}),
        ("why_not", "ExplainTitle", {"question": "claim", "title": "title"}),
        ("verify", "VerifyRequest", {"text": "text"}),
    ],
)
def test_the_tools_take_what_the_api_takes(
    toy_engine: HippoHover, tool: str, body: str, shared: dict[str, str]
):
    given = tools(toy_engine)[tool]
    described = make_app(Service(toy_engine)).openapi()["components"]["schemas"]
    for name, in_api in shared.items():
        of_tool = bounds(given["properties"][name], given.get("$defs", {}))
        assert of_tool == bounds(described[body]["properties"][in_api], described) != {}


def test_a_title_of_a_megabyte_is_refused_before_it_is_read(toy_engine: HippoHover):
    async def ask() -> Any:  # noqa: ANN401
        async with Client(tools_of(Service(toy_engine))) as client:
            return await client.call_tool("read", {"name": "a" * 2**20})

    refused = asyncio.run(ask())
    assert refused.is_error
    assert "at most 1000 characters" in str(refused.content)
    assert len(str(refused.content)) < 2000
