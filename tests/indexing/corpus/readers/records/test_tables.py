"""CSV and TSV: rows as documents."""

import csv
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files import streams
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.readers.records import tables
from hippohover.indexing.corpus.readers.records.tables import read
from hippohover.indexing.corpus.records import BadRecord, Document, Link, PassedOver, Understood
from hippohover.recipe import CorpusFields
from tests.indexing.corpus.readers.records.record_samples import read_all, source_file

DPR = b'id\ttext\ttitle\n1\t"Aaron said ""no"" to it."\t"Aaron"\n2\tHe left.\tAaron\n'


def test_columns_are_fields_and_the_usual_names_are_known():
    content = (
        b'\xef\xbb\xbfID,Title,Body,links,lang\r\n7,T,"By the Elm,\r\nat noon.",Elm | Ott,en\r\n'
    )
    [said, document] = read(source_file(content))
    assert said == Understood("read ID as id, Title as title, Body as text")
    assert document == Document(
        "T",
        "By the Elm,\r\nat noon.",
        (Link(7, "Elm"), Link(0, "Ott")),
        {"ID": "7", "Title": "T", "Body": "By the Elm,\r\nat noon.", "links": "Elm | Ott",
         "lang": "en"},
        id="7",
        path="notes/file.x",
    )  # fmt: skip


@pytest.mark.parametrize("column", ["Published", "Last_Modified"])
def test_a_column_of_dates_is_the_date_of_its_rows(column: str):
    for table in (f"title,text,{column}\nT,x,2024-03-05\n", f"goods,{column}\nRope,2024-03-05\n"):
        said, document = read(source_file(table.encode()))
        assert isinstance(document, Document)
        assert document.fields["date"] == document.fields[column] == "2024-03-05"
        if "text" in table:
            assert said == Understood(f"read {column} as date")
    named = f"title,text,{column},Stand\nT,x,2023,2024-03-05\n".encode()
    [*_, document] = read(source_file(named), CorpusFields(date="Stand"))
    assert isinstance(document, Document)
    assert document.fields["date"] == "2024-03-05"


def test_passages_of_dpr_are_read():
    assert read_all(read, DPR) == [
        Document("Aaron", 'Aaron said "no" to it.', id="1"),
        Document("Aaron", "He left.", id="2"),
    ]


@pytest.mark.parametrize("sign", ["\t", ",", ";", "|"])
def test_the_sign_between_columns_is_found(sign: str):
    content = f'title{sign}text\nT{sign}"a{sign}b"\n'.encode()
    assert read_all(read, content) == [Document("T", f"a{sign}b")]


def test_quotes_in_lines_parted_by_tabs_are_text_where_they_close_nothing():
    content = b'id\ttext\n1\t"Stay" he said\n2\tan inch is 1"\n3\tx\n'
    texts = [r.text for r in read_all(read, content) if isinstance(r, Document)]
    assert texts == ['"Stay" he said', 'an inch is 1"', "x"]


def test_a_collection_without_header_has_ids_texts_and_titles():
    assert read_all(read, b"0\tThe mill stood.\n1\tIt fell.\n") == [
        Understood("no title"),
        Document("0", "The mill stood.", id="0"),
        Document("1", "It fell.", id="1"),
    ]


def test_a_row_is_the_text_where_no_column_is():
    content = b"Region,Rate,Note\nNorth,12 %,\nSouth,9 %,low\n"
    assert read_all(read, content) == [
        Understood("no column of texts: each row is one, titled by Region"),
        Document("North", "Region: North; Rate: 12 %", id="notes/file.x#2"),
        Document("South", "Region: South; Rate: 9 %; Note: low", id="notes/file.x#3"),
    ]


def test_a_recipe_names_columns():
    fields = CorpusFields(title="Region", text="Note")
    [_, document] = read(source_file(b"Region,Rate,Note\nSouth,9 %,low\n"), fields)
    assert isinstance(document, Document)
    assert (document.title, document.text, document.fields["Rate"]) == ("South", "low", "9 %")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"T,x,y,z", "4 cells, where the header has 2"),
        (b"T,\xff", "is not UTF-8 text: save it as UTF-8"),
    ],
)
def test_a_row_of_another_form_is_a_bad_record(row: bytes, reason: str):
    content = "title,text\n\nA,Größe\n".encode() + row + b"\nC,d\n"
    assert read_all(read, content) == [
        Document("A", "Größe"), BadRecord("notes/file.x:4", reason), Document("C", "d"),
    ]  # fmt: skip


def test_columns_without_name_or_of_one_name_are_told_apart():
    [document] = read(source_file(b"title,,text,text\nT,a,b,c\n"))
    assert isinstance(document, Document)
    assert dict(document.fields) == {"title": "T", "column 2": "a", "text": "b", "text 4": "c"}


def test_a_cell_may_be_as_long_as_a_record_and_the_limit_of_others_stays(tmp_path: Path):
    before = csv.field_size_limit()
    text = "word " * 60_000
    [document] = read_all(read, f'title,text\nT,"{text}"\n'.encode())
    assert document.text == text
    assert csv.field_size_limit() == before


def test_a_quote_that_never_closes_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(tables, "MAX_RECORD_BYTES", 200)
    path = tmp_path / "c.csv"
    path.write_bytes(b'title,text\nT,"x\n' + b"line\n" * 100)
    with (
        pytest.raises(CorpusError, match=r"^c\.csv:2: no row of a table .*check its quotes"),
        damage_named(str(path)),
    ):
        list(read.corpus(path))


def test_a_line_above_the_bound_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tables, "MAX_RECORD_BYTES", 64)
    [bad] = read_all(read, b"title,text\n" + b"x" * 100)
    assert isinstance(bad, BadRecord)
    assert (bad.place, bad.reason[:11]) == ("notes/file.x:2", "longer than")
    assert streams.MAX_RECORD_BYTES > 64


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b"name,role\n", b"name;role"])
def test_a_file_without_rows_is_counted_as_one_that_holds_nothing(content: bytes):
    assert read_all(read, content) == [PassedOver("notes/file.x", "holds no records with text")]


def test_the_first_row_of_a_table_without_a_header_is_a_document():
    content = b"Jonas Brandt,pilot,1901\nMara Lind,engineer,1904\nAda Finch,keeper,1899\n"
    [_, *documents] = read_all(read, content)
    assert documents[0] == Document(
        "Jonas Brandt", "Jonas Brandt; pilot; 1901", id="notes/file.x#1"
    )
    assert [record.title for record in documents if isinstance(record, Document)] == [
        "Jonas Brandt", "Mara Lind", "Ada Finch",
    ]  # fmt: skip


def test_cells_of_names_are_json_or_parted():
    content = b'title,text,aliases\nT,x,"[""U"", ""V; W"", 1]"\nA,x,B; C;\n'
    assert [d.aliases for d in read_all(read, content)] == [("U", "V; W"), ("B", "C")]


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_a_table_in_another_encoding_is_decoded(encoding: str):
    rows = [(f"Straße {n}", "Über die Brücke führt der Weg – „nach Süden“.") for n in range(9)]
    text = "title,text\n" + "".join(f'"{title}","{text}"\n' for title, text in rows)
    documents = list(read(source_file(text.encode(encoding))))
    assert [(d.title, d.text) for d in documents if isinstance(d, Document)] == rows
    assert all(isinstance(d, Document) and d.encoding for d in documents)


def test_a_row_is_titled_by_its_first_column_of_words():
    table = b"id,price,goods\n1,12,Rope\n2,30,Lamp oil\n"
    titles = [made.title for made in read_all(read, table) if isinstance(made, Document)]
    assert titles == ["Rope", "Lamp oil"]


@pytest.mark.parametrize(
    "content",
    [
        b'title,text\nA,"One\nB,Two.\nC,Three.\n',  # to the end of the file
        b'title,text\nA,"One\nB,Two.\nC,"Three."\n',  # to the next quote
        b'title,text\nA,"One\nB,Two.\n\nC,"Three."\nD,"Four\nlines."\n',
    ],
)
def test_a_quote_that_is_not_closed_takes_no_row_to_itself(content: bytes):
    bad, *made = read_all(read, content)
    reason = "a quote is not closed: close it, or double it within a text"
    assert bad == BadRecord("notes/file.x:2", reason)
    expected = [Document("B", "Two."), Document("C", "Three.")]
    assert made[:2] == expected
    assert made[2:] == ([Document("D", "Four\nlines.")] if b"Four" in content else [])


@pytest.mark.parametrize(
    ("content", "line", "titles"),
    [
        (b'title,text\nA,One\nB,"Two.\n', 3, ["A"]),  # on the last line
        (b'title,text\nA,"One\nB,Two, too.\nC,"Three."\n', 2, ["C"]),
        (b'text\nOne.\n"Two.\nThree.\n', 3, ["One.", "Three."]),
        (b'"title,text\nA,One\n', 1, []),  # in the header
    ],
)
def test_every_quote_that_is_not_closed_is_told_by_its_line(
    content: bytes, line: int, titles: list[str]
):
    made = read_all(read, content)
    reason = "a quote is not closed: close it, or double it within a text"
    assert BadRecord(f"notes/file.x:{line}", reason) in made
    assert [one.title for one in made if isinstance(one, Document)] == titles


def test_quotes_within_a_text_of_one_line_are_text():
    [made] = read_all(read, b'title,text\nA,"He said "hi" twice."\n')
    assert (made.title, made.text) == ("A", 'He said hi" twice."')


def test_a_text_over_several_lines_stays_whole_and_its_rows_keep_their_numbers():
    content = b'title,text\nA,"One ""two"",\nthree, four"\nB,Two.,x\n'
    first, bad = read_all(read, content)
    assert first == Document("A", 'One "two",\nthree, four')
    assert bad.place == "notes/file.x:4"


@pytest.mark.parametrize("sign", [";", "|"])
def test_the_line_that_excel_writes_before_a_table_says_its_sign(sign: str):
    content = f"sep={sign}\r\ntitle{sign}text, or more\r\nA{sign}One.\r\n{sign}{sign}{sign}\r\n"
    said, made, bad = read_all(read, content.encode())
    assert "titled by title" in said.text
    assert (made.title, made.text) == ("A", "title: A; text, or more: One.")
    assert bad.place == "notes/file.x:4"


def test_columns_that_a_recipe_names_are_a_header():
    content = b"when,pilot\n1901,pilot\n"
    [_, document] = read(source_file(content), CorpusFields(text="pilot"))
    assert isinstance(document, Document)
    assert document.text == "pilot"
    assert read_all(read, b"ship,pilot\nHeron,pilot\n")[1] == Document(
        "ship", "ship; pilot", id="notes/file.x#1"
    )


@pytest.mark.parametrize(
    "above",
    [
        "Report\n",
        "\ufeffReport; 2024\n\n",
        "# exported 2024\n",
        "# exported 2024, by Ada, for all\n# again\n",
        '"Report, 2024"\n',
        "Report,\n,\n",
    ],
)
@pytest.mark.parametrize("sign", [",", "\t"])
def test_a_title_or_a_comment_above_a_table_is_no_row(above: str, sign: str):
    table = "name,role\nAda,pilot of the Heron\nBob,engineer\n".replace(",", sign)
    above = above.replace("Report,\n,", f"Report{sign}\n{sign}")
    assert read_all(read, (above + table).encode()) == [
        Understood("no column of texts: each row is one, titled by name"),
        Document(
            "Ada", "name: Ada; role: pilot of the Heron", id=f"notes/file.x#{_line(above, 2)}"
        ),
        Document("Bob", "name: Bob; role: engineer", id=f"notes/file.x#{_line(above, 3)}"),
    ]


def _line(above: str, number: int) -> int:
    return above.count("\n") + number


def test_a_table_whose_rows_have_more_cells_than_columns_fails_with_its_reason():
    reason = "2 cells, where the header has 1: begin the table with a row that names its columns"
    bad = BadRecord("notes/file.x:2", reason)
    assert read_all(read, b"text\na,b\nc,d\n") == [bad]
    [bad] = read_all(read, b"Report\na,b\nc,d,e\nf,g,h,i\n")
    assert isinstance(bad, BadRecord)
