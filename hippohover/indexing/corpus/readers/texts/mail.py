"""Mail: a message is a document, titled by its subject, without text that it quotes.

Quoted text, the line above it and the signature are left out: the message that is answered has the
text, a link leads to it, and what many replies repeat would crowd answers and join all whom it
names. Who wrote to whom, and when, stands before the text. What is attached is read as files are.
"""

import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from typing import Final

from hippohover.indexing.corpus.files.source_file import Attached, SourceFile
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES
from hippohover.indexing.corpus.markup import without_suffix
from hippohover.indexing.corpus.readers.texts.html import html_root, page_text
from hippohover.indexing.corpus.readers.texts.parsing.attachments import attachments, is_attached
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    clean_title,
    make_document,
    other_names,
)

SUFFIXES: Final = (".eml", ".mbox")

# What the standard library raises on headers and parts that are odd.
_DAMAGE: Final = (
    MessageError, LookupError, ValueError, AttributeError, TypeError, AssertionError, RecursionError
)  # fmt: skip
_MAX_PARTS: Final = 1000
_MAX_BORDERS: Final = 100  # each line is compared with those of all parts around it
_MAX_NAMES: Final = 10  # of those who get a message
_LINE_BYTES: Final = 2**16
_BORDER = re.compile(rb"From .*\d\d:\d\d")
_ID = re.compile(r"<\s*([^<>\s]{1,900})\s*>")
# On Monday, Tom Ashe <tom@x.org> wrote:, on one line or, where it begins so, on two.
_WROTE = re.compile(
    r"^(?:(?:On|Am|Le|El|Il|Op|Em|Den) [^\n]{1,200}\n(?!>))?(?!>)[^\n]{0,300}:[ \t]*\n"
    r"(?:[ \t]*\n)?(?=>)",
    re.M,
)
_QUOTED = re.compile(r"^[ \t]*>[^\n]*\n?", re.M)
_SIGNATURE = re.compile(r"^-- ?\n", re.M)
_SIGNATURE_LINES: Final = 15
_ORIGINAL = re.compile(
    r"^-{2,}[ ]?(?:Original Message|Ursprüngliche Nachricht)[ ]?-{2,}.*\Z", re.M | re.S
)


def read(file: SourceFile) -> Iterator[Document | BadRecord | Attached]:
    """Yield the documents of a file's messages, each followed by its attachments."""
    if file.suffix != ".mbox":
        yield from _message(file.content(), file, "")
        return
    for n, content in enumerate(_messages(file), start=1):
        place = f"{file.place}#{n}"
        if len(content) > MAX_RECORD_BYTES:
            size = MAX_RECORD_BYTES // 2**20
            yield BadRecord(place, f"a message of more than {size} MB: remove it")
        elif n == 1 and not _BORDER.match(content):
            yield BadRecord(file.place, 'is not an mbox: it begins with no line "From ": check it')
            return
        else:
            yield from _message(content.partition(b"\n")[2], file, f"#{n}")


def _messages(file: SourceFile) -> Iterator[bytes]:
    """Yield the messages of an mbox, each with the line before it; cuts too long ones."""
    parts: list[bytes] = []
    n_bytes = 0
    after_blank = True
    with file.opened() as stream:
        while line := stream.readline(_LINE_BYTES):
            if after_blank and parts and _BORDER.match(line):
                yield b"".join(parts)
                parts, n_bytes = [], 0
            if n_bytes <= MAX_RECORD_BYTES:
                parts.append(line[1:] if line.startswith(b">From ") else line)
                n_bytes += len(line)
            after_blank = not line.strip()
    if n_bytes:
        yield b"".join(parts)


def _message(
    content: bytes, file: SourceFile, number: str
) -> Iterator[Document | BadRecord | Attached]:
    place = f"{file.place}{number}"
    if content.count(b"boundary=") > _MAX_BORDERS:
        yield BadRecord(place, f"has over {_MAX_BORDERS} nested parts: split it")
        return
    try:
        message = BytesParser().parsebytes(content)
        parts = _parts(message)
        record = _document(message, _without_quotes(_body(parts)), file, number)
    except _DAMAGE as error:
        kind = type(error).__name__
        yield BadRecord(place, f"a message that cannot be read ({kind}): check it")
        return
    yield record
    if isinstance(record, Document):
        yield from _attached(parts, record.id, f"{file.place}{number.replace('#', '/')}")


def _attached(parts: list[Message], to: str, place: str) -> Iterator[BadRecord | Attached]:
    try:
        files = list(attachments(parts, place))
    except _DAMAGE as error:
        kind = type(error).__name__
        yield BadRecord(place, f"what is attached cannot be read ({kind}): check it")
        return
    yield from (Attached(file, to) for file in files)


def _document(message: Message, text: str, file: SourceFile, number: str) -> Document | BadRecord:
    place = f"{file.place}{number}"
    fields = _fields(message)
    if not fields and not text.strip():
        return BadRecord(place, "is not a message: it has neither headers nor a text")
    subject = str(fields.get("subject", ""))
    titles = (subject, f"Message of {fields['from']}" if "from" in fields else "", file.stem)
    title = next(filter(None, map(clean_title, titles)), file.place)
    document = make_document(title, f"{_letterhead(fields)}{text}", place)
    if isinstance(document, BadRecord):
        return document
    answered = [*_ids(message, "In-Reply-To"), *reversed(_ids(message, "References"))]
    own = next(iter(_ids(message, "Message-ID")), f"{without_suffix(file.place)}{number}")
    return document._replace(
        id=clean_title(own),
        aliases=() if number else other_names(document.title, [file.stem]),
        fields=fields,
        reply_to=next(filter(own.__ne__, map(clean_title, answered)), ""),
        path=file.place,
    )


def _fields(message: Message) -> dict[str, object]:
    """Return sender, recipients, date and subject, by the names of the headers."""
    fields: dict[str, object] = {}
    for name in ("From", "To", "Cc"):
        people = [clean_title(who or at) for who, at in getaddresses([_header(message, name)])]
        if people := [person for person in people if person]:
            fields[name.lower()] = people[0] if name == "From" else people
    if subject := clean_title(_header(message, "Subject")):
        fields["subject"] = subject
    if date := clean_title(_header(message, "Date")):
        fields["date"] = _iso_date(date)
    return fields


def _iso_date(date: str) -> str:
    try:
        return parsedate_to_datetime(date).isoformat()
    except (*_DAMAGE, OverflowError):
        return date


def _header(message: Message, name: str) -> str:
    """Decode a header; return it as written where its coding is unknown."""
    written = str(message.get(name, ""))
    try:
        return str(make_header(decode_header(written)))
    except _DAMAGE:
        return written


def _ids(message: Message, name: str) -> list[str]:
    written = str(message.get(name, ""))
    return _ID.findall(written) or written.split()[:1]


def _letterhead(fields: dict[str, object]) -> str:
    """Return sender, recipients and date, as a line above the text."""
    people = fields.get("to")
    said = {
        "From": fields.get("from"),
        "To": ", ".join(people[:_MAX_NAMES]) if isinstance(people, list) else None,
        "Date": fields.get("date"),
    }
    lines = [f"{name}: {value}" for name, value in said.items() if value]
    return "".join(f"{line}\n" for line in lines) + "\n" * bool(lines)


def _parts(message: Message) -> list[Message]:
    """Return the parts of a message that have no parts of their own, in their order."""
    parts: list[Message] = []
    waiting = [message]
    for _ in range(_MAX_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        inner = part.get_payload()
        if isinstance(inner, list) and part.get_content_type().startswith("multipart/"):
            waiting += [item for item in reversed(inner) if isinstance(item, Message)]
        else:
            parts.append(part)  # what is forwarded whole is one, too
    return parts


def _body(parts: list[Message]) -> str:
    """Return the text of a message: its plain parts, else those in HTML; no attachments."""
    texts: dict[str, list[str]] = {"text/plain": [], "text/html": []}
    for part in parts:
        if part.get_content_type() in texts and not is_attached(part):
            texts[part.get_content_type()].append(_decoded(part))
    plain = "\n\n".join(texts["text/plain"])
    return plain if plain.strip() else "\n\n".join(map(_of_html, texts["text/html"]))


def _decoded(part: Message) -> str:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    for encoding in (part.get_content_charset(), "utf-8", "cp1252"):
        try:
            return content.decode(encoding or "utf-8").replace("\r\n", "\n").replace("\r", "\n")
        except (LookupError, ValueError):
            continue
    return content.decode("latin-1").replace("\r", "\n")


def _of_html(text: str) -> str:
    root = html_root(text)
    if isinstance(root, str):
        raise ValueError(root)
    for quoted in root.iter("blockquote", "div"):
        if quoted.get("type") == "cite" or "gmail_quote" in quoted.get("class", ""):
            quoted.clear(keep_tail=True)
    return page_text(root, "").text


def _without_quotes(text: str) -> str:
    """Remove quoted text, unless nothing else is left."""
    *_, border = [len(text), *(match.start() for match in _SIGNATURE.finditer(text))]
    own = text[:border] if text.count("\n", border) <= _SIGNATURE_LINES else text
    own = _QUOTED.sub("", _WROTE.sub("", _ORIGINAL.sub("", own)))
    return re.sub(r"\n{3,}", "\n\n", own).strip() or text.strip()
