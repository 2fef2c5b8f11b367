# pyright: reportMissingTypeStubs=false
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mteb")

import mteb
from mteb.mocks.mock_tasks import MockRetrievalTask
from mteb.models import SearchProtocol

from hippohover.adapters.mteb import HippoHoverSearch
from hippohover.errors import UsageError
from tests.adapters.conftest import FILMS, QUESTION
from tests.adapters.page_examples import recipe_of, run_section
from tests.index_samples import refused

RECIPE = recipe_of({"name": "mteb"})
CORPUS = [{"id": name, "title": title, "text": text} for name, title, text, _, _ in FILMS]
QUERIES = [{"id": "q1", "text": QUESTION}, {"id": "q2", "text": "a famous storm"}]
TASK: dict[str, Any] = {
    "task_metadata": SimpleNamespace(name="Films"),
    "hf_split": "test",
    "hf_subset": "default",
}


@pytest.fixture
def search(tmp_path: Path) -> HippoHoverSearch:
    made = HippoHoverSearch(tmp_path, recipe=RECIPE)
    made.index(CORPUS, **TASK, encode_kwargs={}, num_proc=None)
    return made


def test_it_is_what_mteb_searches_with(search: HippoHoverSearch):
    assert isinstance(search, SearchProtocol)
    assert search.mteb_model_meta.name == "hippohover/ppr"


def test_documents_come_back_by_id(search: HippoHoverSearch):
    found = search.search(QUERIES, **TASK, top_k=5, encode_kwargs={}, num_proc=None)
    assert {"d1", "d2"} <= set(found["q1"])
    assert next(iter(found["q2"])) == "d5"
    assert len(search.search(QUERIES, **TASK, top_k=1)["q1"]) == 1


def test_each_task_has_a_folder_of_its_own(search: HippoHoverSearch, tmp_path: Path):
    search.index(CORPUS[:2], **{**TASK, "hf_subset": "de"}, encode_kwargs={}, num_proc=None)
    assert {path.name for path in tmp_path.iterdir()} == {"Films-test-default", "Films-test-de"}
    assert set(search.search(QUERIES, **TASK, top_k=5)["q1"]) == {"d1", "d2"}


def test_mteb_evaluates_a_task(tmp_path: Path):
    search: Any = HippoHoverSearch(tmp_path, recipe=RECIPE)
    done = mteb.evaluate(search, MockRetrievalTask(), cache=None, co2_tracker=False)
    scores = done.task_results[0].scores
    assert 0 <= scores["test"][0]["ndcg_at_10"] <= 1
    assert (tmp_path / "MockRetrievalTask-test-default" / "index" / "CURRENT").exists()


def test_what_it_cannot_do_is_refused(search: HippoHoverSearch, tmp_path: Path):
    with refused(UsageError, "call index before search"):
        HippoHoverSearch(tmp_path / "new").search(QUERIES, **TASK, top_k=5)
    with refused(UsageError, "cannot re-rank"):
        search.search(QUERIES, **TASK, top_k=5, top_ranked={"q1": ["d1"]})


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("MTEB") > 2
