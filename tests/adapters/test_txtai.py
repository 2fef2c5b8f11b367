# pyright: reportMissingTypeStubs=false
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("txtai")

from txtai import Embeddings

from hippohover.adapters.txtai import HippoHoverScoring
from hippohover.errors import IndexStoreError, UsageError
from hippohover.retrieval.engine import HippoHover
from tests.adapters.conftest import FILMS, QUESTION
from tests.adapters.page_examples import recipe_of, run_section
from tests.index_samples import refused

METHOD = "hippohover.adapters.txtai.HippoHoverScoring"
CONFIG: dict[str, Any] = {
    "method": METHOD,
    "terms": True,
    "recipe": recipe_of({"name": "txtai"}),
}


def texts_of(embeddings: Embeddings, query: str) -> list[str]:
    """The text that is found first."""
    found: Any = embeddings.search(query, 1)
    return [one["text"] for one in found]


TEXTS = [text for _, _, text, _, _ in FILMS]


@pytest.fixture
def scoring() -> Iterator[HippoHoverScoring]:
    made = HippoHoverScoring(dict(CONFIG))
    made.insert([(number, text, None) for number, text in enumerate(TEXTS)], index=0)
    yield made
    made.close()


def test_an_index_is_asked_by_its_path_alone(films: Path):
    found = HippoHoverScoring({"index": str(films)}).search(QUESTION, 3)
    expected = HippoHover.open(films).retrieve(QUESTION, 3).passages
    assert [name for name, _ in found] == [one.metadata["id"] for one in expected]


def test_scores_are_above_0_and_in_order(scoring: HippoHoverScoring):
    scores = [score for _, score in scoring.search(QUESTION, 5)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)


def test_documents_of_txtai_are_searched(scoring: HippoHoverScoring):
    assert {0, 1} <= {number for number, _ in scoring.search(QUESTION, 5)}
    assert scoring.count() == 5
    assert scoring.batchsearch([QUESTION] * 2, 2) == [scoring.search(QUESTION, 2)] * 2


def test_an_empty_scoring_finds_nothing():
    assert HippoHoverScoring(dict(CONFIG)).search(QUESTION) == []


def test_dictionaries_tokens_and_what_is_no_text(scoring: HippoHoverScoring):
    given = [
        (5, {"text": "A tower at Orle.", "title": "Tower"}, None),
        (6, ["a", "lighthouse", "burnt"], None),
        (7, 3.5, None),
    ]
    scoring.insert(given, index=5)
    assert scoring.count() == 7
    assert scoring.search("A lighthouse burnt.", 1)[0][0] == 6


def test_what_is_deleted_is_not_found(scoring: HippoHoverScoring):
    assert 4 in dict(scoring.search("a famous storm", 5))
    scoring.delete([4])
    assert 4 not in dict(scoring.search("a famous storm", 5))


def test_what_is_saved_is_loaded(scoring: HippoHoverScoring, tmp_path: Path):
    scoring.save(str(tmp_path / "scoring"))
    loaded = HippoHoverScoring(dict(CONFIG))
    loaded.load(str(tmp_path / "scoring"))
    assert loaded.search(QUESTION, 5) == scoring.search(QUESTION, 5)
    loaded.insert([(9, "A tower at Orle.", None)], index=9)
    assert loaded.count() == 6
    loaded.close()


def test_nothing_is_pickled(scoring: HippoHoverScoring, tmp_path: Path):
    scoring.save(str(tmp_path / "scoring"))
    suffixes = {path.suffix for path in (tmp_path / "scoring").rglob("*") if path.is_file()}
    assert not suffixes & {".pkl", ".pickle"}


def test_an_embeddings_index_searches_saves_and_loads(tmp_path: Path):
    with Embeddings(keyword=METHOD, content=True) as embeddings:
        embeddings.index(TEXTS)
        assert texts_of(embeddings, "a famous storm") == [TEXTS[4]]
        embeddings.upsert([(5, "A lighthouse burnt.", None)])
        assert texts_of(embeddings, "A lighthouse burnt.") == ["A lighthouse burnt."]
        embeddings.save(str(tmp_path / "saved"))
    with Embeddings() as again:
        again.load(str(tmp_path / "saved"))
        assert texts_of(again, "A lighthouse burnt.") == ["A lighthouse burnt."]


def test_an_index_of_others_is_not_changed(films: Path):
    scoring = HippoHoverScoring({"index": str(films)})
    with refused(UsageError, "which only hippohover add and delete change"):
        scoring.insert([(0, "text", None)], index=0)
    with refused(UsageError, "which only hippohover add and delete change"):
        scoring.delete([0])
    assert scoring.count() == len(FILMS)


def test_no_index_is_an_error_of_the_store(tmp_path: Path):
    with pytest.raises(IndexStoreError, match="nowhere"):
        HippoHoverScoring({"index": str(tmp_path / "nowhere")})


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("txtai") > 3
