"""JSON files of each shape: what is read from them."""

import json
from pathlib import Path
from typing import Any

import pytest

from hippohover.indexing.corpus.formats import READERS
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.readers.records import json_stream, json_values
from hippohover.indexing.corpus.readers.records.json_values import read
from hippohover.indexing.corpus.readers.records.record_file import NO_TEXTS
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver
from hippohover.recipe import NO_FIELDS, CorpusFields
from tests.indexing.corpus.corpus_samples import read_corpus, records_of
from tests.indexing.corpus.readers.records.record_samples import read_all, source_file


def test_an_object_with_a_title_and_sections_is_one_document():
    content = b'{"title": "The Heron", "sections": [{"heading": "Fate", "text": "She sank."}]}'
    [_, document] = read_all(read, content)
    assert isinstance(document, Document)
    assert (document.title, document.text) == ("The Heron", "Fate\n\nShe sank.")


def test_bad_items_of_an_array_are_named_by_their_number(tmp_path: Path):
    path = tmp_path / "c.json"
    path.write_bytes(b'[{"title": "T", "text": "x"}, 5, {"title": "\xff", "text": "x"}]')
    assert records_of("json", path) == [
        Document("T", "x"),
        BadRecord("c.json: item 2", "a JSON int, not an object with title and text"),
        BadRecord("c.json: item 3", "is not UTF-8 text: save it as UTF-8"),
    ]


@pytest.mark.slow
def test_an_array_of_more_than_64_megabytes_is_read(tmp_path: Path):
    path = tmp_path / "large.json"
    item = json.dumps({"title": "T", "text": "Words of a long text. " * 400, "idx": 0})
    n_items = 68 * 2**20 // len(item)
    path.write_text(f"[{', '.join([item] * n_items)}]", encoding="ascii")
    records = READERS["json"].read(path, NO_FIELDS)
    assert sum(isinstance(record, Document) for record in records) == n_items


T, U = Document("T", "One. Two."), Document("U", "Three.")
LONG = "A text of more than five words."


@pytest.mark.parametrize("chunk", [8, 1 << 16])
@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (b"{broken", "not JSON (Expecting property name enclosed in double quotes)"),
        (b'{"title": "X", "text": "cut', "not JSON (Invalid control character at)"),
        (b'{"title": "X"', "not JSON (Expecting ',' delimiter)"),
        (b'{"a": 1} and more', "not JSON (Expecting value)"),
    ],
)
def test_a_broken_line_costs_no_other(
    monkeypatch: pytest.MonkeyPatch, chunk: int, broken: bytes, problem: str
):
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", chunk)
    good = b'{"title": "T", "text":\n "One. Two."}', b'{"title": "U", "text": "Three."}'
    between = read_all(read, b"\n".join([good[0], broken, good[1]]))
    assert [record for record in between if isinstance(record, Document)] == [T, U]
    assert [bad.reason for bad in between if isinstance(bad, BadRecord)][-1] == problem
    first = read_all(read, b"\n".join([broken, *good]))
    assert [record for record in first if isinstance(record, Document)] == [T, U]


@pytest.mark.parametrize(
    "whole",
    [
        {"docs": [{"title": "T", "text": "One. Two."}, {"title": "U", "text": ["Three."]}]},
        {"version": "1", "docs": [{"title": "T", "text": "One. Two."},
                                  {"title": "U", "text": "Three."}], "mean": 1.5},
        {"T": ["One.", "Two."], "U": ["Three."]},
        {"T": ["One.", "Two."], "U": "Three."},
        {"T": ["One.", "Two."], "V": None, "U": ["Three."]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("most", [2**23, 1])
def test_one_object_over_the_whole_file_is_read(
    monkeypatch: pytest.MonkeyPatch, whole: dict[str, Any], indent: int | None, most: int
):
    """Whether it is short and read whole, or long and read as it comes."""
    monkeypatch.setattr(json_values, "_MOST_WHOLE_CHARS", most)
    monkeypatch.setattr(json_values, "_TEXT_WORDS", 1)
    monkeypatch.setattr("hippohover.indexing.corpus.readers.records.json_stream.CHUNK_BYTES", 16)
    records = read_all(read, json.dumps(whole, indent=indent).encode())
    assert [record for record in records if isinstance(record, Document)] == [T, U]


def test_titles_that_lead_to_texts_are_told_from_settings():
    assert read_all(read, json.dumps({"T": LONG, "U": LONG}).encode()) == [
        Document("T", LONG),
        Document("U", LONG),
    ]
    short = {"T": "It is a ship.", "none": None, "U": "It flies."}
    assert read_all(read, json.dumps(short).encode()) == [
        Document("T", "It is a ship."),
        Document("U", "It flies."),
    ]
    for settings in ({"a": None}, {"name": "ship", "about": "A tool.", "as": "Ada Finch & Co"}):
        assert read_all(read, json.dumps(settings).encode()) == [
            PassedOver("notes/file.x", NO_TEXTS)
        ]


def test_records_in_what_a_server_answers_are_read():
    records = [{"title": "T", "text": "One. Two."}, {"title": "U", "text": "Three."}]
    for whole in ({"status": 0, "data": {"items": records, "tags": [{"n": 1}] * 9}},
                  {"response": {"docs": {"all": records}}}):  # fmt: skip
        assert read_all(read, json.dumps(whole).encode()) == [T, U]
    far = {"a": {"b": {"c": {"d": records}}}}
    assert read_all(read, json.dumps(far).encode()) == [PassedOver("notes/file.x", NO_TEXTS)]


def test_ids_that_lead_to_records_are_read():
    whole = {"d1": {"title": "T", "text": "One. Two."}, "d2": {"title": "U", "text": "Three."}}
    expected = [T._replace(id="d1"), U._replace(id="d2")]
    assert read_all(read, json.dumps(whole).encode()) == expected


@pytest.mark.parametrize("most", [2**23, 1])
def test_a_recipe_says_which_fields_they_have(monkeypatch: pytest.MonkeyPatch, most: int):
    monkeypatch.setattr(json_values, "_MOST_WHOLE_CHARS", most)
    fields = CorpusFields(id="key", title="subject", text="report")
    wholes: list[dict[str, Any]] = [
        {"d1": {"subject": "T", "report": "One. Two."}, "d2": {"subject": "U", "report": "Three."}},
        {"T": "One. Two. " + LONG, "U": "Three. " + LONG},
    ]
    for whole in wholes:
        content = json.dumps(whole, indent=1).encode()
        made = [d for d in read(source_file(content), fields) if isinstance(d, Document)]
        assert [d.title for d in made] == ["T", "U"]
        assert [d.text[:6] for d in made] == ["One. T", "Three."]
        assert [d.id for d in made] == (["d1", "d2"] if whole is wholes[0] else ["", ""])


def test_objects_over_several_lines_are_read_one_after_another():
    some = [{"title": "T", "text": "One. Two."}, {"title": "U", "text": "Three."}]
    content = "\n".join(json.dumps(record, indent=2) for record in some)
    assert read_all(read, content.encode()) == [T, U]


def test_one_record_alone_is_one():
    assert read_all(read, b'{\n "title": "T",\n "text": "One. Two."\n}') == [T]


def test_a_long_record_alone_is_an_error_and_no_title_with_a_text(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(json_values, "_MOST_WHOLE_CHARS", 1)
    monkeypatch.setattr("hippohover.indexing.corpus.readers.records.json_stream.CHUNK_BYTES", 16)
    [*_, bad] = read_all(read, json.dumps({"title": LONG, "text": LONG}).encode())
    assert isinstance(bad, BadRecord)
    assert "longer than" in bad.reason


def test_a_line_that_takes_the_next_one_into_itself_is_one_failure():
    good = b'{"title": "T", "text": "One. Two."}\n'
    last = b'{"title": "U", "text": "Three."}\n'
    first, bad, second = read_all(read, good + b'{"title": "X", "text":\n' + last)
    assert (first, second) == (T, U)
    assert bad == BadRecord("notes/file.x: item 2", "not JSON (Expecting ',' delimiter)")


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_utf16_and_utf32_are_read(tmp_path: Path, name: str, suffix: str):
    records = [{"title": "Zoé", "text": f"Zoé painted {n}."} for n in range(3)]
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    content = "\n".join(lines) if suffix == "jsonl" else f"[{','.join(lines)}]"
    path = tmp_path / f"c.{suffix}"
    path.write_bytes(content.encode(name))
    counts = CorpusCounts()
    assert [passage.text for passage in read_corpus(path, counts=counts)] == [
        record["text"] for record in records
    ]
    (tmp_path / "README.md").write_text("Text.")
    counts = CorpusCounts()
    assert len(list(read_corpus(tmp_path, counts=counts))) == 4
    assert [line.startswith(f"c.{suffix}: {name}") for line in counts.encodings] == [True]


def test_utf16_that_is_cut_is_a_failure():
    content = '[{"title": "T", "text": "x"}]'.encode("utf-16-le")
    (bad,) = read_all(read, content[:-1])
    assert isinstance(bad, BadRecord)
