"""Markdown: its front matter, its headings and what it links.

The title is what the front matter says, else the heading that opens the text, else the file's
name, which stays a name of the document in any case.
"""

from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.decoding import decoded
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.front_matter import split_front_matter
from hippohover.indexing.corpus.markup import heading_words, headings, links, without_suffix
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    make_document,
    names_in,
    other_names,
)

SUFFIXES: Final = (".md",)


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """The document of a file."""
    text, encoding = decoded(file.content())
    fields, text = split_front_matter(text)
    heading, text = _opening_heading(text)
    given = fields.get("title")
    title = (given if isinstance(given, str) else "") or heading or file.stem
    document = make_document(title, text, file.place)
    if isinstance(document, BadRecord):
        yield document
        return
    names = [*names_in(fields.get("aliases")), *names_in(fields.get("alias")), heading, file.stem]
    yield document._replace(
        id=without_suffix(file.place),
        path=file.place,
        encoding=encoding,
        fields=fields,
        aliases=other_names(document.title, names),
        headings=headings(document.text),
        links=links(document.text, file.folder),
    )


def _opening_heading(text: str) -> tuple[str, str]:
    """The heading of the first level that opens a text, "" without one, and the text behind it."""
    head, _, body = text.lstrip().partition("\n")
    return (heading_words(head), body) if head.startswith(("# ", "#\t")) else ("", text)
