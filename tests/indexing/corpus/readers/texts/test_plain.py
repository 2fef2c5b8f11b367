"""Plain text: the file as it is."""

import pytest

from hippohover.indexing.corpus.readers.texts.plain import read
from hippohover.indexing.corpus.records import Document, Heading
from tests.indexing.corpus.readers.texts.text_samples import (
    document,
    headings_in,
    targets_of,
)


@pytest.mark.parametrize(
    ("place", "content", "expected"),
    [
        ("n.txt", b"\xef\xbb\xbf# Head\r\nText.",
         Document("n", "# Head\nText.", headings=(Heading(0, "Head", "Head"),), id="n",
                  path="n.txt")),
        ("a/b.log", "---\na: b\n---\n",
         Document("b", "---\na: b\n---\n", id="a/b", path="a/b.log")),
        ("old/README", "One\rtwo\0.", Document("old", "One\ntwo .", id="old/README",
         aliases=("README",), path="old/README")),
    ],
)  # fmt: skip
def test_a_text_is_what_it_is(place: str, content: str | bytes, expected: Document):
    made = document(read, place, content)
    assert made._replace(aliases=()) == expected._replace(aliases=())
    assert set(expected.aliases) <= set(made.aliases)


@pytest.mark.parametrize(
    ("content", "title", "headings"),
    [
        ("Minutes\n=======\n\nText.\n\nRates\n-----\nMore.\n", "Minutes", ["Rates"]),
        ("\n# Head\n\nText.\n## Sub\nMore.", "Head", ["Sub"]),
        ("# core\nnumpy\n# more\nscipy", "n", ["core", "more"]),  # comments, as it may be
        ("One\n===\n\nText.\n\nTwo\n===\n\nMore.", "n", ["One", "Two"]),
        ("Text.\n\nLater\n=====\n\nMore.", "n", ["Later"]),
        ("琥珀の塔\n========\n\n1931年の小説です。", "琥珀の塔", []),
        ("A paragraph\nof two lines\n------------\nText.", "n", []),
        ("A much longer line than the rule\n---\nText.", "n", []),
        ("Short\n--------------------\nText.", "n", []),
        ("Name    Fee\n-----------\ncars      2", "n", []),
        ("a | b\n-----\n1 | 2", "n", []),
        ("===\n===\n\nText.", "n", []),
        ("```\n\nIn code\n=======\n\n```", "n", []),
    ],
)
def test_lines_that_are_underlined_or_marked_are_headings(
    content: str, title: str, headings: list[str]
):
    made = document(read, "n.txt", content)
    assert (made.title, [path for path, *_ in headings_in(made)]) == (title, headings)
    assert made.text == content
    assert all(line.lstrip("# ") == words for _, words, line in headings_in(made))
    assert made.aliases == (() if title == "n" else ("n",))


def test_links_are_taken_from_the_folder_that_the_text_is_in():
    text = "See [rules](../md/rules.md#x), [all](/index.html), f[i](j) and [[Elm]]. `[a](b.md)`"
    assert targets_of(document(read, "a/b/n.txt", text)) == ["a/md/rules", "index", "Elm"]
