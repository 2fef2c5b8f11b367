"""Themes are the groups of documents that name each other, the largest first."""

import json
from pathlib import Path

import pytest

from hippohover.overview.themes import Theme, themes, themes_of
from hippohover.recipe import EdgeWeights
from hippohover.store.tables import IndexTables
from hippohover.testing.indexes import built
from tests.overview.overview_samples import LONELY, ROWS, WEIGHTS, tables_at


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> IndexTables:
    return tables_at(built(ROWS, tmp_path_factory.mktemp("themes") / "index"))


def titles_of(theme: Theme) -> set[str]:
    return set(theme.titles)


def test_documents_that_name_each_other_are_a_theme(tables: IndexTables):
    found = themes_of(tables, WEIGHTS)
    assert {frozenset(titles_of(theme)) for theme in found.largest} == {
        frozenset({"Orrin Vale", "Lake Sarn", "Mount Teld"}),
        frozenset({"Ada Brunt", "Night Ferry", "Ivo Marek"}),
    }
    assert (found.n_themes, found.n_documents, found.n_alone) == (2, 6, 1)
    assert [theme.n_documents for theme in found.largest] == [3, 3]
    assert [theme.n_passages for theme in found.largest] == [4, 3]  # the valley's has two


def test_as_many_are_told_as_asked_for_and_all_are_counted(tables: IndexTables):
    found = themes_of(tables, WEIGHTS, n=1)
    assert len(found.largest) == 1
    assert found.n_themes == 2


def test_themes_of_a_folder_are_those_of_its_index(tables: IndexTables, tmp_path: Path):
    assert themes(built(ROWS, tmp_path / "index"), n=1) == themes_of(tables, WEIGHTS, 1)


def test_the_same_index_has_the_same_themes(tables: IndexTables):
    assert themes_of(tables, WEIGHTS) == themes_of(tables, WEIGHTS)


def test_an_edge_that_weighs_nothing_joins_nothing(tables: IndexTables):
    nothing = EdgeWeights(**dict.fromkeys(EdgeWeights.model_fields, 0.0))
    found = themes_of(tables, nothing)
    assert found.largest == ()
    assert (found.n_themes, found.n_documents, found.n_alone) == (0, 0, len(ROWS))


def test_the_larger_theme_comes_first_and_shows_what_it_names_most(tmp_path: Path):
    near = {"Alder Hut": "in Orrin Vale", "Birch Hut": "below Mount Teld", "Cedar Hut": "too"}
    further = [{"title": hut, "text": f"{hut} is at Lake Sarn, {at}."} for hut, at in near.items()]
    tables = tables_at(built([*ROWS, *further, *LONELY], tmp_path / "index"))
    largest = themes_of(tables, WEIGHTS).largest
    assert [theme.n_documents for theme in largest] == [6, 3]
    assert largest[0].titles[0] == "Lake Sarn"
    assert titles_of(largest[0]) == {"Lake Sarn", "Orrin Vale", "Mount Teld"}  # none names a hut


def test_a_long_document_counts_once(tmp_path: Path):
    text = "Begin at Lake Sarn and go on below Mount Teld until the evening. " * 2
    text += "Rest in Orrin Vale and look at Mount Teld in the morning. " * 2
    rows = [*ROWS, {"title": "Long walk", "text": text}, *LONELY]
    rows += [{"title": "Short walk", "text": "It is a part of Long walk, below Mount Teld."}]
    largest = themes_of(tables_at(built(rows, tmp_path / "index")), WEIGHTS).largest
    assert largest[0].n_documents == 5
    assert largest[0].n_passages > 5
    assert largest[0].titles.count("Long walk") == 1


def test_names_are_none_of_the_titles_told(tables: IndexTables):
    for theme in themes_of(tables, WEIGHTS).largest:
        assert not set(theme.names) & titles_of(theme)


def test_a_theme_of_ids_shows_names_alone(tmp_path: Path):
    said = ("A boat", "A crane", "A bell")
    texts = [f"{one} was seen by Ada Brunt, later by Ivo Marek." for one in said]
    rows = [{"id": f"n-{n}", "title": f"n-{n}", "text": text} for n, text in enumerate(texts)]
    largest = themes_of(tables_at(built([*rows, *LONELY], tmp_path / "index")), WEIGHTS).largest
    assert [(theme.n_documents, theme.titles) for theme in largest] == [(3, ())]
    assert set(largest[0].names) == {"Ada Brunt", "Ivo Marek"}


def test_no_name_is_the_beginning_of_a_title_beside_it(tmp_path: Path):
    rows = [
        {"title": "Rule 12: Tolls", "text": "Rule 12 is of barges. See Rule 14."},
        {"title": "Rule 14: Boats", "text": "Rule 14 goes with Rule 12."},
        {"title": "A note", "text": "The clerk of Rule 12 and Rule 14 asked for Rule 12."},
    ]
    theme = themes_of(tables_at(built([*rows, *LONELY], tmp_path / "index")), WEIGHTS).largest[0]
    assert titles_of(theme) == {"Rule 12: Tolls", "Rule 14: Boats"}
    assert not {"rule 12", "rule 14"} & {name.casefold() for name in theme.names}


def test_themes_are_ready_for_json(tables: IndexTables):
    told = json.loads(json.dumps(themes_of(tables, WEIGHTS).as_dict()))
    assert told["n_themes"] == len(told["largest"]) == 2
    assert set(told["largest"][0]) == {"n_documents", "n_passages", "titles", "names"}


def test_an_index_of_one_document_has_no_theme(tmp_path: Path):
    found = themes_of(tables_at(built(ROWS[:1], tmp_path / "index")), WEIGHTS)
    assert found.largest == ()
    assert found.n_alone == 1
