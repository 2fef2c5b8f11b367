"""What is known of an index: counts, sizes, and whether its graph joins anything."""

import json
from pathlib import Path

import numpy as np

from hippohover.cli.indexing.description import describe_index
from hippohover.entity_graph import EdgeType
from hippohover.store.layout import OWN_FILES
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from tests.cli.command_samples import Command, write_corpus


def test_what_is_described_is_what_stands_on_disk(toy_index: Path) -> None:
    with StoredIndex.open(toy_index) as stored:
        found = describe_index(stored)
    folder = toy_index / "v000001"
    on_disk = {
        path.name: path.stat().st_size for path in folder.iterdir() if path.name not in OWN_FILES
    }
    assert (found["folder"], found["version"]) == (str(folder), "v000001")
    assert found["files"] == on_disk
    assert found["n_bytes"] == sum(on_disk.values())
    assert found["recipe"]["name"] == "toy"
    graph = IndexTables.open(StoredIndex.open(toy_index)).arrays.graph
    assert found["n_edges"] == sum(found["edges"].values()) > 0
    assert found["edges"].keys() == {kind.name.lower() for kind in EdgeType}
    assert 2 * found["n_edges"] == np.count_nonzero(graph.weights)


def test_a_graph_that_joins_next_to_nothing_is_told_with_the_reason_and_the_remedy(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    lone = [(f"fact-{n:05d}", f"number {n} is a number.") for n in range(12)]
    corpus = write_corpus(tmp_path / "c.jsonl", lone)
    note = (
        "0 of 12 passages are joined with another document: few texts share a name, and no record "
        "has links: give links or aliases, or expect answers no better than BM25's"
    )
    built = hippohover("build", recipe, "--corpus", corpus)
    assert (built.code, built.err) == (0, f"note: {note}\n")
    assert note in " ".join(hippohover("inspect", "index/small").out.split())
    more = tmp_path / "more.jsonl"
    more.write_text('{"title": "x", "text": "it rains.", "links": ["nowhere"]}\n')
    added = hippohover("add", "index/small", more)
    assert added.err.startswith("note: 0 of 13 passages are joined with another document: ")
    assert "and 1 of 1 links lead to no document: give" in added.err
    found = hippohover("delete", "index/small", "--title", "x", "--json").json
    assert found["note"] == note
    # Links join them.
    linked = "".join(
        json.dumps({"title": f"fact-{n}", "text": "it rains.", "links": [f"fact-{(n + 1) % 12}"]})
        + "\n"
        for n in range(12)
    )
    corpus.write_text(linked)
    outcome = hippohover("build", recipe, "--corpus", corpus, "--json")
    assert (outcome.err, outcome.json["note"]) == ("", None)
    assert outcome.json["n_passages_joined"] == outcome.json["n_passages_joined_by_link"] == 12
