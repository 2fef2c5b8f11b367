"""The user's private folder of cached results."""

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_KEY_BYTES: Final = 32
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def user_cache() -> Path:
    """Return ``$HIPPOHOVER_CACHE``, else ``hippohover`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if own := os.environ.get("HIPPOHOVER_CACHE"):
        return Path(own)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():  # the XDG specification: such a path is to be ignored
        base = Path(os.path.expanduser("~/.cache"))  # noqa: PTH111  (never raises)
    return base / "hippohover"


@cache
def own_key() -> bytes:
    """Return random bytes that only this user knows, made at the first call.

    They seal what lies beside an index and is read without a check, so that nothing of an index
    from elsewhere is. Where they cannot be kept, every process has others.
    """
    path = user_cache() / "own-key"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, beside = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):  # complete when it has its name, and whoever is first wins
            os.link(beside, path)
        Path(beside).unlink()
        key = path.read_bytes() if path.lstat().st_uid == os.geteuid() else b""
    except OSError:
        key = b""
    return key if len(key) == _KEY_BYTES else secrets.token_bytes(_KEY_BYTES)


def kept_code() -> Path | None:
    """Return the user's folder for compiled code (mode 0700), or None.

    Code in it is executed, so a folder is not used if it belongs to another user, or if others may
    write to it or replace it.
    """
    folder = user_cache()
    code = folder / "compiled"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        code.mkdir(mode=0o700, exist_ok=True)
        status = code.lstat()
        if not stat.S_ISDIR(status.st_mode) or not _is_of_this_user(folder, code):
            return None
        if stat.S_IMODE(status.st_mode) != 0o700:
            code.chmod(0o700)
    except OSError:
        return None
    return code if os.access(code, os.W_OK | os.X_OK) else None


def _is_of_this_user(folder: Path, code: Path) -> bool:
    above = folder.stat()
    others_may = above.st_mode & _OTHERS_MAY_WRITE and not above.st_mode & stat.S_ISVTX
    return code.lstat().st_uid == os.geteuid() and not others_may
