"""Documents of Word."""

import pytest

from hippohover.indexing.corpus.records import Link
from tests.indexing.corpus.readers.office.office_samples import (
    PROSE,
    WORD,
    part_of,
    plain_docx,
    read_document,
    repacked,
    report_docx,
    saved,
    word,
)


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_report():
    document = read_document("reports/2024.docx", report_docx())
    assert document.title == "Harbour report"
    assert document.aliases == ("Report of the harbour", "2024")
    assert document.text == (
        f"Report of the harbour\n\n{PROSE.strip()}\n\nRates\n\nBy region\n\n"
        "Region: North; Rate: 12 %\nRegion: South; Rate: 9 %\n\nSources\n\n- Logs\n- Letters\n\n"
        "See the log."
    )
    assert [heading.path for heading in document.headings] == [
        "Report of the harbour",
        "Report of the harbour > Rates",
        "Report of the harbour > Rates > By region",
        "Report of the harbour > Sources",
    ]
    assert document.links == (Link(document.text.index("the log."), "notes/sync log"),)
    assert document.fields["author"] == "Mira Oldane"
    assert document.fields["date"] == "2024-03-01"
    assert (document.id, document.path) == ("reports/2024", "reports/2024.docx")


def test_a_letter_is_titled_by_the_heading_that_opens_it():
    document = read_document("letter.docx", plain_docx())
    assert document.title == "Letter to the ferry"
    assert document.text == "Dear Oleg,\n\nPostscript\n\nBring the lantern."
    assert [(heading.offset, heading.path) for heading in document.headings] == [(12, "Postscript")]
    assert "author" not in document.fields


def test_styles_of_other_names_have_the_level_of_those_they_are_based_on():
    styles = f"""<w:styles xmlns:w="{WORD}">
    <w:style w:styleId="h"><w:name w:val="heading 1"/></w:style>
    <w:style w:styleId="mine"><w:name w:val="Kapitel"/><w:basedOn w:val="h"/></w:style>
    <w:style w:styleId="below"><w:name w:val="Kapitel 2"/><w:basedOn w:val="two"/></w:style>
    <w:style w:styleId="two"><w:name w:val="Ebene"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>
    </w:style><w:style w:styleId="loop"><w:name w:val="Loop"/><w:basedOn w:val="loop"/></w:style>
    <w:style w:styleId="body"><w:name w:val="TextBuilder"/><w:basedOn w:val="h"/>
        <w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
    <w:style w:styleId="toc"><w:name w:val="toc 1"/></w:style>
    <w:style w:styleId="li"><w:name w:val="Points"/><w:pPr><w:numPr/></w:pPr></w:style>
    </w:styles>"""
    text = "".join(
        paragraph(name, f'<w:pStyle w:val="{name}"/>')
        for name in ("loop", "toc", "mine", "below", "body", "li", "none")
    )
    outlined = paragraph("said", '<w:outlineLvl w:val="1"/>')
    off = paragraph("off", '<w:pStyle w:val="li"/><w:numPr><w:numId w:val="0"/></w:numPr>')
    deep = paragraph("deep", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr>')
    document = read_document("a.docx", word(text + outlined + off + deep, styles=styles))
    assert document.text == (
        "loop\n\nmine\n\nbelow\n\nbody\n\n- li\n\nnone\n\nsaid\n\noff\n\n  - deep"
    )
    assert [heading.path for heading in document.headings] == [
        "mine",
        "mine > below",
        "mine > said",
    ]


def test_notes_stand_behind_their_paragraph_and_what_was_taken_out_nowhere():
    notes = f"""<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/>
    <w:t> Says Brant.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
    body = """<w:p><w:r><w:t>It froze</w:t><w:footnoteReference w:id="2"/></w:r>
    <w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del>
    <w:ins><w:r><w:t xml:space="preserve"> hard</w:t></w:r></w:ins><w:r><w:br/><w:t>again.</w:t>
    </w:r></w:p><w:sdt><w:sdtContent><w:p><w:r><w:t>Controlled.</w:t></w:r></w:p></w:sdtContent>
    </w:sdt>"""
    document = read_document("a.docx", word(body, footnotes=notes))
    assert document.text == "It froze hard again.\n\nSays Brant.\n\nControlled."


def test_a_text_box_is_read_once_and_a_field_is_a_link():
    body = """<w:p><w:r><w:t>Before.</w:t><mc:AlternateContent
    xmlns:mc="urn:mc"><mc:Choice><w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p>
    </w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p>
    </w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>
    <w:p><w:r><w:instrText> HYPERLINK "b.docx" </w:instrText><w:t>there</w:t></w:r></w:p>"""
    document = read_document("x/a.docx", word(body))
    assert document.text == "Before.\n\nBoxed.\n\nthere"
    assert document.links == (Link(17, "x/b"),)


def test_merged_cells_are_in_each_row_that_they_span():
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    rows = [
        cell("Region") + cell("Rates", '<w:gridSpan w:val="2"/>'),
        cell("North", '<w:vMerge w:val="restart"/>') + cell("1") + cell("2"),
        cell("", "<w:vMerge/>") + cell("3") + cell("4"),
    ]
    table = "".join(f"<w:tr>{row}</w:tr>" for row in rows)
    assert read_document("a.docx", word(f"<w:tbl>{table}</w:tbl>")).text == (
        "Region: North; Rates: 1; Rates: 2\nRegion: North; Rates: 3; Rates: 4"
    )


def test_rows_that_are_repeated_on_each_page_name_columns_together():
    def cell(words: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(words)}</w:tc>"

    names = [
        cell("Ship", '<w:vMerge w:val="restart"/>') + cell("2024", '<w:gridSpan w:val="2"/>'),
        cell("", "<w:vMerge/>") + cell("Q1") + cell("Q2"),
    ]
    row = f"<w:tr>{cell('Heron')}{cell('1')}{cell('2')}</w:tr>"
    for mark, expected in (
        ("<w:tblHeader/>", "Ship: Heron; 2024 Q1: 1; 2024 Q2: 2"),
        (
            '<w:tblHeader w:val="0"/>',
            "Ship: Ship; 2024: Q1; 2024: Q2\nShip: Heron; 2024: 1; 2024: 2",
        ),
    ):
        header = "".join(f"<w:tr><w:trPr>{mark}</w:trPr>{name}</w:tr>" for name in names)
        text = read_document("a.docx", word(f"<w:tbl>{header}{row}</w:tbl>")).text
        assert text == expected
    alone = f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{names[0]}</w:tr>"
    assert read_document("a.docx", word(f"<w:tbl>{alone}</w:tbl>")).text.split() == [
        "Ship",
        "2024",
        "2024",
    ]


@pytest.mark.parametrize("span", ["", "x", "99999999999", "0"])
def test_a_hostile_span_takes_no_memory(span: str):
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr>{paragraph("A")}</w:tc>'
    rows = f"<w:tr>{cell}</w:tr>" * 2
    assert read_document("a.docx", word(f"<w:tbl>{rows}</w:tbl>")).text == "A: A"


def test_a_chart_stands_behind_its_paragraph():
    from docx import Document as Made

    made = Made()
    made.add_paragraph("Traffic.")
    main, relations = "word/document.xml", "word/_rels/document.xml.rels"
    content = saved(made)
    drawn = '<w:r><w:drawing><graphicData><chart r:id="c1"/></graphicData></w:drawing></w:r></w:p>'
    related = '<Relationship Id="c1" Type="x/relationships/chart" Target="c.xml"/></Relationships>'
    points = "<pt idx='0'><v>{}</v></pt>"
    chart = (
        "<s><chart><title><p><t>Of 1931</t></p></title><plotArea><bar><ser>"
        f"<tx>{points.format('Boats')}</tx><cat>{points.format('Ott')}</cat>"
        f"<val>{points.format('7')}</val></ser></bar></plotArea></chart></s>"
    )
    parts = {
        main: part_of(content, main).replace("</w:p>", drawn, 1),
        relations: part_of(content, relations).replace("</Relationships>", related),
        "word/c.xml": chart,
    }
    document = read_document("a.docx", repacked(content, parts))
    assert document.text == "Traffic.\n\nOf 1931\n\nOtt; Boats: 7"
