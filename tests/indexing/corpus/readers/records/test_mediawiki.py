"""MediaWiki's dumps."""

import bz2
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.formats import detect_format
from hippohover.indexing.corpus.readers.records import mediawiki
from hippohover.indexing.corpus.readers.records.mediawiki import plain_text, read
from hippohover.indexing.corpus.readers.records.record_file import NO_TEXTS
from hippohover.indexing.corpus.records import BadRecord, Document, Heading, Link, PassedOver
from tests.indexing.corpus.corpus_samples import wiki_dump, wiki_page
from tests.indexing.corpus.readers.records.record_samples import read_all, source_file

PAGES = (
    wiki_page("O. Vant", "#REDIRECT [[Orlo Vant]]", redirect="Orlo Vant"),
    wiki_page("Orlo Vant", "He is from [[tessel|there]]."),
    wiki_page("Vant & Co", "#REDIRECT [[Orlo Vant]]", redirect="Orlo Vant"),
    wiki_page("Talk:Orlo Vant", "Chat.", space=1),
    wiki_page("Tessel", "{{only|a template}}"),
)


def test_articles_are_read_and_redirects_are_names_of_their_target():
    first, second = read(source_file(wiki_dump(*PAGES)))
    assert first == Document(
        "Orlo Vant",
        "He is from there.",
        (Link(11, "Tessel"),),
        {
            "title": "Orlo Vant",
            "id": 1984428266,
            "url": "https://x.org/wiki/Orlo_Vant",
            "date": "2024-05-01T00:00:00Z",
        },
        id="1984428266",
        aliases=("O. Vant", "Vant & Co"),
        path="notes/file.x",
    )
    assert isinstance(second, Document)
    assert (second.title, second.text) == ("Tessel", "")


def test_a_dump_is_known_by_its_name_or_its_first_bytes(tmp_path: Path):
    for name, content in (
        ("a.xml", b""), ("b.xml.bz2", b""), ("c", wiki_dump()),
        ("d", b'<?xml version="1.0"?>\n' + wiki_dump()), ("e", bz2.compress(wiki_dump())),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(content)
        assert detect_format(tmp_path / name) == "mediawiki"


ENTITIES = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n'
OUTSIDE = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'


@pytest.mark.parametrize("content", [b"<html/>", b""])
def test_other_xml_is_passed_over(content: bytes):
    assert read_all(read, content) == [PassedOver("notes/file.x", NO_TEXTS)]


@pytest.mark.parametrize("prolog", [ENTITIES, OUTSIDE, b"<!DOCTYPE mediawiki>"])
def test_a_dump_with_a_document_type_is_a_failure_that_says_so(prolog: bytes):
    (bad,) = read_all(read, prolog + wiki_dump(*PAGES))
    assert bad == BadRecord(
        "notes/file.x",
        "a MediaWiki dump with its own document type: remove its <!DOCTYPE>",
    )


@pytest.mark.parametrize(
    "content",
    [
        wiki_dump(*PAGES)[:-60],
        wiki_dump("<page><oops/></page>"),
        wiki_dump("<page><ns>x</ns></page>"),
        wiki_dump("<page><title/><ns>0</ns></page>"),
        wiki_dump(wiki_page("&undefined;", "x").replace("&amp;", "&")),
        b"<mediawiki/>",
    ],
)
def test_damage_is_named(tmp_path: Path, content: bytes):
    path = tmp_path / "c.xml"
    path.write_bytes(content)
    with (
        pytest.raises(CorpusError, match=r"^c\.xml: cannot be read as a MediaWiki dump"),
        damage_named(str(path)),
    ):
        list(read.corpus(path))
    *_, bad = read_all(read, content)
    assert isinstance(bad, BadRecord)
    assert bad.reason.startswith("cannot be read as a MediaWiki dump")


def test_a_page_without_end_is_refused_before_it_is_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mediawiki, "MAX_RECORD_BYTES", 300_000)
    [bad] = read_all(read, wiki_dump(wiki_page("T", "x" * 1_000_000)))
    assert isinstance(bad, BadRecord)
    assert bad.reason.startswith("a page: longer than")


def test_a_page_longer_than_mediawiki_takes_is_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mediawiki, "_MOST_PAGE_CHARS", 100)
    good, bad = read_all(read, wiki_dump(wiki_page("T", "x"), wiki_page("U", "x" * 101)))
    assert isinstance(good, Document)
    assert isinstance(bad, BadRecord)


# The prose of MediaWiki's markup


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
