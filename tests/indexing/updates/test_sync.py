"""An index that was synced is the one that a build of the folder makes."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.errors import CorpusError, IndexStoreError, UsageError
from hippohover.indexing import build as build_module
from hippohover.indexing.update import add, delete
from hippohover.indexing.updates.changes import DocumentChange
from hippohover.indexing.updates.sync import Sync, sync
from hippohover.recipe import CorpusSettings
from hippohover.store.reader import StoredIndex
from hippohover.store.writer import IndexWriter
from tests.indexing.update_samples import FAST, WORLD, built, checksums, corpus_of, version
from tests.indexing.updates.folder_samples import NOTES, Notes, built_of, write_notes

CHANGED: Notes = {
    "Belbury.md": NOTES["Belbury.md"].replace("a town", "a village"),
    "sea/Vessby.md": NOTES["sea/Vessby.md"],
    "new.txt": "Ada Finch left Belbury.",
}
CHANGES = (
    DocumentChange("added", "new.txt", "new"),
    DocumentChange("replaced", "Belbury.md", "Belbury"),
    DocumentChange("deleted", "sea/log.txt", "log"),
)


LISTS: Notes = {
    "faq.md": "# Gate\n\n## Who shuts it?\n\nAda Finch.\n\n## When?\n\nAt noon.\n\n## Why?\n\nSo\n",
    "words.txt": "Bollard: a post for ropes\nCapstan: a drum that hauls\nFender: a pad of felt\n",
    "crew.yaml": "- name: Ada Finch\n  task: lamps\n- name: Ott Lund\n  task: ropes\n",
    "refs.bib": "@book{finch, title={Fog}}\n@book{lund, title={Gates}, crossref={finch}}\n",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index of the notes; read it only."""
    folder = tmp_path_factory.mktemp("notes")
    return built_of(write_notes(folder / "notes", NOTES), folder / "i")


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    """Index of the notes, this test's own."""
    return Path(shutil.copytree(template, tmp_path / "i"))


@pytest.fixture
def folder(template: Path) -> Path:
    """The folder that the index was built of, with the notes in it."""
    return write_notes(template.parent / "notes", NOTES)


def log_of(root: Path) -> dict[str, Any]:
    with StoredIndex.open(root) as stored:
        return stored.log() or {}


# --- the same as a build -----------------------------------------------------------------------


def test_an_index_becomes_what_its_folder_is(root: Path, folder: Path, tmp_path: Path):
    write_notes(folder, CHANGED)
    before = checksums(root)
    would = sync(root, folder, dry_run=True)
    assert (checksums(root), version(root)) == (before, "v000001")
    done = sync(root, folder)
    assert done == would
    assert done == Sync(
        n_added=2, n_removed=2, n_known=1, n_passages=3, n_replaced=1, changes=CHANGES
    )
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))
    assert log_of(root)["made_of"] == [str(folder)]
    assert "changes" not in str(log_of(root)["update"])
    again = sync(root, folder)
    assert (again.n_known, again.changes, version(root)) == (3, (), "v000002")


def test_records_of_files_that_are_lists_change_one_by_one(tmp_path: Path):
    folder = write_notes(tmp_path / "lists", LISTS)
    root = built_of(folder, tmp_path / "i")
    write_notes(folder, {
        "faq.md": LISTS["faq.md"].replace("At noon", "At dusk") + "\n## How?\n\nBy hand.\n",
        "words.txt": LISTS["words.txt"].replace("Capstan: a drum that hauls\n", ""),
        "crew.yaml": LISTS["crew.yaml"].replace("ropes", "oars"),
        "refs.bib": LISTS["refs.bib"].replace("title={Fog}", "title={Mist}"),
    })  # fmt: skip
    sync(root, folder)
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))


def test_the_last_record_with_a_field_may_go_as_a_build_may_have_none(tmp_path: Path):
    recipe = FAST.model_copy(update={"corpus": CorpusSettings(metadata=("date",))})
    folder = write_notes(tmp_path / "notes", NOTES)
    root = built_of(folder, tmp_path / "i", recipe)
    said = {"no record has the field 'date': check corpus.metadata": 1}
    assert log_of(root)["read"]["understood"] == {}
    write_notes(folder, {**NOTES, "Belbury.md": "Belbury is a town."})
    sync(root, folder)
    assert log_of(root)["read"]["understood"] == said
    again = built_of(folder, tmp_path / "again", recipe)
    assert checksums(root) == checksums(again)
    assert log_of(again)["read"]["understood"] == said


@pytest.mark.slow
def test_other_fields_links_and_names_of_one_text_are_a_change(
    root: Path, folder: Path, tmp_path: Path
):
    notes = {**NOTES, "Belbury.md": NOTES["Belbury.md"].replace("date: ", "aliases: B-1\ndate: ")}
    write_notes(folder, notes)
    done = sync(root, folder)
    assert done.changes == (DocumentChange("replaced", "Belbury.md", "Belbury"),)
    assert (done.n_added, done.n_removed) == (1, 1)
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))


FILES = st.sampled_from(["a.md", "a.txt", "b.md", "sub/a.md", "sub/c.txt"])
TEXTS = st.sampled_from([
    "# Weir\nThe Pale Weir is a lock. It is old, and nobody knows why it is so.",
    "# Weir\nThe Pale Weir is a lock. See [[b]].",
    "---\naliases: PW-1\n---\n# Weir\nThe Pale Weir is a lock. See [[b]].",
    "Ott runs by the Pale Weir.", "Ott is a town.", " ",
])  # fmt: skip
FOLDERS = st.dictionaries(FILES, TEXTS, max_size=4)


@pytest.mark.slow
@settings(
    max_examples=min(25, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_sequence_of_updates_equals_a_build(memory_folder: Path, data: st.DataObject):
    """Files come, change and go, one at a time or all at once, and some are copies of others."""
    place = memory_folder / "syncs"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    kept = {"kept.md": "The Pale Weir is kept here."}
    notes = {**data.draw(FOLDERS, "first"), **kept}
    folder = write_notes(place / "notes", notes)
    root = built_of(folder, place / "i")
    for _ in range(data.draw(st.integers(1, 3), "updates")):
        notes = {**data.draw(FOLDERS, "next"), **kept}
        write_notes(folder, notes)
        if data.draw(st.booleans(), "add"):
            add(root, folder, workers=1)  # what is gone from the folder stays
        would = sync(root, folder, dry_run=True)
        assert sync(root, folder, workers=1) == would
    assert checksums(root) == checksums(built_of(folder, place / "all"))
    assert sync(root, folder).changes == ()


@pytest.mark.slow
def test_hidden_titles_are_synced_by_ids(folder: Path, tmp_path: Path):
    hidden = FAST.model_copy(update={"corpus": CorpusSettings(titles="hidden")})
    root = built_of(folder, tmp_path / "i", hidden)
    write_notes(folder, CHANGED)
    assert [change.document for change in sync(root, folder).changes] == [
        "new.txt",
        "Belbury.md",
        "sea/log.txt",
    ]
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again", hidden))


# --- what is refused ---------------------------------------------------------------------------


def test_what_was_made_of_a_file_is_not_deleted_unasked(tmp_path: Path, folder: Path):
    root = built(WORLD[:2], tmp_path / "i")
    with pytest.raises(
        UsageError, match=r"made from .*all\.jsonl, not from .* alone, so 2 of its documents"
    ):
        sync(root, folder)
    assert version(root) == "v000001"
    assert sync(root, folder, take_over=True).n_removed == 2
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))
    write_notes(folder, CHANGED)  # it is the folder's from here on
    assert sync(root, folder).changes == CHANGES


@pytest.mark.slow
def test_what_came_from_elsewhere_is_not_deleted_unasked(root: Path, folder: Path, tmp_path: Path):
    add(root, corpus_of(WORLD[:1], tmp_path / "one.jsonl"))
    with pytest.raises(UsageError, match=r"one\.jsonl, not from .* alone, so 1 of its documents"):
        sync(root, folder)
    delete(root, ["Mara Lindqvist"])
    assert sync(root, folder).changes == ()


def test_what_was_typed_is_called_standard_input(root: Path, folder: Path, tmp_path: Path):
    """And not by the path of a file that is gone."""
    add(root, corpus_of(WORLD[:1], tmp_path / "standard input"))
    assert log_of(root)["made_of"] == [str(folder), "standard input"]
    assert log_of(root)["corpus"] == "standard input"
    with pytest.raises(
        UsageError, match=r"was made from \S+ and standard input, not from \S+ alone"
    ):
        sync(root, folder)


def test_a_file_that_was_added_below_its_folder_is_the_folders(root: Path, folder: Path):
    write_notes(folder, CHANGED)
    done = add(root, folder / "new.txt", root=folder)
    assert (done.n_added, done.n_removed) == (1, 0)
    assert [change.kind for change in sync(root, folder).changes] == ["replaced", "deleted"]


@pytest.mark.slow
def test_not_all_documents_are_deleted_unasked(root: Path, folder: Path):
    write_notes(folder, {"other.txt": "Nobody is here."})
    with pytest.raises(UsageError, match="all would be deleted: use --dry-run to see what would"):
        sync(root, folder)
    assert len(sync(root, folder, dry_run=True).changes) == 4
    assert sync(root, folder, take_over=True).n_passages == 1
    write_notes(folder, {})
    with pytest.raises(CorpusError, match="no file to read in this folder"):
        sync(root, folder, take_over=True)
    assert version(root) == "v000002"


@pytest.mark.slow
def test_all_files_may_have_other_names(root: Path, folder: Path, tmp_path: Path):
    renamed = {f"moved/x{at}.md": NOTES[name] for at, name in enumerate(sorted(NOTES))}
    write_notes(folder, renamed)
    kinds = [change.kind for change in sync(root, folder).changes]
    assert kinds == ["added"] * len(NOTES) + ["deleted"] * len(NOTES)
    assert checksums(root) == checksums(built_of(folder, tmp_path / "built"))


def test_a_file_is_no_folder(root: Path, folder: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="is not a folder: hippohover add takes a file"):
        sync(root, folder / "Belbury.md")
    with pytest.raises(CorpusError, match="none: does not exist"):
        sync(root, tmp_path / "none")


def test_a_second_writer_is_refused_and_looking_is_none(root: Path, folder: Path):
    write_notes(folder, CHANGED)
    with IndexWriter(root):
        with pytest.raises(IndexStoreError, match="is being written by process"):
            sync(root, folder)
        assert sync(root, folder, dry_run=True).changes == CHANGES


# --- killed in the middle ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["assemble", "write_texts", "publish"])
def test_a_sync_that_is_killed_leaves_the_old_version_or_the_new(
    root: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
):
    write_notes(folder, CHANGED)
    before = checksums(root)

    def die(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patched:
        patched.setattr(
            *((IndexWriter, stage) if stage == "publish" else (build_module, stage)), die
        )
        child = os.fork()
        if child == 0:
            sync(root, folder, workers=1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert (checksums(root), version(root)) == (before, "v000001")
    assert sync(root, folder, workers=1).changes == CHANGES
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))
    assert not list(root.glob(".building*"))


def test_an_index_whose_log_is_lost_is_of_nothing(root: Path, folder: Path):
    (root / "v000001" / "build_log.json").unlink()
    write_notes(folder, CHANGED)
    with pytest.raises(
        UsageError,
        match=r"was made from sources that its log does not name, not from \S+ alone",
    ):
        sync(root, folder)


@pytest.mark.slow
def test_without_ids_and_titles_each_passage_is_its_own(tmp_path: Path, folder: Path):
    hidden = FAST.model_copy(update={"corpus": CorpusSettings(titles="hidden")})
    root = built(WORLD[:2], tmp_path / "i", hidden)
    done = sync(root, folder, take_over=True)
    deleted = [change for change in done.changes if change.kind == "deleted"]
    assert deleted == [DocumentChange("deleted", "", "")] * 2
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again", hidden))


# --- rows of a table ----------------------------------------------------------------------------


def test_a_row_without_an_id_is_told_by_its_title_whatever_its_number(tmp_path: Path):
    def table(*rows: str) -> Path:
        lines = "\n".join(["name,note", *rows])
        return write_notes(tmp_path / "f", {"t.csv": lines, "n.md": "All of it."})

    kara, milo, zed = "Kara,It runs north.", "Milo,It crosses late.", "Zed,She was a pilot."
    root = built_of(table(kara, milo, zed), tmp_path / "i")
    done = sync(root, table(kara, zed), workers=1)
    assert list(map(str, done.changes)) == ["t.csv#3 (Milo)"]
    assert (done.changes[0].kind, done.n_replaced) == ("deleted", 0)
    done = sync(root, table("Abe,He stays.", kara, zed + " In town."), workers=1)
    assert [(one.kind, str(one)) for one in done.changes] == [
        ("added", "t.csv#2 (Abe)"), ("replaced", "t.csv#4 (Zed)"),
    ]  # fmt: skip
    done = sync(root, table(zed + " In town.", "Abe,He stays.", kara), workers=1)
    assert done.changes == ()
    assert done.n_added == done.n_removed == 3  # other numbers are other ids
    expected = built_of(tmp_path / "f", tmp_path / "again")
    assert checksums(root) == checksums(expected)


# --- files that differ in their suffix alone ------------------------------------------------------

TWINS: Notes = {"x.txt": "Ada Finch came.", "x.md": "Ada Finch left.", "n.md": "All of it."}


def only(*names: str) -> Notes:
    return {name: TWINS[name] for name in names}


@pytest.mark.parametrize("titles", ["shown", "hidden"])
def test_files_that_differ_in_their_suffix_are_two_documents(
    tmp_path: Path, titles: Literal["shown", "hidden"]
):
    recipe = FAST.model_copy(update={"corpus": CorpusSettings(titles=titles)})
    folder = write_notes(tmp_path / "f", only("x.txt", "n.md"))
    root = built_of(folder, tmp_path / "i", recipe)
    write_notes(folder, TWINS)
    done = add(root, folder / "x.md", root=folder, workers=1)
    assert (done.n_added, done.n_removed, done.n_replaced, done.n_beside) == (1, 0, 0, 0)
    assert sync(root, folder, workers=1).changes == ()
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again", recipe))
    write_notes(folder, only("x.md", "n.md"))
    [change] = sync(root, folder, workers=1).changes
    assert (change.kind, str(change)) == ("deleted", "x.txt")


def test_sync_says_which_of_two_files_is_gone_or_changed(tmp_path: Path):
    folder = write_notes(tmp_path / "f", TWINS)
    root = built_of(folder, tmp_path / "i")
    write_notes(folder, only("x.md", "n.md"))
    [change] = sync(root, folder, workers=1).changes
    assert (change.kind, str(change)) == ("deleted", "x.txt")
    write_notes(folder, {**only("n.md"), "x.txt": "Ada Finch slept."})
    changes = sync(root, folder, workers=1).changes
    assert [(one.kind, str(one)) for one in changes] == [("added", "x.txt"), ("deleted", "x.md")]


def test_rows_of_two_tables_that_count_from_one_do_not_take_each_others_place(tmp_path: Path):
    rows = "id,text\n1,Ada Finch {}.\n2,She {}.\n"
    tables = {"a.csv": rows.format("came", "left"), "b.csv": rows.format("died", "slept")}
    folder = write_notes(tmp_path / "f", tables)
    root = built_of(folder, tmp_path / "i")
    write_notes(folder, {**tables, "a.csv": rows.format("came", "stayed")})
    done = add(root, folder / "a.csv", root=folder, workers=1)
    assert (done.n_added, done.n_removed, done.n_replaced, done.n_beside) == (1, 1, 1, 1)
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))
    (tmp_path / "new.csv").write_text("id,text\n1,Ada Finch woke.\n")
    done = add(root, tmp_path / "new.csv", replace=True, workers=1)
    assert (done.n_added, done.n_removed) == (1, 2)  # whatever file they were of


def test_a_part_of_a_document_that_stays_is_nothing_beside_it(tmp_path: Path):
    text = "# One\n" + "Ada Finch came home. " * 6 + "\n# Two\n" + "Ada Finch left. " * 6
    folder = write_notes(tmp_path / "f", {"x.md": text})
    root = built_of(folder, tmp_path / "i")
    write_notes(folder, {"x.md": text.replace("left", "slept")})
    done = add(root, folder, workers=1)
    assert done.n_known and (done.n_replaced, done.n_beside) == (1, 0)


def test_a_folder_takes_the_place_of_records_without_a_path_and_says_so(tmp_path: Path):
    root = built([{"id": "x", "title": "x", "text": "Ada Finch came."}], tmp_path / "i")
    folder = write_notes(tmp_path / "f", {"x.txt": "Ada Finch left."})
    done = sync(root, folder, take_over=True, workers=1)
    assert [one.kind for one in done.changes] == ["replaced"]


def test_records_whose_file_has_another_name_now_are_replaced(tmp_path: Path):
    rows = "id,text\nr1,Ada Finch came.\nr2,She left.\n"
    folder = write_notes(tmp_path / "f", {"a.csv": rows, "n.md": "All of it."})
    root = built_of(folder, tmp_path / "i")
    write_notes(folder, {"b.csv": rows.replace("left", "slept"), "n.md": "All of it."})
    changes = sync(root, folder, workers=1).changes
    assert [(one.kind, str(one)) for one in changes] == [("replaced", "r1"), ("replaced", "r2")]
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))
