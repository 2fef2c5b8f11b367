"""``build`` and ``inspect``: what they print, and what stops them."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest

from hippohover.cli.indexing.build import describe_index
from hippohover.entity_graph import EdgeType
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from tests.cli.command_samples import FAST_RECIPE, Command, assert_error, write_corpus
from tests.index_samples import flip


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
    ("toml", "words"),
    [
        ('nmae = "x"', "unknown key 'nmae'"),
        ("[query]\ndamping = 1.5", "query.damping = 1.5"),
        ('extractor = "magic"', "extractor"),
        ("= 3", "not TOML"),
    ],
)
def test_bad_recipes(hippohover: Command, tmp_path: Path, toml: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(toml, encoding="utf-8")
    assert_error(hippohover("build", path, "--corpus", "x"), "bad.toml", words)
    assert not (tmp_path / "index").exists()


def test_unknown_recipes(hippohover: Command) -> None:
    assert_error(hippohover("build", "nonesuch", "--corpus", "x"), "'nonesuch'", "default")
    assert_error(hippohover("build", "nonesuch.toml", "--corpus", "x"), "nonesuch.toml")


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


def test_no_corpus(hippohover: Command, recipe: Path) -> None:
    assert_error(hippohover("build", recipe), "--corpus PATH")
    assert_error(hippohover("build", recipe, "--corpus", "nowhere.jsonl"), "nowhere.jsonl")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("c.jsonl", b"", "c.jsonl"),
        ("c.jsonl", b"not json\n", "c.jsonl:1"),
        ("c.jsonl", b'{"title": "A"}\n', "c.jsonl:1"),
        (
            "c.jsonl.gz",
            gzip.compress(b'{"title": "A b", "text": "c."}\n' * 99, mtime=0)[:40],
            "c.jsonl.gz",
        ),
        ("c.tar.bz2", b"BZh91AY&SY" + b"\x00" * 40, "c.tar.bz2"),
    ],
)
def test_bad_corpora(  # noqa: PLR0917
    hippohover: Command, recipe: Path, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert_error(hippohover("build", recipe, "--corpus", name), words)
    assert not (tmp_path / "index" / "small").exists()


def test_a_failed_build_keeps_the_old_index(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "c.jsonl", [("Ada Finch", "She sang.")])
    assert hippohover("build", recipe, "--corpus", corpus).code == 0
    corpus.write_text("not json\n", encoding="utf-8")
    assert_error(hippohover("build", recipe, "--corpus", corpus), "c.jsonl:1")
    assert hippohover("query", "index/small", "Who sang?").code == 0


@pytest.mark.parametrize("small", [0, 2**20])
def test_a_damaged_file_of_any_size_is_refused_and_verify_names_all(
    hippohover: Command, copied: Path, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr("hippohover.store.checksums.SMALL_FILE_BYTES", small)
    for name in ("facts.npy", "mentions.npy"):
        flip(copied / "v000001" / name, -1)
    for command in (["inspect"], ["query"], ["explain", "--title", "A"]):
        words = ["Who sang?"] if command[0] != "inspect" else []
        assert_error(hippohover(command[0], copied, *words, *command[1:]), "facts.npy")
    outcome = hippohover("inspect", copied, "--verify")
    assert outcome.code == 1
    assert "DAMAGED" in outcome.out
    assert outcome.err.startswith("error: ")
    assert "facts.npy" in outcome.err
    as_json = hippohover("inspect", copied, "--verify", "--json")
    assert as_json.code == 1
    assert [Path(line.split(": ")[0]).name for line in as_json.json["problems"]] == [
        "facts.npy",
        "mentions.npy",
    ]


def test_a_build_that_cannot_begin_leaves_no_folder(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    assert_error(hippohover("build", recipe), "names no corpus")
    assert not (tmp_path / "index" / "small").exists()


def test_inspect_says_that_nothing_is_damaged_only_when_it_looked(
    hippohover: Command, toy_index: Path
) -> None:
    assert "every checksum is right" in hippohover("inspect", toy_index, "--verify").out
    assert "checksum" not in hippohover("inspect", toy_index).out
    assert hippohover("inspect", toy_index, "--json").json["problems"] is None


def test_inspect_shows_what_a_stopped_build_has_left(hippohover: Command, copied: Path) -> None:
    assert "unfinished" not in hippohover("inspect", copied).out
    before = hippohover("inspect", copied, "--json").json
    (copied / ".cache" / "work" / "0123").mkdir(parents=True)
    (copied / ".cache" / "work" / "0123" / "found-00000.arrow").write_bytes(bytes(2000))
    assert "unfinished  2.0 kB of it" in hippohover("inspect", copied).out
    found = hippohover("inspect", copied, "--json").json
    assert (before["unfinished_n_bytes"], found["unfinished_n_bytes"]) == (0, 2000)
    assert found["cache_n_bytes"] == before["cache_n_bytes"] + 2000


def test_several_damaged_files_are_counted_and_shown(hippohover: Command, copied: Path) -> None:
    (copied / "v000001" / "extra.npy").write_bytes(b"")
    (copied / "v000001" / "more.npy").write_bytes(b"")
    outcome = hippohover("inspect", copied, "--verify")
    assert outcome.code == 1
    assert "extra.npy" in outcome.out
    assert "more.npy" in outcome.out
    assert outcome.err.endswith("extra.npy: is not part of the index: remove it (and 1 more)\n")


def test_the_first_failures_are_shown_and_all_are_counted(
    hippohover: Command, tmp_path: Path
) -> None:
    path = tmp_path / "tolerant.toml"
    path.write_text(f"{FAST_RECIPE}[corpus]\nmax_bad_share = 0.9\n", encoding="utf-8")
    corpus = write_corpus(tmp_path / "c.jsonl", [("A b", "c d.")])
    with corpus.open("a", encoding="utf-8") as file:
        file.write("not json\n" * 27)
    assert hippohover("build", path, "--corpus", corpus).code == 0
    shown = hippohover("inspect", "index/small").out
    assert "failures  27" in shown
    named = {int(line) for line in re.findall(r"c\.jsonl:(\d+)", shown)}
    assert named == set(range(2, 22))
    assert "and 7 more: see inspect --json" in shown


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--runner", "dask"), 2, "'dask' is unknown: name one of local, ray"),
        (("--address", "host:6379"), 1, "address is 'host:6379', of no use to runner 'local'"),
        (("--workers", "0"), 2, "'--workers': "),
        (("--workers", "two"), 2, "'two'"),
        (("--limit", "-1"), 2, "-1"),
    ],
)
def test_an_option_that_cannot_be_is_refused_and_named(
    hippohover: Command, recipe: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    outcome = hippohover("build", recipe, *options)
    assert outcome.code == code
    assert words in outcome.err


def test_what_is_described_is_what_stands_on_disk(toy_index: Path) -> None:
    with StoredIndex.open(toy_index) as stored:
        found = describe_index(stored)
    folder = toy_index / "v000001"
    on_disk = {path.name: path.stat().st_size for path in folder.iterdir()}
    for own in ("manifest.json", "manifest.sha256", "build_log.json"):
        del on_disk[own]
    assert (found["folder"], found["version"]) == (str(folder), "v000001")
    assert found["files"] == on_disk
    assert found["n_bytes"] == sum(on_disk.values())
    assert found["recipe"]["name"] == "toy"
    graph = IndexTables.open(StoredIndex.open(toy_index)).arrays.graph
    assert found["n_edges"] == sum(found["edges"].values()) > 0
    assert found["edges"].keys() == {kind.name.lower() for kind in EdgeType}
    assert 2 * found["n_edges"] == np.count_nonzero(graph.weights)


# --- graphs that join next to nothing ----------------------------------------------------------


def test_a_graph_that_joins_next_to_nothing_is_told_with_the_reason_and_the_remedy(
    hippohover: Command, recipe: Path, tmp_path: Path
) -> None:
    lone = [(f"fact-{n:05d}", f"number {n} is a number.") for n in range(12)]
    corpus = write_corpus(tmp_path / "c.jsonl", lone)
    note = (
        "0 of 12 passages are joined with another document: few texts hold a name that another has "
        "too, and no record has links; give links or aliases, or expect answers as by BM25"
    )
    built = hippohover("build", recipe, "--corpus", corpus)
    assert (built.code, built.err) == (0, f"note: {note}\n")
    assert note in " ".join(hippohover("inspect", "index/small").out.split())
    more = tmp_path / "more.jsonl"
    more.write_text('{"title": "x", "text": "it rains.", "links": ["nowhere"]}\n')
    added = hippohover("add", "index/small", more)
    assert added.err.startswith("note: 0 of 13 passages are joined with another document: ")
    assert "and 1 of 1 links lead to no document; give" in added.err
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


def test_inspect_says_how_many_passages_each_type_of_edge_joins(
    hippohover: Command, toy_index: Path
) -> None:
    shown = [" ".join(line.split()) for line in hippohover("inspect", toy_index).out.splitlines()]
    found = hippohover("inspect", toy_index, "--json").json
    n = found["n_passages_joined_by_mention"]
    assert (
        f"mention {found['edges']['mention']:,} join {n:,} passages with another document" in shown
    )
    assert f"joined {found['n_passages_joined']:,} passages, by any of these" in shown
    assert "links 0" in shown
    assert found["n_passages_joined"] > found["n_passages"] / 2
    assert found["note"] is None
