"""Documents of passages, who follows whom in them, and where links lead."""

from pathlib import Path
from typing import Any

from hippohover.entity_graph import EdgeType
from hippohover.names.normal_forms import entity_key
from hippohover.records import Passage
from hippohover.store.tables import IndexTables
from tests.indexing.work_samples import assembled, pid


def titled(row: int, title: str, text: str = "it rains.", **more: Any) -> Passage:  # noqa: ANN401
    return Passage(pid(row), title, text, **more)


def entities(tables: IndexTables) -> list[str]:
    return tables.entities.column("name").to_pylist()


def joined(tables: IndexTables, row: int, kind: EdgeType) -> list[int]:
    """Nodes that edges of a type join with the node of this row."""
    graph = tables.arrays.graph
    of_row = slice(*graph.spans[row])
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


def test_numbers_lead_to_titles_of_their_series_and_to_the_section_of_these(empty_folder: Path):
    passages = [
        titled(0, "Rules, 3.8.1", "See Rule 3.8.2(1), and 3.9 in all."),
        titled(1, "Rules, 3.8.2", "as in 3.8.2.(4)"),
        titled(2, "Rules, 3.9.a"),
        titled(3, "Rules, 3.9.b", "Rules 7.7.1 and 4.1 are others."),
        titled(4, "Guide, 4.1.2", "3.8.1 and 4.1 and 4.1.2"),
        titled(5, "Guide", "3.8.1"),
    ]
    tables, counted = assembled(empty_folder, passages, {})
    reached = [
        [entities(tables)[node - 6] for node in joined(tables, row, EdgeType.LINK)]
        for row in range(6)
    ]
    assert reached == [["Rules, 3.8.2", "Rules, 3.9"], [], [], [], [], []]
    assert (counted.n_links, counted.n_unresolved_links) == (5, 0)
    owners = joined(tables, 2, EdgeType.TITLE), joined(tables, 3, EdgeType.TITLE)
    both = set(owners[0]) & set(owners[1])
    assert [entities(tables)[node - 6] for node in both] == ["Rules, 3.9"]


def test_numbers_behind_a_sign_lead_to_records_with_such_ids(empty_folder: Path):
    passages = [
        titled(0, "Crash", "Since #12 it crashes, see #9 and &#12;.", document="7"),
        titled(1, "Fix", "It crashed.", document="12"),
        titled(2, "Note", "#12 of the page.", document="notes/a"),
    ]
    tables, counted = assembled(empty_folder, passages, {})
    reached = [
        [entities(tables)[node - 3] for node in joined(tables, row, EdgeType.LINK)]
        for row in range(3)
    ]
    assert reached == [["Fix"], [], []]
    assert (counted.n_links, counted.n_unresolved_links) == (1, 0)


def test_a_document_is_an_id_else_a_title_else_a_passage(empty_folder: Path):
    passages = [
        titled(0, "A"), titled(1, "A", document="x"), titled(2, "B", document="x", part=1),
        titled(3, ""), titled(4, ""), titled(5, "A", part=1),
    ]  # fmt: skip
    tables, _ = assembled(empty_folder, passages, {})
    assert tables.arrays.documents.tolist() == [0, 1, 1, 2, 3, 0]


def test_files_that_share_an_id_are_documents_of_their_own_and_links_lead_to_one(
    empty_folder: Path,
):
    passages = [
        titled(0, "Ada", document="1", path="customers.csv"),
        titled(1, "Mast", document="1", path="orders.csv"),
        titled(2, "Mast", document="1", path="orders.csv", part=1),
        titled(3, "From", document="f", path="f.md", links=("1",)),
        titled(4, "One", path="a.jsonl"), titled(5, "One", path="b.jsonl", part=1),
    ]  # fmt: skip
    tables, _ = assembled(empty_folder, passages, {})
    assert tables.arrays.documents.tolist() == [0, 1, 1, 2, 3, 3]
    assert joined(tables, 1, EdgeType.NEIGHBOUR) == [2]
    (led,) = joined(tables, 3, EdgeType.LINK)
    assert entities(tables)[led - 6] == "Ada"


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


def test_links_to_records_that_go_by_a_code_lead_to_them(empty_folder: Path):
    """Their texts open with no name, or with one that many open with."""
    passages = [
        titled(0, "m1", "Thanks to all.", document="m1"),
        titled(1, "m2", document="m2", links=("m1",)),
        titled(2, "m3", "Thanks again.", document="m3", links=("m2", "m9")),
    ]
    tables, counted = assembled(empty_folder, passages, {})
    leads = [
        [entities(tables)[node - 3] for node in joined(tables, row, EdgeType.LINK)]
        for row in range(3)
    ]
    assert leads == [[], ["m1"], ["m2"]]
    assert (counted.n_links, counted.n_unresolved_links) == (3, 1)
