"""Texts of LibreOffice."""

from hippohover.indexing.corpus.readers.office.package import PASSWORD
from hippohover.indexing.corpus.records import Link
from tests.indexing.corpus.readers.office.office_samples import (
    log_odt,
    odt,
    read_document,
    reason,
    repacked,
)


def test_a_log():
    document = read_document("logs/1931.odt", log_odt())
    assert document.title == "Log of the harbour"
    assert document.aliases == ("1931",)
    assert document.text == (
        "Winter\n\nNo ship left. See the notes.\n\nSays Brant.\n\nRates\n\n"
        "Region: North; Rate: 12 %\n\n- One\n  - Deep"
    )
    assert [heading.path for heading in document.headings] == ["Winter", "Winter > Rates"]
    assert document.links == (Link(document.text.index("the notes"), "logs/notes/a"),)
    assert document.fields == {
        "author": "Mira Oldane", "date": "2024-03-01", "modified": "2024-04-02",
    }  # fmt: skip


def test_what_is_no_text_of_the_document_is_not_read():
    text = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        "<text:table-of-content><text:p>Contents 3</text:p></text:table-of-content>"
        "<text:section><text:p>In<text:tab/>a section<text:line-break/>here</text:p></text:section>"
        "<text:p><draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame>"
        "Beside</text:p>"
    )
    document = read_document("a.odt", odt(text, meta="<dc:creator>Brant</dc:creator>"))
    assert document.text == "In a section here\n\nBeside\n\nBoxed"
    assert document.fields == {"author": "Brant"}


def test_rows_in_groups_and_repeated_cells():
    def row(*cells: str) -> str:
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"

    table = (
        f"<table:table-header-rows>{row(cell('A'), cell('B'))}</table:table-header-rows>"
        + row(cell("1", 'table:number-columns-repeated="2"'))
        + row("<table:covered-table-cell/>", cell("2", 'table:number-columns-repeated="x"'))
    )
    assert read_document("a.odt", odt(f"<table:table>{table}</table:table>")).text == (
        "A: 1; B: 1\nB: 2"
    )


def test_a_title_of_its_metadata_counts_first():
    document = read_document("a.odt", repacked(log_odt(), {"meta.xml": "<a><meta><title>"
                             "Said</title></meta></a>"}))  # fmt: skip
    assert (document.title, document.aliases) == ("Said", ("Log of the harbour", "a"))


def test_a_password_is_named():
    locked = {"META-INF/manifest.xml": "<m><file-entry><encryption-data/></file-entry></m>"}
    assert reason("a.odt", repacked(log_odt(), locked)) == PASSWORD


def test_a_header_of_two_rows_names_columns_by_both():
    def row(*cells: str) -> str:
        inner = "".join(
            cell
            if cell[:1] == "<"
            else f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>"
            for cell in cells
        )
        return f"<table:table-row>{inner}</table:table-row>"

    wide = (
        '<table:table-cell table:number-columns-spanned="2"><text:p>1931</text:p>'
        "</table:table-cell><table:covered-table-cell/>"
    )
    table = (
        f"<table:table-header-rows>{row('Weir', wide)}{row('', 'Boats', 'Cars')}"
        f"</table:table-header-rows>{row('Ott', '2', '5')}"
    )
    assert read_document("a.odt", odt(f"<table:table>{table}</table:table>")).text == (
        "Weir: Ott; 1931 Boats: 2; 1931 Cars: 5"
    )
