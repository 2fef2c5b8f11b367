"""The line about the files of a folder."""

from typing import Any

from hippohover.cli.indexing.files_read import files_in_words


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


def test_many_suffixes_are_not_all_named():
    n_files = {f".{letter}": 1 for letter in "abcdefghij"}
    line = files_in_words({"n_files": n_files, "passed_over": {}, "encodings": []})
    assert line == "read 10 files (.a 1, .b 1, .c 1, .d 1, .e 1, .f 1, others 4)"
