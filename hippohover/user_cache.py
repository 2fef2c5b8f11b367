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
    """Return the user's folder for compiled code (``private_folder``), which is executed."""
    return private_folder("compiled")


def private_folder(name: str) -> Path | None:
    """Return a folder of the user's cache that nobody else can read or write (0700), or None.

    What is in it is believed, so a folder is not used if it belongs to another user, or if others
    may write to it or replace it.
    """
    above = user_cache()
    folder = above / name
    try:
        above.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or not _is_of_this_user(above, folder):
            return None
        if stat.S_IMODE(status.st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def _is_of_this_user(above: Path, folder: Path) -> bool:
    mode = above.stat().st_mode
    others_may = mode & _OTHERS_MAY_WRITE and not mode & stat.S_ISVTX
    return folder.lstat().st_uid == os.geteuid() and not others_may
