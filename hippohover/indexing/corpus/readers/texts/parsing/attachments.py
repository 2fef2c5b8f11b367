"""Attachments of a message, as separate files."""

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from email.message import Message
from mimetypes import guess_extension
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.records import clean_title

_TEXTS: Final = ("text/plain", "text/html")
_LONGEST_NAME: Final = 200


def is_attached(part: Message) -> bool:
    """Return whether a part is a file, not words of its message."""
    kind = part.get_content_type()
    if part.get_content_disposition() == "attachment" or kind == "message/rfc822":
        return True
    return kind not in _TEXTS and bool(part.get_filename())


def attachments(parts: Iterable[Message], place: str) -> Iterator[SourceFile]:
    """Yield the files attached to a message, each below it under a name of its own."""
    taken: set[str] = set()
    for number, part in enumerate(parts, 1):
        if is_attached(part):
            name = _name(part)
            name = f"{number}-{name}" if name in taken else name or f"{number}{_suffix(part)}"
            taken.add(name)
            yield _file(f"{place}/{name}", _content(part))


def _name(part: Message) -> str:
    """Return the last part of the attachment's name, which may be any text; "" without one."""
    name = clean_title(re.split(r"[/\\]", part.get_filename() or "")[-1])[-_LONGEST_NAME:]
    name = "" if name.strip(".") == "" else name
    is_message = part.get_content_type() == "message/rfc822"
    return f"{name}.eml" if name and is_message and not name.lower().endswith(".eml") else name


def _suffix(part: Message) -> str:
    kind = part.get_content_type()
    return ".eml" if kind == "message/rfc822" else guess_extension(kind) or ""


def _content(part: Message) -> bytes:
    inner = part.get_payload()
    if isinstance(inner, list):
        return b"\n".join(item.as_bytes() for item in inner if isinstance(item, Message))
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _file(place: str, content: bytes) -> SourceFile:
    return SourceFile(place, lambda: nullcontext(io.BufferedReader(io.BytesIO(content))))  # pyright: ignore[reportArgumentType]
