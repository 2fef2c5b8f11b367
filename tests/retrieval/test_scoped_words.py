"""Nodes in words: as passages inside a scope write them, whoever wrote them first."""

from collections.abc import Iterator

import numpy as np
import pytest

from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.scope_tables import ScopedTables
from hippohover.spans import lengths_of
from tests.retrieval.scope_samples import INSIDE, engine_of

OUTSIDE = [
    {
        "title": "THE SALT ROAD",
        "side": "out",
        "id": f"o{at}",
        "text": f"We saw PORT SENNA {at} times.",
    }
    for at in range(9)  # rows are in the order of hashes: one of these is the first
]
RECORDS = (
    *OUTSIDE,
    {"title": "The Salt Road", "side": "in", "id": "b", "text": "And we left Port  Senna late."},
    {"title": "Ada Finch", "side": "in", "id": "c", "text": "We saw Port-Senna on The Salt Road."},
    {"title": "Lunn: a town", "side": "in", "id": "d", "text": "Ada Finch built Lunn."},
)


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HippoHover]:
    opened = engine_of(RECORDS, tmp_path_factory.mktemp("names"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def scoped(engine: HippoHover) -> ScopedTables:
    tables = engine.retrievers.bounded(tuple(INSIDE), "walk")[0].tables
    assert isinstance(tables, ScopedTables)
    return tables


@pytest.mark.parametrize(
    ("key", "first", "within"),
    [
        ("the salt road", "THE SALT ROAD", "The Salt Road"),
        ("port senna", "port senna", None),
        ("ada finch", "Ada Finch", "Ada Finch"),
        ("lunn", "Lunn", "Lunn"),
    ],
)
def test_an_entity_is_written_as_inside(
    engine: HippoHover, scoped: ScopedTables, key: str, first: str, within: str | None
):
    tables = engine.tables
    [number] = tables.arrays.names.numbers([key]).tolist()
    node = tables.arrays.n_passages + number
    assert tables.node_name(node) == first
    named = scoped.node_name(node)
    assert named in ({"Port Senna", "Port-Senna"} if within is None else {within})


def test_facts_are_written_as_inside(engine: HippoHover, scoped: ScopedTables):
    arrays = engine.tables.arrays
    stated = np.flatnonzero(np.repeat(scoped.is_there, lengths_of(arrays.fact_spans)))
    rows = np.unique(arrays.passage_facts[stated, 0]).astype(np.int64)
    assert len(rows)
    words = " ".join(word for one in scoped.triples(rows) for word in one.words())
    assert "THE SALT" not in words
    assert "PORT SENNA" not in words
