"""HTML from values: escaped, well-formed, without what no page may hold."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hippohover.rendering.html import as_html, element, page, table

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>&amp;'


class Reader(HTMLParser):
    """Tags and texts of a page, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def test_texts_and_attributes_are_shown_and_not_run():
    reader = read(as_html(element("p", HOSTILE, element("b", HOSTILE), HOSTILE, title=HOSTILE)))
    assert reader.tags == ["p", "b"]
    assert reader.text == HOSTILE * 3


@given(st.text())
def test_any_text_comes_out_as_it_is_shown(text: str):
    shown = read(as_html(element("p", text))).text
    text = text.replace("\r", " ")
    assert len(shown) == len(text)
    assert all(a == b or b in " ?" for a, b in zip(text, shown, strict=True))
    as_html(element("p", text)).encode()


def test_names_of_attributes():
    made = as_html(element("text", class_="a", text_anchor="middle", x=1.5))
    assert made == '<text class="a" text-anchor="middle" x="1.5"></text>'


def test_a_table_has_a_cell_for_every_value():
    reader = read(as_html(table(["a", "b"], [["1", element("b", "2")], ["3", "4"]], "cells")))
    assert [reader.tags.count(tag) for tag in ("th", "tr", "td", "b")] == [2, 3, 4, 1]


def test_a_page_fetches_and_runs_nothing():
    made = page(HOSTILE, element("p", "x"))
    assert made.startswith("<!doctype html>\n")
    assert "default-src 'none'" in made
    assert "script" not in read(made).tags
