"""A folder of .txt and .md files, in the order of their paths; hidden ones are passed over.

The title of an .md file is what its front matter says, else the heading that opens it; of any
other file it is the name without its suffix, which stays a name of the document in any case. What
an .md file links is read, and a ``[[link]]`` in any.
"""

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import (
    BOM,
    MAX_RECORD_BYTES,
    NOT_UTF8,
    damage_named,
    one_line,
    too_long,
)
from hippohover.indexing.corpus.front_matter import split_front_matter
from hippohover.indexing.corpus.markup import heading_words, headings, links, without_suffix
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Records,
    make_document,
    names_in,
    other_names,
)
from hippohover.recipe import NO_FIELDS, CorpusFields


def read(path: Path, _: CorpusFields = NO_FIELDS) -> Records:
    """Documents of the files."""
    for file in sorted(_text_files(path)):
        place = file.relative_to(path).as_posix()
        with damage_named(str(file)):
            yield _text_file(file, place)


def _text_file(file: Path, place: str) -> Document | BadRecord:
    if not file.is_file():
        raise CorpusError(f"{one_line(str(file))}: not a regular file: take it out of the folder")
    with file.open("rb") as stream:
        content = stream.read(MAX_RECORD_BYTES + 1)
    if len(content) > MAX_RECORD_BYTES:
        raise too_long(str(file))
    try:
        text = content.removeprefix(BOM).decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return BadRecord(place, NOT_UTF8)
    path = without_suffix(place)
    if file.suffix.lower() != ".md":
        document = make_document(file.stem, text, place)
        return document if isinstance(document, BadRecord) else document._replace(id=path)
    fields, text = split_front_matter(text)
    heading, text = _opening_heading(text)
    given = fields.get("title")
    title = (given if isinstance(given, str) else "") or heading or file.stem
    document = make_document(title, text, place)
    if isinstance(document, BadRecord):
        return document
    names = [*names_in(fields.get("aliases")), *names_in(fields.get("alias")), heading, file.stem]
    return document._replace(
        id=path,
        fields=fields,
        aliases=other_names(document.title, names),
        headings=headings(document.text),
        links=links(document.text, posixpath.dirname(place)),
    )


def _opening_heading(text: str) -> tuple[str, str]:
    """The heading of the first level that opens a text, "" without one, and the text behind it."""
    head, _, body = text.lstrip().partition("\n")
    return (heading_words(head), body) if head.startswith(("# ", "#\t")) else ("", text)


def _text_files(path: Path) -> Iterator[Path]:
    """Visible text files below ``path``.

    A link to a folder inside it is not followed: what it shows is met at its own place.
    """
    if not path.is_dir():
        raise CorpusError(f"{one_line(str(path))}: not a folder: name the folder of the files")
    root = os.path.realpath(path)
    for folder, names, files in os.walk(path, onerror=_raise):
        names[:] = [name for name in names if not name.startswith(".")]
        texts = [
            name
            for name in files
            if name.lower().endswith((".txt", ".md")) and not name.startswith(".")
        ]
        for name in (*names, *texts):
            _refuse_leaving(root, os.path.join(folder, name))  # noqa: PTH118
        yield from (Path(folder, name) for name in texts)


def _refuse_leaving(root: str, path: str) -> None:
    """Raise for a symbolic link that leads out of ``root``."""
    if os.path.islink(path):  # noqa: PTH114
        target = os.path.realpath(path)
        if os.path.commonpath([root, target]) != root:
            raise CorpusError(
                f"{one_line(path)}: a symbolic link that leaves the folder: "
                "put a copy of the file in its place"
            )


def _raise(error: OSError) -> None:
    with damage_named(str(error.filename)):
        raise error
