"""The passage stream: what comes out, counting, refusing."""

import gzip
import os
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest
from pydantic import ValidationError

from hippohover.errors import CorpusError, UsageError
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.recipe import CorpusFields, CorpusSettings
from hippohover.records import Passage, passage_id
from tests.indexing.corpus.corpus_samples import (
    FILE_FORMATS,
    SAMPLES,
    WRITERS,
    Sample,
    json_line,
    locked,
    read_corpus,
    write_hotpotqa,
    write_jsonl,
)


def write_lines(folder: Path, records: Iterable[object]) -> Path:
    path = folder / "c.jsonl"
    path.write_bytes(b"".join(map(json_line, records)))
    return path


def record(title: str = "T", text: str = "x", **more: object) -> dict[str, object]:
    return {"title": title, "text": text, **more}


def plain(passages: Iterable[Passage]) -> list[tuple[str, str, str, int]]:
    return [(p.pid, p.title, p.text, p.part) for p in passages]


# --- what comes out


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_passages(tmp_path: Path, name: str):
    counts = CorpusCounts()
    passages = list(read_corpus(WRITERS[name](tmp_path), counts=counts))
    assert plain(passages) == [
        (passage_id(s.title, s.text, 0), s.title, s.text, 0) for s in SAMPLES
    ]
    n_files = {".txt": 4, ".md": 3} if name == "folder" else {}
    assert counts == CorpusCounts(
        n_documents=len(SAMPLES), n_passages=len(SAMPLES), n_files=n_files
    )


def test_hidden_titles_leave_ids_and_text_as_they_were(tmp_path: Path):
    path = write_hotpotqa(tmp_path)
    shown, hidden = list(read_corpus(path)), list(read_corpus(path, titles="hidden"))
    assert [(p.pid, p.text) for p in hidden] == [(p.pid, p.text) for p in shown]
    assert {p.title for p in hidden} == {""}
    assert any(p.links for p in shown)
    assert not any(p.links for p in hidden)  # a link is a title too


def test_outer_blanks_are_cut_and_counted_in_the_offset(tmp_path: Path):
    (passage,) = read_corpus(write_lines(tmp_path, [record(text=" \n\0 Tessel. \n")]))
    assert (passage.text, passage.start) == ("Tessel.", 4)


@pytest.mark.parametrize("n_words", [0, 3])
def test_exact_duplicates_are_dropped_and_counted(tmp_path: Path, n_words: int):
    same, other = record(text="One two three."), record(text="One two four.")
    path = write_lines(tmp_path, [same, other, same, record("U", "One two three."), same])
    counts = CorpusCounts()
    passages = list(read_corpus(path, max_words=n_words, counts=counts))
    assert [(p.title, p.text) for p in passages] == [
        ("T", "One two three."),
        ("T", "One two four."),
        ("U", "One two three."),
    ]
    assert (counts.n_documents, counts.n_duplicates) == (3, 2)


def test_documents_of_a_folder_that_say_the_same_are_named(tmp_path: Path):
    for name in ("b", "a/copy", "c", "c/d"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / "note.md").write_text("# Fog\n\nIt is grey. It is cold.\n")
    (tmp_path / "c/note.md").write_text("# Fog\n\nIt is grey. It is warm.\n")
    rows = record(text="One."), record(text="One.")
    (tmp_path / "rows.jsonl").write_bytes(b"".join(map(json_line, rows)))
    counts = CorpusCounts()
    passages = list(read_corpus(tmp_path, max_words=3, counts=counts))
    assert (counts.n_duplicates, counts.n_same, len(passages)) == (6, 2, 4)
    assert counts.same == ["b/note.md (as a/copy/note.md)", "c/d/note.md (as a/copy/note.md)"]


def test_a_hundred_documents_that_say_the_same_are_named_and_all_counted():
    counts = CorpusCounts()
    for at in range(150):
        counts.drop(f"{at}.md", "a.md")
    counts.drop("a.md", "a.md")
    assert (counts.n_same, len(counts.same)) == (150, 100)


def test_a_part_that_came_before_is_dropped_and_the_rest_kept(tmp_path: Path):
    path = write_lines(tmp_path, [record(text="A b. C d."), record(text="A b. E f.")])
    counts = CorpusCounts()
    passages = list(read_corpus(path, max_words=2, counts=counts))
    assert [(p.text, p.part) for p in passages] == [("A b.", 0), ("C d.", 1), ("E f.", 1)]
    assert (counts.n_documents, counts.n_passages, counts.n_duplicates) == (2, 3, 1)


def test_blank_documents_are_counted_and_skipped(tmp_path: Path):
    texts = ["", " \n", "\0\x01", "\u3000", "x"]
    counts = CorpusCounts()
    assert (
        len(list(read_corpus(write_lines(tmp_path, map(record, "abcde", texts)), counts=counts)))
        == 1
    )
    assert (counts.n_empty, counts.n_bad_records) == (4, 0)


def test_a_passage_of_a_megabyte_comes_whole(tmp_path: Path):
    text = "Κείμενο 文 نص. " * 70_000
    (passage,) = read_corpus(write_lines(tmp_path, [record(text=text)]))
    assert passage.text == text.strip()


def test_each_part_has_the_links_of_its_own_words(tmp_path: Path):
    samples = [Sample("T", ("By the Elm.", "Near Ott."), ("Elm", "Ott", "Elm"))]
    named = list(read_corpus(write_jsonl(tmp_path, samples), max_words=3))
    assert [p.links for p in named] == [("Elm",), ("Ott",)]
    in_sentence = list(read_corpus(write_hotpotqa(tmp_path, samples), max_words=3))
    assert [p.links for p in in_sentence] == [("Elm", "Ott"), ()]


# --- bad records


def write_with_bad(folder: Path, n_good: int, n_bad: int) -> Path:
    good = [record(f"T{n}", f"Text {n}.") for n in range(n_good)]
    return write_lines(folder, [*good, *([{"title": "no text"}] * n_bad)])


def test_bad_records_are_named_counted_and_skipped(tmp_path: Path):
    counts = CorpusCounts()
    assert len(list(read_corpus(write_with_bad(tmp_path, 99, 1), counts=counts))) == 99
    assert counts.n_bad_records == 1
    assert counts.failures == ['c.jsonl:100: field "text" is missing among title']


def test_more_bad_records_than_allowed_are_an_error_with_rate_and_first_failures(tmp_path: Path):
    path = write_with_bad(tmp_path, 300, 4)
    counts = CorpusCounts()
    with pytest.raises(CorpusError, match=r"4 of 304 records are bad: 1\.3%, limit 1\.0%") as e:
        list(read_corpus(path, counts=counts))
    assert '(c.jsonl:301: field "text" is missing among title, and 3 more for that reason)' in str(
        e.value
    )
    assert counts.n_passages == 300
    assert len(list(read_corpus(path, max_bad_share=4 / 304))) == 300


def write_notes(folder: Path, n_good: int, n_bad: int) -> None:
    for number in range(n_good):
        (folder / f"n{number}.md").write_text(f"Note {number}.")
    for number in range(n_bad):
        (folder / f"d{number}.pdf").write_bytes(b"no PDF")


def test_the_share_of_a_folder_counts_files_from_a_hundred_on(tmp_path: Path):
    write_notes(tmp_path, 97, 2)
    rows = [f"Row {n},About {n}." for n in range(150)]
    (tmp_path / "rows.csv").write_text("title,text\n" + "\n".join(rows))
    assert "2 of 100 files fail: 2.0%, limit 1.0% (d0.pdf: " in assert_refused(tmp_path)
    assert len(list(read_corpus(tmp_path, max_bad_share=0.02))) == 97 + 150
    (tmp_path / "n0.md").unlink()  # of 99 files any may fail
    assert len(list(read_corpus(tmp_path))) == 96 + 150


def test_a_file_of_records_fails_where_too_many_of_them_are_bad(tmp_path: Path):
    write_notes(tmp_path, 98, 1)
    good = [record(f"T{n}", f"Text {n}.") for n in range(100)]
    bad: list[object] = [{"title": "no text"}]
    write_lines(tmp_path, [*good, *bad])
    assert len(list(read_corpus(tmp_path))) == 198  # 1 of 101 is no more than may be
    write_lines(tmp_path, [*good, *bad, *bad])
    assert "2 of 100 files fail" in assert_refused(tmp_path)


def test_a_kept_field_that_holds_an_object_fails_no_file(tmp_path: Path):
    write_notes(tmp_path, 98, 1)
    (tmp_path / "x.md").write_text("---\nby: {name: Ada}\n---\nText.")
    passages = list(read_corpus(tmp_path, metadata=["by"]))
    assert len(passages) == 99
    assert ('{"name": "Ada"}',) in [passage.metadata for passage in passages]


def test_records_that_are_all_of_one_wrong_form_are_one_reason_and_the_fix_is_not_to_allow_more(
    tmp_path: Path,
):
    path = write_lines(tmp_path, [{"docid": n, "headline": "T", "story": "x"} for n in range(150)])
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path))
    assert str(caught.value).removeprefix(str(tmp_path)) == (
        '/c.jsonl: no record can be used, of 100 (c.jsonl:1: field "text" is missing among docid, '
        "headline, story, and 99 more for that reason): check the file and its format, or say "
        "which fields hold title and text in the recipe's [corpus.fields]"
    )
    named = CorpusFields(title="headline", text="story")
    counts = CorpusCounts()
    assert len({p.pid for p in read_corpus(path, fields=named, counts=counts)}) == 1
    assert counts.understood == {"read docid as id, headline as title, story as text": 1}


def test_documents_without_title_go_by_their_ids(tmp_path: Path):
    records = [{"_id": f"q{n}", "title": "", "text": f"How long is the wall {n}?"} for n in "12"]
    counts = CorpusCounts()
    passages = list(read_corpus(write_lines(tmp_path, records), counts=counts))
    assert [(p.title, p.document) for p in passages] == [("q1", "q1"), ("q2", "q2")]
    assert (counts.n_bad_records, counts.understood) == (0, {"no title": 1})


def test_the_share_is_checked_on_the_way_from_the_hundredth_record(tmp_path: Path):
    bad, good = {"title": "T"}, [record(text=str(n)) for n in range(500)]
    counts = CorpusCounts()
    with pytest.raises(CorpusError, match="98 of 148 records"):
        list(
            read_corpus(
                write_lines(tmp_path, good[:50] + [bad] * 400), max_bad_share=0.66, counts=counts
            )
        )
    assert counts.n_bad_records == 98  # of the 400
    early = write_lines(tmp_path, [bad, bad, *good])  # 2 of 2, but in the end 2 of 502
    assert len(list(read_corpus(early))) == 500


def test_the_share_counts_from_a_hundred_records_on(tmp_path: Path):
    path = write_lines(tmp_path, [{"title": "no text"}, *map(record, "abc")])
    counts = CorpusCounts()
    assert len(list(read_corpus(path, counts=counts))) == 3
    assert (counts.n_bad_records, counts.n_passages) == (1, 3)
    enough = write_lines(tmp_path, [{"title": "no text"}, {}, *map(record, map(str, range(98)))])
    with pytest.raises(CorpusError, match=r"2 of 100 records are bad: 2\.0%, limit 1\.0%"):
        list(read_corpus(enough))
    assert len(list(read_corpus(enough, max_bad_share=0.02))) == 98
    none = write_lines(tmp_path, [{"title": "no text"}] * 3)
    with pytest.raises(CorpusError, match=r"no record can be used, of 3"):
        list(read_corpus(none))


def test_the_first_hundred_failures_are_kept(tmp_path: Path):
    counts = CorpusCounts()
    list(read_corpus(write_with_bad(tmp_path, 1, 250), max_bad_share=1, counts=counts))
    assert (counts.n_bad_records, len(counts.failures)) == (250, 100)


def test_a_failure_is_one_line_even_for_an_odd_name(tmp_path: Path):
    path = write_with_bad(tmp_path, 1, 1).rename(tmp_path / "a\nb\x1b[31m.jsonl")
    counts = CorpusCounts()
    list(read_corpus(path, max_bad_share=1, counts=counts))
    assert counts.failures == ['a b [31m.jsonl:2: field "text" is missing among title']


# --- limits and arguments


def test_limit_counts_documents_and_stops_reading(tmp_path: Path):
    path = tmp_path / "c.jsonl"
    two = b"".join(json_line(record(t, "A b. C d.")) for t in "TTU")
    path.write_bytes(two + b"{ never read\n" * 500)
    counts = CorpusCounts()
    passages = list(read_corpus(path, limit=2, max_words=2, counts=counts))
    assert [(p.title, p.part) for p in passages] == [("T", 0), ("T", 1), ("U", 0), ("U", 1)]
    assert (counts.n_documents, counts.n_duplicates, counts.n_bad_records) == (2, 2, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"counts": CorpusCounts(n_documents=1)},
    ],
)
def test_an_argument_out_of_range_is_named_before_reading(
    tmp_path: Path, arguments: dict[str, object]
):
    with pytest.raises(UsageError, match=f"^{next(iter(arguments))} is "):
        read_corpus(tmp_path, **arguments)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "settings",
    [
        {"max_words": -1},
        {"max_bad_share": -0.1},
        {"max_bad_share": 1.5},
        {"max_bad_share": float("nan")},
        {"titles": "some"},
    ],
)
def test_settings_out_of_range_are_none(settings: dict[str, object]):
    with pytest.raises(ValidationError, match=next(iter(settings))):
        CorpusSettings.model_validate(settings)


def test_counts_are_right_at_every_passage(tmp_path: Path):
    counts = CorpusCounts()
    for n, _ in enumerate(read_corpus(write_jsonl(tmp_path), counts=counts), 1):
        assert counts.n_passages == counts.n_documents == n


def open_files() -> set[str]:
    links = Path("/proc/self/fd").iterdir()
    return {os.path.realpath(link) for link in links}


def test_a_stream_that_is_left_closes_its_file(tmp_path: Path):
    path = write_jsonl(tmp_path).resolve()
    stream = read_corpus(path)
    next(stream)
    assert str(path) in open_files()
    del stream
    assert str(path) not in open_files()


def test_a_stream_that_is_never_read_opens_nothing(tmp_path: Path):
    path = write_jsonl(tmp_path).resolve()
    stream = read_corpus(path)
    assert str(path) not in open_files()
    assert next(stream).title == SAMPLES[0].title


@pytest.mark.slow
def test_memory_stays_bounded(tmp_path: Path):
    path = tmp_path / "c.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        for n in range(6_000):
            packed.write(json_line(record(f"T{n}", f"Passage {n} of a long corpus. " * 80)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_corpus(path)) == 6_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * 2**20  # of 14 MB; the rest is buffers and 8-byte hashes


# --- what cannot be read


def assert_refused(path: Path, format_name: str = "auto", **arguments: float) -> str:
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path, format=format_name, **arguments))  # pyright: ignore
    message = str(caught.value)
    assert "\n" not in message
    assert ": " in message
    return message


def test_what_is_not_there_is_an_error_when_asked_for(tmp_path: Path):
    with pytest.raises(CorpusError, match=r"none\.jsonl: does not exist: check the path"):
        read_corpus(tmp_path / "none.jsonl")
    with pytest.raises(CorpusError, match=r"does not exist"):
        read_corpus(tmp_path / "none", format="folder")
    with pytest.raises(CorpusError, match=r"null"):
        read_corpus(Path("a\0b"))


def test_an_unknown_format_names_the_known(tmp_path: Path):
    message = assert_refused(tmp_path, "thesis")  # pyright: ignore[reportArgumentType]
    assert "'thesis' is unknown: name one of jsonl, json" in message


def test_an_unknown_suffix_names_the_formats(tmp_path: Path):
    path = tmp_path / "thesis.odb"
    path.write_bytes(b"PK\x03\x04")
    assert "name one of jsonl" in assert_refused(path)


def test_a_folder_is_no_file_and_a_pipe_neither(tmp_path: Path):
    assert "a folder, not a jsonl file" in assert_refused(tmp_path, "jsonl")
    os.mkfifo(tmp_path / "pipe")
    assert "neither a file nor a folder" in assert_refused(tmp_path / "pipe")


def test_what_may_not_be_read_is_an_error(tmp_path: Path):
    folder = tmp_path / "notes"
    folder.mkdir()
    path = write_jsonl(folder, packed=False)
    with locked(path):
        assert "permission denied): make it readable" in assert_refused(path)
    with locked(folder):
        assert "permission denied" in assert_refused(path)
        assert "permission denied" in assert_refused(folder)


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_an_empty_file_is_an_error_in_every_format(tmp_path: Path, name: str):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert_refused(path, name)
    assert_refused(path)


def test_a_corpus_without_documents_is_an_error(tmp_path: Path):
    assert "no file to read in this folder: check the path" in assert_refused(tmp_path)
    assert "no document in 2 records (2 without text, 0 bad)" in assert_refused(
        write_lines(tmp_path, [record(text=" "), record(text="")])
    )
    path = write_with_bad(tmp_path, 0, 2)
    assert "(0 without text, 2 bad (c.jsonl:1: field" in assert_refused(path, max_bad_share=1)
    (tmp_path / "array.json").write_bytes(b" [ ] ")
    assert "no document in 0 records" in assert_refused(tmp_path / "array.json")


def test_a_folder_of_nothing_that_is_read_says_what_it_passed_over(tmp_path: Path):
    for name in ("a.png", "b.xyz", "b.JPG", ".c.md"):
        (tmp_path / name).write_bytes(b"x")
    said = "passed over 4: pictures (2); hidden (1); no reader for such files (1): check the"
    assert said in assert_refused(tmp_path)


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_a_file_cut_short_is_an_error_in_every_format(tmp_path: Path, name: str):
    path = WRITERS[name](tmp_path)
    whole = path.read_bytes()
    for share in (0.1, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: int(len(whole) * share)])
        assert_refused(path)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 200_000,
        b'{"title": "T", "text": ' + b"[" * 200_000,
        b'{"title": "T", "text": ' + b"9" * 10_000 + b"}",
        b'{"title": "T", "text": "\xff"}',
        b"\xff\xfe{\0}\0",
        b"\0" * 100,
        b'{"title": "T", "text": NaN}',
        b'{"title": 5, "text": "x"}',
    ],
    ids=lambda line: repr(line[:24]),
)
def test_odd_lines_are_bad_records(tmp_path: Path, line: bytes):
    path = tmp_path / "c.jsonl"
    path.write_bytes(json_line(record()) + line + b"\r\n" + json_line(record("U")))
    counts = CorpusCounts()
    passages = list(read_corpus(path, max_bad_share=0.5, counts=counts))
    assert [p.title for p in passages] == ["T", "U"]
    assert counts.n_bad_records == 1
    assert counts.failures[0].startswith("c.jsonl:2: ")


def test_escaped_control_characters_and_surrogates_never_pass(tmp_path: Path):
    path = tmp_path / "c.jsonl"
    path.write_bytes(rb'{"title": "A\u0000B\ud800", "text": "x\u0000\u0007\udc00\u0085y\ttab"}')
    (passage,) = read_corpus(path)
    assert passage.title == "A B"
    assert passage.text == "x   \x85y\ttab"
