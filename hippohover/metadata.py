"""Metadata of a passage: its document, its place there, and fields of the corpus."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final, TypeAlias
from urllib.parse import urlsplit

MetadataValue: TypeAlias = str | int | float | bool
Metadata: TypeAlias = Mapping[str, MetadataValue]

OWN_NAMES: Final = ("id", "path", "page", "anchor", "heading")
"""Names of ours: the document's id and file, the page and the place in it, the headings above."""

_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"']+")
_OWN_NAME = re.compile(rf"(?:field\.)*(?:{'|'.join(OWN_NAMES)})")


def name_of_field(field: str) -> str:
    """Return the name of a corpus field among ours: "page" becomes "field.page".

    No two fields get one name, and none gets one of ours.
    """
    return f"field.{field}" if _OWN_NAME.fullmatch(field) else field


def titled(title: str, part: int = 1) -> str:
    """Name a passage: by its title, and by its part of the document from the second on."""
    return (title or "(untitled)") + part_words(part)


def part_words(part: int) -> str:
    """Return what stands behind a title: ``" (part 2)"``, or "" for the first part."""
    return f" (part {part})" if part > 1 else ""


def citation(title: str, metadata: Metadata) -> str:
    """Return a passage's place in words: "report.pdf, p. 12", "x.md#Rates" or "fees.csv, row 5".

    A record of a file is told by its id. A passage that is in no file is cited by its document's
    title, and by its ``url`` if it has one.
    """
    path, page, anchor = (metadata.get(name) for name in ("path", "page", "anchor"))
    if page:
        return f"{path or title}, p. {page}"
    if path:
        if anchor:
            return f"{path}#{anchor}"
        return f"{path}{_record_words(str(metadata.get('id', '')), str(path))}"
    address = web_address(metadata.get("url"))
    return f"{title}, {address}" if address else title


def _record_words(identifier: str, path: str) -> str:
    """Return what tells a record from the others of its file; "" for the file's own document."""
    if path.startswith(identifier):
        return ""
    stem, sign, number = identifier.rpartition("#")
    if not (sign and path.startswith(stem)):
        return f", {identifier}"
    # Rows are numbered below the whole name of their table, messages below its stem.
    word = "row" if stem == path else "no."
    return f", {word} {number}" if number.isdecimal() else f"#{number}"


def web_address(value: object) -> str:
    """Return an address that a browser opens over HTTP; "" for anything else."""
    return value if isinstance(value, str) and _WEB_ADDRESS.fullmatch(value) else ""


def is_private(address: str) -> bool:
    """Return whether nobody on the way reads what is sent: HTTPS, or HTTP on this machine."""
    try:
        parts = urlsplit(address)
    except ValueError:  # an IPv6 address without its end
        return False
    if parts.scheme == "http":
        return is_loopback(parts.hostname or "")
    return parts.scheme == "https" and bool(parts.hostname)


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable only from this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, which may lead anywhere
        return host == "localhost"
