"""Pieces of a tar, as hostile as is wanted: headers that lie, and what stands before a member."""

import tarfile

END = bytes(1024)

DESCRIBING = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
"""Kinds of headers that describe the member after them."""


def header(name: str, n_bytes: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, n_bytes
    return info.tobuf(tarfile.GNU_FORMAT)


def member(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    padding = bytes(-len(content) % 512)
    return header(name, len(content), kind) + content + padding


def pax(*records: tuple[str, str], kind: bytes = tarfile.XHDTYPE) -> bytes:
    """A pax header; the bytes of a record count themselves."""
    said = b""
    for key, value in records:
        rest = f" {key}={value}\n".encode()
        n_bytes = len(rest) + 1
        while len(str(n_bytes)) + len(rest) != n_bytes:
            n_bytes = len(str(n_bytes)) + len(rest)
        said += str(n_bytes).encode() + rest
    return member("pax", said, kind)
