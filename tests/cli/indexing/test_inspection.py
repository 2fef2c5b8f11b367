"""``inspect``: what it shows of an index, whole, damaged or half built."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.command_samples import FAST_RECIPE, Command, assert_error, write_corpus
from tests.index_samples import flip, seal_manifest


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
    assert "unfinished  2.0 kB" in hippohover("inspect", copied).out
    found = hippohover("inspect", copied, "--json").json
    assert (before["unfinished_n_bytes"], found["unfinished_n_bytes"]) == (0, 2000)
    assert found["cache_n_bytes"] == before["cache_n_bytes"] + 2000


def test_several_damaged_files_are_counted_and_shown(hippohover: Command, copied: Path) -> None:
    (copied / "v000001" / "extra.npy").write_bytes(b"")
    (copied / "v000001" / "more.npy").write_bytes(b"")
    outcome = hippohover("inspect", copied, "--verify")
    assert outcome.code == 1
    shown = outcome.out.replace("\n", "")  # a long path is broken anywhere
    assert "extra.npy" in shown
    assert "more.npy" in shown
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


def test_what_an_index_names_outside_is_shown_and_confirmed_in_its_own_words(
    copied: Path, hippohover: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HIPPOHOVER_CACHE", str(tmp_path / "cache"))
    model = {"name": "openai/m", "api_key_variable": "X_API_KEY",
             "api_base": "https://example.org/v1"}  # fmt: skip
    version = copied / "v000001"
    manifest = json.loads((version / "manifest.json").read_bytes())
    manifest["recipe"] |= {"extractor": "llm", "language_model": model, "encoder": "some/body"}
    seal_manifest(version, json.dumps(manifest).encode())
    monkeypatch.setenv("COLUMNS", "200")
    said = "language model openai/m at https://example.org/v1, key in X_API_KEY"
    for options, told in (((), "not confirmed, and so not used"), (("--confirm",), "confirmed")):
        lines = hippohover("inspect", copied, *options).out.splitlines()
        assert f"{told}  {said}" in lines
        assert f"{told}  encoder some/body" in lines
        outside = hippohover("inspect", copied, "--json").json["outside"]
        assert [(one["setting"], one["confirmed"]) for one in outside] == [
            ("language_model", told == "confirmed"),
            ("encoder", told == "confirmed"),
        ]
        if not options:
            for given in ("--lm-api-base=http://127.0.0.1:9/v1", "--lm-key-variable=X_API_KEY"):
                done = hippohover("delete", copied, "--title", "Lantern Hill", given)
                assert_error(done, "openai/m", "https://example.org/v1", "X_API_KEY", "--confirm")
