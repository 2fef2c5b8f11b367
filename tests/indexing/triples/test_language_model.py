"""Triples by a language model, over a real socket: resumed, repaired, quarantined, capped."""

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import BudgetError, LanguageModelError, RecipeError
from hippohover.indexing.build import build
from hippohover.indexing.triples.language_model import LanguageModelTriples
from hippohover.language_model.ledger import Budget
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.records import ExtractionFailure, Passage, PassageId, Triple
from hippohover.store.manifest import Manifest
from hippohover.store.reader import StoredIndex
from tests.stub_server import Reply, StubServer, chat, serving

LISK = Passage(PassageId("p0"), "Lisk", "It lies on the Orm. Ada Finch was born in Lisk in 1951.")
NAMES = ["Lisk", "the Orm", "Ada Finch", "1951"]
TRIPLES = [
    ["Lisk", "lies on", "the Orm"],
    ["Ada Finch", "was born in", "Lisk"],
    ["Ada  Finch", "was born in", "Lisk"],
    ["Ada Finch", "was born in", ""],
]


def passage_of(body: dict[str, Any]) -> str:
    content: str = body["messages"][-1]["content"]
    after = content.split("[[ ## passage ## ]]\n")[1]
    return re.split(r"\n\n(?:\[\[ ## |Respond with )", after)[0]


def asks_for_names(body: dict[str, Any]) -> bool:
    return (
        "`names` (list[str]): Names, as the passage writes them" in body["messages"][0]["content"]
    )


def well(body: dict[str, Any]) -> Reply:
    """One triple a passage, of its title and its last word."""
    title, text = passage_of(body).split("\n", 1)
    if asks_for_names(body):
        return chat("", names=json.dumps([title]))
    return chat("", triples=json.dumps([[title, "ends with", text.split()[-1].strip(".")]]))


def but(bad: str, reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """As ``well``, but for passages that hold a word."""
    return lambda body: reply if bad in passage_of(body) else well(body)


def settings_of(stub: StubServer, **more: Any) -> LanguageModelSettings:  # noqa: ANN401
    return LanguageModelSettings(
        name="openai/stub", api_base=stub.api_base, n_retries=0, parallel=2, **more
    )


def recipe_of(stub: StubServer, extractor: str = "llm", **more: Any) -> IndexRecipe:  # noqa: ANN401
    values = {"name": "llm", "extractor": extractor, "encoder": "none", **more}
    return IndexRecipe.model_validate(values | {"language_model": settings_of(stub).model_dump()})


def corpus_of(folder: Path, n: int = 40) -> Path:
    lines = [{"title": f"Town {i}", "text": f"Town {i} lies by river Orm{i}."} for i in range(n)]
    path = folder / "corpus.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def manifest(root: Path) -> Manifest:
    with StoredIndex.open(root) as stored:
        return stored.manifest


def facts_of(root: Path) -> int:
    return manifest(root).counts["n_facts"]


# --- one passage -----------------------------------------------------------------------------


def test_names_then_triples():
    replies: list[Reply] = [
        chat("", names=json.dumps(NAMES)),
        chat("", triples=json.dumps(TRIPLES)),
    ]
    with serving(replies) as stub, open_language_model(settings_of(stub)) as model:
        [found] = LanguageModelTriples(model).extract([LISK])
        usage = model.ledger.by_stage()["extract"]
    assert found == [
        Triple("Lisk", "lies on", "the Orm", 0),
        Triple("Ada Finch", "was born in", "Lisk", 1),
    ]
    assert usage.n_calls == 2
    assert passage_of(stub.requests[0]) == f"Lisk\n{LISK.text}"
    assert json.dumps(NAMES) in stub.requests[1]["messages"][-1]["content"]


def test_the_sentence_is_the_first_that_holds_both_ends():
    found = [
        ["Orm", "is by", "Lisk"],
        ["x", "of", "1951"],
        ["Ada Finch", "y", "z"],
        ["qq", "b", "zz"],
    ]
    replies: list[Reply] = [chat("", names="[]"), chat("", triples=json.dumps(found))]
    with serving(replies) as stub, open_language_model(settings_of(stub)) as model:
        [triples] = LanguageModelTriples(model).extract([LISK])
    assert isinstance(triples, list)
    assert [triple.sentence for triple in triples] == [1, 1, 1, 0]


def test_a_malformed_reply_is_repaired_once_then_the_passage_is_left_out():
    names = chat("", names="[]")
    repaired = json.dumps({"triples": [["Lisk", "is", "a town"]]})
    with serving([names, "no idea", repaired]) as stub, open_language_model(settings_of(stub)) as m:
        assert list(LanguageModelTriples(m).extract([LISK])) == [
            [Triple("Lisk", "is", "a town", 1)]
        ]
    with serving([names, "no idea"]) as stub, open_language_model(settings_of(stub)) as model:
        [failure] = LanguageModelTriples(model).extract([LISK])
        assert model.ledger.total().n_calls == 3
    assert isinstance(failure, ExtractionFailure)
    assert failure.pid == "p0"
    assert "in another form than asked for" in failure.reason


@pytest.mark.parametrize("triples", ['[["a", "b"]]', '[["a", "b", "c", "d"]]', '"none"', "{}"])
def test_triples_of_another_shape_are_malformed(triples: str):
    replies: list[Reply] = [chat("", names="[]"), chat("", triples=triples)]
    with serving(replies) as stub, open_language_model(settings_of(stub)) as model:
        [failure] = LanguageModelTriples(model).extract([LISK])
    assert isinstance(failure, ExtractionFailure)


def test_the_version_is_the_models_and_the_prompts():
    with serving([]) as stub:
        with open_language_model(settings_of(stub)) as model:
            one, same = (LanguageModelTriples(model).version for _ in range(2))
        other_name = settings_of(stub).model_copy(update={"name": "openai/other"})
        with open_language_model(other_name) as model:
            other = LanguageModelTriples(model).version
    assert one == same
    assert one != other
    assert one.startswith("llm-1-")


# --- whole builds ----------------------------------------------------------------------------


def test_a_build_says_what_it_was_made_with_and_what_it_cost(tmp_path: Path):
    seen: list[tuple[str, int, int]] = []

    def note(stage: str, done: int, total: int, /) -> None:
        seen.append((stage, done, total))

    with serving(answer=well) as stub:
        recipe = recipe_of(stub)
        root = build(recipe, corpus=corpus_of(tmp_path), out=tmp_path / "index", progress=note)
        first = len(stub.requests)
        again = build(recipe, corpus=corpus_of(tmp_path), out=tmp_path / "index")
        assert len(stub.requests) == first == 80
    one = manifest(root)
    assert one.counts["n_facts"] == 40
    assert one.models["extractor"]["version"].startswith("llm-1-")
    assert one.models["language_model"] == {"name": "openai/stub"}
    assert manifest(again).files == one.files
    assert ("tokens", 8000, 0) in seen
    with StoredIndex.open(root) as stored:
        log = json.loads((stored.folder / "build_log.json").read_text(encoding="utf-8"))
    assert log["language_model"] == {}  # the second build asked nothing


@pytest.mark.slow
def test_a_build_that_was_capped_goes_on_without_paying_twice(tmp_path: Path):
    with serving(answer=well) as stub:
        recipe, corpus = recipe_of(stub), corpus_of(tmp_path)
        with pytest.raises(BudgetError, match="max_calls = 50 is reached"):
            build(recipe, corpus=corpus, out=tmp_path / "index", budget=Budget(max_calls=50))
        assert len(stub.requests) == 50
        assert not (tmp_path / "index" / "CURRENT").exists()
        root = build(recipe, corpus=corpus, out=tmp_path / "index")
        assert len(stub.requests) == 80
    assert facts_of(root) == 40


def test_a_passage_that_cannot_be_read_is_quarantined_and_tried_again(tmp_path: Path):
    with serving(answer=but("Orm7.", "no idea")) as stub:
        recipe = recipe_of(stub, max_failure_share=0.1)
        root = build(recipe, corpus=corpus_of(tmp_path), out=tmp_path / "index")
        one = manifest(root)
        assert (one.counts["n_facts"], one.counts["n_failed_extractions"]) == (39, 1)
        assert "in another form than asked for" in one.failures[0]
        n = len(stub.requests)
        stub.answer = well
        assert facts_of(build(recipe, corpus=corpus_of(tmp_path), out=root)) == 40
        assert len(stub.requests) == n + 2


@pytest.mark.slow
def test_rules_stand_in_where_the_model_failed_and_it_is_said(tmp_path: Path):
    with serving(answer=but("Orm7.", "no idea")) as stub:
        recipe = recipe_of(stub, "llm+rules")
        one = manifest(build(recipe, corpus=corpus_of(tmp_path), out=tmp_path / "index"))
    assert one.counts["n_extracted_by_rules"] == 1
    assert one.counts["n_failed_extractions"] == 0
    assert one.counts["n_facts"] >= 40


def test_a_model_that_does_not_answer_stops_the_build_and_nothing_is_lost(tmp_path: Path):
    with serving(answer=but("Orm30.", 500)) as stub:
        recipe, corpus = recipe_of(stub), corpus_of(tmp_path)
        with pytest.raises(LanguageModelError, match="openai/stub did not answer"):
            build(recipe, corpus=corpus, out=tmp_path / "index")
        paid = len([body for body in stub.requests if "Orm30." not in passage_of(body)])
        stub.answer = well
        assert facts_of(build(recipe, corpus=corpus, out=tmp_path / "index")) == 40
        good = [body for body in stub.requests if "Orm30." not in passage_of(body)]
    assert paid <= len(good) <= 80


def test_a_recipe_without_a_language_model_is_refused(tmp_path: Path):
    recipe = IndexRecipe.model_validate({"name": "x", "extractor": "llm", "encoder": "none"})
    with pytest.raises(RecipeError, match="extractor 'llm' asks a language model: name one"):
        build(recipe, corpus=corpus_of(tmp_path), out=tmp_path / "index")


@pytest.mark.parametrize("failure", [KeyboardInterrupt, BudgetError])
def test_a_reply_under_way_is_waited_for_unless_the_build_is_stopped(
    monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
):
    """It is paid for, so an error lets it come; Ctrl-C does not."""
    asked, may_come, came = threading.Event(), threading.Event(), threading.Event()

    def read(_: object, passage: Passage) -> list[Triple]:
        if passage.pid == "p1":
            asked.set()
            may_come.wait(60)
            came.set()
            return []
        asked.wait(60)
        if failure is BudgetError:
            threading.Timer(0.2, may_come.set).start()
        raise failure

    monkeypatch.setattr(LanguageModelTriples, "_read", read)
    with serving(answer=well) as stub, open_language_model(settings_of(stub)) as model:
        extractor = LanguageModelTriples(model, parallel=2)
        passages = [Passage(PassageId(f"p{n}"), "Lisk", "It lies there.") for n in range(2)]
        with pytest.raises(failure):
            list(extractor.extract(passages))
        assert came.is_set() == (failure is BudgetError)
        may_come.set()
