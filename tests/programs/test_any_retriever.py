"""Names and retrievers that DSPy's users bring along: none collides, any can be searched with."""

import ast
import inspect
import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlparse

import dspy
import pytest
from dspy import teleprompt
from dspy.utils import DummyLM

from hippohover import dspy_retriever
from hippohover.errors import UsageError
from hippohover.programs import (
    DecompositionWithGapAnalysis,
    HoverMultiHop,
    gap_analysis,
    hop_chain,
    over,
)
from hippohover.programs.any_retriever import RetrievalModel
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.hop_program import HopProgram
from hippohover.retrieval.facts.filter import FactFilter
from tests.programs.program_samples import ScriptedSearch
from tests.programs.test_gap_analysis import ANSWERS, CLAIM

ENGINE = ScriptedSearch({"": ["Isk"]})


def set_by_optimizers() -> set[str]:
    """Attributes that DSPy's optimizers set on what is not their own object."""
    folder = Path(inspect.getfile(teleprompt)).parent
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")]
    assigned = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    targets = [target for node in assigned for target in node.targets]
    return {
        target.attr
        for target in targets
        if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") != "self"
    }


def test_no_name_of_a_program_is_one_that_dspy_uses():
    used = set_by_optimizers()
    assert {"score", "trial_logs", "candidate_programs"} <= used
    own = [made(ENGINE) for made in PROGRAMS.values()]
    pipelines = [one.HoverMultiHopPipeline(ENGINE) for one in (hop_chain, gap_analysis)]
    bare = {*vars(dspy.Module()), *dir(dspy.Module)}
    for module in (*own, *pipelines, FactFilter()):
        names = set(vars(module)) - set(vars(dspy.Module()))
        assert not names & (used | bare), type(module).__name__


def documents(*titles: str) -> list[dict[str, Any]]:
    return [
        {"text": f"{title} | About {title}.", "pid": n, "rank": n, "score": 9.0 - n, "prob": 0.5}
        for n, title in enumerate(titles)
    ]


@contextmanager
def colbert(*titles: str) -> Generator[tuple[dspy.ColBERTv2, list[int]]]:
    """A server that answers as ColBERTv2's does, and how many passages it was asked for."""
    asked: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlparse(self.path).query)
            asked.append(int(query["k"][0]))
            found = sorted(titles, key=lambda title: title not in query["query"][0])
            body = json.dumps({"topk": documents(*found)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with dspy.context(cache=None):
            port = server.server_address[1]
            yield dspy.ColBERTv2(url=f"http://127.0.0.1:{port}/{id(asked)}"), asked
    finally:
        server.shutdown()
        server.server_close()


HOPS = [
    {"hop_chain": '["film -> director"]', "concrete_entities": '["Lantern Hill"]'},
    {"is_complete": "False", "missing_hop": "director"},
    {"query": "Mira Oldane"},
    {"is_complete": "False", "missing_hop": "town"},
    {"query": "Vessby"},
]


@pytest.mark.parametrize(
    ("kind", "answers", "depths"),
    [
        (HoverMultiHop, HOPS, [25, 20, 20]),
        (DecompositionWithGapAnalysis, ANSWERS, [18, 18, 5, 5, 5, 5, 5, 5]),
    ],
)
@pytest.mark.parametrize("given", ["over", "rm"])
def test_the_designs_run_over_a_server_of_colbert(
    kind: type[HopProgram],
    answers: list[dict[str, str]],
    depths: list[int],
    given: str,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.delenv("HIPPOHOVER_INDEX", raising=False)
    with colbert("Lantern Hill", "Mira Oldane", "Vessby Harbour") as (rm, asked):
        program = kind(over(rm)) if given == "over" else kind()
        with dspy.context(lm=DummyLM([*answers]), rm=None if given == "over" else rm):
            found = program(claim=CLAIM)
    assert asked == depths
    assert found.run.fallbacks == 0
    assert set(found.titles) == {"Lantern Hill", "Mira Oldane", "Vessby Harbour"}
    assert found.retrieved_docs[0] == f"{found.titles[0]} | About {found.titles[0]}."


def test_a_pipeline_made_bare_searches_with_the_configured_retriever(
    monkeypatch: pytest.MonkeyPatch, toy_index: Path
):
    monkeypatch.delenv("HIPPOHOVER_INDEX", raising=False)
    rm = dspy_retriever(toy_index, "bm25")
    with dspy.context(rm=rm, lm=DummyLM([*HOPS])):
        found = hop_chain.HoverMultiHopPipeline()(claim=CLAIM)
    assert len(found.titles) == 21
    with pytest.raises(UsageError, match="DSPy has no retriever: set it to the folder of an index"):
        HoverMultiHop().engine.search("Isk", 3)


def giving(*found: object) -> RetrievalModel:
    """A retriever that finds the same for every query."""

    def rm(query: str, *, k: int) -> list[object]:
        return [*found][:k]

    return rm


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("Isk | A town.", ("Isk | A town.", "Isk", "A town.", 1.0)),
        ("no title", ("no title", "", "no title", 1.0)),
        ({"long_text": "Isk | A | B", "score": 3}, ("Isk | A | B", "Isk", "A | B", 3.0)),
        (SimpleNamespace(text="Isk | A", pid=7), ("7", "Isk", "A", 1.0)),
    ],
)
def test_what_a_retriever_may_give(found: object, expected: tuple[object, ...]):
    (one,) = over(giving(found)).search("Isk", 3).passages
    assert (one.pid, one.title, one.text, one.score) == expected


def test_what_no_retriever_gives_is_named():
    with pytest.raises(UsageError, match=r"gave \{'id': 3\}: each passage needs long_text or text"):
        over(giving({"id": 3})).search("Isk", 3)
    given: Any = "http://colbert"
    with pytest.raises(UsageError, match="'http://colbert' cannot be called: give one like"):
        over(given)


def test_names_of_a_text_are_its_capitalised_phrases():
    engine = over(giving())
    assert set(engine.names_in("Mira Oldane was born in Vessby, not there.")) == {
        "Mira Oldane",
        "Vessby",
    }
    assert (list(engine.titles()), engine.linked("p"), engine.encode) == ([], (), None)
