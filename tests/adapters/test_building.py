from pathlib import Path

import pytest

from hippohover.adapters import building
from hippohover.adapters.building import index_of
from hippohover.errors import CorpusError
from hippohover.retrieval.engine import HippoHover
from tests.adapters.page_examples import recipe_of

DOCUMENTS = [
    {"id": "a", "title": "Orle", "text": "The Orle is a river."},
    {"id": "b", "title": "", "text": "Vellmouth lies on the Orle."},
    {"id": "c", "title": "", "text": "  "},
]
RECIPE = recipe_of({"name": "handed-over"})


def ids(path: Path) -> set[object]:
    found = HippoHover.open(path).search("Where is the Orle?", 10).passages
    return {one.metadata["id"] for one in found}


def test_documents_become_an_index_by_their_ids(tmp_path: Path):
    assert ids(index_of(tmp_path, DOCUMENTS, RECIPE)) == {"a", "b"}  # c has no words


def test_the_same_documents_are_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = index_of(tmp_path, DOCUMENTS, RECIPE)

    def never(*_given: object, **_options: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(building, "build", never)
    assert index_of(tmp_path, iter(DOCUMENTS), RECIPE) == path
    with pytest.raises(AssertionError, match="built again"):
        index_of(tmp_path, DOCUMENTS[:1], RECIPE)


def test_other_documents_or_another_recipe_are_built_again(tmp_path: Path):
    index_of(tmp_path, DOCUMENTS, RECIPE)
    more = [*DOCUMENTS, {"id": "d", "title": "Salt", "text": "The Orle is salt."}]
    assert ids(index_of(tmp_path, more, RECIPE)) == {"a", "b", "d"}
    path = index_of(tmp_path, more, recipe_of({"name": "another"}))
    assert HippoHover.open(path).manifest.recipe["name"] == "another"


def test_a_build_that_stopped_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def stops(*_given: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(building, "build", stops)
        index_of(tmp_path, DOCUMENTS, RECIPE)
    assert ids(index_of(tmp_path, DOCUMENTS, RECIPE)) == {"a", "b"}


def test_no_documents_are_an_error_of_the_corpus(tmp_path: Path):
    with pytest.raises(CorpusError):
        index_of(tmp_path, [], RECIPE)
