"""``build``: what it prints, and what stops it."""

import json
from pathlib import Path

import pytest

from tests.cli.command_samples import FAST_RECIPE, Command, assert_error, write_corpus


def test_build_then_inspect(hippohover: Command, recipe: Path, tmp_path: Path) -> None:
    corpus = write_corpus(
        tmp_path / "c.jsonl", [("Ada Finch", "She sang."), ("Salt Road", "A film by Ada Finch.")]
    )
    outcome = hippohover("build", recipe, "--corpus", corpus)
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.startswith("index/small  v000001  built in ")
    assert "2 passages" in outcome.out
    shown = hippohover("inspect", "index/small")
    assert shown.code == 0
    for word in (
        "passages",
        "entities",
        "facts",
        "edges",
        "title",
        "mention",
        "failures",
        "recipe",
    ):
        assert word in shown.out
    found = hippohover("inspect", "index/small", "--json", "--verify").json
    assert found["n_passages"] == 2
    assert {"n_entities", "n_facts", "n_edges", "recipe", "models", "failures"} <= found.keys()
    assert sum(found["edges"].values()) == found["n_edges"]
    assert found["problems"] == []


def test_build_takes_a_folder_a_limit_and_an_out(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.txt").write_text(f"Document {n} is about Ada Finch.", encoding="utf-8")
    arguments = ("--corpus", folder, "--out", "here", "--limit", 2, "--workers", 1, "--json")
    found = hippohover("build", recipe, *arguments).json
    assert found["index"] == "here"
    assert found["n_passages"] == 2
    assert found["seconds"] > 0


def test_build_notes_how_fields_were_read_and_what_a_file_of_triples_has_not(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    corpus, triples = tmp_path / "c.jsonl", tmp_path / "openie.json"
    rows = [{"docid": f"d{n}", "contents": f"Ada Finch sang song {n}."} for n in range(3)]
    corpus.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    docs = [
        {"passage": rows[0]["contents"], "extracted_triples": [["Ada Finch", "sang", "song 0"]]}
    ]
    triples.write_text(json.dumps({"docs": docs}), encoding="utf-8")
    outcome = hippohover("build", recipe, "--corpus", corpus, "--triples", triples)
    assert outcome.code == 0
    assert outcome.err.splitlines() == [
        "note: read docid as id, contents as text; no title",
        "note: 2 of 3 passages have no entry in the file of triples",
    ]
    found = hippohover("inspect", "index/small", "--json").json
    assert found["n_facts"] == 1
    assert found["triples_file"]["n_missing"] == 2
    assert found["read"]["understood"] == {"read docid as id, contents as text; no title": 1}


def test_build_notes_failed_records(hippohover: Command, tmp_path: Path) -> None:
    path = tmp_path / "tolerant.toml"
    path.write_text(f"{FAST_RECIPE}[corpus]\nmax_bad_share = 0.5\n", encoding="utf-8")
    corpus = write_corpus(tmp_path / "c.jsonl", [("A b", "c d.")] * 1 + [("E f", "g h.")])
    with corpus.open("a", encoding="utf-8") as file:
        file.write("not json\n")
    outcome = hippohover("build", path, "--corpus", corpus)
    assert outcome.code == 0
    assert outcome.err == (
        "note: 1 failed: not JSON (Expecting value: line 1 column 1 (char 0)) (.jsonl 1): "
        "hippohover inspect names them\n"
    )
    assert "c.jsonl:3" in hippohover("inspect", "index/small").out


def test_build_and_inspect_name_files_that_say_the_same(
    hippohover: Command, recipe: Path, tmp_path: Path
):
    for name in ("a", "b"):
        (tmp_path / "notes" / name).mkdir(parents=True)
        (tmp_path / "notes" / name / "fog.md").write_text("Fog is grey.", encoding="utf-8")
    outcome = hippohover("build", recipe, "--corpus", tmp_path / "notes")
    same = "1 document says the same as another, which answers for both: b/fog.md (as a/fog.md)"
    assert f"note: {same}\n" in outcome.err
    assert f"the same  {same}" in " ".join(hippohover("inspect", "index/small").out.split("\n"))
    read = hippohover("inspect", "index/small", "--json").json["read"]
    assert (read["n_same"], read["same"]) == (1, ["b/fog.md (as a/fog.md)"])


def test_failures_stand_in_one_line_by_reason_and_suffix(hippohover: Command, tmp_path: Path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Ada Finch met Bo Lind.")
    for name in ("b.docx", "c.docx", "d.epub"):
        (folder / name).write_bytes(b"PK, but no archive")
    (folder / "e.csv").write_text("name,role\n")
    err = " ".join(
        hippohover("build", "default-fast", "--corpus", folder, "--out", "i").err.split()
    )
    assert "passed over 1: holds no records with text (.csv 1)" in err
    assert "note: 3 failed: " in err
    assert "(.docx 2, .epub 1): hippohover inspect names them" in err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('encoder = "no-such-model"\nextractor = "between"', "no-such-model"),
        ('extractor = "spacy"\nspacy_model = "xx_none"\nencoder = "none"', "xx_none"),
    ],
)
@pytest.mark.slow
def test_unknown_models(hippohover: Command, tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(line, encoding="utf-8")
    corpus = write_corpus(tmp_path / "c.jsonl", [("A b", "It sings.")])
    assert_error(hippohover("build", path, "--corpus", corpus), words)


def test_a_failed_build_keeps_the_old_index(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "c.jsonl", [("Ada Finch", "She sang.")])
    assert hippohover("build", recipe, "--corpus", corpus).code == 0
    corpus.write_text("not json\n", encoding="utf-8")
    assert_error(hippohover("build", recipe, "--corpus", corpus), "c.jsonl:1")
    assert hippohover("query", "index/small", "Who sang?").code == 0
