"""A folder of .txt and .md files, in the order of their paths; hidden ones are passed over.

The title of an .md file is what its front matter says, else the heading that opens it; of any
other file it is the name without its suffix, which stays a name of the document in any case. What
an .md file links is read, and a ``[[link]]`` in any.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import damage_named, one_line, open_stream
from hippohover.indexing.corpus.readers.texts import markdown, plain
from hippohover.indexing.corpus.records import Records


def read(path: Path) -> Records:
    """Documents of the files."""
    for file in sorted(_text_files(path)):
        place = file.relative_to(path).as_posix()
        if not file.is_file():
            raise CorpusError(
                f"{one_line(str(file))}: not a regular file: take it out of the folder"
            )
        reader = markdown if file.suffix.lower() in markdown.SUFFIXES else plain
        with damage_named(str(file)):
            yield from reader.read(SourceFile(place, partial(open_stream, file)))


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
