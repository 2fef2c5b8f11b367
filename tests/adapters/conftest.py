"""An index with ids and kept fields, which adapters are tried on."""

import json
import shutil
from pathlib import Path

import pytest

from hippohover.testing.indexes import build_toy
from tests.adapters.page_examples import recipe_of

FILMS = [
    ("d1", "Lantern Hill", "Lantern Hill is a film of 1930 by Mira Oldane.", 1930, "en"),
    ("d2", "Mira Oldane", "Mira Oldane was born in Vellmouth and directed films.", 1931, "en"),
    ("d3", "Vellmouth", "Vellmouth is a harbour town on the river Orle.", 1932, "de"),
    ("d4", "Orle", "The Orle is a river that ends at Vellmouth.", 1933, "de"),
    ("d5", "Salt Mill", "Salt Mill is a film of 1940 with a famous storm.", 1940, "fr"),
]
QUESTION = "Where was the director of Lantern Hill born?"


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an index that keeps year and lang; read it only."""
    from hippohover.indexing.build import build

    folder = tmp_path_factory.mktemp("films")
    names = ("id", "title", "text", "year", "lang")
    lines = [json.dumps(dict(zip(names, film, strict=True))) for film in FILMS]
    (folder / "films.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
    recipe = recipe_of({"name": "films", "corpus": {"metadata": ["year", "lang"]}})
    return build(recipe, corpus=folder / "films.jsonl", out=folder / "index", workers=1)


@pytest.fixture
def toy_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the toy index at ``index/toy``, as the pages suppose it."""
    made = tmp_path_factory.getbasetemp() / "toy-of-pages"
    if not made.exists():
        build_toy(recipe_of({"name": "toy"}), made)
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(made, folder / "index" / "toy")
    monkeypatch.chdir(folder)
    return folder
