"""``add``, ``delete`` and ``gc`` as a user types them."""

import io
import json
import shutil
from pathlib import Path

import pytest

from hippohover.indexing.build import build
from hippohover.indexing.updates.small_change import TOO_SMALL
from hippohover.store.reader import StoredIndex
from tests.cli.command_samples import Command, write_corpus

NEW = ("Ostrava Pier", "Ostrava Pier is a landing in Vessby.")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a recipe, a corpus and the index of both."""
    folder = tmp_path_factory.mktemp("update")
    (folder / "r.toml").write_text('extractor = "between"\nencoder = "none"\n')
    documents = [
        ("Vessby", "Vessby is a borough by the sea."),
        ("Lantern Hill", "Lantern Hill is a film shot in Vessby."),
    ]
    corpus = write_corpus(folder / "c.jsonl", documents)
    build(folder / "r.toml", corpus=corpus, out=folder / "i")
    return folder


@pytest.fixture
def index(template: Path, tmp_path: Path) -> Path:
    """The index, this test's own, beside the recipe and the corpus."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path / "i"


def test_a_document_that_says_what_another_says_is_told(
    hippohover: Command, index: Path, tmp_path: Path
):
    with StoredIndex.open(index) as stored:
        (title, *_), text = stored.table("passages.arrow").column("title").to_pylist(), "He sang."
    new = tmp_path / "new.jsonl"
    rows = [{"id": one, "title": title, "text": text} for one in "xy"]
    new.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert "1 passage added" in " ".join(hippohover("add", index, new).out.split())
    rows[0]["id"] = "z"
    new.write_text(json.dumps(rows[0]), encoding="utf-8")
    outcome = hippohover("add", index, new)
    assert "1 passage says the same as another document of the index" in outcome.err
    assert "0 passages added, 0 deleted" in " ".join(outcome.out.split())
    assert "nothing was published" in hippohover("add", index, new).err


def test_documents_are_added_and_deleted(hippohover: Command, index: Path, tmp_path: Path):
    new = write_corpus(tmp_path / "new.jsonl", [NEW, ("Empty", " ")])
    added = hippohover("add", index, new)
    assert added.code == 0
    assert "v000002  in " in added.out
    assert "1 passage added, 0 deleted, 3 in all" in " ".join(added.out.split())
    assert "left out 1 document without text" in added.err
    (tmp_path / "titles.txt").write_text("\nOstrava Pier\n\n")
    args = ("--title", "Vessby", "--from", tmp_path / "titles.txt", "--json")
    deleted = hippohover("delete", index, *args)
    found = json.loads(deleted.out)
    assert found.pop("seconds") > 0
    assert found == {
        "index": str(index), "version": "v000003", "n_added": 0, "n_removed": 2, "n_known": 0,
        "n_passages": 1, "n_differing": 0, "n_replaced": 0, "n_repeats": 0, "n_beside": 0,
        "n_namesakes": 0, "n_failed": 0, "failures": [], "built": TOO_SMALL, "note": None,
    }  # fmt: skip
    with StoredIndex.open(index) as stored:
        assert stored.table("passages.arrow").column("title").to_pylist() == ["Lantern Hill"]
    inspected = hippohover("inspect", index)
    assert "cache  0 bytes" in inspected.out
    assert "left out" not in inspected.out


def test_what_is_there_already_is_said(hippohover: Command, index: Path, tmp_path: Path):
    outcome = hippohover("add", index, tmp_path / "c.jsonl")
    assert outcome.code == 0
    assert "nothing was published" in outcome.err
    assert "v000001" in outcome.out


def test_aliases_come_and_go(hippohover: Command, index: Path, tmp_path: Path):
    (tmp_path / "a.tsv").write_text("The Borough\tVessby\n")
    merged = hippohover("alias", index, tmp_path / "a.tsv")
    assert "v000002  in " in merged.out
    assert " 1 alias\n" in merged.out
    assert hippohover("query", index, "The Borough", "--json", "-k", 1).json["passages"]
    again = tmp_path / "again"
    rest = ("--corpus", tmp_path / "c.jsonl", "--aliases", tmp_path / "a.tsv", "--out", again)
    hippohover("build", tmp_path / "r.toml", *rest)
    made = again / "v000001" / "manifest.json"
    assert made.read_bytes() == (index / "v000002" / "manifest.json").read_bytes()
    out = hippohover("alias", index, "--json").json
    assert (out["version"], out["n_aliases"]) == ("v000003", 0)


def test_old_versions_are_removed(hippohover: Command, index: Path, tmp_path: Path):
    hippohover("add", index, write_corpus(tmp_path / "new.jsonl", [NEW]))
    with StoredIndex.open(index / "v000001"):
        held = hippohover("gc", index)
        assert "removed no version" in held.out
        assert "a reader uses it" in held.err
    outcome = hippohover("gc", index, "--json")
    assert json.loads(outcome.out) == {
        "index": str(index), "removed": ["v000001"], "held": [], "kept": ["v000002"],
        "n_results": 0,
    }  # fmt: skip
    assert "kept 'v000002'" in hippohover("gc", index, "--keep", 3).out


def typed(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))


def test_another_text_is_said_or_takes_the_place(
    hippohover: Command, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    beside = hippohover("add", index, write_corpus(tmp_path / "n.jsonl", [("Vessby", "A city.")]))
    assert (
        "1 document was there with another text, and both are kept: use add FILE --replace to "
        "keep only the new one"
    ) in beside.err
    typed(monkeypatch, "Vessby is a village.")
    taken = hippohover("add", index, "-", "--title", "Vessby", "--replace")
    words = " ".join(taken.out.split())
    assert "1 passage added, 2 deleted (1 document replaced), 2 in all" in words
    typed(monkeypatch, '{"title": "Vessby", "text": "Vessby is a village."}')
    assert "nothing was published" in hippohover("add", index, "-").err


@pytest.mark.slow
def test_a_single_file_is_a_document(hippohover: Command, index: Path, tmp_path: Path):
    notes = tmp_path / "notes"
    (notes / "sea").mkdir(parents=True)
    note = notes / "sea" / "Ott.md"
    note.write_text("# Ott\nOtt is a river.")
    out = tmp_path / "j"
    built = ("build", tmp_path / "r.toml", "--corpus", note, "--out", out)
    assert hippohover(*built, "--root", notes).code == 0
    note.write_text("# Ott\nOtt is dry.")
    added = hippohover("add", out, note, "--root", notes, "--json").json
    assert (added["n_added"], added["n_removed"], added["n_replaced"]) == (1, 1, 1)
    assert hippohover("add", out, note, "--keep-both", "--json").json["n_known"] == 1
    with StoredIndex.open(out) as stored:
        assert stored.table("passages.arrow").column("document").to_pylist() == ["sea/Ott"]


def test_claims_come_from_standard_input(
    hippohover: Command, index: Path, monkeypatch: pytest.MonkeyPatch
):
    typed(monkeypatch, "What was shot in Vessby?\nWhat is a borough?\n")
    answers = hippohover("query", index, "--file", "-", "-k", 1)
    assert answers.code == 0
    assert len(answers.out.splitlines()) == 2


# --- why the whole was built ----------------------------------------------------------------------


def test_why_an_update_is_a_build_is_said(hippohover: Command, tmp_path: Path, index: Path):
    """But for a small index, which is built at each; a program is told of it."""
    new = write_corpus(tmp_path / "new.jsonl", [NEW])
    outcome = hippohover("add", str(index), str(new))
    assert "built again" not in outcome.err
    said = json.loads(hippohover("delete", str(index), "--title", NEW[0], "--json").out)
    assert said["built"] == "an index of fewer than 1,000 passages is rebuilt by each update"


def test_an_update_that_could_have_been_small_says_why_it_is_not(
    hippohover: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hippohover.store.tables.LEAST_WITH_SPARE", 0)
    monkeypatch.setattr("hippohover.indexing.updates.small_change.LEAST_WITH_SPARE", 0)
    monkeypatch.setattr("hippohover.store.tables.SPARE_SHARE", 1000)
    (tmp_path / "r.toml").write_text('extractor = "between"\nencoder = "none"\n')
    documents = [(f"Town {n}", f"Town {n} lies by Town {n + 1} and the sea.") for n in range(60)]
    root = build(
        tmp_path / "r.toml",
        corpus=write_corpus(tmp_path / "c.jsonl", documents),
        out=tmp_path / "i",
    )
    why = "no spare row is left for new passages"
    new = write_corpus(tmp_path / "new.jsonl", [NEW])
    assert f"the whole index was built again: {why}" in hippohover("add", str(root), str(new)).err
    again = hippohover("delete", str(root), "--title", NEW[0], "--json")
    assert json.loads(again.out)["built"] == why


# --- compact -----------------------------------------------------------------------------------


def test_an_index_without_segments_has_nothing_to_compact(hippohover: Command, index: Path):
    outcome = hippohover("compact", str(index))
    assert outcome.code == 0
    assert "no update waits to be merged: nothing was published" in outcome.err
    assert "v000001" in outcome.out


def test_segments_are_merged_into_the_index(
    hippohover: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hippohover.store.tables.LEAST_WITH_SPARE", 0)
    monkeypatch.setattr("hippohover.store.tables.SPARE_SHARE", 1)
    (tmp_path / "r.toml").write_text('extractor = "between"\nencoder = "none"\n')
    documents = [(f"Town {n}", f"Town {n} lies by Town {n + 1} and the sea.") for n in range(60)]
    corpus = write_corpus(tmp_path / "c.jsonl", documents)
    root = build(tmp_path / "r.toml", corpus=corpus, out=tmp_path / "i")
    new = write_corpus(tmp_path / "new.jsonl", [NEW])
    added = hippohover("add", str(root), str(new))
    assert (added.code, "built again" in added.err) == (0, False)
    with StoredIndex.open(root) as stored:
        assert stored.manifest.base is not None
    said_of_counts = "do not count the small updates"
    assert said_of_counts in " ".join(hippohover("inspect", str(root)).out.split())
    outcome = hippohover("compact", str(root), "--json")
    said = json.loads(outcome.out)
    assert (outcome.code, said["version"], said["published"]) == (0, "v000003", True)
    with StoredIndex.open(root) as stored:
        assert stored.manifest.base is None
    assert said_of_counts not in " ".join(hippohover("inspect", str(root)).out.split())
    assert "no large update waits" in hippohover("compact", str(root), "--beside").err
    assert hippohover("compact", str(root), "--rebuild", "--workers", "1").code == 0
    with StoredIndex.open(root) as stored:
        assert stored.version == "v000004"
