"""Errors of an index on disk: one line with the file and what to do."""

import errno
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Final

from pydantic import ValidationError

from hippohover.errors import IndexDamagedError, IndexStoreError

REBUILD: Final = "build the index again"

_SPACE, _ACCESS = "free up space on that disk", "make it writable, or choose another folder"
_FIXES: Final = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: "raise the limit on file sizes (ulimit -f)",
    errno.EACCES: _ACCESS,
    errno.EPERM: _ACCESS,
    errno.EROFS: _ACCESS,
    errno.EEXIST: "move the file that is there",
    errno.ENOTDIR: "move the file that is in the folder's place",
    errno.ENOENT: "choose a folder in which files can be made",
    errno.ENOLCK: "choose a folder on a local disk",
}
# What numpy, pydantic and json raise on bytes that are not what they should be.
_GARBAGE = (ValueError, TypeError, SyntaxError, ArithmeticError, RecursionError, TokenError)


def message(place: object, what: str, fix: str) -> str:
    """Write a message on one printable line: the thing, the problem, the fix."""
    plain = " ".join(what.split())
    short = plain if len(plain) <= 200 else f"{plain[:200]}…"
    return "".join(c if c.isprintable() else "?" for c in f"{place}: {short}: {fix}")


def not_json(error: Exception, longest: int = 80) -> str:
    """Say on one printable line why ``json`` refused a text, alike under every Python."""
    plain = " ".join(json_problem(error).split())[:longest]
    return "".join(c if c.isprintable() else "?" for c in f"not JSON ({plain})")


def json_problem(error: Exception) -> str:
    """Return the reason of an error of ``json``; what is nested has another in each Python."""
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def json_or_none(text: str | bytes) -> object:
    """Return the value of a text in JSON; None if it is none, or is ``null``."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@contextmanager
def writes(path: Path) -> Generator[None]:
    """Turn a refused write into an ``IndexStoreError`` that names the file."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written ({error.strerror or error})"
        fix = _FIXES.get(error.errno or 0, "check the disk")
        raise IndexStoreError(message(path, what, fix)) from error


@contextmanager
def reads(path: Path, *garbage: type[Exception]) -> Generator[None]:
    """Turn any error of a missing, unreadable or altered file into one that names it."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise IndexDamagedError(message(path, "is missing", REBUILD)) from error
    except (OSError, *_GARBAGE, *garbage) as error:
        # An OSError without a number is no answer of the system: Arrow found garbage.
        if isinstance(error, OSError) and error.errno is not None:
            what = f"cannot be read ({error.strerror})"
            raise IndexStoreError(message(path, what, "make it readable")) from error
        what = f"is damaged ({_reason(error)})"
        raise IndexDamagedError(message(path, what, REBUILD)) from error


def _reason(error: Exception) -> str:
    """Return an exception's reason; of pydantic's many findings, the first."""
    if not isinstance(error, ValidationError):
        return str(error) or type(error).__name__
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ": ".join([*map(str, first["loc"]), first["msg"]])
