"""Titles that are near one that is not there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.scope_tables import scope_tables
from hippohover.store import near_titles as module
from hippohover.store.near_titles import did_you_mean, near_titles, owners_of
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables


@pytest.fixture(scope="module")
def tables(toy_index: Path) -> IndexTables:
    return IndexTables.open(StoredIndex.open(toy_index))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an index of millions: no title is looked at that no name or word leads to."""
    monkeypatch.setattr(module, "_COMPARE_ALL", 0)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "title",
    [
        "hexley  FLYER",
        "Hexley Flyr",  # letters that are missing, too many, others, swapped
        "Hexleyy Flyer",
        "Hexley Flier",
        "Hexley Flyre",
        "Hexly Flyar",  # two words with a slip each, of which no passage holds one
        "The Hexley Flyer railway",
    ],
)
def test_the_nearest_is_named_first(tables: IndexTables, title: str):
    assert near_titles(tables, title)[0] == "Hexley Flyer"


def test_a_name_without_its_qualifier_names_all_that_have_one(tables: IndexTables):
    near = near_titles(tables, "Lantern Hill")
    assert {"Lantern Hill (1962 film)", "Lantern Hill (novel)"} <= set(near)
    assert len(set(near)) == len(near) <= 5


def test_a_small_index_is_compared_whole(tables: IndexTables, monkeypatch: pytest.MonkeyPatch):
    title = "Hexxleyy Flyyerr"
    assert near_titles(tables, title) == ("Hexley Flyer",)
    monkeypatch.setattr(module, "_COMPARE_ALL", 0)
    assert near_titles(tables, title) == ()


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "title", ["", " ", "?!", "\ud800", "\0", "x y " * 5000, "x" * 500, "a b c d e f g h i " * 27]
)
def test_what_is_no_title_is_near_none(tables: IndexTables, title: str):
    assert near_titles(tables, title) == ()


def test_hidden_titles_are_near_none(tables: IndexTables):
    column = pa.array([""] * tables.arrays.n_passages, pa.large_string())
    at = tables.passages.column_names.index("title")
    hidden = replace(tables, passages=tables.passages.set_column(at, "title", column))
    assert near_titles(hidden, "Hexley Flyer") == ()


def test_what_is_compared_does_not_grow_with_the_index(
    tables: IndexTables, monkeypatch: pytest.MonkeyPatch
):
    compared: list[int] = []

    def closest(_title: str, titles: Sequence[str], _cutoff: float) -> list[str]:
        compared.append(len(titles))
        return ["T"]

    monkeypatch.setattr(module, "_POOL", 7)
    monkeypatch.setattr(module, "_closest", closest)
    assert near_titles(tables, "The towns of the Sarrow Isles of Gullhaven")[-1] == "T"
    assert compared[0] < 15


def test_owners_of_names(tables: IndexTables):
    titles = tables.passages.column("title").to_pylist()
    rows = owners_of(tables, ["lantern hill", "hexley flyer", "nobody's name"]).tolist()
    assert {titles[row] for row in rows} >= {"Hexley Flyer", "Lantern Hill (novel)"}
    assert rows == sorted(rows)
    assert len(owners_of(tables, ["lantern hill"], most=1)) == 1
    assert owners_of(tables, []).tolist() == []


def test_what_is_near_is_asked_back():
    assert did_you_mean(["A", "B's"]) == "did you mean 'A', \"B's\"?"
    assert did_you_mean([]) == "check its spelling"


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    folder = tmp_path_factory.mktemp("near") / "notes"
    (folder / "help").mkdir(parents=True)
    dues = "---\ntitle: Harbour dues\naliases: [Fee schedule of Orme]\n---\nNine crowns."
    (folder / "help" / "rates-2024.md").write_text(dues, encoding="utf-8")
    (folder / "x.md").write_text("Orme is a town.", encoding="utf-8")
    recipe = IndexRecipe(name="n", extractor="between", encoder="none")
    root = build(recipe, corpus=folder, out=folder.parent / "i", workers=1)
    return IndexTables.open(StoredIndex.open(root))


@pytest.mark.parametrize(
    "name",
    ["Fee schedul of Orme", "fee Schedule of Orme", "rates-204", "help/rates-2024.md",
     "help/rate-2024.md", "help/rates-2024", "Harbor dues"],
)  # fmt: skip
def test_a_title_is_near_by_further_names_and_the_path(notes: IndexTables, name: str):
    assert near_titles(notes, name) == ("Harbour dues",)
    bound = np.array(
        [title != "Harbour dues" for title in notes.passages.column("title").to_pylist()]
    )
    assert near_titles(scope_tables(notes, bound), name) == ()


@pytest.mark.usefixtures("large")
def test_a_path_leads_to_its_title_in_an_index_of_millions(notes: IndexTables):
    assert near_titles(notes, "help/rates-2024.md") == ("Harbour dues",)
