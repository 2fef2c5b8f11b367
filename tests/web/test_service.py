"""What the service answers is what the engine answers, ready for JSON."""

import json
import shutil
import threading
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import pytest

import hippohover
from hippohover.errors import ModelError, NotInIndexError, SourceError, UsageError
from hippohover.evaluation.hover import load_claims
from hippohover.indexing.build import build
from hippohover.language_model.opening import open_language_model
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.evidence_scoring import EvidenceScorer
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.iterative_bm25 import IterativeBm25
from hippohover.progress import Progress, silent
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.records import Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import retriever_class
from hippohover.retrieval.retriever import Retriever
from hippohover.retrieval.walk.candidates import Allowed, Walked
from hippohover.retrieval.where import Condition
from hippohover.sources.router import SourceRouter
from hippohover.toy import toy_claims_path
from hippohover.web import service as service_module
from hippohover.web.schemas import ConditionsError, ProgramName, Retrieved
from hippohover.web.service import NoLanguageModelError, Service
from tests.programs.program_samples import model_of
from tests.sources.reply_samples import Shelf, document
from tests.stub_server import chat, serving

CLAIM = load_claims(toy_claims_path())[6].claim
ANSWER = "Lantern Hill has a director. She lives in Paris."


@pytest.fixture(scope="module")
def service(toy_engine: HippoHover) -> Service:
    return Service(toy_engine)


def test_passages_are_the_engines(service: Service, toy_engine: HippoHover):
    told = service.retrieve(CLAIM, 5, "ppr")
    passages = toy_engine.retrieve(CLAIM, 5).passages
    assert [one["pid"] for one in told["passages"]] == [one.pid for one in passages]
    assert [one["rank"] for one in told["passages"]] == [1, 2, 3, 4, 5]
    assert sum(seed["mass"] for seed in told["seeds"]) <= 1 + 1e-6
    assert json.loads(json.dumps(told)) == told


def test_conditions_hold(service: Service):
    first = service.retrieve(CLAIM, 5, "ppr")["passages"][0]
    other = Condition("title", frozenset([first["title"]]))
    told = service.retrieve(CLAIM, 5, "ppr", [other])["passages"]
    assert [one["title"] for one in told] == [first["title"]]


def test_an_explanation_has_its_drawing(service: Service):
    title = service.retrieve(CLAIM, 3, "ppr")["passages"][2]["title"]
    told = service.explain(CLAIM, title=title)
    assert told["rank"] == 3
    nodes = told["drawing"]["nodes"]
    assert nodes[0]["kind"] == "claim"
    assert [node["name"] for node in nodes if node["is_target"]] == [title]
    for edge in told["drawing"]["edges"]:
        assert 0 <= edge["start"] < len(nodes)
        assert 0 <= edge["end"] < len(nodes)


def test_an_unknown_title_is_told_with_its_neighbours(service: Service):
    title = service.retrieve(CLAIM, 1, "ppr")["passages"][0]["title"]
    with pytest.raises(NotInIndexError, match="did you mean"):
        service.explain(CLAIM, title=f"{title}x")


def test_claims_of_a_text_are_counted_as_they_are_verified(service: Service):
    told: list[tuple[str, int, int]] = []

    def tell(stage: str, done: int, total: int, /) -> None:
        told.append((stage, done, total))

    found = service.verify(ANSWER, "ppr", progress=tell)
    assert len(found["claims"]) == 2
    assert told == [("claims", 0, 2), ("claims", 1, 2), ("claims", 2, 2)]
    assert json.loads(json.dumps(found)) == found
    assert len(service.verify(ANSWER, "ppr", whole=True)["claims"]) == 1


def test_what_progress_raises_ends_a_verification(service: Service):
    def stop(_stage: str, done: int, _total: int, /) -> None:
        if done == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        service.verify("She sang. " * 50, "ppr", progress=stop)


def test_without_a_model_no_answer_is_drafted(service: Service):
    with pytest.raises(NoLanguageModelError, match="--lm NAME"):
        service.answer("Who directed Lantern Hill?", "ppr")
    assert service.describe()["language_model"] is None


def test_a_draft_is_written_and_verified(toy_engine: HippoHover):
    with serving([chat("", answer=ANSWER)]) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        with open_language_model(settings) as model:
            found = Service(toy_engine, model=model).answer("Who directed Lantern Hill?", "ppr")
    assert found["draft_response"] == ANSWER
    assert found["query"]["text"] == "Who directed Lantern Hill?"
    assert len(found["answer"]["claims"]) == 2
    assert len(stub.requests) == 1


def test_the_description_says_what_can_be_asked(
    service: Service,
    toy_engine: HippoHover,
    encoded_toy_index: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    told = service.describe()
    assert told["retrievers"] == ["ppr", "bm25"]
    assert told["fields"] == ["title", "pid", "id", "heading"]
    assert told["counts"]["n_passages"] == toy_engine.n_passages
    assert (told["n_failures"], told["n_not_read"]) == (0, 0)
    assert "/" not in json.dumps(told["version"])
    encoded = HippoHover.open(encoded_toy_index)
    every = ["ppr", "bm25", "dense", "hybrid", "hipporag2", "linearrag"]
    assert Service(encoded).describe()["retrievers"] == every
    with monkeypatch.context() as patched:
        patched.setattr(service_module, "find_spec", {}.get)
        assert Service(encoded).describe()["retrievers"] == every[:-1]  # it needs spaCy

    def without_scipy(name: str) -> type[Retriever]:
        if name in ("hipporag2", "linearrag"):
            raise UsageError("needs scipy")
        return retriever_class(name)

    with monkeypatch.context() as patched:
        patched.setattr(service_module, "retriever_class", without_scipy)
        assert Service(encoded).describe()["retrievers"] == every[:-2]
    encoded.close()


def test_an_answer_is_explained_by_the_run_that_ranked_it(
    toy_index: Path, monkeypatch: pytest.MonkeyPatch
):
    engine = HippoHover.open(toy_index)
    service = Service(engine)
    walked: list[str] = []
    really = engine.retrievers.ppr.walk

    def walk(claim: str, allowed: Allowed = None) -> Walked:
        walked.append(claim)
        return really(claim, allowed)

    monkeypatch.setattr(engine.retrievers.ppr, "walk", walk)
    passages = service.retrieve(CLAIM, 5, "ppr")["passages"]
    for passage in passages:
        explanation = service.explain(CLAIM, pid=passage["pid"])
        assert (explanation["rank"], explanation["score"]) == (passage["rank"], passage["score"])
    assert walked == [CLAIM]
    others = [f"{CLAIM} {number}" for number in range(9)]  # more than are kept
    for claim in others:
        service.retrieve(claim, 5, "ppr")
    service.explain(CLAIM, pid=passages[0]["pid"])
    assert walked == [CLAIM, *others, CLAIM]
    engine.close()


def test_a_new_version_is_explained_by_itself(toy_index: Path, tmp_path: Path):
    root = Path(shutil.copytree(toy_index, tmp_path / "own"))
    engine = HippoHover.open(root)
    service = Service(engine)
    title = service.retrieve(CLAIM, 1, "ppr")["passages"][0]["title"]
    assert service.explain(CLAIM, title=title)["rank"] == 1
    hippohover.delete(root, [title])
    assert service.explain(CLAIM, title=title)["rank"] == 1
    assert service.reload()
    assert service.version == "v000002"
    with pytest.raises(NotInIndexError):
        service.explain(CLAIM, title=title)
    assert not service.reload()
    engine.close()


def test_a_version_that_comes_while_a_claim_is_answered_answers_it(
    toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Where it has not all that was found: what is shown of a passage is read from it."""
    root = Path(shutil.copytree(toy_index, tmp_path / "own"))
    engine = HippoHover.open(root)
    service = Service(engine)
    title = service.retrieve(CLAIM, 5, "bm25")["passages"][0]["title"]
    retrieve = HippoHover.retrieve

    def slow(engine: HippoHover, *given: object, **named: object) -> Retrieval:
        found: Retrieval = cast("Any", retrieve)(engine, *given, **named)
        monkeypatch.undo()
        hippohover.delete(root, [title])
        assert service.reload()
        return found

    monkeypatch.setattr(HippoHover, "retrieve", slow)
    passages = service.retrieve(CLAIM, 5, "bm25")["passages"]
    assert len(passages) == 5
    assert title not in [one["title"] for one in passages]
    assert passages == service.retrieve(CLAIM, 5, "bm25")["passages"]
    engine.close()


def test_a_preparation_is_made_once_and_outlives_who_asked_for_it(
    encoded_toy_index: Path, monkeypatch: pytest.MonkeyPatch
):
    engine = HippoHover.open(encoded_toy_index)
    service = Service(engine)
    begun, go_on = threading.Event(), threading.Event()
    n_made: list[int] = []
    really = engine.retrievers.prepare

    def slowly(name: str, progress: Progress = silent) -> None:
        if engine.retrievers.is_ready(name):
            return
        n_made.append(1)
        progress("facts", 3, 9)
        begun.set()
        assert go_on.wait(60)
        really(name, progress)

    monkeypatch.setattr(engine.retrievers, "prepare", slowly)
    told: list[tuple[str, int, int]] = []

    def leave(stage: str, done: int, total: int, /) -> None:
        told.append((stage, done, total))
        if begun.is_set():
            raise InterruptedError

    with pytest.raises(InterruptedError):
        service.retrieve(CLAIM, 3, "hipporag2", progress=leave)
    assert told[-1] == ("facts", 3, 9)
    go_on.set()
    found = service.retrieve(CLAIM, 3, "hipporag2")
    assert len(found["passages"]) == 3
    assert n_made == [1]
    engine.close()


def test_a_preparation_that_failed_is_tried_again(
    encoded_toy_index: Path, monkeypatch: pytest.MonkeyPatch
):
    engine = HippoHover.open(encoded_toy_index)
    service = Service(engine)

    def broken(_name: str, _progress: Progress) -> None:
        raise MemoryError("too little")

    with monkeypatch.context() as patched:
        patched.setattr(engine.retrievers, "prepare", broken)
        with pytest.raises(MemoryError, match="too little"):
            service.retrieve(CLAIM, 3, "hipporag2")
    assert service.retrieve(CLAIM, 3, "hipporag2")["retriever"] == "hipporag2"
    engine.close()


def test_a_warm_up_answers(service: Service):
    service.warm_up()


ORLE = document("Tides of the Orle Estuary", "Mira Oldane measured the tides.", document_id="p1")


def test_passages_of_sources_are_answers_with_their_address(toy_engine: HippoHover):
    service = Service(toy_engine, sources=SourceRouter([Shelf([ORLE])]))
    claim = "Mira Oldane measured the tides."
    told = service.retrieve(claim, 5, "ppr")
    found = told["passages"][1]
    assert (found["source"], found["link"], found["citation"]) == (
        "shelf", ORLE.address, f"{ORLE.title}, {ORLE.address}",
    )  # fmt: skip
    assert (found["part"], found["n_parts"]) == (1, 1)
    assert found["highlights"] == [[0, len(ORLE.text)]]
    assert [one["part"] for one in told["passages"]] == [1] * 5
    assert Retrieved.model_validate(told).source_failures == []
    verified = service.verify(claim, "ppr")
    assert verified["links"]["shelf:p1"] == ORLE.address
    assert service.describe()["sources"] == ["shelf"]
    assert Service(toy_engine).describe()["sources"] == []


def test_conditions_bound_the_index_alone(toy_engine: HippoHover):
    shelf = Shelf([ORLE])
    service = Service(toy_engine, sources=SourceRouter([shelf]))
    where = [Condition("title", frozenset(["Mira Oldane"]))]
    told = service.retrieve("tides of Mira Oldane", 5, "ppr", where)
    assert [one["title"] for one in told["passages"]] == ["Mira Oldane"]
    assert shelf.calls == []


def test_a_source_that_is_down_is_told(toy_engine: HippoHover):
    shelf = Shelf(fails=lambda: SourceError("shelf answered with HTTP 503: try later"))
    service = Service(toy_engine, sources=SourceRouter([shelf]))
    told = service.retrieve("Mira Oldane", 5, "ppr")
    assert told["source_failures"] == ["shelf answered with HTTP 503: try later"]
    assert told["passages"]


def test_an_answer_is_drafted_from_sources_too(toy_engine: HippoHover):
    with serving([chat("", answer="Mira Oldane measured the tides [2].")]) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        with open_language_model(settings) as model:
            service = Service(toy_engine, model=model, sources=SourceRouter([Shelf([ORLE])]))
            service.answer("Who measured the tides?", "ppr")
        assert ORLE.text in json.dumps(stub.requests[0])


def test_a_program_answers_by_its_name_and_tells_its_runs(toy_engine: HippoHover):
    program = IterativeBm25(toy_engine, sources=SourceRouter([Shelf([ORLE])]))
    service = Service(toy_engine, programs={"iterative-bm25": program})
    told: list[tuple[str, str]] = []
    service.on_run = lambda name, claim, run: told.append((name, claim))
    found = service.retrieve("tides", 5, "iterative-bm25")
    assert Retrieved.model_validate(found).retriever == "iterative-bm25"
    assert "shelf" in {one["source"] for one in found["passages"]}
    assert told == [("iterative-bm25", "tides")]
    assert service.describe()["retrievers"] == ["ppr", "bm25", "iterative-bm25"]
    assert service.verify("Mira Oldane measured the tides.", "iterative-bm25")["claims"]
    assert len(told) == 2


def test_a_program_that_compares_words_for_want_of_vectors_says_so(toy_engine: HippoHover):
    def encode(_: object) -> Any:  # noqa: ANN401
        raise ModelError("no answer from the service")

    replies = {"hypotheses": '["a b", "c d", "e f"]'}, {"queries": "[]"}
    program = HypothesisDriven(toy_engine, model_of(*replies), scorer=EvidenceScorer(encode))
    service = Service(toy_engine, programs={"hypothesis": program})
    told = Retrieved.model_validate(service.retrieve("tides", 5, "hypothesis"))
    assert "no answer from the service" in told.encoding_failure
    assert told.fallbacks == 1
    plain = Retrieved.model_validate(service.retrieve("tides", 5, "ppr"))
    assert (plain.encoding_failure, plain.fallbacks) == ("", 0)


def test_a_program_is_bound_by_no_condition(toy_engine: HippoHover):
    service = Service(toy_engine, programs={"iterative-bm25": IterativeBm25(toy_engine)})
    where = [Condition("title", frozenset(["Mira Oldane"]))]
    with pytest.raises(ConditionsError, match="iterative-bm25 is a program"):
        service.retrieve("tides", 5, "iterative-bm25", where)


def test_a_program_that_is_not_run_is_refused_with_what_to_do(toy_engine: HippoHover):
    assert set(get_args(ProgramName)) == set(PROGRAMS)
    for ask in (Service(toy_engine).verify, partial(Service(toy_engine).retrieve, k=5)):
        with pytest.raises(UsageError, match="start it with --program hypothesis"):
            ask("tides", retriever="hypothesis")


def test_the_description_counts_what_could_not_be_read(tmp_path: Path):
    lines = [json.dumps({"title": f"Mill {n}", "text": f"Mill {n} grinds."}) for n in range(40)]
    corpus = tmp_path / "mills.jsonl"
    corpus.write_text("\n".join([*lines, "{broken"]), encoding="utf-8")
    recipe = IndexRecipe.model_validate({"name": "m", "extractor": "between", "encoder": "none"})
    with HippoHover.open(build(recipe, corpus=corpus, out=tmp_path / "index")) as engine:
        told = Service(engine).describe()
    assert (told["n_failures"], told["n_not_read"]) == (0, 1)
