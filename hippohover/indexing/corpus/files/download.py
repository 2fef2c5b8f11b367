"""Downloads a corpus file, complete and checked, or raises an error.

A download goes on where it was cut, is checked by size and SHA-256, and appears under its name
only when it is right.
"""

import fcntl
import hashlib
import http.client
import os
import shutil
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from hippohover.errors import DownloadError
from hippohover.indexing.corpus.files.streams import one_line

Progress = Callable[[int, int], None]
"""Called with the bytes that are there and the bytes of the whole file."""

CHUNK_BYTES: Final = 2**20
PART: Final = ".part"
"""End of the name of a file that is being downloaded."""
_TIMEOUT_SECONDS: Final = 60
_MAX_FRUITLESS_TRIES: Final = 5
_LONGEST_PAUSE_SECONDS: Final = 60.0
_PASSING_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


def download(
    url: str,
    to: Path,
    *,
    sha256: str,
    n_bytes: int,
    progress: Progress | None = None,
    pause_seconds: float = 1.0,
) -> Path:
    """Download a file, unless it already exists and is right.

    What has come stands in ``<to>.part`` until it is whole, so a later call goes on from there.

    Parameters
    ----------
    url : str
        An http or https address.
    to : Path
        Where the file goes; its folder is made.
    sha256 : str
        The SHA-256 the file must have, 64 hexadecimal digits.
    n_bytes : int
        The size it must have.
    progress : callable, optional
        Called with (bytes there, ``n_bytes``) after each piece of up to 1 MB.
    pause_seconds : float
        Pause before the first new try; doubled for each further one. The download ends after
        5 tries in a row that brought nothing new.

    Returns
    -------
    Path
        ``to``.

    Raises
    ------
    DownloadError
        The address cannot be used, the server refuses or keeps failing, the disk is full, or
        the file has another size or SHA-256; then what had come is removed.
    """
    to = Path(to)
    if to.is_dir():
        raise DownloadError(f"{one_line(str(to))}: a folder: name the file to write")
    wanted = _Wanted(_checked_url(url), to, to.with_name(to.name + PART), sha256, n_bytes)
    if len(sha256) != 64 or set(sha256.lower()) - set("0123456789abcdef"):
        raise DownloadError(f"sha256 {one_line(sha256)!r} is none: give 64 hexadecimal digits")
    if n_bytes < 1:
        raise DownloadError(f"n_bytes is {n_bytes}: give the size of the file in bytes")
    try:
        if not (to.is_file() and _is_right(to, wanted)):
            _fetch(wanted, progress or _no_progress, pause_seconds)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DownloadError(
            f"{one_line(str(to))}: cannot be written ({one_line(reason)}): "
            "check the folder, its permissions and the space on its disk"
        ) from error
    return to


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file to download: its address, its path, and its expected content."""

    url: str
    to: Path
    part: Path
    sha256: str
    n_bytes: int

    def error(self, problem: str) -> DownloadError:
        return DownloadError(f"{one_line(self.url, longest=200)}: {problem}")


class _CutError(Exception):
    """The connection failed or ended early; worth a retry."""


class _NoRangeError(_CutError):
    """The server cannot continue where the .part file ends."""


def _no_progress(_done: int, _total: int) -> None:
    pass


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and url.isascii()
    except ValueError:
        usable = False
    if not usable or any(c.isspace() or not c.isprintable() for c in url):
        raise DownloadError(f"{one_line(url)!r} is not an http or https address: give one")
    return url


def _fetch(wanted: _Wanted, progress: Progress, pause_seconds: float) -> None:
    """Fill the .part file, check it, and rename it."""
    wanted.to.parent.mkdir(parents=True, exist_ok=True)
    with wanted.part.open("ab") as part:
        try:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise wanted.error("another process is fetching it: wait for that one") from None
        _fill(part, wanted, progress, pause_seconds)
        part.flush()
        os.fsync(part.fileno())
        if not _is_right(wanted.part, wanted):
            wanted.part.unlink()
            raise wanted.error(
                f"the file has another SHA-256 than {wanted.sha256[:16]}…, so it was removed: "
                "try again, or ask whether a new version was published"
            )
        wanted.part.replace(wanted.to)


def _fill(part: IO[bytes], wanted: _Wanted, progress: Progress, pause_seconds: float) -> None:
    """Retry until the .part file has its full size; give up when nothing new comes."""
    if part.tell() > wanted.n_bytes:
        _empty(part)
    most, n_fruitless = part.tell(), 0
    _check_space(wanted, wanted.n_bytes - most)
    while part.tell() < wanted.n_bytes:
        try:
            _receive(part, wanted, progress)
        except _CutError as error:
            if isinstance(error, _NoRangeError):
                _empty(part)
            n_fruitless = 0 if part.tell() > most else n_fruitless + 1
            most = max(most, part.tell())
            if n_fruitless >= _MAX_FRUITLESS_TRIES:
                raise wanted.error(
                    f"{most} of {wanted.n_bytes} bytes came, then {n_fruitless} tries brought "
                    f"nothing new ({one_line(str(error))}): try again later, it goes on from there"
                ) from error
            pause = pause_seconds * 2 ** max(n_fruitless - 1, 0)
            time.sleep(min(pause, _LONGEST_PAUSE_SECONDS))


def _check_space(wanted: _Wanted, n_missing: int) -> None:
    n_free = shutil.disk_usage(wanted.part.parent).free
    if n_missing > n_free:
        raise wanted.error(
            f"{n_missing} more bytes are needed, and the disk has {n_free} free: make room"
        )


def _receive(part: IO[bytes], wanted: _Wanted, progress: Progress) -> None:
    """Make one request, and append its answer to the .part file."""
    start = part.tell()
    with _open(wanted, start) as response:
        first, n_announced = _announced(response)
        if n_announced not in (None, wanted.n_bytes):
            raise wanted.error(
                f"the server's file has {n_announced} bytes, not {wanted.n_bytes}: "
                "check the address and the size"
            )
        if first not in (0, start):
            raise _NoRangeError("the server sent another part than was requested")
        if first == 0:
            _empty(part)  # the server sends the whole file, whatever was asked
        while chunk := _read(response):
            part.write(chunk)
            if part.tell() > wanted.n_bytes:
                _empty(part)
                raise wanted.error(
                    f"the server sent more than the {wanted.n_bytes} bytes that the file must "
                    "have: "
                    "check the address and the size"
                )
            progress(part.tell(), wanted.n_bytes)
    if part.tell() < wanted.n_bytes:
        raise _CutError("the connection ended early")


def _open(wanted: _Wanted, start: int) -> http.client.HTTPResponse:
    headers = {"User-Agent": "hippohover", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    request = urllib.request.Request(wanted.url, headers=headers)  # noqa: S310  # checked above
    try:
        return _opener().open(request, timeout=_TIMEOUT_SECONDS)
    except HTTPError as error:
        with error:
            if error.code == 416 and start:
                raise _NoRangeError("the server has no such range") from error
            if error.code in _PASSING_STATUS:
                raise _CutError(f"HTTP {error.code}") from error
            raise wanted.error(
                f"the server answers HTTP {error.code} {one_line(error.reason)}: check the address"
            ) from error
    except (URLError, http.client.HTTPException, OSError, ValueError) as error:
        raise _CutError(str(error)) from error


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener of http and https alone, wherever a redirection leads."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _read(response: http.client.HTTPResponse) -> bytes:
    """Read what has arrived: a read of fixed size would lose it when the connection breaks."""
    try:
        return response.read1(CHUNK_BYTES)
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise _CutError(str(error) or type(error).__name__) from error


def _announced(response: http.client.HTTPResponse) -> tuple[int, int | None]:
    """Return the first byte of an answer, and the size of the whole file, if it says so.

    A part is announced as ``Content-Range: bytes 100-199/200``.
    """
    if response.status != 206:
        return 0, _number(response.headers.get("Content-Length", ""))
    unit, _, given = response.headers.get("Content-Range", "").partition(" ")
    span, _, whole = given.partition("/")
    first = _number(span.partition("-")[0].strip())
    if unit != "bytes" or first is None:
        raise _NoRangeError("the server does not say which part it sends")
    return first, _number(whole.strip())


def _number(digits: str) -> int | None:
    return int(digits) if digits.isdecimal() and len(digits) < 20 else None


def _empty(part: IO[bytes]) -> None:
    part.seek(0)
    part.truncate()


def _is_right(path: Path, wanted: _Wanted) -> bool:
    if path.stat().st_size != wanted.n_bytes:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == wanted.sha256.lower()
