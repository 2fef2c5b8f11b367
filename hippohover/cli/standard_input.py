"""Reads ``-``, standard input, into a temporary file where a command takes a file."""

import json
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

import typer

from hippohover.disk.text_files import STANDARD_INPUT
from hippohover.errors import CorpusError, HippoHoverError, UsageError

MAX_BYTES: Final = 4 * 2**30
"""Longest corpus that is taken from standard input."""

_CHUNK_BYTES: Final = 2**20


@contextmanager
def corpus_typed(corpus: Path | None, title: str | None) -> Generator[Path | None]:
    """Yield a corpus path; ``-`` reads records, or a text with a title.

    Raises
    ------
    UsageError
        Standard input is empty, too long, not UTF-8 or neither records nor titled.
    """
    if corpus is None or str(corpus) != "-":
        if title is not None:
            raise typer.BadParameter("--title names a text on standard input: give - as the corpus")
        yield corpus
        return
    from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES
    from hippohover.indexing.corpus.formats import detect_format

    with _spooled(MAX_BYTES if title is None else MAX_RECORD_BYTES) as path:
        if not path.stat().st_size:
            raise UsageError(f"{STANDARD_INPUT} is empty: pipe a text or JSON lines into it")
        if title is not None:
            _write_record(path, title)
        try:
            is_corpus = detect_format(path) != "folder"  # as which a text is read
        except CorpusError:
            is_corpus = False
        if not is_corpus:
            raise UsageError(
                f"{STANDARD_INPUT} is not a corpus: give JSON lines, or a text and its title, "
                "--title TITLE"
            )
        yield path


@contextmanager
def claims_typed(file: Path) -> Generator[Path]:
    """Yield the path of a file of claims as typed; ``-`` reads standard input."""
    if str(file) != "-":
        yield file
        return
    from hippohover.evaluation.claims_files import MAX_CLAIMS_BYTES

    with _spooled(MAX_CLAIMS_BYTES) as path:
        yield path


@contextmanager
def _spooled(most_bytes: int) -> Generator[Path]:
    """Yield a file of standard input; errors do not name its folder."""
    with TemporaryDirectory(prefix="hippohover-") as folder:
        path = Path(folder, STANDARD_INPUT)
        n_bytes = 0
        with path.open("wb") as file:
            for chunk in _chunks(sys.stdin.buffer):
                n_bytes += len(chunk)
                if n_bytes > most_bytes:
                    raise UsageError(
                        f"{STANDARD_INPUT} has more than {most_bytes // 2**20:,} MB: give a file, "
                        "or parts"
                    )
                file.write(chunk)
        try:
            yield path
        except HippoHoverError as error:
            error.args = tuple(str(part).replace(f"{folder}/", "") for part in error.args)
            raise


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK_BYTES):
        yield chunk


def _write_record(path: Path, title: str) -> None:
    """Replace a text by a record with that title."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{STANDARD_INPUT} is not UTF-8 text: convert it") from error
    record = json.dumps({"title": title, "text": text}, ensure_ascii=False)
    path.write_bytes(record.encode("utf-8", "replace"))
