"""Files that are lists of questions or of terms: each is a document; handbooks stay one."""

import pytest

from hippohover.indexing.corpus.readers.texts import (
    asciidoc,
    html,
    markdown,
    org,
    plain,
    restructured_text,
)
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
        (plain.read, "q.txt", "Questions\n\nQ: A?\nA: a\nQ1: B?\nA1: b\n\n  c\nQ: C?\nA: d\n",
         ["A?", "B?", "C?"]),
        (plain.read, "q.txt", "问：甲？\n答：乙。\n\n问：丙？\n答：丁。\n\n问：戊？\n答：己。\n",
         ["甲？", "丙？", "戊？"]),
        (markdown.read, "q.md", "## All\n\n**A?**\n\na\n\n**B?**\n\nb\n\n**C?**\n\nc\n",
         ["A?", "B?", "C?"]),
        (html.read, "q.html", "<h1>T</h1><h2 id=a>A?</h2>a<h2>B?</h2>b<h2>C?</h2>c",
         ["A?", "B?", "C?"]),
        (restructured_text.read, "g.rst", "T\n=\n\n.. glossary::\n\n   Bollard\n     a post for "
         "ropes\n\n   Capstan\n     a drum that hauls\n\n   Fender\n     a pad at the side\n",
         ["Bollard", "Capstan", "Fender"]),
        (asciidoc.read, "g.adoc", "= T\n\nFender:: a pad\nBollard:: a post\nCapstan:: a drum\n",
         ["Fender", "Bollard", "Capstan"]),
        (org.read, "g.org", "* T\n- Fender :: a pad\n- Bollard :: a post\n- Capstan :: a drum\n",
         ["Fender", "Bollard", "Capstan"]),
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
        ("end.md", "# Gate\n\n" + "It is made of oak. " * 20 + "\n\n## Who?\n\na\n\n## Why?\n\n"
         "b\n\n## How?\n\nc\n"),
        ("two.md", "## Who?\n\na\n\n## Why?\n\nb\n"),
        ("page.md", "# Gate\n\n**Owner**: Ada\n**Status**: open\n**Date**: noon\n\nA gate.\n"),
        ("four.md", "".join(f"**{term}**: {term} as the town has it\n\n" for term in "QWER")),
        ("twice.md", "".join(f"**{term}**: {term} as the town has it\n\n" for term in "ABCDDEF")),
        ("list.md", "## Gains\n\nAll of it.\n\n" + SHUFFLED),
        ("prose.md", "A long text.\n\nAnother.\n\nA third.\n\n" + BOLD),
        ("code.md", "```\n" + BOLD + "```\n"),
        ("talk.txt", "Ada: Who shuts it?\nBela: Ott.\nAda: When?\nCora: At noon.\nAda: Why?\n"
         "Bela: So.\n"),
        ("act.txt", "".join(f"{n}. Grant of kind {n}. Who asks\n   is given all of it.\n\n" for n in
         range(2, 9))),
        ("poem.txt", "Low fog\n   lay on the mole\nHigh fog\n   hid the old gate\nA bell\n"
         "   rang at the pier\n"),
        ("bold.md", "**Why?**\n\na\n\n**How?**\n\nb\n\n**Who?**\n\nc\n\n**Note**\n\nd\n"),
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
