"""The six formats: how each is found, and what is read from it."""

import bz2
import gzip
import html
import itertools
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files import damage_named
from hippohover.indexing.corpus.formats import READERS, detect_format
from hippohover.indexing.corpus.records import BadRecord, Document, Link
from tests.indexing.corpus.corpus_samples import (
    LINKED_FORMATS,
    SAMPLES,
    WRITERS,
    Sample,
    hotpotqa_record,
    json_line,
    locked,
    tar_bytes,
    write_folder,
    write_hipporag,
    write_hotpotqa,
    write_jsonl,
    write_sqlite,
    write_wiki_abstracts,
)


def read(format_name: str, path: Path) -> list[Document | BadRecord]:
    """Records without the fields that they come from; a test of their own is about these."""
    with damage_named(str(path)):
        return [
            record if isinstance(record, BadRecord) else record._replace(fields={})
            for record in READERS[format_name](path)
        ]


def documents(format_name: str, path: Path) -> list[Document]:
    records = read(format_name, path)
    assert not [record for record in records if isinstance(record, BadRecord)]
    return [record for record in records if isinstance(record, Document)]


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_is_found_and_read_in_order(tmp_path: Path, name: str):
    path = WRITERS[name](tmp_path)
    assert detect_format(path) == name
    found = documents(name, path)
    assert [document.title for document in found] == [sample.title for sample in SAMPLES]
    assert [document.text.strip() for document in found] == [sample.text for sample in SAMPLES]


@pytest.mark.parametrize("name", WRITERS)
def test_links_come_from_the_formats_that_have_them(tmp_path: Path, name: str):
    expected = [sample.links if name in LINKED_FORMATS else () for sample in SAMPLES]
    found = documents(name, WRITERS[name](tmp_path))
    assert [tuple(link.title for link in document.links) for document in found] == expected


@pytest.mark.parametrize("name", WRITERS)
def test_fields_come_from_the_formats_whose_records_have_them(tmp_path: Path, name: str):
    path = WRITERS[name](tmp_path)
    [first, *_] = [one for one in READERS[name](path) if isinstance(one, Document)]
    assert ("title" in first.fields) == (name not in {"folder", "sqlite"})


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("jsonl", write_jsonl),
        ("hotpotqa", write_hotpotqa),
        ("wiki-abstracts", write_wiki_abstracts),
        ("sqlite", write_sqlite),
        ("hipporag", write_hipporag),
    ],
)
def test_the_first_bytes_tell_the_format_when_the_name_does_not(
    tmp_path: Path, name: str, write: Callable[[Path], Path]
):
    path = write(tmp_path).rename(tmp_path / "corpus")
    assert detect_format(path) == name


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b'\xef\xbb\xbf {"title"', "jsonl"),
        (b"\n[ {", "hipporag"),
        (gzip.compress(b"[]", mtime=0), "hipporag"),
    ],
)
def test_json_files_are_told_apart_by_their_first_character(
    tmp_path: Path, content: bytes, name: str
):
    path = tmp_path / "corpus.json"
    path.write_bytes(content)
    assert detect_format(path) == name


@pytest.mark.parametrize("name", ["CORPUS.JSONL", "a.Jsonl.GZ", "w.TAR.BZ2", "x.tgz", "y.SQLite3"])
def test_suffixes_are_read_in_any_case(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(b"")
    assert detect_format(tmp_path / name) in READERS


def test_an_unknown_format_is_an_error_that_names_the_known_ones(tmp_path: Path):
    path = tmp_path / "thesis.pdf"
    path.write_bytes(b"%PDF-1.7 ...")
    with pytest.raises(
        CorpusError, match=r"thesis\.pdf: no corpus format.*jsonl, hotpotqa.*unpacked first"
    ):
        detect_format(path)


# --- jsonl and hipporag


def test_bad_lines_are_named_by_their_number(tmp_path: Path):
    path = tmp_path / "c.jsonl"
    good = json_line({"title": "T", "text": ["One.", "Two."], "id": 7})
    path.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\r\nnope\n" + good.strip())
    first, bad, last = read("jsonl", path)
    assert first == last == Document("T", "One. Two.")
    assert isinstance(bad, BadRecord)
    assert bad.place == "c.jsonl:4"


def test_bad_items_of_an_array_are_named_by_their_number(tmp_path: Path):
    path = tmp_path / "c.json"
    path.write_bytes(b'[{"title": "T", "text": "x"}, 5, {"title": "\xff", "text": "x"}]')
    assert read("hipporag", path) == [
        Document("T", "x"),
        BadRecord("c.json: item 2", "a JSON int, not an object with title and text"),
        BadRecord("c.json: item 3", "is not UTF-8 text"),
    ]


@pytest.mark.slow
def test_an_array_of_more_than_64_megabytes_is_read(tmp_path: Path):
    path = tmp_path / "large.json"
    item = json.dumps({"title": "T", "text": "Words of a long text. " * 400, "idx": 0})
    n_items = 68 * 2**20 // len(item)
    path.write_text(f"[{', '.join([item] * n_items)}]", encoding="ascii")
    assert sum(isinstance(record, Document) for record in READERS["hipporag"](path)) == n_items


# --- hotpotqa and wiki-abstracts


def write_shard(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "h.tar.bz2"
    shard = bz2.compress(b"".join(map(json_line, records)))
    path.write_bytes(bz2.compress(tar_bytes([("top/AA/wiki_07.bz2", shard)])))
    return path


def test_links_are_decoded_and_stand_at_their_sentence(tmp_path: Path):
    record = {
        "title": "Elm &amp; Sons",
        "text": ["It is on the Elm.", " It sells ties.", ""],
        "text_with_links": [
            'It is on the <a href="Elm%20%28r%C3%ADver%29">Elm</a>.',
            ' It <a href="Trade%23Retail">sells</a> <a href="tie%20%26amp%3B%20bow">ties</a>.',
            '<a href="%23Here">here</a> <a href="">nowhere</a> <a href="%FF%00">odd</a>',
        ],
    }
    assert documents("hotpotqa", write_shard(tmp_path, record)) == [
        Document(
            "Elm & Sons",
            "It is on the Elm. It sells ties.",
            (Link(0, "Elm (ríver)"), Link(17, "Trade"), Link(17, "tie & bow"), Link(32, "\ufffd")),
        )
    ]


def test_a_record_without_linked_text_has_no_links(tmp_path: Path):
    path = write_shard(tmp_path, {"title": "T", "text": ["One.", " Two."]})
    assert documents("hotpotqa", path) == [Document("T", "One. Two.")]


def test_bad_records_are_named_by_archive_member_and_line(tmp_path: Path):
    good = hotpotqa_record(1, Sample("T", ("One.",)))
    path = write_shard(tmp_path, good, {**good, "text_with_links": "<a>"}, {**good, "text": 1})
    assert [r.place for r in read("hotpotqa", path) if isinstance(r, BadRecord)] == [
        "h.tar.bz2:top/AA/wiki_07.bz2:2",
        "h.tar.bz2:top/AA/wiki_07.bz2:3",
    ]


def test_a_damaged_shard_is_named(tmp_path: Path):
    path = tmp_path / "h.tar.bz2"
    shard = bz2.compress(json_line(hotpotqa_record(1, SAMPLES[0])))
    path.write_bytes(bz2.compress(tar_bytes([("top/AA/wiki_07.bz2", shard[:-5])])))
    with pytest.raises(CorpusError, match=r"^h\.tar\.bz2:top/AA/wiki_07\.bz2: ends too early"):
        read("hotpotqa", path)


def test_nothing_of_an_archive_is_written_to_the_disk(tmp_path: Path):
    path = write_hotpotqa(tmp_path)
    read("hotpotqa", path)
    assert list(tmp_path.iterdir()) == [path]


def test_titles_of_wiki_abstracts_are_unescaped(tmp_path: Path):
    path = tmp_path / "w.tar.gz"
    line = json_line({"title": "B &amp; S", "text": ["One.", "Two."]})
    path.write_bytes(gzip.compress(tar_bytes([("wiki.jsonl", line + b"nope\n")])))
    assert read("wiki-abstracts", path) == [
        Document("B & S", "One. Two."),
        BadRecord("w.tar.gz:wiki.jsonl:2", "not JSON (Expecting value: line 1 column 1 (char 0))"),
    ]


# --- sqlite


def write_rows(tmp_path: Path, rows: list[tuple[object, object]]) -> Path:
    path = tmp_path / "d.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE documents (id, text)")
        database.executemany("INSERT INTO documents VALUES (?, ?)", rows)
        database.commit()
    return path


def test_rows_of_the_wrong_type_are_bad_records(tmp_path: Path):
    path = write_rows(tmp_path, [("T", "x"), (None, "x"), ("T", 5), ("T", b"\xff"), ("T", b"ok")])
    assert read("sqlite", path) == [
        Document("T", "x"),
        BadRecord("d.db: row 2", 'field "title" is missing'),
        BadRecord("d.db: row 3", 'field "text" is of type int, not text or a list of sentences'),
        BadRecord("d.db: row 4", "is not UTF-8 text"),
        BadRecord("d.db: row 5", "is not UTF-8 text"),
    ]


def test_text_that_is_not_utf8_is_a_bad_record(tmp_path: Path):
    path = write_rows(tmp_path, [])
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO documents VALUES ('T', CAST(x'41ff42' AS TEXT))")
        database.commit()
    assert read("sqlite", path) == [BadRecord("d.db: row 1", "is not UTF-8 text")]


def test_a_database_is_only_read(tmp_path: Path):
    path = write_sqlite(tmp_path)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    path.chmod(0o444)
    read("sqlite", path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path):
    with pytest.raises(CorpusError, match="unable to open"):
        read("sqlite", tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_a_database_cut_in_its_last_page_is_an_error(tmp_path: Path):
    path = write_rows(tmp_path, [("T", "Words of a page. " * 900)])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorpusError, match="it is cut short"):
        read("sqlite", path)


def test_a_database_in_a_folder_with_signs_of_an_address_is_read(tmp_path: Path):
    folder = tmp_path / "a?mode=rwc#b %41"
    folder.mkdir()
    assert len(read("sqlite", write_sqlite(folder))) == len(SAMPLES)


def test_a_database_without_the_table_is_an_error(tmp_path: Path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE pages (id, text)")
    with pytest.raises(CorpusError, match="no such table: documents"):
        read("sqlite", path)


def test_a_cell_above_the_bound_is_an_error(tmp_path: Path):
    path = write_rows(tmp_path, [])
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO documents VALUES ('T', zeroblob(65 << 20))")
        database.commit()
    with pytest.raises(CorpusError, match="too big"):
        read("sqlite", path)


NUMBERS_WITHOUT_END = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, x AS text"
)


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW documents AS {NUMBERS_WITHOUT_END} FROM n",
        f"CREATE VIEW Documents AS {NUMBERS_WITHOUT_END} FROM n WHERE x < 0",
        "CREATE TABLE documents (id, text AS (printf('%.*c', 60000000, 'x')))",
        "CREATE VIRTUAL TABLE documents USING fts5 (id, text)",
    ],
)
def test_documents_that_are_computed_are_refused(tmp_path: Path, statement: str):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement)
    with pytest.raises(CorpusError, match='"documents" is computed, not a table of stored text'):
        read("sqlite", path)


def test_a_table_without_row_ids_and_of_another_case_is_read(tmp_path: Path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA encoding = 'UTF-16'")
        database.execute("CREATE TABLE Documents (id PRIMARY KEY, text) WITHOUT ROWID")
        database.execute("INSERT INTO documents VALUES ('漢字', ?)", ["漢字" * 20_000])
        database.commit()
    assert len(read("sqlite", path)) == 1


def test_pages_that_lead_to_the_same_page_again_and_again_come_to_an_end(tmp_path: Path):
    """Every page of the upper levels leads to one other page alone, a million times in all."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA page_size = 512")
        database.execute("CREATE TABLE documents (id, text)")
        rows = [(f"title {n}", "x" * 90) for n in range(5_000)]
        database.executemany("INSERT INTO documents VALUES (?, ?)", rows)
        database.commit()
        (root,) = database.execute("SELECT rootpage FROM sqlite_master").fetchone()
    content = bytearray(path.read_bytes())

    def children(page: int) -> list[int]:
        """Where the numbers of the pages below an inner page stand."""
        start = (page - 1) * 512
        n_cells = int.from_bytes(content[start + 3 : start + 5])
        cells = range(start + 12, start + 12 + 2 * n_cells, 2)
        return [start + 8, *(start + int.from_bytes(content[at : at + 2]) for at in cells)]

    inner = [int.from_bytes(content[at : at + 4]) for at in children(root)][:4]
    assert all(content[(page - 1) * 512] == 5 for page in inner)
    for upper, lower in itertools.pairwise([root, *inner]):
        for at in children(upper):
            content[at : at + 4] = lower.to_bytes(4)
    path.write_bytes(content)
    with pytest.raises(CorpusError, match="more text than the file holds"):
        list(READERS["sqlite"](path))


# --- folder


def write_tree(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def test_files_come_sorted_whatever_their_depth_and_case(tmp_path: Path):
    names = ["b.txt", "a/z.MD", "a/b/c.txt", "Ä.TXT", "a.txt", "c/deep.er.txt"]
    root = write_tree(tmp_path, dict.fromkeys(names, "Words."))
    found = [document.title for document in documents("folder", root)]
    assert found == ["c", "z", "a", "b", "deep.er", "Ä"]


def test_hidden_and_other_files_are_passed_over(tmp_path: Path):
    names = [".git/a.txt", ".b.md", "data.csv", "sub/.cache/c.txt", "kept.txt"]
    root = write_tree(tmp_path, dict.fromkeys(names, "Words."))
    assert [document.title for document in documents("folder", root)] == ["kept"]


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
    assert documents("folder", root) == [Document(title, text)]


def test_a_heading_in_a_text_file_is_text(tmp_path: Path):
    root = write_tree(tmp_path, {"n.txt": b"\xef\xbb\xbf# Head\r\nText."})
    assert documents("folder", root) == [Document("n", "# Head\nText.")]


def test_a_file_that_is_not_utf8_is_a_bad_record(tmp_path: Path):
    root = write_tree(tmp_path, {"a/bad.txt": b"caf\xe9", "good.txt": "x"})
    assert read("folder", root)[0] == BadRecord("a/bad.txt", "is not UTF-8 text")


@pytest.mark.parametrize("name", ["link.txt", "folder"])
def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path, name: str):
    write_tree(tmp_path, {"outside/secret.txt": "x", "root/a.txt": "x"})
    target = tmp_path / "outside"
    (tmp_path / "root" / name).symlink_to(target / "secret.txt" if "." in name else target)
    with pytest.raises(CorpusError, match=f"{name}: a symbolic link that leaves the folder"):
        read("folder", tmp_path / "root")


def test_a_link_to_a_sibling_with_the_same_beginning_leaves_the_folder(tmp_path: Path):
    write_tree(tmp_path, {"root/a.txt": "x", "root-2/b.txt": "x"})
    (tmp_path / "root" / "b.txt").symlink_to(tmp_path / "root-2" / "b.txt")
    with pytest.raises(CorpusError, match="leaves the folder"):
        read("folder", tmp_path / "root")


def test_links_within_the_folder_are_read_and_loops_are_not_walked(tmp_path: Path):
    root = write_tree(tmp_path / "root", {"sub/a.txt": "Words."})
    (root / "b.txt").symlink_to(root / "sub" / "a.txt")
    (root / "sub" / "loop").symlink_to(root)
    (tmp_path / "way in").symlink_to(root)
    for path in (root, tmp_path / "way in"):
        assert [document.title for document in documents("folder", path)] == ["b", "a"]


def test_a_link_to_nothing_or_to_itself_is_an_error(tmp_path: Path):
    root = write_tree(tmp_path, {"a.txt": "x"})
    (root / "b.txt").symlink_to(root / "b.txt")
    with pytest.raises(CorpusError, match=r"b\.txt"):
        read("folder", root)


@pytest.mark.parametrize("name", ["a.txt", "inner"])
def test_what_may_not_be_read_is_an_error(tmp_path: Path, name: str):
    root = write_tree(tmp_path, {"a.txt": "x", "b.txt": "x", "inner/c.txt": "x"})
    with locked(root / name), pytest.raises(CorpusError, match=f"{name}: .*permission denied"):
        read("folder", root)


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(CorpusError, match=r"pipe\.txt: not a regular file"):
        read("folder", tmp_path)


def test_a_file_is_no_folder(tmp_path: Path):
    path = write_tree(tmp_path, {"a.txt": "x"}) / "a.txt"
    with pytest.raises(CorpusError, match=r"a\.txt: not a folder"):
        read("folder", path)


def test_an_odd_file_name_gives_a_title(tmp_path: Path):
    name = os.fsdecode(b"odd\xff\n name.txt")
    (tmp_path / name).write_bytes(b"x")
    assert [document.title for document in documents("folder", tmp_path)] == ["odd name"]


def test_the_sample_folder_has_headings_and_file_names(tmp_path: Path):
    path = write_folder(tmp_path)
    assert len(list(path.rglob("*.md"))) == len(SAMPLES) // 2
    assert html.escape(SAMPLES[2].title) != SAMPLES[2].title  # the samples cover entities
