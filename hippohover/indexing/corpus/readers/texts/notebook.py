"""Jupyter notebooks: Markdown cells as Markdown, code as text, outputs as plain text."""

from typing import Any, Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import (
    Marked,
    Section,
    joined_texts,
    json_of,
    text_document,
    without_title,
)
from hippohover.indexing.corpus.readers.texts.markdown import marked_text
from hippohover.indexing.corpus.records import (
    Records,
    UnreadableError,
    clean_title,
    items_in,
    object_in,
    objects_in,
)

SUFFIXES: Final = (".ipynb",)

Fields = dict[str, Any]

_MAX_OUTPUT_CHARS: Final = 2000
"""Of each output: a longer one is a log or a table of numbers."""


def read(file: SourceFile) -> Records:
    """Yield the document of a notebook."""
    notebook = json_of(file)
    cells = _cells(notebook)
    metadata = object_in(object_in(notebook).get("metadata"))
    title = clean_title(_text(metadata.get("title")))
    marked = joined_texts(_marked(cell, file.folder) for cell in cells)
    heading, marked = without_title(marked, title)
    titles = (title, heading)
    if not marked.sections:  # a comment in its code is no heading of it
        name = next(filter(None, titles), file.stem)
        marked = marked._replace(sections=[Section(0, 1, name)])
    yield text_document(file, marked, titles=titles, fields=_fields(metadata))


def _fields(metadata: Fields) -> Fields:
    """Return what a notebook says of itself."""
    kernel = object_in(metadata.get("kernelspec"))
    authors = [_text(author.get("name")) for author in objects_in(metadata.get("authors"))]
    said = {
        "title": _text(metadata.get("title")),
        "date": _text(metadata.get("date")),
        "language": _text(
            kernel.get("language") or object_in(metadata.get("language_info")).get("name")
        ),
        "author": list(filter(None, authors)),
    }
    return {name: value for name, value in said.items() if value}


def _cells(notebook: object) -> list[Fields]:
    """Return the cells of a notebook; in the third format, those of its first sheets."""
    fields = object_in(notebook)
    holders = [fields, *map(object_in, items_in(fields.get("worksheets")))]
    if not any(isinstance(holder.get("cells"), list) for holder in holders):
        raise UnreadableError("is not a notebook: it has no cells: check the file")
    return [object_in(cell) for holder in holders for cell in items_in(holder.get("cells"))]


def _marked(cell: Fields, folder: str) -> Marked:
    text = _text(cell.get("source") or cell.get("input")).replace("\r\n", "\n").replace("\r", "\n")
    kind = cell.get("cell_type")
    if kind == "markdown":
        return marked_text(text, folder)
    if kind == "heading":  # of the third format
        level = cell.get("level")
        words = clean_title(text)
        return Marked(words, [Section(0, level if isinstance(level, int) else 1, words)])
    outputs = map(_output, items_in(cell.get("outputs"))) if kind == "code" else ()
    return Marked("\n\n".join(filter(str.strip, (text, *outputs))))


def _output(output: object) -> str:
    """Return the plain text of an output; "" for outputs in other forms."""
    fields = object_in(output)
    data = object_in(fields.get("data")) or fields
    text = _text(fields.get("text") or data.get("text/plain"))
    shown_otherwise = any(name.startswith(("image/", "application/")) for name in data)
    return "" if shown_otherwise or len(text) > _MAX_OUTPUT_CHARS else text


def _text(value: object) -> str:
    """Return a text, or the lines of one in a list; "" for anything else."""
    lines = [value] if isinstance(value, str) else items_in(value)
    return "".join(line for line in lines if isinstance(line, str))
