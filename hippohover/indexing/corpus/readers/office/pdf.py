"""PDF: its text in reading order, its outline as headings, and its pages.

PDFium reads it in a process of its own (``pdf_lines.py``), within bounds of time and memory: what a
hostile file does to it is the end of that process, and one named failure.
"""

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.known_names import KNOWN
from hippohover.indexing.corpus.readers.documents import real_title, text_document
from hippohover.indexing.corpus.readers.office import pdf_lines
from hippohover.indexing.corpus.readers.office.package import (
    PASSWORD,
    UnreadableError,
    fields_from,
    reads_one,
)
from hippohover.indexing.corpus.readers.office.pdf_layout import laid_out
from hippohover.indexing.corpus.records import Document

SUFFIXES: Final = (".pdf",)

MAX_PAGES: Final = 10_000
MAX_CHARS: Final = 16 * 2**20
MAX_SECONDS: Final = 45
"""Processor time of one file; 10,000 pages of plain text take 30."""

MAX_BYTES: Final = 2**30
_OUT_OF_TIME: Final = (signal.SIGXCPU, signal.SIGKILL)
_WAITING_SECONDS: Final = 6 * MAX_SECONDS  # on a machine that has other work too

_NO_TEXT: Final = "holds no text: run OCR over it"
_DAMAGED: Final = "damaged: open it in a viewer and print it to a new PDF"
_ENDED: Final = "damaged, or a page of it is too large to read: print it to a new PDF"
_REASONS: Final = {
    "password": PASSWORD,
    "damaged": _DAMAGED,
    "pages": f"has over {MAX_PAGES:,} pages: split it",
    "characters": f"holds over {MAX_CHARS >> 20} million characters: split it",
}
_FIELDS: Final[dict[str, str]] = KNOWN["fields"]["pdf"]


@reads_one
def read(file: SourceFile) -> Document:
    """Read a file."""
    if find_spec("pypdfium2") is None:
        raise ModuleNotFoundError
    lines = _lines_of(file.content())
    marked, title = laid_out(lines["pages"], lines["outline"])
    if not marked.text:
        is_damaged = any(page["is_damaged"] for page in lines["pages"])
        raise UnreadableError(_DAMAGED if is_damaged else _NO_TEXT)
    metadata: dict[str, str] = lines["metadata"]
    fields = fields_from((_FIELDS.get(name, ""), value) for name, value in metadata.items())
    title = real_title(str(fields.get("title", ""))) or title
    return text_document(file, marked, titles=(title,), fields=fields)


def _lines_of(content: bytes) -> dict[str, Any]:
    """Return the process's answer about the file."""
    bounds = map(str, (MAX_PAGES, MAX_CHARS, MAX_SECONDS, MAX_BYTES))
    command = [sys.executable, "-P", str(Path(pdf_lines.__file__)), *bounds]
    searched = os.pathsep.join(filter(None, sys.path))  # so that it finds what is found here
    try:
        done = subprocess.run(  # noqa: S603  (a list, no shell)
            command,
            input=content,
            capture_output=True,
            timeout=_WAITING_SECONDS,
            env=os.environ | {"PYTHONPATH": searched},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableError(_too_slow()) from error
    if done.returncode:
        is_slow = -done.returncode in _OUT_OF_TIME
        raise UnreadableError(_too_slow() if is_slow else _ENDED)
    said: dict[str, Any] = json.loads(done.stdout)
    if "failure" in said:
        raise UnreadableError(_REASONS[said["failure"]])
    return said


def _too_slow() -> str:
    return f"takes over {MAX_SECONDS} s to read: split it, or print it to a new PDF"
