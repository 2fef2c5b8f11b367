"""The tools, asked by the protocol's own client: in this process, and over stdio."""

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from hippohover.evaluation.hover import load_claims
from hippohover.progress import check_wanted
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from hippohover.toy import toy_claims_path
from hippohover.tuning.tune import Tuning
from hippohover.web.mcp import (
    _done,  # pyright: ignore[reportPrivateUsage]
    confidence_of,
    tools_of,
)
from hippohover.web.service import Service
from tests.tuning.tuning_samples import note_claims

CLAIM = load_claims(toy_claims_path())[6].claim


def asked(engine: HippoHover, what: Callable[[Client], Awaitable[Any]]) -> Any:  # noqa: ANN401
    async def ask() -> Any:  # noqa: ANN401
        async with Client(tools_of(Service(engine))) as client:
            return await what(client)

    return asyncio.run(ask())


def called(engine: HippoHover, tool: str, **arguments: object) -> Any:  # noqa: ANN401
    return asked(engine, lambda client: client.call_tool(tool, arguments))


def test_the_tools_say_what_they_take(toy_engine: HippoHover):
    tools = {tool.name: tool for tool in asked(toy_engine, lambda c: c.list_tools()).tools}
    assert sorted(tools) == ["explain", "retrieve", "verify"]
    for tool in tools.values():
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
    assert tools["retrieve"].input_schema["required"] == ["claim"]
    assert tools["retrieve"].input_schema["properties"]["k"]["maximum"] == 21


def test_metadata_and_citations_come_back(placed_index: Path):
    with closing(HippoHover.open(placed_index)) as engine:
        told = called(engine, "retrieve", claim=CLAIM, k=3).structured_content["passages"]
        [first] = [one for one in told if one["title"] == "Dario Fenn"]
        assert first["metadata"] == {"id": "d7", "path": "cups/fenn.pdf", "page": 2}
        assert (first["citation"], first["link"]) == ("cups/fenn.pdf, p. 2", "")
        judged = called(engine, "verify", text="Dario Fenn was a forward.").structured_content
    assert "cups/fenn.pdf, p. 2" in {
        one["citation"] for claim in judged["claims"] for one in claim["evidence"]
    }


def test_passages_are_the_engines(toy_engine: HippoHover):
    found = called(toy_engine, "retrieve", claim=CLAIM, k=4)
    assert not found.is_error
    told = found.structured_content["passages"]
    assert [one["pid"] for one in told] == [
        one.pid for one in toy_engine.retrieve(CLAIM, 4).passages
    ]


def test_conditions_and_their_scope_are_the_engines(toy_engine: HippoHover):
    where = [{"field": "title", "values": ["L"], "prefix": True}]
    told = called(toy_engine, "retrieve", claim=CLAIM, k=4, where=where, scope="walk")
    found = told.structured_content["passages"]
    conditions = [Condition("title", frozenset("L"), prefix=True)]
    answer = toy_engine.retrieve(CLAIM, 4, where=conditions, scope="walk")
    assert [one["pid"] for one in found] == [one.pid for one in answer.passages]
    title = found[0]["title"]
    walk = called(toy_engine, "explain", claim=CLAIM, title=title, where=where, scope="walk")
    assert walk.structured_content["rank"] == 1


def test_a_walk_is_told_in_sentences(toy_engine: HippoHover):
    title = toy_engine.retrieve(CLAIM, 2).passages[1].title
    told = called(toy_engine, "explain", claim=CLAIM, title=title).structured_content
    assert told["rank"] == 2
    assert told["paths"]
    assert all(path.startswith("claim -> ") for path in told["paths"])


def test_statements_are_judged_one_by_one(toy_engine: HippoHover):
    told = called(toy_engine, "verify", text=f"{CLAIM} Zyxwv qqfjord.").structured_content
    assert [one["claim"] for one in told["claims"]] == [CLAIM, "Zyxwv qqfjord."]
    assert told["claims"][0]["evidence"]
    assert told["claims"][1]["verdict"] == "Low Confidence"
    assert told["claims"][1]["confidence"] is None


def test_work_whose_request_is_cancelled_ends():
    begun, ended = threading.Event(), threading.Event()

    def endless() -> dict[str, Any]:
        begun.set()
        try:
            while not time.sleep(0.01):
                check_wanted()
        finally:
            ended.set()
        return {}

    async def cancel() -> None:
        asking = asyncio.ensure_future(_done(endless))
        await asyncio.to_thread(begun.wait, 60)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking

    asyncio.run(cancel())
    assert ended.wait(60)


def test_a_confidence_is_of_the_verdict():
    decision = {"status": "Contradictory", "confidence": {"contradict_prob": 0.9}}
    assert confidence_of(decision) == 0.9
    decision = {"status": "Supported", "confidence": {"overall_confidence": 0.8}}
    assert confidence_of(decision) == 0.8


def test_what_claims_nothing_is_told_so(toy_engine: HippoHover):
    answer = called(toy_engine, "verify", text="Did Mira Oldane appear in Lantern Hill?")
    assert not answer.is_error
    [judged] = answer.structured_content["claims"]
    assert judged["verdict"] == "No Claim"
    assert "question" in judged["rationale"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("retrieve", {"claim": " "}, "the claim is empty"),
        ("retrieve", {"claim": "x", "retriever": "dense"}, "this index has no vectors"),
        ("retrieve", {"claim": "x", "k": 22}, "less than or equal to 21"),
        ("explain", {"claim": "x", "title": "No Such Title"}, "no passage of the index"),
        ("verify", {"text": "..."}, "no words"),
        ("delete", {}, "delete"),
    ],
)
def test_what_is_refused_says_why(
    toy_engine: HippoHover, tool: str, arguments: dict[str, object], said: str
):
    async def ask(client: Client) -> str:
        try:
            found: Any = await client.call_tool(tool, arguments)
        except Exception as error:  # an unknown tool is an error of the protocol
            return str(error)
        assert found.is_error
        return str(found.content)

    assert said in asked(toy_engine, ask)


def over_stdio(arguments: list[str], env: dict[str, str], claim: str) -> Any:  # noqa: ANN401
    """Names of the tools of the command ``mcp``, and three passages for a claim."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "hippohover", "mcp", *arguments], env=env
    )

    async def ask() -> Any:  # noqa: ANN401
        async with Client(command, read_timeout_seconds=120) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("retrieve", {"claim": claim, "k": 3})
            assert found.structured_content is not None
            return names, found.structured_content["passages"]

    return asyncio.run(ask())


@pytest.mark.slow
def test_the_command_speaks_the_protocol_over_stdio(
    toy_index: Path, toy_engine: HippoHover, command_env: dict[str, str]
):
    names, passages = over_stdio([str(toy_index)], command_env, CLAIM)
    assert sorted(names) == ["explain", "retrieve", "verify"]
    assert [one["pid"] for one in passages] == [
        one.pid for one in toy_engine.retrieve(CLAIM, 3).passages
    ]


@pytest.mark.slow
def test_the_command_answers_by_the_ranking_that_it_is_given(
    notes_index: Path, tuning: Tuning, command_env: dict[str, str], tmp_path: Path
):
    tuning.ranking.save(tmp_path / "own.npz")
    claim = note_claims()[65]
    for options, is_found in (([], False), (["--ranking", str(tmp_path / "own.npz")], True)):
        _, passages = over_stdio([str(notes_index), *options], command_env, claim.claim)
        assert (passages[0]["title"] == claim.gold_titles[0]) == is_found
