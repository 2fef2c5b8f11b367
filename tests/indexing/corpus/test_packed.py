"""Archives in a folder, and as a corpus of their own."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hippohover.indexing.corpus import packed
from hippohover.indexing.corpus.files.globs import EVERY, Globs
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.indexing.corpus.formats import read_folder as read
from hippohover.indexing.corpus.packed import archive_files
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver, Understood
from hippohover.indexing.corpus.tree import IGNORED
from tests.indexing.corpus.corpus_samples import read_corpus, wiki_dump, wiki_page

FILES = {"notes/a.md": b"# Pale Weir\nA lock.", "notes/.x.md": b"x", "b.txt": "Über".encode()}


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("notes")
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(mode: str) -> Callable[[Path, Mapping[str, bytes]], Path]:
    def write(path: Path, files: Mapping[str, bytes]) -> Path:
        with tarfile.open(path, mode) as archive:  # pyright: ignore[reportCallIssue, reportArgumentType]
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return path

    return write


WRITERS = {
    "old.zip": zipped,
    "old.tar": tarred("w"),
    "old.tar.gz": tarred("w:gz"),
    "old.tar.xz": tarred("w:xz"),
    "old.tbz2": tarred("w:bz2"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_an_archive_are_read_as_in_a_folder(tmp_path: Path, name: str):
    path = WRITERS[name](tmp_path / name, FILES)
    records = list(read(tmp_path))
    documents = [record for record in records if isinstance(record, Document)]
    assert [(d.title, d.text, d.path) for d in documents] == [
        ("Pale Weir", "A lock.", f"{name}/notes/a.md"),
        ("b", "Über", f"{name}/b.txt"),
    ]
    assert PassedOver(f"{name}/notes/.x.md", "hidden") in records
    assert {p.title for p in read_corpus(path)} == {"Pale Weir", "b"}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("member", ["../a.txt", "/etc/a.txt", "x\\..\\a.txt"])
def test_a_name_that_leaves_the_archive_is_a_bad_record(tmp_path: Path, name: str, member: str):
    WRITERS[name](tmp_path / name, {member: b"x", "b.txt": b"y"})
    bad, good = read(tmp_path)
    assert isinstance(bad, BadRecord)
    assert "has a name that leaves the archive" in bad.reason
    assert isinstance(good, Document)


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_its_first_bytes_tell_is_read_from_its_first_byte_on(tmp_path: Path, name: str):
    lines = b"".join(b'{"title": "T%d", "text": "%s"}\n' % (n, b"x" * 3000) for n in range(200))
    packed_lines = gzip.compress(lines)
    files = {
        "README": b"Words.",
        "shard": lines,
        "more.json.gz": packed_lines,
        "wiki.xml": wiki_dump(wiki_page("Weir", "A weir.")),
    }
    assert len(lines) > 2**19 > 2**18 > len(packed_lines)
    WRITERS[name](tmp_path / name, files)
    records = list(read(tmp_path))
    assert not [record for record in records if not isinstance(record, Document | Understood)]
    titles = [record.title for record in records if isinstance(record, Document)]
    numbered = [f"T{n}" for n in range(200)]
    assert titles == [name, *numbered, *numbered, "Weir"]


@pytest.mark.parametrize("name", WRITERS)
def test_ignore_files_of_an_archive_count_wherever_they_stand(tmp_path: Path, name: str):
    files = {"a/x.md": b"x", "a/keep.md": b"k", "b/y.log": b"y", "y.log": b"z", "z.md": b"z"}
    ignores = {
        "b/.gitignore": b"*.log\n",
        ".gitignore": b"/a/*.md\n",
        "a/.gitignore": b"!keep.md\n",
    }
    WRITERS[name](tmp_path / name, {**files, **ignores})
    records = list(read(tmp_path))
    paths = [record.path for record in records if isinstance(record, Document)]
    assert paths == [f"{name}/{path}" for path in ("a/keep.md", "y.log", "z.md")]
    passed_over = {record for record in records if isinstance(record, PassedOver)}
    assert passed_over >= {PassedOver(f"{name}/{path}", IGNORED) for path in ("a/x.md", "b/y.log")}
    included = read(tmp_path, globs=Globs(include=(name,)))
    assert sum(isinstance(record, Document) for record in included) == len(files | ignores)


@pytest.mark.parametrize("name", WRITERS)
def test_of_an_archive_a_glob_reads_what_is_hidden_ignored_or_vendored_by_its_name(
    tmp_path: Path, name: str
):
    files = {"a.md": b"a", "vendor/b.md": b"b", ".x/c.md": b"c", "d.md": b"d", ".e.md": b"e"}
    WRITERS[name](tmp_path / name, {**files, ".gitignore": b"d.md\n"})

    def read_by(*include: str) -> list[str]:
        records = read(tmp_path, globs=Globs(include=include))
        paths = [record.path for record in records if isinstance(record, Document)]
        return sorted(path.removeprefix(f"{name}/") for path in paths)

    assert read_by("*.md") == [".e.md", "a.md"]
    assert read_by("vendor/*.md") == ["vendor/b.md"]
    assert read_by("d.md", ".x/") == [".x/c.md", "d.md"]


@pytest.mark.parametrize("name", WRITERS)
def test_members_are_chosen_by_their_path_in_the_folder_or_in_the_archive(
    tmp_path: Path, name: str
):
    files = {"./docs/a.md": b"a", "docs/b.txt": b"b", "c.md": b"c"}
    path = WRITERS[name](tmp_path / name, files)

    def read_by(corpus: Path, **globs: tuple[str, ...]) -> set[str]:
        records = read(corpus, globs=Globs(**globs))
        paths = [record.path for record in records if isinstance(record, Document)]
        return {path.removeprefix(f"{name}/") for path in paths}

    for corpus in (tmp_path, path):
        assert read_by(corpus) == {"docs/a.md", "docs/b.txt", "c.md"}
        assert read_by(corpus, include=("*.md",)) == {"docs/a.md", "c.md"}
        assert read_by(corpus, include=("/docs/*.md",)) == {"docs/a.md"}
        assert read_by(corpus, include=(f"{name}/docs/",)) == {"docs/a.md", "docs/b.txt"}
        assert read_by(corpus, exclude=("docs/*.md",)) == {"docs/b.txt", "c.md"}
        assert read_by(corpus, exclude=(f"/{name}/docs",)) == {"c.md"}
    assert read_by(tmp_path, exclude=(name,)) == set()


@pytest.mark.parametrize("name", WRITERS)
def test_an_archive_without_files_is_named(tmp_path: Path, name: str):
    WRITERS[name](tmp_path / name, {})
    [said] = read(tmp_path)
    assert said == PassedOver(name, "an archive without files")


def test_names_in_the_code_page_of_a_country_are_read(tmp_path: Path):
    path = zipped(tmp_path / "old.zip", {"AABB/CCDD.md": b"One.", "AABB/EEFF.md": b"Two."})
    content = path.read_bytes()
    for ascii_name, name in {b"AABB/": "报告\\", b"CCDD": "灯塔", b"EEFF": "总结"}.items():
        content = content.replace(ascii_name, name.encode("gbk"))  # of the same length
    path.write_bytes(content)
    documents = [record for record in read(tmp_path) if isinstance(record, Document)]
    assert [(one.path, one.title, one.text) for one in documents] == [
        ("old.zip/报告/灯塔.md", "灯塔", "One."),
        ("old.zip/报告/总结.md", "总结", "Two."),
    ]


def test_a_member_that_went_by_is_not_read_again(tmp_path: Path):
    path = WRITERS["old.tar"](tmp_path / "old.tar", {"a.txt": bytes(2**19)})
    file = SourceFile("old.tar", lambda: open_stream(path), path)
    for member in archive_files(file, EVERY):
        assert isinstance(member, SourceFile)
        with member.opened() as stream:
            assert len(stream.read(100)) == 100
        assert len(member.content()) == 2**19
        with pytest.raises(OSError, match="read only once"):
            member.content()


@pytest.mark.parametrize("name", WRITERS)
def test_a_damaged_archive_is_one_bad_record(tmp_path: Path, name: str):
    path = WRITERS[name](tmp_path / name, {f"{i}.txt": bytes([65 + i]) * 5000 for i in range(9)})
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    records = list(read(tmp_path))
    assert isinstance(records[-1], BadRecord)
    assert records[-1].place == name
    whole = records[:-2]  # of a tar, the member that is cut is named too
    assert all(isinstance(record, Document) for record in whole)


def test_what_unpacks_to_far_more_than_its_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(packed, "_FREE_READ_BYTES", 10**5)
    zipped(tmp_path / "bomb.zip", {"a.txt": b"a", "b.txt": bytes(10**7), "c.txt": b"c"})
    first, *bad = read(tmp_path)
    assert isinstance(first, Document)
    assert [str(record.reason) for record in bad if isinstance(record, BadRecord)] == [
        f"its archive unpacks to more than {packed.MAX_READ_RATIO} times its size: "
        "unpack it first, if you trust it"
    ] * 2


def test_a_password_and_an_inner_archive_are_named(tmp_path: Path):
    path = zipped(tmp_path / "a.zip", {"in.zip": b"PK", "b.txt": b"x"})
    content = bytearray(path.read_bytes())
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flag of encryption
        content[content.rindex(magic) + at] |= 1
    path.write_bytes(content)
    records = list(read(tmp_path))
    assert PassedOver("a.zip/in.zip", "an archive in an archive") in records
    [bad] = [record for record in records if isinstance(record, BadRecord)]
    assert bad == BadRecord(
        "a.zip/b.txt", "is protected by a password: pack it without one", "a.zip/b.txt"
    )


LINKS = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.parametrize("target", ["/etc/passwd", "a.txt", "../secret.txt", "x" * 200])
@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz"])
def test_a_link_in_a_tar_is_named_and_not_followed_and_the_rest_is_read(
    tmp_path: Path, kind: bytes, target: str, name: str
):
    (tmp_path / "secret.txt").write_text("Secret.")
    (tmp_path / "in").mkdir()
    with tarfile.open(tmp_path / "in" / name, "w:gz" if name.endswith("gz") else "w") as archive:
        link = tarfile.TarInfo("l.md")
        link.type, link.linkname = kind, target
        archive.addfile(link)
        for at in range(2):
            member = tarfile.TarInfo(f"{at}.txt")
            member.size = 700
            archive.addfile(member, io.BytesIO(b"x" * 700))
            archive.addfile(link)
    counts = CorpusCounts()
    for corpus in (tmp_path / "in", tmp_path / "in" / name):
        counts = CorpusCounts()
        passages = list(read_corpus(corpus, counts=counts))
        assert [passage.text for passage in passages] == ["x" * 700] * 2
        assert counts.passed_over == {"a link, a device or a sparse file in an archive": {".md": 3}}
    assert counts.n_bad_records == 0


def test_what_is_read_is_bounded_closer_than_what_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(packed, "_FREE_READ_BYTES", 10**6)
    files = {"a.png": bytes(10**7), "b.txt": b"b", "c.txt": b"c" * 10**7, "d.txt": b"d"}
    tarred("w:gz")(tmp_path / "t.tar.gz", files)
    zipped(tmp_path / "z.zip", files)
    for name, n_read in (("t.tar.gz", 1), ("z.zip", 1)):
        records = list(read(tmp_path / name))
        documents = [record.title for record in records if isinstance(record, Document)]
        assert documents[:n_read] == ["b"]
        reasons = [record.reason for record in records if isinstance(record, BadRecord)]
        assert f"unpacks to more than {packed.MAX_READ_RATIO} times its size" in reasons[0]


@pytest.mark.parametrize("write", [zipped, tarred("w")])
def test_what_a_packed_member_unpacks_to_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., Path]
):
    monkeypatch.setattr(packed, "_FREE_READ_BYTES", 10**6)
    lines = b'{"title": "T", "text": "%s"}\n' % (b"x" * 1000) * 5000
    path = write(
        tmp_path / ("a.zip" if write is zipped else "a.tar"), {"a.jsonl.gz": gzip.compress(lines)}
    )
    records = list(read(path))
    assert len(lines) > packed.MAX_READ_RATIO * path.stat().st_size
    assert isinstance(records[-1], BadRecord)
    assert "times its size" in records[-1].reason
