"""Documents that say what others say: an index has the text once, and loses none of them."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippohover.indexing.build import build
from hippohover.indexing.corpus.passage_table import passage_table, repeats_table
from hippohover.indexing.update import add, alias, compact, delete
from hippohover.indexing.updates import compaction
from hippohover.indexing.updates.changes import DocumentChange
from hippohover.indexing.updates.repeats import Repeats
from hippohover.indexing.updates.sync import sync
from hippohover.records import Passage, passage_id
from hippohover.retrieval.engine import HippoHover
from hippohover.store import tables as tables_module
from hippohover.store.layout import REPEATS
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from tests.indexing.update_samples import FAST, Row, built, checksums, corpus_of, version
from tests.indexing.updates.folder_samples import Notes, built_of, write_notes

WEIR = "# Weir\nThe Pale Weir is a lock."
NOTES: Notes = {"a.md": WEIR, "b.md": WEIR, "sub/c.md": WEIR, "d.md": "Ott is a town."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "notes", NOTES)


@pytest.fixture
def root(folder: Path, tmp_path: Path) -> Path:
    return built_of(folder, tmp_path / "i")


def holders(root: Path) -> list[str]:
    """Paths of the documents that an index has a passage of."""
    with StoredIndex.open(root) as stored:
        assert stored.verify() == []
        return sorted(set(opened_tables(stored).living.column("path").to_pylist()))


def repeats(root: Path) -> list[str]:
    """Paths of those that say what another says."""
    with StoredIndex.open(root) as stored:
        passages = list(Repeats.of(stored, stored.recipe().corpus.metadata).passages())
        passages = list(passages)
    assert all(passage.text == "" for passage in passages)
    return [passage.path for passage in passages]


def shown(root: Path) -> list[str]:
    return [
        str(passage.metadata["path"])
        for passage in HippoHover.open(root).search("The Pale Weir is a lock.", 5, "bm25").passages
    ]


def test_a_build_keeps_who_else_says_it(root: Path, folder: Path, tmp_path: Path):
    assert (holders(root), repeats(root)) == (["a.md", "d.md"], ["b.md", "sub/c.md"])
    write_notes(folder, {"a.md": WEIR, "d.md": "Ott is a town."})
    alone = built_of(folder, tmp_path / "alone")
    with StoredIndex.open(alone) as stored:
        assert REPEATS not in stored.sizes()
    assert repeats(alone) == []


def test_records_read_in_blocks_are_kept_as_those_of_a_stream(tmp_path: Path):
    rows: list[Row] = [{"id": at % 40, "title": "T", "text": f"{at // 40}."} for at in range(80)]
    rows += [{"title": "U", "text": "Nobody."}] * 2  # without an id it is one document
    root = built(rows[:40] + rows[80:], tmp_path / "blocks" / "i")
    limited = build(
        FAST, corpus=tmp_path / "blocks" / "all.jsonl", out=tmp_path / "stream", workers=1, limit=99
    )
    assert checksums(root) == checksums(limited)
    assert len(repeats(root)) == 39


def test_another_takes_the_place_of_the_one_that_is_replaced(
    root: Path, folder: Path, tmp_path: Path
):
    write_notes(folder, {**NOTES, "a.md": "# Weir\nIt was torn down."})
    done = add(root, folder / "a.md", root=folder)
    assert (done.n_added, done.n_removed, done.n_replaced) == (2, 1, 1)
    assert (holders(root), repeats(root)) == (["a.md", "b.md", "d.md"], ["sub/c.md"])
    assert shown(root)[0] == "b.md"
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))


def test_one_that_no_longer_says_the_same_is_forgotten(root: Path, folder: Path, tmp_path: Path):
    write_notes(folder, {**NOTES, "b.md": "# Weir\nIt was torn down."})
    assert add(root, folder / "b.md", root=folder).n_removed == 0
    assert repeats(root) == ["sub/c.md"]
    assert checksums(root) == checksums(built_of(folder, tmp_path / "again"))


def test_the_first_that_a_build_reads_is_shown(tmp_path: Path):
    """Entries of a folder are read by their names: all of "a" comes before "a-b.md"."""
    folder = write_notes(tmp_path / "notes", {"a-b.md": WEIR, "n.md": "Ott is a town."})
    root = built_of(folder, tmp_path / "i")
    for name in ("a/z.md", "0.md", "b.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(WEIR, encoding="utf-8")
        add(root, folder / name, root=folder)
        assert checksums(root) == checksums(built_of(folder, tmp_path / f"to-{name[:1]}"))
    assert shown(root)[0] == "0.md"
    (folder / "0.md").write_text("# Weir\nIt was torn down.", encoding="utf-8")
    add(root, folder / "0.md", root=folder)
    assert shown(root)[0] == "a/z.md"
    assert repeats(root) == ["a-b.md", "b.md"]


def test_records_without_files_keep_the_order_of_their_file(tmp_path: Path):
    rows: list[Row] = [{"id": at, "title": "T", "text": "Ott."} for at in (8, 9, 10, 11)]
    root = built(rows, tmp_path / "i")
    rows[0] = {**rows[0], "text": "Ott is new."}
    rows[2] = {**rows[2], "links": ["Nowhere"]}
    changed = corpus_of([rows[0], rows[2]], tmp_path / "all.jsonl")
    add(root, changed, replace=True)
    assert checksums(root) == checksums(built(rows, tmp_path / "fresh"))


def test_one_that_is_remembered_and_comes_again_changes_nothing(tmp_path: Path):
    rows: list[Row] = [{"id": one, "title": "T", "text": "Ott."} for one in "ab"]
    root = built(rows, tmp_path / "i")
    other: Row = {**rows[1], "links": ["Nowhere"]}
    done = add(root, corpus_of([other], tmp_path / "new.jsonl"))
    assert (done.is_change, done.n_known, done.n_differing) == (False, 1, 0)
    done = add(root, corpus_of([other], tmp_path / "new.jsonl"), replace=True)
    assert (done.n_repeats, done.n_differing) == (2, 0)  # one went, one came
    assert add(root, corpus_of([other], tmp_path / "new.jsonl"), replace=True).is_change is False


def test_one_that_comes_to_say_the_same_is_kept(root: Path, folder: Path):
    write_notes(folder, {**NOTES, "d.md": WEIR})
    done = add(root, folder / "d.md", root=folder)
    assert (done.n_added, done.n_removed, done.n_known, done.n_repeats) == (0, 1, 1, 1)
    assert (holders(root), repeats(root)) == (["a.md"], ["b.md", "d.md", "sub/c.md"])
    assert add(root, folder / "d.md", root=folder).is_change is False


def test_documents_beside_one_another_are_kept_too(root: Path, tmp_path: Path):
    rows: list[Row] = [{"id": "x", "title": "Weir", "text": "The Pale Weir is a lock."}] * 2
    rows += [{"title": "Weir", "text": "The Pale Weir is a lock."}]  # its title alone names it
    done = add(root, corpus_of(rows, tmp_path / "new.jsonl"), replace=False)
    assert (done.n_known, done.n_repeats) == (1, 1)
    assert sorted(repeats(root)) == ["", "b.md", "sub/c.md"]


def test_a_title_is_deleted_with_all_who_say_it(root: Path):
    delete(root, ["Weir"])
    assert (holders(root), repeats(root)) == (["d.md"], [])


def test_a_folder_that_is_followed_says_who_came_and_went(root: Path, folder: Path):
    write_notes(folder, {**NOTES, "e.md": WEIR})
    done = sync(root, folder)
    assert done.changes == (DocumentChange("added", "e.md", "Weir"),)
    assert (done.n_added, done.n_repeats, version(root)) == (0, 1, "v000002")
    assert sync(root, folder).is_change is False
    assert version(root) == "v000002"
    write_notes(folder, {name: text for name, text in NOTES.items() if name != "a.md"})
    done = sync(root, folder)
    assert done.changes == (
        DocumentChange("deleted", "a.md", "Weir"), DocumentChange("deleted", "e.md", "Weir"),
    )  # fmt: skip
    assert (holders(root), repeats(root)) == (["b.md", "d.md"], ["sub/c.md"])


@pytest.mark.parametrize("aliases", [True, False])
def test_a_build_from_the_index_keeps_them(root: Path, *, aliases: bool):
    if aliases:
        alias(root, {"PW": "Pale Weir"})
    else:
        compact(root, rebuild=True)
    assert repeats(root) == ["b.md", "sub/c.md"]


def test_fields_of_one_that_takes_the_place_come_with_it(tmp_path: Path):
    recipe = FAST.model_copy(
        update={"corpus": FAST.corpus.model_copy(update={"metadata": ("year",)})}
    )
    rows: list[Row] = [
        {"id": one, "title": "T", "text": "Ott is old.", "year": year}
        for one, year in (("a", 1), ("b", None), ("c", 3))
    ]
    root = built(rows, tmp_path / "i", recipe)
    later: list[Row] = [{**rows[0], "text": "Ott is new."}, {**rows[1], "text": "Ott was."}]
    add(root, corpus_of(later, tmp_path / "all.jsonl"), replace=True)
    found = HippoHover.open(root).search("Ott is old.", 3, "bm25").passages
    assert {p.text: p.metadata.get("year") for p in found} == {
        "Ott is new.": 1, "Ott is old.": 3, "Ott was.": None,
    }  # fmt: skip
    assert checksums(root) == checksums(built([*later, rows[2]], tmp_path / "fresh", recipe))


def test_no_two_are_of_one_document_and_their_order_is_settled():
    pid = passage_id("T", "x", 0)
    some = [Passage(pid, "T", "x", document=one, path=f"{one}.md") for one in "bab"]
    table = repeats_table(passage_table(some))
    assert table.column("document").to_pylist() == ["a", "b"]
    assert "text" not in table.column_names
    one = Repeats(table, ())
    assert one.but([], []) is one
    changed = replace(next(one.passages()), links=("x",))
    assert [(p.document, p.links) for p in one.but([], [changed]).passages()] == [
        ("a", ("x",)), ("b", ()),
    ]  # fmt: skip
    assert [p.document for p in one.but([next(one.passages())], []).passages()] == ["b"]


class TestSegments:
    """The same beside what was built."""

    @pytest.fixture(autouse=True)
    def spare_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tables_module, "LEAST_WITH_SPARE", 0)
        monkeypatch.setattr(tables_module, "SPARE_SHARE", 1)
        monkeypatch.setattr(compaction, "SPARE_SHARE", 1)

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        more = {f"n{at}.md": f"Ott {at} is a town by the sea." for at in range(40)}
        return write_notes(tmp_path / "notes", {**NOTES, **more})

    def change(self, folder: Path, root: Path, name: str, text: str) -> str:
        (folder / name).write_text(text, encoding="utf-8")
        return add(root, folder / name, root=folder).built

    def test_each_version_has_its_own(self, root: Path, folder: Path):
        assert self.change(folder, root, "a.md", "Ott 41 is a town by the sea.") == ""
        assert "b.md" in holders(root)
        assert repeats(root) == ["sub/c.md"]
        assert self.change(folder, root, "sub/c.md", "Ott 42 is a town by the sea.") == ""
        assert repeats(root) == []  # though the base has two
        assert self.change(folder, root, "a.md", WEIR) == ""
        assert self.change(folder, root, "sub/c.md", WEIR) == ""
        assert (repeats(root), shown(root)[0]) == (["b.md", "sub/c.md"], "a.md")
        compact(root)
        assert (repeats(root), shown(root)[0]) == (["b.md", "sub/c.md"], "a.md")

    def test_who_says_the_same_alone_is_a_change(self, root: Path, folder: Path):
        assert self.change(folder, root, "e.md", WEIR) == ""
        assert repeats(root) == ["b.md", "e.md", "sub/c.md"]
        compact(root)
        assert repeats(root) == ["b.md", "e.md", "sub/c.md"]

    def test_what_came_while_a_base_was_made_stays(
        self, root: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(compaction, "CLOSED", 1)
        self.change(folder, root, "e.md", WEIR)
        self.change(folder, root, "f.md", "Ott 43 is a town by the sea.")
        write = compaction.write_compacted

        def meanwhile(*args: object) -> None:
            write(*args)  # pyright: ignore[reportArgumentType]
            for name in ("b.md", "e.md", "sub/c.md"):
                self.change(folder, root, name, f"Ott is no {name}.")

        monkeypatch.setattr(compaction, "write_compacted", meanwhile)
        compact(root, beside=True)
        assert repeats(root) == []
        with StoredIndex.open(root) as stored:
            assert stored.base is not None
            assert REPEATS in stored.base.sizes()


TEXTS: Sequence[str] = [WEIR, "# Weir\nIt is old.", "Ott is a town.", "# Ott\nOtt is a town."]
FILES = st.sampled_from(["a.md", "b.md", "sub/a.md", "c.txt"])


@pytest.mark.slow
@settings(
    max_examples=min(40, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(FILES, st.sampled_from(TEXTS)), min_size=2, max_size=7))
def test_files_that_change_one_by_one_are_all_there(
    memory_folder: Path, writes: list[tuple[str, str]]
):
    place = memory_folder / "repeats"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    notes = {"kept.md": "The Pale Weir is kept here."}
    folder = write_notes(place / "notes", notes)
    root = built_of(folder, place / "i")
    for name, text in writes:
        notes[name] = text
        write_notes(folder, notes)
        add(root, folder / name, root=folder)
    assert checksums(root) == checksums(built_of(folder, place / "fresh"))
    assert sync(root, folder, dry_run=True).is_change is False
