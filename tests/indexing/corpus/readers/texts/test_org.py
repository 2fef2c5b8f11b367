"""Org: keywords, headings, drawers, links by path and id, tables."""

import pytest

from hippohover.indexing.corpus.readers.texts.org import read
from tests.indexing.corpus.readers.texts.text_samples import document, headings_in, targets_of

PAGE = """:PROPERTIES:
:ID: 4f2a-11
:ROAM_ALIASES: "The Heron" HB
:END:
#+TITLE: Heron Bridge
#+AUTHOR: Ada Finch
#+DATE: <2026-03-01>
#+FILETAGS: :bridge:water:
# a comment
A bridge, see [[file:rules/keys.org::*Keys][the keys]], [[id:77b-c][rates]], [[./b.org]],
[[https://x.org][the site]], [[*Cars]] and =code [[x]]=.
[[file:map.png]]
* TODO [#A] Rates :fees:
:PROPERTIES:
:CUSTOM_ID: my-rates
:END:
SCHEDULED: <2026-03-02>
#+begin_src python
# kept
x = 1
#+end_src
#+BEGIN_QUOTE
Quoted.
#+END_QUOTE
#+begin_comment
hidden
#+end_comment
** Cars
| Name | Fee |
|------+-----|
| cars | 2   |
| vans | [[file:v.org][3]] |
#+INCLUDE: "more.org" src
"""


def test_a_note():
    note = document(read, "a/heron.org", PAGE)
    assert note.title == "Heron Bridge"
    assert note.aliases == ("4f2a-11", "The Heron", "heron")
    assert note.fields == {
        "title": "Heron Bridge",
        "author": "Ada Finch",
        "date": "2026-03-01",
        "tags": ["bridge", "water"],
    }
    assert note.text.strip() == (
        "A bridge, see the keys, rates, ./b.org,\nthe site, *Cars and code [[x]].\n\n"
        "Rates\n\n# kept\nx = 1\nQuoted.\n\nCars\n\nName: cars; Fee: 2\nName: vans; Fee: 3"
    )
    assert headings_in(note) == [("Rates", "my-rates", "Rates"), ("Rates > Cars", "cars", "Cars")]
    assert targets_of(note) == ["a/rules/keys", "77b-c", "a/b", "a/v", "a/more"]


@pytest.mark.parametrize(
    ("written", "title", "text"),
    [
        ("* Only one\nText\n** Sub\n", "Only one", "\nText\n\nSub"),
        ("* One\n* Two\n", "note", "One\n\nTwo"),
        ("Text\n* One\n", "note", "Text\n\nOne"),
        ("| a | b |\n| c |\n", "note", "a; b\nc"),
        ("*bold* and #tag\n", "note", "*bold* and #tag"),
        ("#+begin_src\nno end", "note", "no end"),
    ],
)
def test_titles_and_words(written: str, title: str, text: str):
    note = document(read, "note.org", written)
    assert (note.title, note.text) == (title, text)


def test_a_heading_beside_a_title_stays_one():
    made = document(read, "n.org", "#+TITLE: The Weir\n* Rates\nTwo crowns.")
    assert (made.title, [heading.path for heading in made.headings]) == ("The Weir", ["Rates"])
    assert made.text.split() == ["Rates", "Two", "crowns."]
    same = document(read, "n.org", "#+TITLE: The Weir\n* The weir\nTwo crowns.")
    assert (same.title, same.headings, same.text.strip()) == ("The Weir", (), "Two crowns.")


def test_headings_of_the_same_words_are_numbered_as_github_does():
    text = "* Rates\n** What's new?\n* Rates\n** What's new?\n"
    assert [anchor for _, anchor, _ in headings_in(document(read, "a.org", text))] == [
        "rates", "whats-new", "rates-1", "whats-new-1"
    ]  # fmt: skip
