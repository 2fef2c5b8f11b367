"""Plain text: the file as it is."""

import pytest

from hippohover.indexing.corpus.readers.texts.plain import read
from hippohover.indexing.corpus.records import Document, Heading
from tests.indexing.corpus.readers.texts.text_samples import document, headings_in, targets_of


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


@pytest.mark.parametrize(
    ("content", "headings"),
    [
        ("ACT\n\nArticle 1\nFees\n\nText.\n\nArticle 2\n\nText.\n\nArticle 2a\n\nMore.",
         ["Article 1", "Article 2", "Article 2a"]),
        ("CHAPTER I\nArticle 1. All pay.\nArticle 2. None pays.\nCHAPTER II\nArticle 1. So.\n"
         "Article 2. Or so.\nCHAPTER IV\nEnd.",
         ["CHAPTER I", "CHAPTER I > Article 1", "CHAPTER I > Article 2",
          "CHAPTER II", "CHAPTER II > Article 1", "CHAPTER II > Article 2", "CHAPTER IV"]),
        ("第九条 目的\n文。\n第十条 日は\n文。\n第十一条 年は\n文。",
         ["第九条 目的", "第十条 日は", "第十一条 年は"]),
        ("§ 1 Fees\n§ 2 Days\n\n§ 1 Fees\nText.\n§ 2 Days\nText.\n§ 3 Rest\nText.",
         ["§ 1 Fees", "§ 2 Days", "§ 3 Rest"]),  # the contents above are no sections
        ("Rule 1\n\nText, by\nRule 9 and\n\nRule 2\n\nText.\n\nRule 3\n\nMore.",
         ["Rule 1", "Rule 2", "Rule 3"]),
        ("Article 1\n-----\nText.\n\nArticle 2\n\nText.\n\nArticle 3\n\nMore.",
         ["Article 1", "Article 2", "Article 3"]),
        ("Rule 3 says so.\nRule 1 says no.\nRule 9 is old.\nRule 2 is new.\nRule 5 is.", []),
        ("Rule 3\nText.\nRule 17\nText.\nRule 25\nMore.", ["Rule 3", "Rule 17", "Rule 25"]),
        ("Room 1\nRoom 2\n", []),
        ("Job 1 began\nJob 2 began\nJob 1 ended\nJob 2 ended\nJob 3 began\n", []),
        ("by rule 1\nrule 2\nrule 3\nrule 4", []),
        ("in May 1.\nMay 1.5\nMay 2.5\nMay 3.5\n", []),
    ],
)  # fmt: skip
def test_lines_that_begin_with_a_word_and_rising_numbers_are_headings(
    content: str, headings: list[str]
):
    made = document(read, "n.txt", content)
    assert [path for path, *_ in headings_in(made)] == headings
    assert made.text == content


def test_links_are_taken_from_the_folder_that_the_text_is_in():
    text = "See [rules](../md/rules.md#x), [all](/index.html), f[i](j) and [[Elm]]. `[a](b.md)`"
    assert targets_of(document(read, "a/b/n.txt", text)) == ["a/md/rules", "index", "Elm"]
