"""Miniature corpora in the exact layouts of the real ones, and the documents they hold."""

import bz2
import csv
import gzip
import html
import io
import json
import os
import sqlite3
import tarfile
import unicodedata
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from zlib import crc32

import pyarrow as pa
from pyarrow import parquet

from hippohover.indexing.corpus import stream
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.formats import READERS
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver, Understood
from hippohover.indexing.corpus.versions import Versions
from hippohover.recipe import NO_FIELDS, CorpusFields, CorpusSettings
from hippohover.records import Passage


class Sample(NamedTuple):
    """A document: its title, its sentences and the titles that its first sentence links."""

    title: str
    sentences: tuple[str, ...]
    links: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


SAMPLES: Sequence[Sample] = (
    Sample(
        "Orlo Vant",
        ("Orlo Vant was a glass painter from Tessel.", "He died in 1911 near the Pale Weir."),
        ("Tessel", "Pale Weir (lock)"),
    ),
    Sample("Tessel", ("Tessel is a market town.", "Its fair is held in May."), ("Orlo Vant",)),
    Sample("Brod & Sýkora", ("Brod & Sýkora is a bookshop in Ústí.",), ("Ústí (town)",)),
    Sample("Ústí (town)", ("Ústí is a town on the Elm.", "It has 4.5 km of walls.")),
    Sample("琥珀の塔", ("琥珀の塔は1931年の小説です。", "作者は森田 梢です。"), ("Tessel",)),
    Sample("برج الكهرمان", ("برج الكهرمان رواية من عام 1931.", "كتبتها مريم العطار."), ("Tessel",)),
    Sample("Δελφίνι", ("Το Δελφίνι είναι πλοίο.",)),
)


def json_line(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def write_jsonl(folder: Path, samples: Sequence[Sample] = SAMPLES, *, packed: bool = True) -> Path:
    lines = b"".join(
        json_line({"title": s.title, "text": s.text, "links": list(s.links)}) for s in samples
    )
    path = folder / ("corpus.jsonl.gz" if packed else "corpus.jsonl")
    path.write_bytes(gzip.compress(lines) if packed else lines)
    return path


def hotpotqa_record(number: int, sample: Sample) -> dict[str, object]:
    """A record as in HotpotQA's abstracts: sentences with their blanks, links URL-encoded."""
    sentences = [s if n == 0 else f" {s}" for n, s in enumerate(sample.sentences)]
    anchors = " ".join(f'<a href="{quote(link)}">{link}</a>' for link in sample.links)
    linked = [f"{sentences[0]}{anchors}", *sentences[1:]]
    return {
        "id": str(number),
        "url": f"https://en.wikipedia.org/wiki?curid={number}",
        "title": html.escape(sample.title),
        "text": sentences,
        "charoffset": [],
        "text_with_links": linked,
        "charoffset_with_links": [],
    }


def tar_bytes(members: Sequence[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def write_hotpotqa(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    records = [json_line(hotpotqa_record(n, sample)) for n, sample in enumerate(samples)]
    half = len(records) // 2
    top = "enwiki-20171001-pages-meta-current-withlinks-abstracts"
    members = [
        (f"{top}/AA/wiki_00.bz2", bz2.compress(b"".join(records[:half]))),
        (f"{top}/AB/wiki_00.bz2", bz2.compress(b"".join(records[half:]))),
    ]
    path = folder / "abstracts.tar.bz2"
    path.write_bytes(bz2.compress(tar_bytes(members)))
    return path


def write_wiki_abstracts(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    lines = b"".join(json_line({"title": s.title, "text": list(s.sentences)}) for s in samples)
    path = folder / "wiki.abstracts.2017.tar.gz"
    path.write_bytes(gzip.compress(tar_bytes([("wiki.abstracts.2017.jsonl", lines)])))
    return path


def write_sqlite(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    path = folder / "wiki_wo_links.db"
    rows = [(unicodedata.normalize("NFD", html.escape(s.title)), s.text) for s in samples]
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE documents (id PRIMARY KEY, text)")
        database.executemany("INSERT INTO documents VALUES (?, ?)", rows)
        database.commit()
    return path


def write_json(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    items = [{"title": s.title, "text": s.text, "idx": n} for n, s in enumerate(samples)]
    path = folder / "corpus.json.gz"
    path.write_bytes(gzip.compress(json.dumps(items, indent=1).encode()))
    return path


def write_table(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    path = folder / "corpus.csv.gz"
    text = io.StringIO()
    rows = [("title", "text"), *((s.title, s.text) for s in samples)]
    csv.writer(text).writerows(rows)
    path.write_bytes(gzip.compress(text.getvalue().encode()))
    return path


def write_parquet(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    rows = [{"title": s.title, "text": s.text, "links": list(s.links)} for s in samples]
    path = folder / "corpus.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=3)
    return path


def write_wiki_extracts(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    path = folder / "wiki_00.bz2"
    documents = (
        f'<doc id="{n}" url="https://x.org/wiki?curid={n}" title="{html.escape(s.title)}">\n'
        f"{html.escape(s.title)}\n\n{html.escape(s.text)}\n</doc>\n"
        for n, s in enumerate(samples)
    )
    path.write_bytes(bz2.compress("".join(documents).encode()))
    return path


def wiki_page(title: str, wikitext: str, *, space: int = 0, redirect: str = "") -> str:
    """A page as MediaWiki exports it; its id is a number of its title's."""
    leads = f'<redirect title="{html.escape(redirect)}" />' if redirect else ""
    return (
        f"<page>\n<title>{html.escape(title)}</title>\n<ns>{space}</ns>\n<id>{crc32(title.encode())}</id>\n{leads}"
        "<revision><id>9</id><timestamp>2024-05-01T00:00:00Z</timestamp><contributor>"
        "<username>A</username><id>3</id></contributor><model>wikitext</model>"
        f"<text>{html.escape(wikitext)}</text></revision></page>\n"
    )


def wiki_dump(*pages: str) -> bytes:
    spaces = "".join(
        f'<namespace key="{key}" case="first-letter">{name}</namespace>'
        for key, name in ((0, ""), (1, "Talk"), (6, "File"), (14, "Category"))
    )
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">\n'
        f"<siteinfo><sitename>X</sitename><base>https://x.org/wiki/Main_Page</base><namespaces>{spaces}</namespaces></siteinfo>\n"
        f"{''.join(pages)}</mediawiki>\n"
    ).encode()


def write_mediawiki(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    path = folder / "pages-articles.xml.bz2"
    pages = (
        wiki_page(s.title, s.text + "".join(f"[[{link}| ]]" for link in s.links)) for s in samples
    )
    path.write_bytes(bz2.compress(wiki_dump(*pages)))
    return path


def write_folder(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Path:
    path = folder / "notes"
    path.mkdir()
    for number, sample in enumerate(samples):
        inner = path / f"{number:02}"
        inner.mkdir()
        if number % 2:
            (inner / "note.md").write_text(f"# {sample.title}\n\n{sample.text}\n", encoding="utf-8")
        else:
            (inner / f"{sample.title}.txt").write_text(f"{sample.text}\n", encoding="utf-8")
    return path


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Nobody may read ``path`` meanwhile; nor may root, who gives up its rights for the time."""
    is_root = os.geteuid() == 0
    # root's temporary folders are closed to others, and have to let them as far as ``path``
    before = {f: f.stat().st_mode for f in (path, *(path.parents if is_root else ()))}
    for folder, mode in before.items():
        if mode & 0o055 != 0o055:
            folder.chmod(mode | 0o055)
    path.chmod(0)
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for folder, mode in before.items():
            if folder.stat().st_mode != mode:
                folder.chmod(mode)


WRITERS: dict[str, Callable[[Path], Path]] = {
    "jsonl": write_jsonl,
    "hotpotqa": write_hotpotqa,
    "wiki-abstracts": write_wiki_abstracts,
    "sqlite": write_sqlite,
    "json": write_json,
    "table": write_table,
    "parquet": write_parquet,
    "wiki-extracts": write_wiki_extracts,
    "mediawiki": write_mediawiki,
    "hipporag": write_json,
    "folder": write_folder,
}
FILE_FORMATS = tuple(name for name in WRITERS if name != "folder")
LINKED_FORMATS = ("jsonl", "parquet", "mediawiki", "hotpotqa")


def records_of(
    format_name: str, path: Path, fields: CorpusFields = NO_FIELDS
) -> list[Document | BadRecord]:
    """Records without the fields that they come from; a test of their own is about these."""
    with damage_named(str(path)):
        return [
            record if isinstance(record, BadRecord) else record._replace(fields={})
            for record in READERS[format_name].read(path, fields)
            if not isinstance(record, Understood | PassedOver)
        ]


def documents_of(format_name: str, path: Path) -> list[Document]:
    records = records_of(format_name, path)
    assert not [record for record in records if isinstance(record, BadRecord)]
    return [record for record in records if isinstance(record, Document)]


def read_corpus(
    path: Path,
    *,
    limit: int | None = None,
    counts: CorpusCounts | None = None,
    versions: Versions | None = None,
    root: Path | None = None,
    repeats: bool = False,
    **settings: Any,  # noqa: ANN401
) -> Iterator[Passage]:
    """Passages of a corpus whose documents are whole, unless its settings say otherwise."""
    given: dict[str, Any] = {"max_words": 0, **settings}
    return stream.read_corpus(
        path,
        CorpusSettings(**given),
        limit=limit, counts=counts, versions=versions, root=root, repeats=repeats,
    )  # fmt: skip
