"""Data sets of ir_datasets, by a library of our own that has its names."""

import sys
from pathlib import Path

import pytest

from hippohover.errors import CorpusError, UsageError
from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.ir_data_sets import data_set

LIBRARY = """
from typing import NamedTuple


class Query(NamedTuple):
    query_id: str
    text: str

    def default_text(self):
        return self.text


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class Dataset:
    def __init__(self, queries, qrels):
        self.queries, self.qrels = queries, qrels

    def has_queries(self):
        return self.queries is not None

    def has_qrels(self):
        return self.qrels is not None

    def queries_iter(self):
        return iter(self.queries)

    def qrels_iter(self):
        return iter(self.qrels)


QUERIES = [Query("q1", "Who sang?"), Query("q2", "Who rode?")]
KNOWN = {
    "toy/dev": Dataset(QUERIES, [Qrel("q1", "d1", 1), Qrel("q1", "d2", 0), Qrel("q1", "d3", 2)]),
    "toy/test": Dataset(QUERIES, None),
    "toy": Dataset(None, None),
}


def load(name):
    return KNOWN[name]
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "ir_datasets.py").write_text(LIBRARY, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "ir_datasets", raising=False)


@pytest.mark.usefixtures("library")
def test_queries_and_what_is_relevant():
    queries = [("q1", "Who sang?"), ("q2", "Who rode?")]
    assert data_set("ir_datasets:toy/dev") == (queries, {"q1": ("d1", "d3")})
    assert data_set("ir_datasets:toy/test") == (queries, None)
    (claim,) = load_claims("ir_datasets:toy/dev")
    assert (claim.uid, claim.claim, claim.gold_ids) == ("q1", "Who sang?", ("d1", "d3"))


@pytest.mark.usefixtures("library")
def test_what_there_is_not():
    with pytest.raises(CorpusError, match=r"toy: has no queries"):
        data_set("ir_datasets:toy")
    with pytest.raises(CorpusError, match=r"no/such: cannot be read \(KeyError: 'no/such'\)"):
        data_set("ir_datasets:no/such")


def test_without_the_library_one_line_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(UsageError, match="needs ir_datasets: pip install ir-datasets"):
        load_claims("ir_datasets:toy/dev")
