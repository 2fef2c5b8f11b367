"""Files of records in a folder: damage, settings that are no corpus, and what is said of fields."""

from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.readers.records.json_values import read
from hippohover.indexing.corpus.readers.records.record_file import NO_TEXTS
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver, Understood
from hippohover.recipe import CorpusFields
from tests.indexing.corpus.readers.records.record_samples import read_all, source_file

TWO = b'[{"title": "T", "text": "x"}, {"title": "U", "text": "y"}'


def test_damage_behind_good_records_is_one_named_failure():
    assert read_all(read, TWO) == [
        Document("T", "x"),
        Document("U", "y"),
        BadRecord(
            "notes/file.x",
            "not whole JSON (expected one of ',]', found '' at item 2): fix it, or fetch it again",
        ),
    ]


def test_damage_of_a_whole_corpus_is_an_error(tmp_path: Path):
    path = tmp_path / "c.json"
    path.write_bytes(TWO)
    with pytest.raises(CorpusError, match=r"^c\.json: not whole JSON"), damage_named(str(path)):
        list(read.corpus(path))


def test_a_file_that_cannot_be_read_is_one_failure():
    (bad,) = read_all(read, b"\x1f\x8bnot gzip")
    assert isinstance(bad, BadRecord)
    assert bad.place == "notes/file.x"
    assert not bad.reason.startswith("notes")


@pytest.mark.parametrize(
    "content",
    [
        b'{"name": "tool", "version": "1.0", "scripts": {"test": "run"}}',
        b'{"hello": "Hallo", "bye": "Tsch\xc3\xbcs"}',
        b'{"type": "x", "features": [{"a": 1}, {"a": 2}]}',
        b"[1, 2, 3]",
        b"{}",
    ],
)
def test_a_file_of_settings_is_passed_over(content: bytes):
    (passed,) = read_all(read, content)
    assert isinstance(passed, PassedOver)
    assert passed.place == "notes/file.x"
    assert passed.reason == NO_TEXTS


def test_an_empty_array_holds_nothing():
    assert read_all(read, b"[]") == [PassedOver("notes/file.x", "holds no records with text")]


def test_what_was_understood_comes_first_and_a_recipe_may_say_it():
    content = b'[{"docid": 1, "contents": "x", "story": "y"}]'
    assert read_all(read, content) == [
        Understood("read docid as id, contents as text; no title"),
        Document("1", "x", id="1"),
    ]
    [said, document] = read(source_file(content), CorpusFields(text="story"))
    assert said == Understood("read docid as id, story as text; no title")
    assert isinstance(document, Document)
    assert document.text == "y"


def test_a_file_whose_records_are_in_no_utf8_is_one_named_failure():
    lines = b'{"title": "Zo\xe9", "text": "Zo\xe9 painted."}\n' * 3
    assert read_all(read, lines) == [
        BadRecord("notes/file.x", "is not UTF-8 text: save it as UTF-8")
    ]
    good = b'{"title": "T", "text": "x"}\n'
    assert [type(record) for record in read_all(read, good + lines)] == [Document] + [BadRecord] * 3
