"""A folder with three files of every kind that is read, and a table of what is read of them.

``kinds/expected.txt`` is written and looked at by hand: a line that changes is a reader that does.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from hippohover.indexing.build import build
from hippohover.indexing.corpus.formats import FILE_READERS
from hippohover.indexing.corpus.formats import read_folder as read
from hippohover.indexing.corpus.passage_table import stored_passages
from hippohover.indexing.corpus.records import BadRecord, Document
from hippohover.recipe import CorpusSettings, IndexRecipe
from hippohover.records import Passage
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables
from tests.indexing.corpus.kinds import conversations, packed, texts
from tests.indexing.corpus.test_folder import write_tree

FILES: Final = texts.FILES | conversations.FILES | packed.FILES
EXPECTED: Final = Path(__file__).parent / "kinds" / "expected.txt"
RECIPE: Final = IndexRecipe(
    name="kinds",
    extractor="between",
    encoder="none",
    corpus=CorpusSettings(metadata=("date", "author", "url"), max_words=20),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("kinds") / "folder", FILES)


def rows(document: Document) -> Iterator[str]:
    """What is read of a document, a line each."""
    text = document.text

    def shown(offset: int, length: int = 24) -> str:
        return " ".join(text[offset : offset + length].split())

    yield f"title   {document.title}"
    yield f"id      {document.id}"
    yield f"text    {shown(0, 60)}"
    for name in document.aliases:
        yield f"alias   {name}"
    for heading in document.headings:
        yield f"heading {heading.path} #{heading.anchor} | {shown(heading.offset)}"
    for link in document.links:
        yield f"link    {link.title} | {shown(link.offset)}"
    for page in document.pages:
        yield f"page    {page.number} | {shown(page.offset)}"
    for name in sorted(document.fields):
        if name not in ("title", "text"):
            yield f"field   {name}: {' '.join(str(document.fields[name]).split())[:60]}"
    if document.reply_to:
        yield f"answers {document.reply_to}"
    if document.encoding:
        yield f"in      {document.encoding}"


def table(folder: Path) -> dict[str, list[str]]:
    """What is read of each file, and what is not."""
    found: dict[str, list[str]] = {}
    for record in read(folder):
        if isinstance(record, Document):
            found.setdefault(record.path, []).extend(("", *rows(record)))
        elif isinstance(record, BadRecord):
            found.setdefault(record.place, []).append(f"bad     {record.reason}")
        else:
            found.setdefault(getattr(record, "place", "said"), []).append(f"said    {record[-1]}")
    return found


def test_what_is_read_of_every_kind_is_as_in_the_table(folder: Path):
    found = table(folder)
    lines = "".join(
        f"== {place}\n" + "".join(f"{line}\n" for line in of_file) + "\n"
        for place, of_file in sorted(found.items())
    )
    assert lines == EXPECTED.read_text(encoding="utf-8")


def test_the_folder_holds_files_of_every_reader_and_three_of_each_kind():
    suffixes = {Path(place.removesuffix(".gz")).suffix for place in FILES}
    readers = {reader: suffix for suffix, reader in FILE_READERS.items()}
    of_files = {FILE_READERS[suffix] for suffix in suffixes if suffix in FILE_READERS}
    assert {readers[reader] for reader in readers if reader not in of_files} <= {".wikiextractor"}
    kinds = [place.partition("/")[0] for place in FILES]
    assert all(kinds.count(kind) >= 3 for kind in kinds)


def test_one_build_reads_all_of_it_and_cites_each_page_and_heading(folder: Path, tmp_path: Path):
    root = build(RECIPE, corpus=folder, out=tmp_path / "index", workers=1)
    with StoredIndex.open(root) as stored:
        log = stored.log()
        passages = list(stored_passages(IndexTables.open(stored)))
    assert log is not None
    counted = log["read"]
    assert counted["failures"] == []
    assert counted["passed_over"] == {"pictures": {".png": 2}}
    documents = [record for record in read(folder) if isinstance(record, Document)]
    assert {one.title for one in passages} == {one.title for one in documents}
    assert counted["n_documents"] == len(documents) - counted["n_duplicates"]  # equal ones are one
    assert [of(passages, "pdf/report.pdf"), of(passages, "pptx/talk.pptx")] == [
        {(1, "Chapter 1"), (2, "Chapter 1"), (3, "Chapter 3"), (4, "Chapter 3")},
        {(1, "The frozen harbour"), (2, "What happened"), (3, "Rates")},
    ]
    assert of(passages, "pptx/untitled.pptx") == {(1, ""), (2, "")}
    dates = {passage.path: passage.metadata[0] for passage in passages}
    for path in ("md/rules.md", "html/rates.html", "rst/guide.rst", "org/notes.org"):
        assert dates[path] == "2024-03-01"


def of(passages: list[Passage], path: str) -> set[tuple[int, str]]:
    """Pages and headings of the passages of a file."""
    return {(one.page, one.heading) for one in passages if one.path == path}
