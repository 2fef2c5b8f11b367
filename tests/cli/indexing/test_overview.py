"""``inspect --communities`` and ``export`` through ``cli.run``."""

import re
from pathlib import Path

import networkx

from hippohover.testing.indexes import built
from tests.cli.command_samples import Command
from tests.overview.overview_samples import LONELY


def test_inspect_tells_the_themes(hippohover: Command, toy_index: Path) -> None:
    shown = hippohover("inspect", toy_index, "--communities")
    assert shown.code == 0
    said = " ".join(shown.out.split())
    told = hippohover("inspect", toy_index, "--communities", "--json").json["communities"]
    assert told["n_themes"] >= 1
    assert f"themes {told['n_themes']} group" in said
    for theme in told["largest"]:
        titles = "; ".join(theme["titles"])
        assert f"{theme['n_documents']} documents: {titles}" in said


def test_a_theme_without_titles_is_told_by_its_names(hippohover: Command, tmp_path: Path) -> None:
    said = [f"{one} was seen by Ada Brunt, later by Ivo Marek." for one in ("It", "He", "She")]
    rows = [{"id": f"n-{n}", "title": f"n-{n}", "text": text} for n, text in enumerate(said)]
    index = built([*rows, *LONELY], tmp_path / "index")
    told = " ".join(hippohover("inspect", index, "--communities").out.split())
    assert re.search("3 documents names: (Ada Brunt; Ivo Marek|Ivo Marek; Ada Brunt)", told)


def test_inspect_says_nothing_of_themes_unless_asked(hippohover: Command, toy_index: Path) -> None:
    assert "themes" not in hippohover("inspect", toy_index).out
    assert "communities" not in hippohover("inspect", toy_index, "--json").json


def test_export_writes_a_file_and_says_what_it_holds(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    file = tmp_path / "toy.graphml"
    told = hippohover("export", toy_index, "--format", "graphml", "--out", file, "--json").json
    graph = networkx.read_graphml(file)
    assert told == {
        "out": str(file),
        "n_nodes": graph.number_of_nodes(),
        "n_edges": graph.number_of_edges(),
    }
    file.unlink()
    shown = hippohover("export", toy_index, "--format", "graphml", "--out", file).out
    assert f"{told['n_nodes']:,} nodes, {told['n_edges']:,} edges" in " ".join(shown.split())


def test_export_gives_nodes_what_is_asked_for(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    plain, full = tmp_path / "plain.gexf", tmp_path / "full.gexf"
    hippohover("export", toy_index, "--format", "gexf", "--out", plain)
    hippohover("export", toy_index, "--format", "gexf", "--out", full, "--communities", "--text")
    further = {"community", "text"}
    assert not further & networkx.read_gexf(plain).nodes["0"].keys()
    assert further <= networkx.read_gexf(full).nodes["0"].keys()
