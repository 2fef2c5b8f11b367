"""Data sets of ir_datasets, made of files of our own."""

import sys

import pytest

from hippohover.errors import CorpusError, UsageError
from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.ir_data_sets import data_set

QUERIES = [("q1", "Who sang?"), ("q2", "Who rode?")]
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\n"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name below which the library knows ``dev``, ``test`` without qrels, and ``documents``."""
    folder = tmp_path_factory.mktemp("data_sets")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(folder / "home"))
        import ir_datasets  # pyright: ignore[reportMissingTypeStubs]

    queries, qrels, documents = (folder / name for name in ("queries", "qrels", "documents"))
    queries.write_text("".join(f"{uid}\t{text}\n" for uid, text in QUERIES), encoding="utf-8")
    qrels.write_text(QRELS, encoding="utf-8")
    documents.write_text("d1\tA song.\n", encoding="utf-8")
    made = {
        "dev": {"queries_tsv": str(queries), "qrels_trec": str(qrels)},
        "test": {"queries_tsv": str(queries)},
        "documents": {"docs_tsv": str(documents)},
    }
    for name, options in made.items():
        ir_datasets.registry.register(f"own/{name}", ir_datasets.create_dataset(**options))
    return "ir_datasets:own"


def test_queries_and_what_is_relevant(known: str):
    assert data_set(f"{known}/dev") == (QUERIES, {"q1": ("d1", "d3")})
    assert data_set(f"{known}/test") == (QUERIES, None)
    (claim,) = load_claims(f"{known}/dev")
    assert (claim.uid, claim.claim, claim.gold_ids) == ("q1", "Who sang?", ("d1", "d3"))


def test_what_there_is_not(known: str):
    with pytest.raises(CorpusError, match=r"own/documents: has no queries"):
        data_set(f"{known}/documents")
    with pytest.raises(CorpusError, match=r"own/such: cannot be read \(KeyError: 'own/such'\)"):
        data_set(f"{known}/such")


def test_without_the_library_one_line_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(UsageError, match="needs ir_datasets: pip install ir-datasets"):
        load_claims("ir_datasets:own/dev")
