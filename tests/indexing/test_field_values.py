"""Passages that are joined by what they have in a field."""

import json
from pathlib import Path

from hippohover.entity_graph import EdgeType
from hippohover.indexing.build import build
from hippohover.indexing.field_values import joined_keys
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.retrieval.engine import HippoHover

RECIPE = IndexRecipe.model_validate(
    {"encoder": "none", "corpus": {"join": ["ticket", "by", "state"]}}
)


def test_values_are_keys_each_once():
    assert joined_keys(["HARB-12", None, 7, " harb 12", "", True]) == ["harb 12", "7", "true"]


def test_a_value_joins_its_passages_and_a_question_begins_at_it(tmp_path: Path):
    """Five words of a ticket are nowhere else; a status that all have joins none."""
    fields = [{"ticket": f"HARB-{at // 2}", "by": f"Reeve {at % 20}"} for at in range(40)]
    texts = [f"word{at} of the mill" for at in range(40)]
    records = [
        {"title": f"Note {at}x", "text": text, "state": "open", **of}
        for at, (text, of) in enumerate(zip(texts, fields, strict=True))
    ]
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    build(RECIPE, corpus=path, out=tmp_path / "index", workers=1)
    engine = HippoHover.open(tmp_path / "index")
    graph = engine.tables.arrays.graph
    of_join = graph.types == EdgeType.JOIN
    assert graph.edge_counts()["join"] == 80  # those of "open" weigh nothing
    assert int(of_join.sum()) == 2 * 120
    for question in ("Who opened ticket HARB-3?", "what is harb-3"):
        found = engine.retrieve(question, 2)
        assert {one.title for one in found.passages} == {"Note 6x", "Note 7x"}
        assert found.trace.seeds[0].label == "harb 3"
    off = RECIPE.query.model_copy(
        update={"weights": RECIPE.query.weights.model_copy(update={"join": 0.0})}
    )
    without = HippoHover.open(tmp_path / "index", settings=off).retrieve("What is HARB-3?", 2)
    assert {one.title for one in without.passages} != {"Note 6x", "Note 7x"}


def test_lines_at_the_head_of_texts_join_as_fields_do(tmp_path: Path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for at in range(24):
        author = "Nils Dorn" if at in (3, 7) else f"Guest {at}a"
        text = f"Note {at}\n\nAuthor: {author}\nStatus: open\n\nThe winch of pier {at} was oiled."
        (notes / f"n{at}.txt").write_text(text, encoding="utf-8")
    corpus = CorpusSettings(join=("author", "status"))
    recipe = IndexRecipe(name="n", extractor="none", encoder="none", corpus=corpus)
    with HippoHover.open(build(recipe, corpus=notes, out=tmp_path / "i", workers=1)) as engine:
        tables = engine.tables
        graph = tables.arrays.graph
        of_join = (graph.types == EdgeType.JOIN) & (graph.weights > 0)
        ends = {tables.node_name(node).lower() for node in graph.neighbours[of_join].tolist()}
        assert "nils dorn" in ends
        assert "open" not in ends  # what all have joins none
        [author] = [
            n for n in range(len(graph.spans)) if tables.node_name(n).lower() == "nils dorn"
        ]
        own = slice(*graph.spans[author])
        joined = graph.neighbours[own][graph.types[own] == EdgeType.JOIN].tolist()
        assert {tables.passages.column("path")[row].as_py() for row in joined} == {
            "n3.txt",
            "n7.txt",
        }
