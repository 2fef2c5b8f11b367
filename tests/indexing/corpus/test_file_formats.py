"""Which reader reads a file."""

import gzip
from pathlib import Path

import pytest

from hippohover.indexing.corpus.files.globs import EVERY
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.indexing.corpus.formats import EMPTY, FILE_READERS, NO_READER, documents_in
from hippohover.indexing.corpus.records import Document, PassedOver
from tests.indexing.corpus.readers.texts.text_samples import source


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
