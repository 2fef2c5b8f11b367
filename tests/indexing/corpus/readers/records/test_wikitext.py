"""The prose of MediaWiki's markup."""

import pytest

from hippohover.indexing.corpus.readers.records.wikitext import plain_text
from hippohover.indexing.corpus.records import Heading, Link

PAGE = """{{Infobox|name={{nested|[[Not here]]}}}}
'''Orlo Vant''' was a [[glass]] painter from [[Tessel_(town)#Fair|Tessel]].<ref>A note</ref>

[[File:Orlo.jpg|thumb|By [[Tessel]]]]
__NOTOC__

== Life ==
He ''moved'' &ndash; to [http://x.org Ott].
{| class="wikitable"
| a || b
|}
=== Death ===
He<br/>died. <!-- no --> [[de:Orlo]] [[Category:Painters]] [[:Category:Glass]] [[Chat:Orlo]]

== ==
== See ==
[[#Life|above]]"""


def test_templates_tables_notes_and_pictures_are_no_prose():
    page = plain_text(PAGE, ["chat"])
    shown = "Orlo Vant was a glass painter from Tessel. Life He moved – to Ott. Death He died."
    assert " ".join(page.text.split()) == f"{shown} See above"
    assert "\n\n\n" not in page.text
    assert not page.text.startswith("\n")


def test_links_and_headings_stand_where_the_text_has_them():
    page = plain_text(PAGE, ["chat"])
    assert [link.title for link in page.links] == ["Glass", "Tessel (town)"]
    assert [page.text[link.offset :][:6] for link in page.links] == ["glass ", "Tessel"]
    assert [heading[1:] for heading in page.headings] == [
        ("Life", "Life"), ("Life > Death", "Death"), ("See", "See"),
    ]  # fmt: skip
    words = [page.text[heading.offset :].partition("\n")[0] for heading in page.headings]
    assert words == ["Life", "Death", "See"]


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("", ""),
        ("{{unclosed [[link", "{{unclosed [[link"),
        ("[[ ]]", " "),
        ("&#x110000; &bogus; &amp;", "&#x110000; &bogus; &"),
        ("* one\n* two", " one\n two"),
    ],
)
def test_odd_markup_is_text(wikitext: str, text: str):
    assert plain_text(wikitext).text == text


def test_nothing_but_a_heading_is_one():
    assert plain_text("= A =").headings == (Heading(0, "A", "A"),)
    assert plain_text("[[a]]").links == (Link(0, "A"),)
