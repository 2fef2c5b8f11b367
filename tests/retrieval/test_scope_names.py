"""Texts are cut by the names of passages inside, as a build of these alone cuts them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType
from hippohover.names.aliases import NOTHING_MERGED, merge
from hippohover.names.key_table import ABSENT
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.scope_names import (
    Numbers,
    cut_texts,
    known_inside,
    names_inside,
    own_name,
)
from hippohover.retrieval.scope_tables import scope_tables
from hippohover.store.tables import IndexTables
from tests.retrieval.scope_samples import RECIPE, engine_of

RECORDS = (
    {"title": "Mist Ferry", "side": "in", "text": "It met Orla Quay, and the mist ferry."},
    {"title": "Ferry Line", "side": "in", "text": "Our Mist Ferry Line met Orla Quay and Ada Fox."},
    {"title": "Ada Fox", "side": "in", "text": "She was late."},
    {"title": "Mist Ferry Line", "side": "out", "text": "She knew Ada Fox."},
    {"title": "ADA FOX", "side": "out", "text": "She was late."},
    {"title": "Quay", "side": "out", "text": "It is stony."},
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HippoHover]:
    every = [{**record, "id": str(at)} for at, record in enumerate(RECORDS)]
    opened = engine_of(every, tmp_path_factory.mktemp("cut"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def passages(engine: HippoHover) -> NDArray[np.bool_]:
    sides = engine.tables.passages.column("metadata.side").to_pylist()
    return np.array([side == "in" for side in sides])


def test_names_of_outside_are_none(engine: HippoHover, passages: NDArray[np.bool_]):
    arrays = engine.tables.arrays
    known = known_inside(arrays, passages, NOTHING_MERGED)
    numbers = arrays.names.table.numbers(["mist ferry", "ada fox", "mist ferry line", "quay"])
    assert known[numbers].tolist() == [True, True, False, False]
    merged = merge({"The Pier": "Quay"})  # what an alias stands for is a name, whoever has it
    assert known_inside(arrays, passages, merged)[numbers].tolist() == [True, True, False, True]


def test_longer_names_of_outside_hide_none_and_part_no_phrase(
    engine: HippoHover, passages: NDArray[np.bool_]
):
    tables = engine.tables
    known = known_inside(tables.arrays, passages, NOTHING_MERGED)
    names, keys = names_inside(tables, known, passages, NOTHING_MERGED)
    assert set(keys.values()) >= {"mist ferry", "ferry line", "ada fox"}
    cut = cut_texts(tables, np.flatnonzero(passages), names)
    titles = tables.passages.column("title").to_pylist()
    named = [(titles[row], keys[name], start, stop) for row, name, start, stop in cut.mentions]
    # Tokens count from the title's first; "mist ferry" in lower case is none.
    assert sorted(named) == [("Ferry Line", "ada fox", 10, 12), ("Ferry Line", "mist ferry", 3, 5)]
    phrases = {(titles[row], cut.keys[at]) for row, at in cut.phrases.tolist()}
    assert {("Mist Ferry", "orla quay"), ("Ferry Line", "orla quay")} <= phrases
    assert "quay" not in cut.keys


def test_a_name_is_looked_for_by_how_passages_inside_write_it(
    engine: HippoHover, passages: NDArray[np.bool_]
):
    """ "ADA FOX" and "Ada Fox" are one name, and either may stand first in the index."""
    tables = engine.tables
    for rows in (passages, ~passages):
        known = known_inside(tables.arrays, rows, NOTHING_MERGED)
        names, keys = names_inside(tables, known, rows, NOTHING_MERGED)
        [number] = tables.arrays.names.table.numbers(["ada fox"]).tolist()
        assert keys[number] == "ada fox"
        assert [name for name, *_ in names.read("we saw Ada Fox").known] == [number]


def test_an_alias_is_found_as_the_name_that_it_stands_for(
    engine: HippoHover, passages: NDArray[np.bool_]
):
    tables = engine.tables
    merged = merge({"Ada Fox": "Mist Ferry"})
    known = known_inside(tables.arrays, passages, merged)
    names, _ = names_inside(tables, known, passages, merged)
    [number] = tables.arrays.names.table.numbers(["mist ferry"]).tolist()
    assert [name for name, *_ in names.read("We saw Ada Fox").known] == [number]


def test_a_passage_says_how_its_name_is_written(engine: HippoHover):
    titles = engine.tables.passages.column("title").to_pylist()
    for title in ("ADA FOX", "Ada Fox"):
        assert own_name(engine.tables, titles.index(title), "ada fox") == title
    assert own_name(engine.tables, titles.index("Quay"), "ada fox") == ""


def test_keys_that_an_index_does_not_know_are_numbered_beyond_it(engine: HippoHover):
    names = engine.tables.arrays.names.table
    numbers = Numbers(names, 100)
    known = names.numbers(["ada fox"]).tolist()
    assert numbers(["nobody", "ada fox", "no one", "nobody"]).tolist() == [100, *known, 101, 100]
    assert numbers(["no one"]).tolist() == [101]
    assert numbers.new == {"nobody": 100, "no one": 101}
    assert ABSENT not in numbers(["somebody"])


def test_other_forms_are_edges_of_their_own_in_an_index_and_in_a_scope(tmp_path: Path):
    records = [
        {"title": "Wanda Kelgate", "side": "in", "text": "She was born late."},
        {"title": "Pier", "side": "in", "text": "The pier was built by Mr Kelgate."},
        {"title": "Quay", "side": "in", "text": "Wanda Kelgate met us; Mr Kelgate was late."},
        {"title": "Karl Kelgate", "side": "out", "text": "He was born early."},
    ]
    with engine_of(records, tmp_path) as engine:
        whole = engine.tables
        inside = np.array(
            [side == "in" for side in whole.passages.column("metadata.side").to_pylist()]
        )
        for tables, meant in (
            (whole, ["Karl Kelgate", "Wanda Kelgate"]),
            (scope_tables(whole, inside, RECIPE), ["Wanda Kelgate"]),
        ):
            assert _joined(tables, "Pier", EdgeType.FORM) == meant
            assert _joined(tables, "Quay", EdgeType.MENTION) == ["Wanda Kelgate"]
            assert _joined(tables, "Quay", EdgeType.FORM) == meant[:-1]


def _joined(tables: IndexTables, title: str, kind: EdgeType) -> list[str]:
    graph = tables.arrays.graph
    own = slice(*graph.spans[tables.passages.column("title").to_pylist().index(title)])
    return sorted(
        tables.node_name(node) for node in graph.neighbours[own][graph.types[own] == kind].tolist()
    )
