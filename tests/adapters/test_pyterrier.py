# pyright: reportMissingTypeStubs=false
import os
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyterrier")

import pandas as pd
import pyterrier as pt
from pyterrier import testing

from hippohover.adapters.pyterrier import (
    HippoHoverIndex,
    HippoHoverRetriever,
    metadata_of_folder,
)
from hippohover.errors import IndexStoreError, UsageError
from hippohover.retrieval.engine import HippoHover
from tests.adapters.conftest import QUESTION
from tests.adapters.page_examples import run_section
from tests.index_samples import refused


def results(transformer: pt.Transformer, queries: pd.DataFrame) -> pd.DataFrame:
    """What it makes of a frame: a frame."""
    found: Any = transformer(queries)
    return found


os.environ.setdefault("PT_TEST_TRANSFORMER_REPORTS", "0")  # else its tests warn

TWO = pd.DataFrame(
    [["q1", QUESTION, "kept"], ["q2", "a storm", "too"]], columns=["qid", "query", "note"]
)
QRELS = pd.DataFrame(
    [["q1", "d1", 1], ["q1", "d2", 1], ["q2", "d5", 1]], columns=["qid", "docno", "label"]
)


class TestPyTerriersOwn(testing.TransformerTestCase):
    """What PyTerrier asks of any transformer."""

    index: Path

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _index(cls, films: Path) -> None:
        TestPyTerriersOwn.index = films
        cls.transformer = HippoHoverRetriever(films)

    @staticmethod
    def get_transformer() -> pt.Transformer:
        return pt.Transformer.identity()  # until the fixture has built the index

    def test_it_is_ours_that_is_tested(self) -> None:
        assert isinstance(self.transformer, HippoHoverRetriever)
        assert pt.inspect.transformer_inputs(self.transformer) == [["qid", "query"]]


def test_results_are_those_of_the_engine_with_ids_of_documents(films: Path):
    found = results(HippoHoverRetriever(films), TWO)
    expected = HippoHover.open(films).search(QUESTION, 1000).passages
    first = found[found["qid"] == "q1"]
    assert first["docno"].tolist() == [one.metadata["id"] for one in expected]
    assert first["score"].tolist() == [one.score for one in expected]
    assert first["rank"].tolist() == list(range(len(expected)))
    assert first["title"].tolist() == [one.title for one in expected]
    assert set(found["note"]) == {"kept", "too"}
    assert list(found["qid"].unique()) == ["q1", "q2"]


def test_a_cutoff_asks_for_no_more(films: Path):
    pipeline = HippoHoverIndex(films).ppr() % 2
    found = results(pipeline, TWO)
    assert found[found["qid"] == "q1"]["rank"].tolist() == [0, 1]
    assert max(found["rank"].tolist()) == 1
    compiled = pipeline.compile()
    assert isinstance(compiled, HippoHoverRetriever)
    assert compiled.num_results == 2
    pd.testing.assert_frame_equal(results(compiled, TWO), found)
    never_more: Any = (HippoHoverRetriever(films, num_results=2) % 9).compile()
    assert never_more.num_results == 2


def test_it_stands_in_a_pipeline(films: Path):
    def shorter(found: pd.DataFrame) -> pd.DataFrame:
        return found.head(3)

    pipeline = HippoHoverIndex(films).ppr() % 21 >> pt.apply.generic(shorter)
    assert len(results(pipeline, TWO)) == 3


def test_results_can_be_searched_again(films: Path):
    index = HippoHoverIndex(films)
    with pytest.raises(pt.validate.InputValidationError):
        results(index.bm25() >> index.ppr(), TWO)


def test_an_experiment_compares_retrievers(films: Path):
    index = HippoHoverIndex(films)
    table: Any = pt.Experiment(
        [index.ppr(), index.bm25()], TWO, QRELS, ["recall_5"], names=["ppr", "bm25"]
    )
    assert table["recall_5"].tolist()[0] == 1.0


def test_a_document_has_one_line_a_query(films: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("hippohover.adapters.pyterrier.document_of", lambda _passage: "same")  # pyright: ignore[reportUnknownLambdaType]
    found = results(HippoHoverRetriever(films), TWO)
    assert found["docno"].tolist() == ["same", "same"]
    assert found["rank"].tolist() == [0, 0]


def test_no_queries_have_no_results_and_all_columns(films: Path):
    found = results(HippoHoverRetriever(films), TWO.head(0))
    assert list(found.columns) == [
        "qid",
        "query",
        "note",
        "docno",
        "score",
        "rank",
        "title",
        "text",
    ]
    assert len(found) == 0


def test_conditions_are_met_after_a_cutoff_too(films: Path):
    asked = HippoHoverIndex(films).retriever(where={"lang": "de"}) % 1
    assert set(results(asked.compile(), TWO)["docno"]) <= {"d3", "d4"}


def test_an_artifact_is_found_out_by_its_folder(films: Path):
    assert metadata_of_folder(str(films), [path.name for path in films.iterdir()]) == {
        "type": "graph_index",
        "format": "hippohover",
        "package_hint": "hippohover[pyterrier]",
    }
    assert metadata_of_folder(".", ["README.md"]) is None


def test_pyterrier_loads_an_index_that_it_was_told_of(films: Path):
    names = {one.name for one in entry_points(group="pyterrier.artifact")}
    assert "graph_index.hippohover" in names, "install hippohover: its entry points are missing"
    loaded = pt.Artifact.load(str(films))
    assert isinstance(loaded, HippoHoverIndex)
    assert len(results(loaded.ppr() % 1, TWO)) == 2


def test_errors_come_through_as_they_are(films: Path, tmp_path: Path):
    with pytest.raises(IndexStoreError, match="nowhere"):
        HippoHoverIndex(tmp_path / "nowhere")
    with refused(UsageError, "give one of ppr"):
        HippoHoverRetriever(films, "magic")


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("PyTerrier") > 3
