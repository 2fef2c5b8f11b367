"""Three files of each kind of office document, table, record and archive: by their places."""

import gzip
import io
import json
import tarfile
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

from tests.indexing.corpus.corpus_samples import tar_bytes, wiki_dump, wiki_page
from tests.indexing.corpus.readers.office import office_samples as office

NOTES: Final = {"notes/a.md": b"# In a pack\n\nSee [b](b.txt).\n", "notes/b.txt": b"Words.\n"}
ARTICLES: Final = (
    '\ufeffid;title;text;date\r\n7;Heron Bridge;"A bridge; it is ""old"".";2024-03-01\r\n'
    "8;Elm;A river.;\r\n"
)
EXTRACT: Final = (
    '<doc id="12" url="https://x.org/wiki?curid=12" title="Elm">\nElm\n\n'
    'A river by <a href="Heron%20Bridge">Heron</a>.\n</doc>\n'
)


def slides(*texts: tuple[str, str]) -> bytes:
    """A presentation of slides with these titles and points."""
    from pptx import Presentation

    talk = Presentation()
    for title, point in texts:
        slide = talk.slides.add_slide(talk.slide_layouts[1])
        slide.shapes.title.text = title  # pyright: ignore
        slide.placeholders[1].text = point  # pyright: ignore
    return office.saved(talk)


def rows(*records: dict[str, Any], **more: Any) -> bytes:  # noqa: ANN401
    """A file of Parquet."""
    content = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(records)), content, **more)
    return content.getvalue()


def packed_tar(files: Mapping[str, bytes], mode: Any) -> bytes:  # noqa: ANN401
    """A tar that is packed."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


def heading(level: int, words: str) -> str:
    """A heading of an ODT."""
    return f'<text:h text:outline-level="{level}">{words}</text:h>'


FILES: Final[dict[str, str | bytes]] = {
    "pdf/report.pdf": office.report_pdf(),
    "pdf/memo.pdf": office.plain_pdf("The ferry sails at noon.", title="Memo of the ferry"),
    "pdf/untitled.pdf": office.plain_pdf("Only words."),
    "docx/report.docx": office.report_docx(),
    "docx/letter.docx": office.plain_docx(),
    "docx/macro.docm": office.word("<w:p><w:r><w:t>Words alone.</w:t></w:r></w:p>"),
    "pptx/talk.pptx": office.talk_pptx(),
    "pptx/one.pptx": slides(("Only slide", "One point")),
    "pptx/untitled.pptx": slides(("", "A point"), ("", "Another point")),
    "epub/novel.epub": office.novel_epub(),
    "epub/plain.epub": office.epub(
        {"a.xhtml": "<p>Words.</p>"}, metadata="<dc:title>Short</dc:title>"
    ),
    "epub/two.epub": office.epub(
        {"a.xhtml": "<h1>One</h1><p>First.</p>",
         "b.xhtml": '<h1>Two</h1><h2 id="in">In two</h2><p>See <a href="a.xhtml#x">one</a>.</p>'}
    ),
    "odt/log.odt": office.log_odt(),
    "odt/plain.odt": office.odt("<text:p>Words alone.</text:p>"),
    "odt/letter.odt": office.odt(
        f"{heading(1, 'Letter')}<text:p>Dear Oleg,</text:p>{heading(2, 'P. S.')}"
        "<text:p>Bring it.</text:p>",
        meta="<dc:title>A letter</dc:title>",
    ),
    "csv/tariff.csv": "ship,fee,port\nHeron,2 crowns,Port Senna\nMarta,3 crowns,Vellmouth\n",
    "csv/articles.csv": ARTICLES,
    "csv/collection.csv": "docid,contents\nd1,The mill stands on the Elm.\nd2,The weir fell.\n",
    "tsv/collection.tsv": '0\tThe mill "Ott" stands.\n1\tThe weir fell.\n',
    "tsv/dpr.tsv": 'id\ttext\ttitle\n1\t"Aaron was a miller."\tAaron\n2\tThe weir.\tWeir\n',
    "tsv/people.tsv": "Name\tBorn\nJörg Müller\t1931\nIda Fenn\t1933\n".encode("cp1252"),
    "json/array.json": json.dumps([
        {"title": "Heron Bridge", "text": "On the Elm.", "links": ["Elm"], "aliases": ["HB"]},
        {"title": "Elm", "text": ["A river.", "It floods."]},
    ]),
    "json/named.json": json.dumps(
        {"Weir": ["A weir.", "It fell."], "Mill": "The mill of the valley stands on the Elm."}
    ),
    "json/docs.json": json.dumps({"version": 1, "docs": [
        {"_id": "a", "name": "Ott", "body": "Ott is a miller.", "published": "2024-03-01"},
        {"_id": "b", "name": "Ida", "body": "Ida is a pilot."},
    ]}, indent=1),
    "jsonl/notes.jsonl": '{"id": 1, "title": "Ferry", "text": "It sails."}\n'
    '{"id": 2, "title": "Fog", "text": "It rises.", "reply_to": 1}\n',
    "jsonl/untitled.ndjson": '{"doc_id": "x1", "passage": "The pilot left."}\n',
    "jsonl/packed.jsonl.gz": gzip.compress(b'{"title": "Packed", "text": "It was packed."}\n'),
    "parquet/rows.parquet": rows({"id": "p1", "title": "Quay", "text": "A quay."}),
    "parquet/lists.pq": rows(
        {"title": "Lists", "text": ["One.", "Two."], "links": ["Quay"]}, compression="zstd"
    ),
    "parquet/cells.parquet": rows(
        {"ship": "Heron", "built": 1931}, {"ship": "Marta", "built": None}
    ),
    "shards/part-00000": '{"title": "Shard", "text": "Of lines."}\n',
    "shards/part-00001": json.dumps([{"title": "Array shard", "text": "Of an array."}]),
    "shards/part-00002": rows({"title": "Parquet shard", "text": "Of rows."}),
    "wiki/wiki_00": EXTRACT,
    "wiki/lines_00": '{"id": "13", "url": "u", "title": "Ott", "text": "A miller."}\n',
    "wiki/dump.xml": wiki_dump(
        wiki_page("Weir", "The '''weir''' is on the [[elm|river]].\n== Keys ==\nNone."),
        wiki_page("The weir", "", redirect="Weir"),
    ),
    "zip/old.zip": office.zipped(NOTES),
    "zip/table.zip": office.zipped({"ships.csv": "ship,fee\nHeron,2\n", "a.png": b"\x89PNG"}),
    "zip/export.zip": office.zipped({"Größe/琥珀.md": "Words."}),
    "tar/old.tar": tar_bytes(list(NOTES.items())),
    "tar/packed.tar.gz": packed_tar(NOTES, "w:gz"),
    "tar/other.tar.xz": packed_tar(NOTES, "w:xz"),
}  # fmt: skip
