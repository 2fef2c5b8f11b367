# pyright: reportMissingTypeStubs=false
from pathlib import Path

import pytest

pytest.importorskip("beir")

from beir.retrieval.evaluation import EvaluateRetrieval

from hippohover.adapters.beir import HippoHoverSearch
from hippohover.errors import UsageError
from tests.adapters.conftest import FILMS, QUESTION
from tests.adapters.page_examples import recipe_of, run_section
from tests.index_samples import refused

CORPUS = {name: {"title": title, "text": text} for name, title, text, _, _ in FILMS}
QUERIES = {"q1": QUESTION, "q2": "a famous storm"}
RECIPE = recipe_of({"name": "beir"})


def test_beir_retrieves_and_evaluates(tmp_path: Path):
    search = EvaluateRetrieval(HippoHoverSearch(tmp_path, recipe=RECIPE), k_values=[1, 5])
    results = search.retrieve(CORPUS, QUERIES)
    assert set(results) == {"q1", "q2"}
    assert {"d1", "d2"} <= set(results["q1"])
    qrels = {"q1": {"d1": 1, "d2": 1}, "q2": {"d5": 1}}
    _, _, recall, _ = search.evaluate(qrels, results, [1, 5])
    assert recall["Recall@5"] == 1.0


def test_no_more_come_back_than_are_asked_for(tmp_path: Path):
    search = HippoHoverSearch(tmp_path, recipe=RECIPE)
    assert len(search.search(CORPUS, QUERIES, 2)["q1"]) == 2
    assert 2 < len(search.search(CORPUS, QUERIES, 10_000)["q1"]) <= len(FILMS)


def test_another_retriever_ranks_otherwise(tmp_path: Path):
    walk = HippoHoverSearch(tmp_path, recipe=RECIPE).search(CORPUS, QUERIES, 5)
    words = HippoHoverSearch(tmp_path, recipe=RECIPE, retriever="bm25").search(CORPUS, QUERIES, 5)
    assert walk != words


def test_the_index_is_kept_in_the_folder(tmp_path: Path):
    HippoHoverSearch(tmp_path, recipe=RECIPE).search(CORPUS, QUERIES, 2)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] != ".") == [
        "corpus.jsonl",
        "index",
        "made_of.json",
    ]


def test_embeddings_are_refused(tmp_path: Path):
    with refused(UsageError, "no embeddings to write"):
        HippoHoverSearch(tmp_path).encode(CORPUS, QUERIES)
    with refused(UsageError, "not searched from files"):
        HippoHoverSearch(tmp_path).search_from_files("q", ["c"], 1)


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("BEIR") > 3
