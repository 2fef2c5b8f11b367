"""Names of the members of archives, as the systems that packed them meant them."""

import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Final

from hippohover.disk.decoding import decoded
from hippohover.disk.plausibility import plausibility

_TARS: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_IS_UTF8: Final = 0x800  # the flag of a member's name
_ASSUMED: Final = "cp437"  # by the format, and by zipfile, where the flag is not set
_OF_DOS: Final = (_ASSUMED, "cp850", "cp866", "cp852")
_OF_TWO_BYTES: Final = {"gb18030", "gbk", "gb2312", "cp932", "shift_jis", "cp949", "euc-kr", "big5"}


def is_archive(name: str) -> bool:
    """Return whether a file's name is that of a readable archive."""
    return name.lower().endswith((".zip", *_TARS))


def one_path(name: str) -> str:
    """Return a name without "." and empty parts: "./docs//a.md" -> "docs/a.md"."""
    return PurePosixPath(name).as_posix()


def zip_names(members: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Return the names of a zip's members, with "/" between folders.

    Old packers on Windows part them by a backslash, which the format has not, and write names in
    the code page of their country, which is found out from all names together.
    """
    names = [member.filename for member in members]
    told = [bool(member.flag_bits & _IS_UTF8) or member.filename.isascii() for member in members]
    raw = [_raw(name) for name, is_told in zip(names, told, strict=True) if not is_told]
    encoding = _encoding_of(b"\n".join(raw)) if raw else _ASSUMED
    return [
        one_path((name if is_told else _decoded(name, encoding)).replace("\\", "/"))
        for name, is_told in zip(names, told, strict=True)
    ]


def tar_name(name: str) -> str:
    """Decode a tar member's name, whose bytes beyond UTF-8 are lone surrogates."""
    if not name.isprintable():
        raw = name.encode("utf-8", "surrogateescape")
        with suppress(UnicodeError):
            name = decoded(raw)[0]
    return one_path(name)


def _raw(name: str) -> bytes:
    """Return the bytes that zipfile decoded into a name."""
    return name.encode(_ASSUMED, "replace")


def _decoded(name: str, encoding: str) -> str:
    try:
        return _raw(name).decode(encoding)
    except UnicodeError:
        return name


def _encoding_of(raw: bytes) -> str:
    """Return the names' encoding: UTF-8, a likely one of two bytes a character, or DOS's."""
    try:
        found = decoded(raw)[1]
    except UnicodeError:
        found = ""
    else:
        found = found or "utf-8"
    if found in {"utf-8", *_OF_TWO_BYTES}:
        return found
    return max(_OF_DOS, key=lambda name: plausibility(raw.decode(name)))
