"""The formats: how each is found, and what is read from it."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.blocks import CorpusBlocks
from hippohover.indexing.corpus.files.globs import EVERY
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.indexing.corpus.formats import (
    EMPTY,
    FILE_READERS,
    NO_READER,
    READERS,
    detect_format,
    documents_in,
)
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.records import Document, PassedOver
from hippohover.indexing.corpus.source import passage_source
from hippohover.recipe import NO_FIELDS, IndexRecipe
from tests.indexing.corpus.corpus_samples import (
    LINKED_FORMATS,
    SAMPLES,
    WRITERS,
    documents_of,
    read_corpus,
    write_hotpotqa,
    write_json,
    write_jsonl,
    write_sqlite,
    write_wiki_abstracts,
)
from tests.indexing.corpus.readers.texts.text_samples import source


def test_every_format_has_a_sample():
    assert set(READERS) == set(WRITERS)


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_is_found_and_read_in_order(tmp_path: Path, name: str):
    path = WRITERS[name](tmp_path)
    assert detect_format(path) == {"hipporag": "json"}.get(name, name)
    found = documents_of(name, path)
    assert [document.title for document in found] == [sample.title for sample in SAMPLES]
    assert [document.text.strip() for document in found] == [sample.text for sample in SAMPLES]


@pytest.mark.parametrize("name", WRITERS)
def test_links_come_from_the_formats_that_have_them(tmp_path: Path, name: str):
    expected = [sample.links if name in LINKED_FORMATS else () for sample in SAMPLES]
    found = documents_of(name, WRITERS[name](tmp_path))
    assert [tuple(link.title for link in document.links) for document in found] == expected


@pytest.mark.parametrize("name", WRITERS)
def test_fields_come_from_the_formats_whose_records_have_them(tmp_path: Path, name: str):
    path = WRITERS[name](tmp_path)
    [first, *_] = [one for one in READERS[name].read(path, NO_FIELDS) if isinstance(one, Document)]
    assert ("title" in first.fields) == (name not in {"folder", "sqlite"})


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("jsonl", write_jsonl),
        ("hotpotqa", write_hotpotqa),
        ("wiki-abstracts", write_wiki_abstracts),
        ("sqlite", write_sqlite),
        ("json", write_json),
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
        (b"\n[ {", "json"),
        (gzip.compress(b"[]", mtime=0), "json"),
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
    path = tmp_path / "thesis.odb"
    path.write_bytes(b"PK\x03\x04 ...")
    with pytest.raises(
        CorpusError, match=r"thesis\.odb: unknown corpus format.*jsonl, json, table.*unpacked first"
    ):
        detect_format(path)


def test_a_table_without_a_name_for_it_is_told(tmp_path: Path):
    path = tmp_path / "rows"
    path.write_bytes(b"id\ttext\n1\tOne.\n2\tTwo.\n")
    with pytest.raises(CorpusError, match=r"looks like a table: end its name in \.tsv"):
        detect_format(path)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b'{"title": "T", "text": "x"}\n{"title": "U", "text": "y"}\n', "jsonl"),
        (b'{"title": "T" "x"}\n{"title": "U", "text": "y"}\n', "jsonl"),  # its first line is bad
        (b'{"title": "T"', "jsonl"),
        (b'{"T": ["One."], "U": ["Two."]}\n', "json"),
        (b'{\n "title": "T",\n "text": "x"\n}\n', "json"),
        (b'{"docs": [' + b'{"title": "T", "text": "x"}, ' * 5_000, "json"),
        (b"PAR1...", "parquet"),
        (b'<doc id="1">', "wiki-extracts"),
    ],
)
def test_the_first_bytes_tell_lines_from_one_object(tmp_path: Path, content: bytes, name: str):
    path = tmp_path / "corpus.json"
    path.write_bytes(content)
    assert detect_format(path) == name


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b'{"title": "T", "text": "x"}\n', "jsonl"),
        (b'{"title": "T", "text": "x"}\n"no record"\n', "jsonl"),
        (b'{"title": "T" "x"}\n{"title": "U", "text": "y"}\n', "jsonl"),  # its first line is bad
        (b'{"title": "T" "x"}\n', "jsonl"),
        (b'{\n{"title": "T", "text": "x"}\n', "jsonl"),
        (b'{\n"text"\n{"title": "T", "text": "x"}\n', "jsonl"),
        (b'[]\n{"title": "T", "text": "x"}\n', "jsonl"),
        (b'[{]\n{"title": "T", "text": "x"}\n', "jsonl"),
        (b"- Who?\n- Where?\n", "jsonl"),
        (b"", "jsonl"),
        (b'\xef\xbb\xbf{\n "title": "T",\n "text": "x"\n}\n', "json"),
        (b'{"docs": [\n {"title": "T", "text": "x"}]}', "json"),
        (b'{"docs":\n{"title": "T", "text": "x"}}', "json"),
        (b'[{"title": "T", "text": "x"}]', "json"),
        (b'[\n{"title": "T", "text": "x"},\n{"title": "U", "text": "y"}\n]', "json"),
    ],
)
def test_a_file_called_json_lines_may_be_json_over_several(
    tmp_path: Path, content: bytes, name: str
):
    path = tmp_path / "c.jsonl"
    path.write_bytes(content)
    assert detect_format(path) == name
    assert detect_format(tmp_path) == ("jsonl" if name == "jsonl" else "folder")


def test_a_folder_of_beir_is_its_corpus_alone(tmp_path: Path):
    write_jsonl(tmp_path, packed=False)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "Who?"}\n', encoding="utf-8")
    (tmp_path / "qrels").mkdir()
    titles = {p.title for p in read_corpus(tmp_path)}
    assert titles == {sample.title for sample in SAMPLES}
    source = passage_source(IndexRecipe(), tmp_path, None, CorpusCounts())
    assert isinstance(source, CorpusBlocks)
    assert source.path == tmp_path / "corpus.jsonl"


def test_a_folder_of_json_lines_alone_is_read_as_one_corpus(tmp_path: Path):
    for at, half in enumerate((SAMPLES[:3], SAMPLES[3:])):
        write_jsonl(tmp_path, half, packed=at == 0)
    assert detect_format(tmp_path) == "jsonl"
    assert {p.title for p in read_corpus(tmp_path)} == {sample.title for sample in SAMPLES}
    (tmp_path / "note.txt").write_text("A note.", encoding="utf-8")
    assert detect_format(tmp_path) == "folder"


def test_an_exported_chat_is_no_list_of_records(tmp_path: Path):
    path = tmp_path / "2024-05-01.json"
    path.write_text('[{"type": "message", "user": "U1", "ts": "1714500000.000100", "text": "Hi."}]')
    assert detect_format(path) == "folder"


# Which reader reads a file


def written(folder: Path, name: str, content: bytes) -> SourceFile:
    path = folder / name
    path.write_bytes(content)
    return SourceFile(name, lambda: open_stream(path), path)


@pytest.mark.parametrize("name", ["README", "LICENSE", "notes.1", "a.TXT", "a.md.gz"])
def test_texts_are_read_by_suffix_or_by_their_first_bytes(tmp_path: Path, name: str):
    content = gzip.compress(b"Words.") if name.endswith("gz") else b"Words."
    [document] = documents_in(written(tmp_path, name, content), EVERY)
    assert isinstance(document, Document)
    assert document.text == "Words."


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("data.xyz", NO_READER),
        ("program", NO_READER),
        ("picture.PNG", "pictures"),
        ("rates.xlsx", "spreadsheets: save each sheet as .csv"),
        ("old.doc", "texts of other programs: save them as .docx, .odt or .pdf"),
        ("a.7z", "archives of other programs: unpack them"),
    ],
)
def test_what_has_no_reader_is_passed_over_and_may_be_saved_otherwise(
    tmp_path: Path, name: str, reason: str
):
    file = written(tmp_path, name, b"\x7fELF\0\0")
    assert list(documents_in(file, EVERY)) == [PassedOver(name, reason)]


def test_suffixes_are_in_lower_case_with_their_dot():
    assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in FILE_READERS)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl.gz", "a.ipynb", "a.eml", "a.mbox"])
@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_a_file_with_nothing_in_it_is_passed_over(name: str, content: bytes):
    assert list(documents_in(source(name, content), EVERY)) == [PassedOver(name, EMPTY)]
