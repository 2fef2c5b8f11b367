"""A folder of documents: its files, their titles, links and what is refused."""

import html
import os
from pathlib import Path

import pytest

from hippohover.errors import CorpusError, UsageError
from hippohover.indexing.corpus.formats import NO_READER, detect_format
from hippohover.indexing.corpus.formats import read_folder as read
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver
from hippohover.indexing.corpus.tree import HIDDEN
from tests.indexing.corpus.corpus_samples import (
    SAMPLES,
    documents_of,
    locked,
    read_corpus,
    records_of,
    write_folder,
)


def write_tree(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def test_files_come_sorted_whatever_their_depth_and_case(tmp_path: Path):
    names = ["b.txt", "a/z.MD", "a/b/c.txt", "Ä.TXT", "a.txt", "c/deep.er.txt"]
    root = write_tree(tmp_path, dict.fromkeys(names, "Words."))
    found = [document.title for document in documents_of("folder", root)]
    assert found == ["c", "z", "a", "b", "deep.er", "Ä"]


def test_hidden_and_other_files_are_passed_over(tmp_path: Path):
    names = [".git/a.txt", ".b.md", "data.xyz", "sub/.cache/c.txt", "kept.txt"]
    root = write_tree(tmp_path, dict.fromkeys(names, "Words."))
    assert [document.title for document in documents_of("folder", root)] == ["kept"]
    assert [item for item in read(root) if isinstance(item, PassedOver)] == [
        PassedOver(".b.md", HIDDEN),
        PassedOver(".git/", HIDDEN),
        PassedOver("data.xyz", NO_READER),
        PassedOver("sub/.cache/", HIDDEN),
    ]


@pytest.mark.parametrize(
    ("content", "title", "text"),
    [
        ("# Pale Weir\n\nA lock.\n", "Pale Weir", "\nA lock.\n"),
        ("\n\n#\tPale  Weir ##\r\nA lock.", "Pale Weir", "A lock."),
        ("# C#\nA tongue.", "C#", "A tongue."),
        ("# #\nNo words above.", "note", "No words above."),
        ("#tag is no heading", "note", "#tag is no heading"),
        ("## Second level\nText.", "note", "## Second level\nText."),
        ("Plain.\n# Later\n", "note", "Plain.\n# Later\n"),
        ("# Only a heading", "Only a heading", ""),
    ],
)
def test_the_heading_that_opens_a_markdown_file_is_its_title(
    tmp_path: Path, content: str, title: str, text: str
):
    root = write_tree(tmp_path, {"note.md": content})
    [document] = documents_of("folder", root)
    assert (document.title, document.text, document.id) == (title, text, "note")
    assert document.aliases == (("note",) if title != "note" else ())


def test_fields_of_front_matter_can_be_kept(tmp_path: Path):
    root = write_tree(tmp_path, {"a.md": "---\nlang: en\ndate: 2026-03-01\n---\nA lock."})
    passages = list(read_corpus(root, metadata=("date", "lang")))
    assert [passage.metadata for passage in passages] == [("2026-03-01", "en")]


def test_a_file_that_is_no_text_is_a_bad_record(tmp_path: Path):
    root = write_tree(tmp_path, {"a/bad.txt": bytes(range(256)), "good.txt": "x"})
    bad, good = records_of("folder", root)
    assert isinstance(bad, BadRecord)
    assert bad.place == "a/bad.txt"
    assert "not text in any encoding" in bad.reason
    assert "bad.txt" not in bad.reason
    assert isinstance(good, Document)


@pytest.mark.parametrize("name", ["link.txt", "folder"])
def test_a_link_that_leaves_the_folder_is_not_followed(tmp_path: Path, name: str):
    write_tree(tmp_path, {"outside/secret.txt": "x", "root-2/b.txt": "x", "root/a.txt": "x"})
    target = tmp_path / "outside"
    (tmp_path / "root" / name).symlink_to(target / "secret.txt" if "." in name else target)
    (tmp_path / "root" / "b.txt").symlink_to(tmp_path / "root-2" / "b.txt")  # begins alike
    document, *bad = records_of("folder", tmp_path / "root")
    assert isinstance(document, Document)
    assert [record.place for record in bad if isinstance(record, BadRecord)] == ["b.txt", name]
    assert all("leaves the folder" in str(record) for record in bad)


def test_links_within_the_folder_are_read_and_loops_are_not_walked(tmp_path: Path):
    root = write_tree(tmp_path / "root", {"sub/a.txt": "Words."})
    (root / "b.txt").symlink_to(root / "sub" / "a.txt")
    (root / "sub" / "loop").symlink_to(root)
    (tmp_path / "way in").symlink_to(root)
    for path in (root, tmp_path / "way in"):
        assert [document.title for document in documents_of("folder", path)] == ["b", "a"]


def test_a_link_to_nothing_or_to_itself_is_a_bad_record(tmp_path: Path):
    root = write_tree(tmp_path, {"a.txt": "x"})
    (root / "b.txt").symlink_to(root / "b.txt")
    (root / "c.txt").symlink_to(root / "none")
    _, *bad = records_of("folder", root)
    assert [record.place for record in bad if isinstance(record, BadRecord)] == ["b.txt", "c.txt"]


@pytest.mark.parametrize("name", ["a.txt", "inner"])
def test_what_may_not_be_read_is_a_bad_record(tmp_path: Path, name: str):
    root = write_tree(tmp_path, {"a.txt": "x", "b.txt": "x", "inner/c.txt": "x"})
    with locked(root / name):
        records = records_of("folder", root)
    [bad] = [record for record in records if isinstance(record, BadRecord)]
    assert bad.place.rstrip("/") == name
    assert "ermission denied" in bad.reason
    assert len(records) == 3


def test_a_folder_that_may_not_be_read_is_an_error(tmp_path: Path):
    root = write_tree(tmp_path / "root", {"a.txt": "x"})
    with locked(root), pytest.raises(CorpusError, match=r"root: .*permission denied"):
        records_of("folder", root)


def test_a_pipe_is_passed_over_without_waiting_for_it(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.txt")
    assert list(read(tmp_path)) == [PassedOver("pipe.txt", "not a regular file")]


def test_one_file_is_read_as_in_a_folder(tmp_path: Path):
    root = write_tree(tmp_path, {"a.md": "# Pale Weir\nA lock."})
    assert list(read(root / "a.md")) == list(read(root))


def test_an_odd_file_name_gives_a_title(tmp_path: Path):
    name = os.fsdecode(b"odd\xff\n name.txt")
    (tmp_path / name).write_bytes(b"x")
    assert [document.title for document in documents_of("folder", tmp_path)] == ["odd name"]


def test_the_sample_folder_has_headings_and_file_names(tmp_path: Path):
    path = write_folder(tmp_path)
    assert len(list(path.rglob("*.md"))) == len(SAMPLES) // 2
    assert html.escape(SAMPLES[2].title) != SAMPLES[2].title  # the samples cover entities


def test_files_of_records_are_read_among_the_others_and_settings_are_passed_over(tmp_path: Path):
    (tmp_path / "note.md").write_text("# Weir\n\nA weir.", encoding="utf-8")
    (tmp_path / "rows.csv").write_text("docid,contents\n1,One.\n2,Two.\n", encoding="utf-8")
    (tmp_path / "more.tsv").write_text("docid\tcontents\n3\tThree.\n", encoding="utf-8")
    (tmp_path / "shard").write_text('{"title": "T", "text": "x"}\n', encoding="utf-8")
    (tmp_path / "settings.json").write_text('{"name": "tool", "version": "1"}', encoding="utf-8")
    (tmp_path / "cut.json").write_text('[{"title": "U", "text": "x"}', encoding="utf-8")
    counts = CorpusCounts()
    titles = [p.title for p in read_corpus(tmp_path, counts=counts)]
    assert titles == ["U", "3", "Weir", "1", "2", "T"]
    assert counts.n_files == {".json": 1, ".tsv": 1, ".md": 1, ".csv": 1, "": 1}
    assert counts.passed_over == {"holds no records with text": {".json": 1}}
    assert counts.understood == {"read docid as id, contents as text; no title": 2}
    assert counts.n_bad_records == 1


# --- one file of it -----------------------------------------------------------------------------


def test_a_file_alone_is_named_as_in_its_folder_or_by_its_own_name(tmp_path: Path):
    root = write_tree(tmp_path / "notes", {"sea/Vessby.MD": b"# A port\nSee [x](../Elm.md)."})
    file = root / "sea" / "Vessby.MD"
    [in_folder] = read_corpus(root)
    assert list(read_corpus(file, root=root)) == [in_folder]
    [alone] = read_corpus(file, format="folder")
    assert (alone.document, alone.title, alone.links) == ("Vessby", "A port", ("../Elm",))
    assert alone.pid == in_folder.pid
    with pytest.raises(UsageError, match=r"is not below .*: give a root that it is in"):
        read_corpus(file, root=tmp_path / "other")


@pytest.mark.parametrize(
    ("name", "content", "is_text"),
    [
        ("a.md", b'{"title": "T"}', True), ("a.txt", b"[Note] x", True), ("a.txt", b"x", True),
        ("a.txt", b'\xef\xbb\xbf {"title"', False), ("a.txt", b"[\n{", False), ("a", b"x", True),
    ],
)  # fmt: skip
def test_a_text_is_told_from_records(tmp_path: Path, name: str, content: bytes, is_text: bool):
    (tmp_path / name).write_bytes(content)
    assert (detect_format(tmp_path / name) == "folder") == is_text


def test_a_file_of_records_is_below_a_root_as_in_its_folder(tmp_path: Path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"title": "T", "text": "x"}')
    [passage] = read_corpus(tmp_path / "in" / "a.jsonl", root=tmp_path)
    assert [passage] == list(read_corpus(tmp_path, format="folder"))
    assert passage.path == "in/a.jsonl"
    with pytest.raises(
        UsageError, match=r"root is .*: give none, .*in is not one file of a folder"
    ):
        read_corpus(tmp_path / "in", root=tmp_path)


@pytest.mark.parametrize("name", ["README.md", "index.html", "_index.md", "README", "readme.txt"])
def test_the_index_of_the_whole_folder_is_called_by_its_name(tmp_path: Path, name: str):
    folder = tmp_path / "Senna Notes"
    folder.mkdir()
    (folder / name).write_text("Ada Finch came.")
    for corpus, root in ((folder, None), (folder / name, None), (folder / name, folder)):
        [passage] = read_corpus(corpus, root=root)
        assert passage.title == "Senna Notes"
        assert Path(name).stem in passage.aliases
