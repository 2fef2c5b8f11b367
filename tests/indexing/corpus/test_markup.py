"""What a text's own marks say: headings, links, and what only looks like them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus.markup import (
    MAX_HEADING_CHARS,
    heading_words,
    links,
    without_code,
    without_suffix,
)
from hippohover.indexing.corpus.readers.documents import marked_sections, nested

SIGNS = st.text(st.sampled_from('#[]()!|`~*_<> \t\n"\\ab./:'), max_size=80)


def targets(text: str, folder: str = "", *, is_markdown: bool = True) -> list[str]:
    return [link.title for link in links(text, folder, is_markdown=is_markdown)]


# --- headings ----------------------------------------------------------------------------------


def test_a_heading_stands_below_those_of_higher_levels():
    text = "Words.\n## Sync\ntext\n#### Set up\n### Keys ##\n## Errors\n# Top\n"
    found = [(heading.offset, heading.path) for heading in nested(marked_sections(text))]
    assert found == [
        (text.index("## Sync"), "Sync"),
        (text.index("#### Set"), "Sync > Set up"),
        (text.index("### Keys"), "Sync > Keys"),
        (text.index("## Errors"), "Errors"),
        (text.index("# Top"), "Top"),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("# C#", "C#"),
        ("## A  search ##", "A search"),
        ("# A* search", "A* search"),
        ("# *Very* __loud__ `code`", "Very loud code"),
        ("# my_long_name and f(*args)", "my_long_name and f(*args)"),
        ("# See [[Sync settings|sync]] and [[Keys]]", "See sync and Keys"),
        ("# See [the page](page.md)", "See the page"),
        ("# #", ""),
        ("###", ""),
    ],
)
def test_words_of_a_heading(line: str, words: str):
    assert heading_words(line) == words


def test_what_is_no_heading():
    for text in (
        "#tag",
        "####### seven",
        "a # b",
        "    # code",
        f"# {'x' * (MAX_HEADING_CHARS + 1)}",
    ):
        assert nested(marked_sections(text)) == (), text
    assert [heading.path for heading in nested(marked_sections("   # Three blanks\r\n"))] == [
        "Three blanks"
    ]


def test_a_heading_keeps_its_code_and_code_has_no_heading():
    text = "# Use `#x`\n```sh\n# a comment\n```\n~~~\n# another\n"
    assert [heading.path for heading in nested(marked_sections(text))] == ["Use #x"]


# --- links -------------------------------------------------------------------------------------


def test_wiki_links_lose_their_section_and_what_is_shown():
    text = "[[Sync]], [[Sync settings#Keys|keys]], [[notes/Ünder way.md]] [[A\\|b]] [[#here]] [[ ]]"
    assert targets(text) == ["Sync", "Sync settings", "notes/Ünder way", "A"]
    assert [link.offset for link in links(text)][:2] == [0, 10]


def test_markdown_links_are_taken_from_the_folder_of_their_file():
    text = (
        "[a](b.md) [up](../c.md#part) [sub](./d/e.markdown 'a title') [root](/f.md) [q](g.md?x=1)"
    )
    assert targets(text, "x/y") == ["x/y/b", "x/c", "x/y/d/e", "f", "x/y/g"]
    assert targets(text) == ["b", "../c", "d/e", "f", "g"]


def test_outside_of_markdown_a_link_has_the_suffix_of_a_text():
    text = "def f[T](x): see [the PEP](pep-695.rst), [int](7) and [Note](Note)"
    assert targets(text, "a", is_markdown=False) == ["a/pep-695"]
    assert targets(text) == ["x", "pep-695", "7", "Note"]


def test_paths_are_unquoted_and_may_hold_blanks_and_brackets():
    text = "[a](My%20note.md) [b](<My other note.md>) [c](Velmora_(film).md) [d](Plain note.md)"
    assert targets(text) == ["My note", "My other note", "Velmora_(film)", "Plain note"]


def test_what_leads_to_another_site_or_place_in_the_text_is_no_link():
    assert (
        targets("[a](https://x.org/b.md) [b](mailto:c@d.e) [c](#part) [d](//x.org/y) [e]()") == []
    )


def test_pictures_and_attachments_are_no_links():
    text = "![a](x.png) ![](notes/y.md) ![[z.png]] [[talk.XLSX]] [data](a/b.csv) ![[My.canvas#x]]"
    assert targets(text) == []
    assert targets("[[Node.js]] [[Release 1.2]]") == ["Node.js", "Release 1.2"]


def test_a_note_that_is_embedded_and_one_behind_a_picture_are_links():
    assert targets("![[Sync#Keys]] [![a picture](x.png)](page.md)") == ["Sync", "page"]


def test_code_holds_no_links():
    text = (
        "`[[a]]` ``[[b]] ` [[c]]`` [[d]]\n```\n[[e]] [x](f.md)\n```\n[[g]]\n~~~~\n[[h]]\n~~~\n[[i]]"
    )
    assert targets(text) == ["d", "g"]
    assert targets("a ` alone [[b]]\nand ` [[c]]") == ["b", "c"]


def test_suffixes_of_texts_alone_are_dropped():
    names = ["a.md", "a.TXT", "b.c.rst", "d.html", "v1.2", "x.png"]
    assert [without_suffix(name) for name in names] == ["a", "a", "b.c", "d", "v1.2", "x.png"]


# --- any text ----------------------------------------------------------------------------------


@given(SIGNS)
def test_any_text_keeps_its_length_and_has_marks_in_their_order(text: str):
    bare = without_code(text)
    assert len(bare) == len(text)
    assert [at for at, c in enumerate(bare) if c == "\n"] == [
        at for at, c in enumerate(text) if c == "\n"
    ]
    for found in (links(text), nested(marked_sections(text))):
        assert all(a.offset <= b.offset < len(text) for a, b in pairwise(found))
    assert all(link.title == link.title.strip() != "" for link in links(text))
    assert all(heading.path for heading in nested(marked_sections(text)))
