"""Reads a folder or an archive of files of any kind, or one file, each by its format.

Hidden and vendored folders are passed over, and what ``.gitignore`` files name. A file that cannot
be read is a bad record, whatever is wrong with it.
"""

import os
from functools import partial
from pathlib import Path

from hippohover.errors import UsageError
from hippohover.indexing.corpus.file_formats import documents_in, documents_of
from hippohover.indexing.corpus.files.globs import EVERY, Globs
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.indexing.corpus.records import Records, clean_text
from hippohover.indexing.corpus.tree import tree_files
from hippohover.recipe import NO_FIELDS, CorpusFields


def read(
    path: Path,
    fields: CorpusFields = NO_FIELDS,
    globs: Globs = EVERY,
    root: Path | None = None,
) -> Records:
    """Read the documents of the files, in the order of their paths.

    Parameters
    ----------
    path : Path
        A folder; or one file, which is called by its name, or as in the folder ``root``.
    fields : CorpusFields
        What a recipe says of the fields of records.
    globs : Globs
        Which files of a folder or an archive are read.
    root : Path, optional

    Raises
    ------
    UsageError
        The file is not below ``root``.
    CorpusError
        The folder itself cannot be read.
    """
    if path.is_dir():
        return documents_of(tree_files(path, globs), globs, fields)
    place = path.name if root is None else _place_below(root, path)
    return documents_in(SourceFile(place, partial(open_stream, path), path), globs, fields)


def _place_below(root: Path, path: Path) -> str:
    place = Path(os.path.relpath(path, root)).as_posix()
    if place.startswith("../"):
        raise UsageError(f"{path} is not below {root}: give a root that it is in")
    return clean_text(place)
