"""Links to the files of passages, and their delivery to a browser.

A file may contain anything, so it never runs like the page: HTML is shown in a sandbox without
scripts, PDF and text are shown as they are, and everything else is downloaded.
"""

import hmac
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.responses import FileResponse

from hippohover.disk.decoding import encoding_of
from hippohover.indexing.corpus.readers.texts.html import declared_encoding
from hippohover.metadata import Metadata

ROUTE: Final = "/v1/documents/"

_NOTHING: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_SANDBOX: Final = f"sandbox; {_NOTHING}; style-src 'unsafe-inline'; img-src data:"
# Browsers put a PDF into a page of their own, which is an object with a style.
_VIEWER: Final = f"{_NOTHING}; object-src 'self'; style-src 'unsafe-inline'"
_SHOWN: Final = {".pdf": "application/pdf", ".htm": "text/html", ".html": "text/html"}
_OF_BROWSERS: Final = {
    "cp932": "shift_jis", "cp949": "euc-kr", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be"
}  # fmt: skip
_LOOKED_AT: Final = 2**16
_WORD: Final = re.compile(r"[^\s。、，！？]+[。、，！？]*")
"""A word; where words have no spaces between them, a clause."""
_WORDS_OF_RUN: Final = 5
_SHORTEST_RUN: Final = 12
"""Characters of a run that is hardly anywhere else in the file."""
_MOST_RUNS: Final = 4


class Documents:
    """The folder that a corpus was read from, read only.

    Parameters
    ----------
    folder : Path
    token : str or None
        If the server requires one: a link then carries a key to its one file, because a browser
        that opens it sends no token.
    """

    def __init__(self, folder: Path, token: str | None = None) -> None:
        self._folder = folder.resolve()
        self._token = token

    def link(self, metadata: Metadata, text: str = "", sentence: str = "") -> str:
        """Return the address of a passage's file, at its place; "" without the file.

        The place is the page of a PDF. Elsewhere it is the anchor, and words of ``sentence``, which
        is part of ``text``; without it, the first of ``text`` from its heading on. Browsers scroll
        to them if they find them, in HTML and in plain text.
        """
        path = str(metadata.get("path", ""))
        if not path or self.file(path) is None:
            return ""
        key = "" if self._token is None else f"?key={self._key(path)}"
        page, anchor = metadata.get("page"), metadata.get("anchor")
        heading = str(metadata.get("heading", "")).rpartition(" > ")[2]
        place = f"page={page}" if page else quote(str(anchor or ""))
        if not page:
            at = text.find(sentence) if sentence else -1
            above, rest = (text[:at], text[at:]) if at >= 0 else ("", "")
            runs = _runs_unlike(above, sentence) or _runs_unlike(above, rest)
            place += _text_directives(runs or _runs(_from_heading(text, heading)))
        return f"{ROUTE}{quote(path)}{key}{'#' if place else ''}{place}"

    def allows(self, path: str, key: str) -> bool:
        """Return whether a key is the file's; without a token every key is."""
        return self._token is None or hmac.compare_digest(key.encode(), self._key(path).encode())

    def file(self, path: str) -> Path | None:
        """Return a file of the folder; None if it is missing, or lies outside."""
        try:
            file = (self._folder / path).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # Python before 3.13 says so of a loop
            return None
        return file if file.is_relative_to(self._folder) and file.is_file() else None

    def _key(self, path: str) -> str:
        assert self._token is not None  # noqa: S101  (without one nobody asks)
        return hmac.new(self._token.encode(), path.encode(), sha256).hexdigest()


def _from_heading(text: str, heading: str) -> str:
    """Return a text from its heading on; all of it without one."""
    begins = re.search(rf"(?<!\w){re.escape(heading)}(?!\w)", text) if heading else None
    return text[begins.start() :] if begins else text


def _text_directives(runs: Iterable[str]) -> str:
    """Return the part of an address that names runs of words; "" without any.

    A browser goes to the first run that it finds, so that markup within one is no harm
    (https://wicg.github.io/scroll-to-text-fragment).
    """
    told = [quote(run, safe="").replace("-", "%2D") for run in islice(runs, _MOST_RUNS)]
    return f":~:{'&'.join(f'text={run}' for run in told)}" if told else ""


def _runs_unlike(above: str, sentence: str) -> list[str]:
    """Return the runs of a sentence that the text above it lacks: a browser stops at the first."""
    folded = above.casefold()
    return [run for run in _runs(sentence) if run.casefold() not in folded]


def _runs(text: str) -> Iterator[str]:
    """Yield stretches of some words, each within a line: browsers look within one block."""
    for line in text.splitlines():
        words = list(_WORD.finditer(line))
        for first in range(0, len(words), _WORDS_OF_RUN):
            last = words[first : first + _WORDS_OF_RUN][-1]
            run = line[words[first].start() : last.end()]
            if len(run) >= _SHORTEST_RUN:
                yield run


def response_of(file: Path) -> FileResponse:
    """Respond with a file: shown or saved, and under which policy."""
    with file.open("rb") as stream:
        head = stream.read(_LOOKED_AT)
    media = _SHOWN.get(file.suffix.lower(), "text/plain")
    charset = _charset(head) if media.startswith("text/") else ""
    if media == "text/plain" and not charset:
        media = ""
    if charset:
        media += f"; charset={charset}"
    return FileResponse(
        file,
        filename=file.name,
        content_disposition_type="inline" if media else "attachment",
        headers={
            "Content-Type": media or "application/octet-stream",
            "Content-Security-Policy": _VIEWER if media == "application/pdf" else _SANDBOX,
            "Cache-Control": "private, no-cache",
        },
    )


def _charset(head: bytes) -> str:
    """Return a text's encoding, as browsers call it; "" if it is not text."""
    try:
        encoding = encoding_of(head, declared_encoding(head))
    except UnicodeError:
        return ""
    encoding = _OF_BROWSERS.get(encoding, encoding)
    has_zeros = b"\0" in head and not head.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    return "" if has_zeros or encoding.startswith("utf-32") else encoding
