"""Zipped documents: bounds, passwords, entities, and paths."""

import io
import zipfile
from collections.abc import Callable

import pytest

from hippohover.indexing.corpus.readers.office import package
from hippohover.indexing.corpus.readers.office.package import (
    DAMAGED,
    PASSWORD,
    Package,
    UnreadableError,
    day,
    fields_from,
    fields_of,
    link_target,
    parsed,
    reads_one,
)
from hippohover.indexing.corpus.records import Document
from tests.indexing.corpus.readers.office.office_samples import (
    log_odt,
    novel_epub,
    part_of,
    read,
    reason,
    repacked,
    report_docx,
    talk_pptx,
    zipped,
)
from tests.indexing.corpus.readers.texts.text_samples import source

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
HOSTILE = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "lol"><!ENTITY f SYSTEM "file:///etc/passwd">'
    f"{LAUGHS}]>"
)


def test_parts_are_unpacked_up_to_a_bound_before_they_are(monkeypatch: pytest.MonkeyPatch):
    content = zipped({"a": b"x" * 600, "b": b"y" * 600, "media": b"z" * 5000})
    monkeypatch.setattr(package, "MAX_RECORD_BYTES", 1000)
    opened = Package(content)
    assert opened.part("a") == b"x" * 600
    with pytest.raises(UnreadableError, match="unpacks to over 64 MB: split it"):
        opened.part("b")
    assert opened.part("none") == b""


def test_a_part_that_unpacks_to_more_than_it_says_is_damaged():
    content = zipped({"word/document.xml": b"x" * 1000})
    size = (1000).to_bytes(4, "little")
    lying = content.replace(size, (10).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(UnreadableError, match="damaged"):
        Package(lying).part("word/document.xml")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", DAMAGED),
        (b"not a zip", DAMAGED),
        (zipped({"a": "b" * 99})[:-20], DAMAGED),
        (zipped({"a": "b"}), DAMAGED),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), PASSWORD),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 WordDocument", "an old format: save it as a new one"),
    ],
    ids=["empty", "text", "cut", "other", "locked", "old"],
)
@pytest.mark.parametrize("place", ["a.docx", "a.pptx", "a.epub", "a.odt"])
def test_what_is_no_whole_package_is_one_failure_with_its_reason(
    place: str, content: bytes, expected: str
):
    assert reason(place, content) == expected


def test_a_zip_with_a_password_is_named():
    content = bytearray(zipped({"META-INF/container.xml": "<a/>"}))
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        central = whole.start_dir
    content[central + 8] |= 1
    assert reason("a.epub", bytes(content)) == PASSWORD


@pytest.mark.parametrize("name", [pytest.param("l1", marks=pytest.mark.slow), "l9", "f"])
@pytest.mark.parametrize(
    ("place", "whole", "part"),
    [
        ("a.docx", report_docx, "word/document.xml"),
        ("a.docx", report_docx, "docProps/core.xml"),
        ("a.pptx", talk_pptx, "ppt/slides/slide1.xml"),
        ("a.epub", novel_epub, "OEBPS/b.xhtml"),
        ("a.odt", log_odt, "content.xml"),
    ],
)
def test_entities_and_external_references_do_nothing(
    place: str, whole: Callable[[], bytes], part: str, name: str
):
    sound = part_of(whole(), part)
    inside = sound.partition("?>")[2] if sound.startswith("<?xml") else sound
    for tag in ("</w:t>", "</a:t>", "</p>", "</dc:creator>", "</text:p>"):
        inside = inside.replace(tag, f"&{name};{tag}")
    assert f"&{name};" in inside
    record = read(place, repacked(whole(), {part: HOSTILE + inside}))
    if isinstance(record, Document):
        assert "lol" not in record.text + record.title + str(record.fields)
        assert "root:" not in record.text + record.title + str(record.fields)
    else:
        assert (name, record.reason) == ("l9", DAMAGED)


def test_what_is_not_read_may_be_anything():
    """Macros, pictures and films: not unpacked, so neither run nor checked."""
    bomb = zipped({"word/vbaProject.bin": b"x", "word/media/a.png": b"\0" * 10**4})
    whole = repacked(
        report_docx(), {"word/vbaProject.bin": bomb, "word/media/a.png": b"\0" * 10**4}
    )
    assert read("a.docx", whole) == read("a.docx", report_docx())


@pytest.mark.parametrize("depth", [100, 100_000])
def test_depth_has_a_bound(depth: int):
    content = b"<a>" * depth + b"</a>" * depth
    if depth > 1000:
        with pytest.raises(UnreadableError):
            parsed(content)
    else:
        assert parsed(content).tag == "a"


@pytest.mark.parametrize("error", [ValueError, RecursionError, MemoryError])
def test_what_a_parser_raises_is_one_failure(error: type[Exception]):
    def make(_file: object) -> Document:
        raise error

    with pytest.raises(UnreadableError, match=DAMAGED):
        list(reads_one(make)(source("a.docx", b"")))


def test_without_the_extra_a_file_says_so():
    def make(_file: object) -> Document:
        raise ModuleNotFoundError("No module named 'lxml'", name="lxml")

    with pytest.raises(UnreadableError) as raised:
        list(reads_one(make)(source("a.docx", b"")))
    assert str(raised.value) == "needs pip install 'hippohover[documents]'"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("a.md", "notes/a"),
        ("../b%20c.docx#top", "b c"),
        ("sub\\d.txt?x=1", "notes/sub/d"),
        ("/e.md", "notes/e"),
        ("https://example.org/a.md", ""),
        ("mailto:a@b", ""),
        ("file:///C:/a.docx", ""),
        ("#top", ""),
        ("", ""),
    ],
)
def test_an_address_is_a_path_below_the_corpus_or_leads_elsewhere(address: str, expected: str):
    assert link_target(address, "notes") == expected


# Fields of what a document says of itself


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2024-03-01T09:00:00Z", "2024-03-01"),
        ("D:20240301090000+01'00'", "2024-03-01"),
        ("D:2024", "2024"),
        ("2024-03", "2024-03"),
        ("last winter", "last winter"),
    ],
)
def test_a_date_is_its_day(date: str, expected: str):
    assert day(date) == expected


def test_several_authors_are_a_list_and_blank_values_are_none():
    root = parsed(
        b"<m><creator>A</creator><creator>B</creator><creator>A</creator><title> </title>"
        b"<other>x</other><subject>S</subject><created>2024-03-01T09:00:00Z</created></m>"
    )
    assert fields_of(root) == {"author": ["A", "B"], "subject": "S", "date": "2024-03-01"}
    assert fields_of(None) == {}


def test_the_first_of_several_titles_counts():
    assert fields_from([("title", "A"), ("title", "B"), ("", "C")]) == {"title": "A"}
