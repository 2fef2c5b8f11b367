"""The default encoder as a user meets it, vectors that come later, and ``reencode``."""

import json
from pathlib import Path

import pytest

from hippohover.cli.indexing import update as module
from hippohover.indexing import build as build_module
from hippohover.store import tables as tables_module
from hippohover.store.versions import version_folder
from hippohover.toy import toy_claims_path, toy_corpus_path
from tests.cli.command_samples import Command, write_corpus

pytestmark = pytest.mark.usefixtures("as_shipped")


@pytest.fixture
def later(
    hippohover: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, list[tuple[str, Path]]]:
    """An index that awaits its vectors, and what was started to make them: nothing."""
    started: list[tuple[str, Path]] = []
    for of in (build_module, module):
        monkeypatch.setattr(of, "start_beside", lambda *given: started.append(given))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(build_module, "LEAST_WITH_SPARE", 20)
    monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
    built = hippohover("build", "--corpus", toy_corpus_path(), "--out", "i")
    assert (built.code, len(started)) == (0, 1)
    assert "note: encoder minilm-static until minilm has encoded the" in built.err
    return tmp_path / "i", started


def test_the_transformer_is_the_default_of_a_small_corpus(hippohover: Command):
    built = hippohover("build", "--corpus", toy_corpus_path(), "--out", "i")
    assert "note: encoder minilm, as for up to 20,000 passages: minilm-static would" in built.err
    inspected = hippohover("inspect", "i").out
    assert "\nencoder  minilm 95" in inspected
    assert "\nvectors" not in inspected


def test_vectors_to_come_are_seen_and_what_measures_waits_for_them(
    hippohover: Command, later: tuple[Path, list[tuple[str, Path]]], tmp_path: Path
):
    root, started = later
    inspected = hippohover("inspect", root).out
    assert "\nencoder  minilm-static " in inspected
    assert "vectors  minilm-static, minilm to come, and nothing encodes it now: hip" in inspected
    new = write_corpus(tmp_path / "new.jsonl", [("Ostrava Pier", "Ostrava Pier is new.")])
    assert hippohover("add", root, new).code == 0
    assert started == [("reencode", Path("i")), ("reencode", root)]
    measured = hippohover("evaluate", root, toy_claims_path(), "--limit", 1)
    assert measured.code == 0, measured
    found = json.loads(hippohover("inspect", root, "--json").out)
    assert (found["models"]["encoder"]["name"], found["vectors"]) == ("minilm", None)
    again = hippohover("reencode", root, "--beside")
    assert "note: the index has these vectors: nothing was published" in again.err


def test_an_index_gets_another_encoder(hippohover: Command, copied: Path):
    done = json.loads(hippohover("reencode", copied, "--encoder", "minilm-static", "--json").out)
    assert done.pop("seconds") > 0
    assert done == {
        "index": str(copied), "version": "v000002", "published": True, "encoder": "minilm-static"
    }  # fmt: skip
    assert hippohover("query", copied, "Who?", "--retriever", "dense").code == 0
    refused = hippohover("reencode", copied, "--encoder", "nonesuch")
    assert refused.code == 1
    assert "encoder 'nonesuch'" in refused.err
    assert version_folder(copied).name == "v000002"
