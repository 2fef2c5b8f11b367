"""Files that are lists of questions or of terms: each is a document; handbooks stay one."""

import pytest

from hippohover.indexing.corpus.readers.texts import asciidoc, markdown, org, plain
from hippohover.indexing.corpus.records import Document
from tests.indexing.corpus.readers.texts.text_samples import Read, source

FAQ = """# Harbour questions

Ask us.

## Mooring

### Where may I moor?

At [pier four](pier.md#four).

### Who holds the key?

Ada Finch.

The [gate](gate.md) too.

### Contact

By letter.

## Gates

### When does the gate shut?

At noon.

### Why?

### 何時に開きますか？

朝です。
"""
BOLD = (
    "# Words\n\n- **Bollard**: a post for ropes\n- **Capstan** - a drum that hauls\n"
    "- **Fender:** a pad at the side\n  of a ship\n"
)
BELOW = "Fender\n: a pad\n\nBollard\n: a post,\n  for ropes\n\nCapstan\n\n: a drum\n"
PLAIN = "Bollard: a post for ropes\nCapstan: a drum that hauls\n  its rope\nFender: a pad of felt\n"
SECTIONED = (
    "# Glossary\n\n## B\n\n**Bollard**: a post for ropes\n\n## C\n\n"
    "**Cable**: a thick rope\n\n**Capstan**: a drum that hauls\n"
)
SHUFFLED = "".join(f"**{term}**: a thing with {term} things in it\n\n" for term in "QWERTYUIOP")


def read(reader: Read, name: str, text: str) -> list[Document]:
    return [one for one in reader(source(f"a/{name}", text)) if isinstance(one, Document)]


def test_each_question_is_a_document_and_the_file_holds_their_names():
    file, *entries = read(markdown.read, "faq.md", FAQ)
    assert [(one.title, one.text) for one in entries] == [
        ("Where may I moor?", "At [pier four](pier.md#four)."),
        ("Who holds the key?", "Ada Finch.\n\nThe [gate](gate.md) too."),
        ("When does the gate shut?", "At noon."),
        ("何時に開きますか？", "朝です。"),
    ]
    key = entries[1]
    assert (key.id, key.path, key.reply_to) == ("a/faq#Who holds the key?", "a/faq.md", "a/faq")
    assert [(one.path, one.anchor) for one in key.headings] == [("", "Who holds the key?")]
    assert [key.text[link.offset :][:6] for link in key.links] == ["[gate]"]
    assert (file.title, file.id) == ("Harbour questions", "a/faq")
    assert "Who holds the key?\n" in file.text
    assert "Ask us." in file.text
    assert "By letter." in file.text
    assert "Ada Finch" not in file.text
    assert [link.title for link in file.links] == [
        link.title for one in entries for link in one.links
    ]


@pytest.mark.parametrize(
    ("reader", "name", "text", "terms"),
    [
        (markdown.read, "g.md", BOLD, ["Bollard", "Capstan", "Fender"]),
        (markdown.read, "g.md", BELOW, ["Fender", "Bollard", "Capstan"]),
        (markdown.read, "g.md", SECTIONED, ["Bollard", "Cable", "Capstan"]),
        (markdown.read, "g.md", SHUFFLED, list("QWERTYUIOP")),
        (plain.read, "g.txt", PLAIN, ["Bollard", "Capstan", "Fender"]),
        (org.read, "q.org", "* A?\na\n* B?\nb\n* C?\nc\n", ["A?", "B?", "C?"]),
        (asciidoc.read, "q.adoc", "= T\n\n== A?\n\na\n\n== B?\n\nb\n\n== C?\n\nc\n",
         ["A?", "B?", "C?"]),
    ],
)  # fmt: skip
def test_lists_of_records(reader: Read, name: str, text: str, terms: list[str]):
    file, *entries = read(reader, name, text)
    assert [one.title for one in entries] == terms
    assert all(term in file.text for term in terms)
    assert len({one.id for one in entries}) == len(terms)


def test_terms_that_an_anchor_cannot_tell_apart_have_ids_of_their_own():
    terms = ("C", "C#", "C++", "C++ 2")
    text = "".join(f"**{term}**: a tongue of some use\n\n" for term in terms)
    _, *entries = read(markdown.read, "g.md", text)
    assert [one.title for one in entries] == list(terms)
    assert len({one.id for one in entries}) == len(terms)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("handbook.md", "# Gates\n\n## What is a gate?\n\n### Wood\n\na\n\n### Iron\n\nb\n\n"
         "## Who?\n\nc\n\n## Why?\n\nd\n"),
        ("half.md", "## Who?\n\na\n\n## Why?\n\nb\n\n## How?\n\nc\n\n## Gates\n\nd\n"),
        ("two.md", "## Who?\n\na\n\n## Why?\n\nb\n"),
        ("page.md", "# Gate\n\n**Owner**: Ada\n**Status**: open\n**Date**: noon\n\nA gate.\n"),
        ("list.md", "## Gains\n\nAll of it.\n\n" + SHUFFLED),
        ("prose.md", "A long text.\n\nAnother.\n\nA third.\n\n" + BOLD),
        ("code.md", "```\n" + BOLD + "```\n"),
        ("card.txt", "Name: Ada Finch of Ranvik\nBorn: in a mild May\nTown: Ranvik at the sea\n"),
        ("same.txt", "Fog: one low bank\nFog: two low banks\nFog: three low banks\n"),
        ("few.txt", "Ada: yes\nBela: no\nCora: no\nDina: yes\n"),
        ("tale.txt", "Bollard: a post for ropes\nCapstan: a drum that hauls\nFender: a pad here\n"
         "Nobody knew.\nSo it was.\nThe end came.\n"),
    ],
)  # fmt: skip
def test_a_document_with_parts_stays_one(name: str, text: str):
    reader = markdown.read if name.endswith(".md") else plain.read
    assert len(read(reader, name, text)) == 1
