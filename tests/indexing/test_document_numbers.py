"""Documents of passages, who follows whom in them, and where links lead."""

from pathlib import Path
from typing import Any

from hippohover.entity_graph import EdgeType
from hippohover.names.normal_forms import entity_key
from hippohover.records import Passage
from hippohover.store.tables import IndexTables
from tests.indexing.work_samples import assembled, pid


def titled(row: int, title: str, **more: Any) -> Passage:  # noqa: ANN401 - fields of a passage
    return Passage(pid(row), title, "it rains.", **more)


def entities(tables: IndexTables) -> list[str]:
    return tables.entities.column("name").to_pylist()


def joined(tables: IndexTables, row: int, kind: EdgeType) -> list[int]:
    """Nodes that edges of a type join with the node of this row."""
    graph = tables.arrays.graph
    of_row = slice(*graph.indptr[row : row + 2].tolist())
    return graph.neighbours[of_row][graph.types[of_row] == kind].tolist()


def test_a_link_leads_to_a_title_an_alias_a_path_or_an_id(empty_folder: Path):
    passages = [
        titled(0, "Sync", document="help/Sync settings", aliases=("Syncing",)),
        titled(1, "Sync", document="old/Sync settings"),
        titled(2, "Weir", document="17"),
        titled(3, "sync", document="a"),
        *(titled(row, "From", document=f"from/{row}", links=(target,))
          for row, target in enumerate(
              ("help/Sync settings", "somewhere/syncing", "x/Sync", "17", "old/Sync_settings",
               "old/Nowhere"), 4)),
    ]  # fmt: skip
    tables, counted = assembled(empty_folder, passages, {})
    reached = [[entities(tables)[node - 10] for node in joined(tables, row, EdgeType.LINK)]
               for row in range(4, 10)]  # fmt: skip
    old = ["old/Sync settings"]  # a sign between words counts as a blank
    assert reached == [["help/Sync settings"], ["Syncing"], ["Sync"], ["Weir"], old, []]
    assert (counted.n_links, counted.n_unresolved_links) == (6, 1)
    mere_number = tables.arrays.names.numbers([entity_key("17")])
    assert mere_number.tolist() == [-1]  # is no name


def test_a_document_is_an_id_else_a_title_else_a_passage(empty_folder: Path):
    passages = [
        titled(0, "A"), titled(1, "A", document="x"), titled(2, "B", document="x", part=1),
        titled(3, ""), titled(4, ""), titled(5, "A", part=1),
    ]  # fmt: skip
    tables, _ = assembled(empty_folder, passages, {})
    assert tables.arrays.documents.tolist() == [0, 1, 1, 2, 3, 0]


def test_passages_that_follow_each_other_in_a_document_are_neighbours(empty_folder: Path):
    passages = [
        titled(0, "A", part=2), titled(1, "B", part=1), titled(2, "A", part=0),
        titled(3, "A", part=1), titled(4, "B", part=3), titled(5, "C", part=0),
        # Two records of one title, whose parts nobody can tell apart.
        titled(6, "D", part=0), titled(7, "D", part=0), titled(8, "D", part=1),
    ]  # fmt: skip
    tables, _ = assembled(empty_folder, passages, {})
    found = [joined(tables, row, EdgeType.NEIGHBOUR) for row in range(9)]
    assert found == [[3], [], [3], [0, 2], [], [], [], [], []]
