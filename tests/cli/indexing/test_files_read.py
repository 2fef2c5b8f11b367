"""The line about the files of a folder."""

from typing import Any

from hippohover.cli.indexing.files_read import failures_in_words, files_in_words, same_in_words


def test_read_and_passed_over_stand_by_suffix_and_reason():
    read: dict[str, Any] = {
        "n_files": {".md": 1200, ".txt": 3},
        "passed_over": {"hidden": {"/": 1}, "no reader": {".png": 4, "": 1}},
        "encodings": ["a.txt: koi8-r", "b.txt: big5"],
    }
    assert files_in_words(read) == (
        "read 1,203 files (.md 1,200, .txt 3); passed over 6: no reader (.png 4, no suffix 1); "
        "hidden (folder 1); 2 not in UTF-8 (a.txt: koi8-r, ...)"
    )


def test_a_corpus_without_files_has_no_line():
    assert files_in_words({}) == ""
    assert files_in_words({"n_files": {}, "passed_over": {}, "encodings": []}) == ""


def test_documents_that_say_the_same_are_named():
    assert not same_in_words({})
    assert not same_in_words({"n_same": 0, "same": []})
    words = "says the same as another, which answers for both: b.md (as a.md)"
    assert same_in_words({"n_same": 1, "same": ["b.md (as a.md)"]}) == f"1 document {words}"
    many = same_in_words({"n_same": 1200, "same": [f"{at}.md (as a.md)" for at in range(100)]})
    assert many.startswith("1,200 documents say the same as another, ")
    assert many.endswith("5.md (as a.md), ...")


def test_failed_records_are_counted_by_the_suffix_of_their_file():
    places = ["a.json: item 4", "b.jsonl:7", "c.db: row 5", "d.xml: page 12", "e.pdf"]
    failures = [f"{place}: why" for place in places]
    assert failures_in_words(5, {"why": 5}, failures) == (
        "5 failed: why (.db 1, .json 1, .jsonl 1, .pdf 1, .xml 1)"
    )


def test_many_suffixes_are_not_all_named():
    n_files = {f".{letter}": 1 for letter in "abcdefghij"}
    line = files_in_words({"n_files": n_files, "passed_over": {}, "encodings": []})
    assert line == "read 10 files (.a 1, .b 1, .c 1, .d 1, .e 1, .f 1, others 4)"
