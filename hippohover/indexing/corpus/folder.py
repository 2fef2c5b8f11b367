"""A folder or an archive of files of any kind, or one file: each is read as what it is.

Hidden and vendored folders are passed over, and what ``.gitignore`` files name. A file that cannot
be read is a bad record, whatever is wrong with it.
"""

from functools import partial
from pathlib import Path

from hippohover.indexing.corpus.file_formats import documents_in
from hippohover.indexing.corpus.files.globs import EVERY, Globs
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.indexing.corpus.records import Records
from hippohover.indexing.corpus.tree import tree_files
from hippohover.recipe import NO_FIELDS, CorpusFields


def read(path: Path, fields: CorpusFields = NO_FIELDS, globs: Globs = EVERY) -> Records:
    """Documents of the files, in the order of their paths.

    Raises
    ------
    CorpusError
        The folder itself cannot be read.
    """
    if not path.is_dir():
        file = SourceFile(path.name, partial(open_stream, path), path)
        yield from documents_in(file, globs, fields)
        return
    for item in tree_files(path, globs):
        if isinstance(item, SourceFile):
            yield from documents_in(item, globs, fields)
        else:
            yield item
