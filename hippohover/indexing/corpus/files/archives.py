"""Files of a compressed archive, streamed within limits: nothing is extracted to disk."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import CHUNK_BYTES, one_line, open_stream
from hippohover.indexing.corpus.files.tar import TarMember, tar_members

_MOST_NAMED: Final = 3


def archive_members(path: Path, suffix: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Stream the regular members of a packed tar whose names end in ``suffix``.

    Members come in the archive's order, never touch the disk, and must be read before the next
    is asked for. Hidden files (".DS_Store", "._wiki_00.bz2") are passed over.

    Raises
    ------
    CorpusError
        A member's name is absolute or has "..", or it is a link, a device or a sparse file; or
        none has such a name.
    """
    n_read, others = 0, list[str]()
    with open_stream(path) as stream:
        for member in tar_members(stream):
            _refuse_unsafe(path, member)
            name = PurePosixPath(member.name).name
            if member.is_file and name.endswith(suffix) and not name.startswith("."):
                n_read += 1
                yield member.name, member.content
            elif member.is_file and len(others) < _MOST_NAMED:
                others.append(f'"{one_line(member.name)}"')
        while stream.read(CHUNK_BYTES):
            pass  # to the end, where the checksums are
    if not n_read:
        raise CorpusError(
            f"{one_line(str(path))}: holds no file to read (its name ends in {suffix} and does "
            f"not begin with a dot), {'but ' * bool(others)}{', '.join(others) or 'and no other'}: "
            "pack such files, or name the format in the recipe's [corpus]"
        )


def _refuse_unsafe(path: Path, member: TarMember) -> None:
    name = member.name
    if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name):
        problem = "has a name that leaves the archive"
    elif not (member.is_folder or member.is_file):
        problem = "is a link, a device or a sparse file"
    else:
        return
    raise CorpusError(
        f'{one_line(str(path))}: member "{one_line(name)}" {problem}: an archive of a corpus '
        "holds plain files and folders only: pack it again without"
    )
