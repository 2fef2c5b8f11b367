"""The tools, asked by the protocol's own client: in this process, and over stdio."""

import asyncio
import json
import re
import shutil
import subprocess
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
from hippohover.indexing.build import build
from hippohover.progress import check_wanted
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from hippohover.toy import toy_claims_path
from hippohover.tuning.tune import Tuning
from hippohover.version import __version__
from hippohover.web.brief import confidence_of, n_tokens
from hippohover.web.mcp import (
    _Tools,  # pyright: ignore[reportPrivateUsage]
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


READING = ["names", "neighbours", "read", "search", "verify", "why_not"]


def told(engine: HippoHover, tool: str, **arguments: object) -> Any:  # noqa: ANN401
    """What a tool answers: one text of JSON, and nothing beside it."""
    answer = called(engine, tool, **arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is None
    [content] = answer.content
    return json.loads(content.text)


def test_the_tools_say_what_they_take(toy_engine: HippoHover):
    tools = {tool.name: tool for tool in asked(toy_engine, lambda c: c.list_tools()).tools}
    assert sorted(tools) == READING
    for tool in tools.values():
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.output_schema is None  # an answer would go twice
        assert not re.search(r'"(anyOf|oneOf|allOf|\$ref)"', json.dumps(tool.input_schema))
    assert tools["search"].input_schema["required"] == ["question"]
    assert tools["search"].input_schema["properties"]["k"]["maximum"] == 21


def test_the_server_names_its_version(toy_engine: HippoHover):
    async def named(client: Client) -> Any:  # noqa: ANN401
        return client.server_info

    assert asked(toy_engine, named).version == __version__


def test_metadata_and_citations_come_back(placed_index: Path):
    with closing(HippoHover.open(placed_index)) as engine:
        passages = told(engine, "search", question=CLAIM, k=3)["passages"]
        [first] = [one for one in passages if one["title"] == "Dario Fenn"]
        assert first["place"] == "cups/fenn.pdf, p. 2"
        judged = told(engine, "verify", text="Dario Fenn was a forward.")
    assert "cups/fenn.pdf, p. 2" in {
        one.get("place") for claim in judged["claims"] for one in claim["evidence"]
    }


def test_passages_are_the_engines(toy_engine: HippoHover):
    found = told(toy_engine, "search", question=CLAIM, k=4)["passages"]
    ranked = toy_engine.retrieve(CLAIM, 4).passages
    assert [(one["pid"], one["text"]) for one in found] == [(one.pid, one.text) for one in ranked]


def test_conditions_are_the_engines(toy_engine: HippoHover):
    found = told(toy_engine, "search", question=CLAIM, k=4, where=["title^=L"])["passages"]
    answer = toy_engine.retrieve(CLAIM, 4, where=[Condition.parse("title^=L")])
    assert [one["pid"] for one in found] == [one.pid for one in answer.passages]


def test_who_hops_names_where_to_start_and_what_is_known(toy_engine: HippoHover):
    first = toy_engine.retrieve(CLAIM, 1).passages[0]
    how: dict[str, Any] = {"seeds": ["Vessby"], "exclude": [first.title]}
    found = told(toy_engine, "search", question=CLAIM, k=4, **how)["passages"]
    answer = toy_engine.retrieve(CLAIM, 4, **how)
    assert [one["pid"] for one in found] == [one.pid for one in answer.passages]
    assert first.title not in {one["title"] for one in found}


@pytest.mark.parametrize("max_tokens", [200, 400, 800, 1600])
def test_an_answer_keeps_to_its_tokens_and_says_what_it_cut(
    toy_engine: HippoHover, max_tokens: int
):
    whole = told(toy_engine, "search", question=CLAIM, k=10)
    assert "cut" not in whole
    found = told(toy_engine, "search", question=CLAIM, k=10, max_tokens=max_tokens)
    assert n_tokens(found) <= max_tokens
    shown = found["passages"]
    assert [one["pid"] for one in shown] == [one["pid"] for one in whole["passages"]][: len(shown)]
    assert ("cut" in found) == (shown != whole["passages"])


def test_a_document_is_read_part_by_part(placed_index: Path):
    with closing(HippoHover.open(placed_index)) as engine:
        pid = told(engine, "search", question=CLAIM, k=1)["passages"][0]["pid"]
        title = told(engine, "read", name=pid, which="passage")["title"]
        whole = told(engine, "read", name=title)
        assert whole["passages"][0]["part"].startswith("1 of ")
        assert called(engine, "read", name=pid, which="before").is_error
        assert called(engine, "read", name=title, part=1000).is_error


def test_names_lead_to_neighbours(toy_engine: HippoHover):
    names = told(toy_engine, "names", text=CLAIM)["names"]
    assert names
    near = told(toy_engine, "neighbours", name=next(iter(names)), n=5)
    assert near["passages"]
    pid = near["passages"][0]["pid"]
    assert told(toy_engine, "neighbours", name=pid, n=3)["passages"]


def test_what_is_remembered_is_found_at_the_next_call(toy_index: Path, tmp_path: Path):
    index = tmp_path / "own"
    shutil.copytree(toy_index, index)
    question = "Who keeps the zebra token?"
    text = "Ada Finch keeps the zebra token."
    with closing(HippoHover.open(index)) as engine, closing(HippoHover.open(index)) as other:

        def tool(name: str, **arguments: object) -> Any:  # noqa: ANN401
            async def ask() -> Any:  # noqa: ANN401
                async with Client(tools_of(Service(engine), writable=index)) as client:
                    return await client.call_tool(name, arguments)

            return asyncio.run(ask())

        for words in (text, f"{text} She is 80."):
            assert not tool("remember", title="Zebra", text=words).is_error
            found = told(other, "search", question=question, k=3)["passages"]
            assert [one["text"] for one in found if one["title"] == "Zebra"] == [words]
        assert not tool("forget", title="Zebra").is_error
        found = told(other, "search", question=question, k=3)["passages"]
        assert "Zebra" not in {one["title"] for one in found}


def test_no_hidden_character_leaves(tmp_path: Path):
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    text = f"Ada Finch{tags} keeps \u202ethe zebra\u2069 token."
    lines = [json.dumps({"title": f"Zebra{tags}", "text": text})]
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    build("default-fast", corpus=tmp_path / "c.jsonl", out=tmp_path / "i")
    with closing(HippoHover.open(tmp_path / "i")) as engine:
        [found] = told(engine, "search", question="Who keeps the zebra token?")["passages"]
    assert found["text"] == "Ada Finch keeps the zebra token."
    assert found["title"] == "Zebra"


def test_a_walk_is_told_in_sentences(toy_engine: HippoHover):
    title = toy_engine.retrieve(CLAIM, 2).passages[1].title
    walk = told(toy_engine, "why_not", question=CLAIM, title=title)
    assert walk["rank"] == 2
    assert walk["paths"]
    assert all(path.startswith("claim -> ") for path in walk["paths"])


def test_statements_are_judged_one_by_one(toy_engine: HippoHover):
    judged = told(toy_engine, "verify", text=f"{CLAIM} Zyxwv qqfjord.")["claims"]
    assert [one["claim"] for one in judged] == [CLAIM, "Zyxwv qqfjord."]
    assert judged[0]["evidence"]
    assert judged[1]["verdict"] == "Low Confidence"
    assert "confidence" not in judged[1]


@pytest.mark.parametrize("max_tokens", [200, 500, 1500])
def test_verdicts_keep_to_their_tokens_too(toy_engine: HippoHover, max_tokens: int):
    text = " ".join(claim.claim for claim in load_claims(toy_claims_path())[:8])
    judged = told(toy_engine, "verify", text=text, max_tokens=max_tokens)
    assert n_tokens(judged) <= max_tokens
    assert judged["cut"]
    assert judged["claims"][0]["verdict"]


def test_work_whose_request_is_cancelled_ends(toy_engine: HippoHover):
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
        asking = asyncio.ensure_future(_Tools(Service(toy_engine), None, 1).done(endless))
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
    text = "Did Mira Oldane appear in Lantern Hill?"
    [judged] = told(toy_engine, "verify", text=text)["claims"]
    assert judged["verdict"] == "No Claim"
    assert "question" in judged["why"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", {"question": " "}, "the claim is empty"),
        ("search", {"question": "x", "retriever": "dense"}, "this index has no vectors"),
        ("search", {"question": "x", "k": 22}, "less than or equal to 21"),
        ("search", {"question": CLAIM, "seeds": ["Zyxwv"]}, "no name of the index"),
        ("search", {"question": CLAIM, "where": ["title@/etc/hosts"]}, "files are not read"),
        ("search", {"question": CLAIM, "retriever": "bm25", "seeds": ["x"]}, "does not walk"),
        ("why_not", {"question": "x", "title": "No Such Title"}, "no passage of the index"),
        ("read", {"name": "No Such Title"}, "no document of the index"),
        ("neighbours", {"name": "Zyxwv"}, "no name and no title"),
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
            found: Any = await client.call_tool("search", {"question": claim, "k": 3})
            return names, json.loads(found.content[0].text)["passages"]

    return asyncio.run(ask())


@pytest.mark.slow
def test_the_command_speaks_the_protocol_over_stdio(
    toy_index: Path, toy_engine: HippoHover, command_env: dict[str, str]
):
    names, passages = over_stdio([str(toy_index)], command_env, CLAIM)
    assert sorted(names) == READING
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


def test_a_line_that_is_no_message_is_answered(toy_index: Path, command_env: dict[str, str]):
    lines = ["this is no JSON", '{"id": 7, "method": 1}', '{"jsonrpc": "2.0"']
    command = [sys.executable, "-m", "hippohover", "mcp", str(toy_index)]
    ended = subprocess.run(  # noqa: S603
        command,
        input="\n".join([*lines, ""]),
        capture_output=True,
        text=True,
        env=command_env,
        check=True,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(one["id"], one["error"]["code"]) for one in answers] == [
        (None, -32700),
        (7, -32600),
        (None, -32700),
    ]
