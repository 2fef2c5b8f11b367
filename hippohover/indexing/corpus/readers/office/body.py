"""Builds the text of a document from its blocks: paragraphs, headings, items, rows, pages."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.markup import MAX_HEADING_CHARS, without_suffix
from hippohover.indexing.corpus.readers.office.words import Words
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Heading,
    Link,
    Page,
    clean_title,
    make_document,
    other_names,
)

_NAMED_FOR_FOLDER: Final = ("index", "readme", "_index")
# What programs call a document that nobody has named, or the name of the file that it once was.
_NO_TITLE: Final = re.compile(
    r"(?:untitled|unnamed|unbenannt|sans titre|sin título|(?:microsoft )?word[ -]?document|document"
    r"|powerpoint[ -]pr[aäeé]sentation|pr[eé]sentation powerpoint|presentation|slide|title|unknown"
    r"|none)?[\s\d]*"
    r"|microsoft (?:office )?(?:word|powerpoint|excel) - .*"
    r"|\S+\.(?:docx?|odt|rtf|tex|dvi|indd|pptx?|pdf|qxd|html?)",
    re.I,
)


class OpenHeading(NamedTuple):
    """A heading before those above it are known; level 0 is a title above all.

    One without words ends those before it.
    """

    offset: int
    level: int
    words: str
    anchor: str = ""


class Body:
    """A document under construction, block by block."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._first_end = 0
        self._kind = ""
        self._headings: list[OpenHeading] = []
        self._links: list[Link] = []
        self._pages: list[Page] = []
        self._page: int | None = None
        self._ends_section = False

    def page(self, number: int) -> None:
        """Begin a page with the next block."""
        self._page = number

    def end_section(self) -> None:
        """Let the next block be below no heading, unless it is one."""
        self._ends_section = bool(self._headings) and bool(self._headings[-1].words)

    def paragraph(self, words: Words) -> None:
        """Add a paragraph, unless it has no words."""
        self._block("paragraph", words)

    def line(self, words: Words) -> None:
        """Add a line of text that stays a line, as in a program."""
        self._block("line", words)

    def item(self, words: Words, level: int = 0) -> None:
        """Add an item of a list, with its depth of lists."""
        if words:
            self._block("line", words.after(f"{'  ' * min(level, 8)}- "))

    def table(self, rows: Iterable[Sequence[Words]], n_names: int = 1) -> None:
        """Add a table's rows, each with the header: "Region: North"; a single row has none.

        ``n_names`` of the first rows name columns, by all of them: "2024 Rate: 12 %".
        """
        filled = [row for row in rows if any(row)]
        if len(filled) == 1:
            for cell in filled[0]:
                self.paragraph(cell)
            return
        self._kind = ""
        n_names = n_names if 0 < n_names < len(filled) else 1
        names = [[cell.text.rstrip(": ") for cell in row] for row in filled[:n_names]]
        of_columns = (dict.fromkeys(filter(None, column)) for column in zip_longest(*names))
        header = [f"{' '.join(column)}: " if column else "" for column in of_columns]
        for row in filled[n_names:]:
            line = Words()
            for at, cell in enumerate(row):
                if cell:
                    line.append(cell.after(header[at] if at < len(header) else ""), "; ")
            self.line(line)
        self._kind = ""

    def heading(self, level: int, words: Words, anchor: str = "") -> None:
        """Add a heading; a whole paragraph in the style of one is none."""
        name = clean_title(words.text)
        if len(name) > MAX_HEADING_CHARS:
            self.paragraph(words)
        elif name:
            offset = self._block("heading", words)
            self._headings.append(OpenHeading(offset, level, name, anchor))

    def _block(self, kind: str, words: Words) -> int:
        """Add a block; return where it begins."""
        if not words:
            return self._length
        if self._length:
            self._put("\n" if kind == self._kind == "line" else "\n\n")
        start, self._kind = self._length, kind
        if self._ends_section and kind != "heading":
            self._headings.append(OpenHeading(start, 1, ""))
        self._ends_section = False
        if self._page is not None:
            self._pages.append(Page(start, self._page))
            self._page = None
        self._links += [Link(start + offset, title) for offset, title in words.links]
        self._put(words.text)
        self._first_end = self._first_end or self._length
        return start

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def document(
        self, file: SourceFile, fields: Mapping[str, object], title: str = ""
    ) -> Document | BadRecord:
        """Make the document; ``title`` is what its metadata says.

        Without one, a heading of the first level that opens the body is its title. Where that
        stands above all that follows, it is a name in any case, and of the text unless it is the
        title.
        """
        text, opens, cut, names = "".join(self._parts), "", 0, list[str]()
        title = real_title(title)
        headings = self._headings
        if headings and headings[0].offset == 0 and headings[0].level <= 1:
            opens = headings[0].words
            stands_above = all(
                other.level > headings[0].level for other in headings[1:] if other.words
            )
            if stands_above and self._first_end < len(text):
                names = [opens]
                if not title or title.casefold() == opens.casefold():
                    cut, headings = self._first_end + 2, headings[1:]  # and the blank line
        draft = Document(
            title or opens,
            text[cut:],
            links=tuple(link._replace(offset=max(link.offset - cut, 0)) for link in self._links),
            fields=fields,
            headings=nested([head._replace(offset=head.offset - cut) for head in headings]),
            pages=tuple(page._replace(offset=max(page.offset - cut, 0)) for page in self._pages),
        )
        return finished(file, draft, names)


def nested(headings: Iterable[OpenHeading]) -> tuple[Heading, ...]:
    """Return headings, each with those above it; a repeated anchor stays with its first."""
    whole: list[Heading] = []
    above: list[tuple[int, str]] = []
    seen: set[str] = set()
    for heading in headings:
        above = [outer for outer in above if outer[0] < heading.level]
        above = [*above, (heading.level, heading.words)] if heading.words else []
        path = " > ".join(words for _, words in above)
        anchor = "" if heading.anchor in seen else heading.anchor
        whole.append(Heading(heading.offset, path, anchor))
        seen.add(heading.anchor)
    return tuple(whole)


def finished(file: SourceFile, draft: Document, names: Sequence[str] = ()) -> Document | BadRecord:
    """Complete a document with place and names; without a title it is named as its file."""
    document = make_document(draft.title or file_title(file), draft.text, file.place)
    if isinstance(document, BadRecord):
        return document
    return draft._replace(
        title=document.title,
        text=document.text,
        id=without_suffix(file.place),
        aliases=other_names(document.title, [*names, file.stem]),
        path=file.place,
    )


def file_title(file: SourceFile) -> str:
    """Return the file's name, or the folder's if the file has the same."""
    folder = file.folder.rpartition("/")[2]
    return folder if folder and file.stem.lower() in _NAMED_FOR_FOLDER else file.stem


def real_title(title: str) -> str:
    """Return a title that a person gave; "" for one that a program did."""
    title = clean_title(title)
    return "" if _NO_TITLE.fullmatch(title) else title
