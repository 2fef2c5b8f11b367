"""Documents of offices, written by other libraries than those that read them, or by hand."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from hippohover.indexing.corpus.files.globs import EVERY
from hippohover.indexing.corpus.formats import documents_in
from hippohover.indexing.corpus.records import BadRecord, Document
from tests.indexing.corpus.readers.texts.text_samples import source

PROSE = (
    "The harbour master of Vellmouth signed the treaty in the winter of 1931, when the river was "
    "frozen and no ship had left for weeks. "
)


def records(place: str, content: bytes) -> list[Any]:
    """What is made of a file by its suffix: it comes first, and parts that it lacks."""
    return list(documents_in(source(place, content), EVERY))


def read(place: str, content: bytes) -> Document | BadRecord:
    """The one record of a whole file."""
    (record,) = records(place, content)
    return record


def read_document(place: str, content: bytes) -> Document:
    """A document, whose headings, links and pages stand within its text, in its order."""
    document = read(place, content)
    assert isinstance(document, Document), document
    for places in (document.headings, document.pages):
        offsets = [entry.offset for entry in places]
        assert offsets == sorted(offsets)
        assert all(0 <= offset < len(document.text) for offset in offsets)
    assert all(0 <= link.offset <= len(document.text) for link in document.links)
    for heading in document.headings:
        assert not document.text[heading.offset].isspace()
    return document


def reason(place: str, content: bytes) -> str:
    """Why no document can be made of a file."""
    record = read(place, content)
    assert isinstance(record, BadRecord), record
    assert record.place == place
    return record.reason


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A package of these parts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return packed.getvalue()


def repacked(content: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    """A package with some of its parts replaced, or more."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        kept = {name: package.read(name) for name in package.namelist()}
    return zipped({**kept, **parts})


def part_of(content: bytes, name: str) -> str:
    """The text of one part of a package."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        return package.read(name).decode()


# DOCX


@cache
def report_docx() -> bytes:
    """Title, headings, a list, a table, a link, properties."""
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import parse_xml

    report = docx.Document()
    report.core_properties.title = "Harbour report"
    report.core_properties.author = "Mira Oldane"
    report.core_properties.created = datetime(2024, 3, 1, 9)
    report.add_heading("Report of the harbour", 0)
    report.add_paragraph(PROSE)
    report.add_heading("Rates", 1)
    report.add_heading("By region", 2)
    table = report.add_table(rows=3, cols=2)
    for row, cells in zip(
        table.rows, [("Region", "Rate"), ("North", "12 %"), ("South", "9 %")], strict=True
    ):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    report.add_heading("Sources", 1)
    report.add_paragraph("Logs", style="List Bullet")
    report.add_paragraph("Letters", style="List Bullet")
    last = report.add_paragraph("See ")
    related = report.part.relate_to(
        "../notes/sync%20log.md#top", RELATIONSHIP_TYPE.HYPERLINK, is_external=True
    )
    names = (
        'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    )
    link = f'<w:hyperlink {names} r:id="{related}"><w:r><w:t>the log</w:t></w:r></w:hyperlink>'
    last._p.append(parse_xml(link))  # pyright: ignore[reportPrivateUsage]
    last.add_run(".")
    return saved(report)


@cache
def plain_docx() -> bytes:
    """A single heading of the first level, and no properties."""
    import docx

    letter = docx.Document()
    letter.core_properties.author = ""
    letter.add_heading("Letter to the ferry", 1)
    letter.add_paragraph("Dear Oleg,")
    letter.add_heading("Postscript", 2)
    letter.add_paragraph("Bring the lantern.")
    return saved(letter)


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word(body: str, **parts: str) -> bytes:
    """A document of Word with this body, and what a few more parts say."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    related = "".join(
        f'<Relationship Id="r{name}" Type="{office}/{name}" Target="{name}.xml"/>' for name in parts
    )
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    return zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="a" '
            f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{relations}">{related}'
            "</Relationships>",
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body>'
            "</w:document>",
            **{f"word/{name}.xml": content for name, content in parts.items()},
        }
    )


def saved(document: object) -> bytes:
    """The bytes of a document of python-docx or python-pptx."""
    content = io.BytesIO()
    document.save(content)  # pyright: ignore
    return content.getvalue()


# PPTX


@cache
def talk_pptx() -> bytes:
    """Three slides: a title, points with notes, and a table."""
    from pptx import Presentation
    from pptx.util import Inches

    talk = Presentation()
    talk.core_properties.author = "Oleg Brant"
    first = talk.slides.add_slide(talk.slide_layouts[0])
    first.shapes.title.text = "The frozen harbour"  # pyright: ignore
    first.placeholders[1].text = "Oleg Brant, 1932"  # pyright: ignore
    second = talk.slides.add_slide(talk.slide_layouts[1])
    second.shapes.title.text = "What happened"  # pyright: ignore
    frame = second.placeholders[1].text_frame  # pyright: ignore
    frame.text = "Ships waited"
    more = frame.add_paragraph()
    more.text = "for weeks"
    more.level = 1
    run = frame.add_paragraph().add_run()
    run.text = "The log"
    run.hyperlink.address = "notes/log.md"
    second.notes_slide.notes_text_frame.text = "Say who signed."  # pyright: ignore
    third = talk.slides.add_slide(talk.slide_layouts[5])
    third.shapes.title.text = "Rates"  # pyright: ignore
    place = Inches(1), Inches(2), Inches(6), Inches(1)
    table = third.shapes.add_table(2, 2, *place).table  # pyright: ignore
    for at, text in enumerate(("Region", "Rate", "North", "12 %")):
        table.cell(at // 2, at % 2).text = text
    return saved(talk)


# EPUB


def epub(
    pages: Mapping[str, str], *, metadata: str = "", contents: str = "", more: str = ""
) -> bytes:
    """A book of these pages, in their order, with the entries of its list of contents."""
    items = "".join(
        f'<item id="i{at}" href="{name}" media-type="application/xhtml+xml"/>'
        for at, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="i{at}"/>' for at in range(len(pages)))
    nav = (
        '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        if contents
        else ""
    )
    package = f"""<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
    <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>
    <manifest>{items}{nav}{more}</manifest>
    <spine toc="x">{'<itemref idref="n"/>' if contents else ""}{spine}</spine></package>"""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head>{}</html>'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/book.opf": package,
            "OEBPS/nav.xhtml": page.format(
                f"<body><h1>Contents</h1><nav><ol>{contents}</ol></nav></body>"
            ),
            **{
                f"OEBPS/{name}": page.format(f"<body>{body}</body>") for name, body in pages.items()
            },
        }
    )


@cache
def novel_epub() -> bytes:
    """Two chapters, the second without a heading of its own."""
    pages = {
        "b.xhtml": '<h1 id="ice">The ice</h1><p>No ship <a href="a.xhtml">left</a>.</p>'
        "<h2>Rates</h2><table><tr><th>Region</th><th>Rate</th></tr>"
        "<tr><td>North</td><td>12&#160;%</td></tr></table>",
        "a.xhtml": "<p>Then it thawed.</p><ul><li>One</li><li><p>Two</p><ul><li>Deep</li></ul></li>"
        "</ul>",
    }
    metadata = (
        "<dc:title>Winter of 1931</dc:title><dc:creator>Mira Oldane</dc:creator>"
        "<dc:creator>Oleg Brant</dc:creator><dc:date>1933-02-01</dc:date>"
    )
    contents = '<li><a href="b.xhtml">Ice</a></li><li><a href="a.xhtml#top">The thaw</a></li>'
    return epub(pages, metadata=metadata, contents=contents)


# ODT


def odt(text: str, *, meta: str = "", styles: str = "", **parts: str) -> bytes:
    """A text of LibreOffice with this body."""
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in [("office", "office"), ("text", "text"), ("table", "table"),
                            ("style", "style"), ("meta", "meta"), ("draw", "drawing")]
    )  # fmt: skip
    names += (
        ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    )
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {names}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:text>{text}</office:text>"
            "</office:body></office:document-content>",
            "meta.xml": f"<office:document-meta {names}><office:meta>{meta}</office:meta>"
            "</office:document-meta>",
            **parts,
        }
    )


@cache
def log_odt() -> bytes:
    """Title, headings, a list, a table, a note, a link and metadata."""
    rows = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{c}</text:p></table:table-cell>" for c in cells)
        + "</table:table-row>"
        for cells in [("Region", "Rate"), ("North", "12 %")]
    )
    return odt(
        '<text:p text:style-name="P1">Log of the harbour</text:p>'
        '<text:h text:outline-level="1">Winter</text:h>'
        "<text:p>No<text:s/>ship left.<text:note><text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>Says Brant.</text:p></text:note-body></text:note> See "
        '<text:a xlink:href="../notes/a.odt">the <text:span>notes</text:span></text:a>.</text:p>'
        '<text:h text:outline-level="2">Rates</text:h>'
        f"<table:table>{rows}</table:table>"
        "<text:list><text:list-item><text:p>One</text:p><text:list><text:list-item>"
        "<text:p>Deep</text:p></text:list-item></text:list></text:list-item></text:list>",
        meta="<meta:initial-creator>Mira Oldane</meta:initial-creator>"
        "<meta:creation-date>2024-03-01T09:00:00</meta:creation-date>"
        "<dc:date>2024-04-02T09:00:00</dc:date>",
        styles='<style:style style:name="P1" style:parent-style-name="Title"/>',
    )


# PDF


@cache
def report_pdf(n_pages: int = 4) -> bytes:
    """Pages with a running head and a number, chapters in the outline, broken words."""
    from fpdf import FPDF

    class Report(FPDF):
        def header(self) -> None:
            self.set_font("Times", size=9)
            self.set_y(8)
            self.cell(text="Harbour of Vellmouth, annual report", new_y="NEXT")
            self.set_y(25)

        def footer(self) -> None:
            self.set_y(-12)
            self.set_font("Times", size=9)
            self.cell(text=f"Page {self.page_no()} of {n_pages}", align="C")

    report = Report()
    report.set_title("Annual report")
    report.set_author("Mira Oldane")
    report.set_creation_date(datetime.fromisoformat("2024-03-01T09:00:00+00:00"))
    for number in range(1, n_pages + 1):
        report.add_page()
        if number % 2:
            report.set_font("Times", size=18)
            report.start_section(f"Chapter {number}")
            report.multi_cell(0, text=f"Chapter {number}", new_x="LMARGIN", new_y="NEXT")
            report.ln(4)
        report.set_font("Times", size=12)
        report.multi_cell(0, text=PROSE * 3, new_x="LMARGIN", new_y="NEXT", align="L")
        report.ln(6)
        broken = f"On page {number} the ice was meas-\nured by a well-\nknown har-\nbour master."
        report.multi_cell(0, text=broken, new_x="LMARGIN", new_y="NEXT", align="L")
        report.multi_cell(0, text="He is well-known.", align="L")
    return bytes(report.output())


def plain_pdf(text: str = "One line of text.", *, size: int = 12, title: str = "") -> bytes:
    """One page, written by hand."""
    shown = text.encode("latin-1").replace(b"(", b"\\(").replace(b")", b"\\)")
    lines = b"".join(b"(%s) Tj 0 -20 Td " % line for line in shown.split(b"\n"))
    stream = b"BT /F 12 Tf 72 600 Td %s ET" % lines if text else b""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Title(%s)>>" % title.encode(),
    ]
    content, places = b"%PDF-1.4\n", list[int]()
    for number, described in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj%s endobj\n" % (number, described)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return content + (
        b"xref\n0 7\n0000000000 65535 f \n%strailer<</Size 7/Root 1 0 R/Info 6 0 R>>\n"
        b"startxref\n%d\n%%%%EOF" % (table, len(content))
    )


def table_pdf(rows: Sequence[Sequence[str]]) -> bytes:
    """A page with nothing but a table."""
    from fpdf import FPDF

    made = FPDF()
    made.add_page()
    made.set_font("Helvetica", size=11)
    with made.table() as table:
        for cells in rows:
            row = table.row()
            for cell in cells:
                row.cell(cell)
    return bytes(made.output())


def lines_pdf(pages: Sequence[str]) -> bytes:
    """A page of each text, from the upper edge down."""
    from fpdf import FPDF

    made = FPDF()
    made.set_font("Times", size=12)
    for text in pages:
        made.add_page()
        made.multi_cell(0, text=text, align="L")
    return bytes(made.output())
