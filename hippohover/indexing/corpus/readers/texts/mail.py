"""Mail: a message is a document, titled by its subject, without text that it quotes.

Quoted text, the line above it and the signature are left out: the message that is answered has the
text, a link leads to it, and what many replies repeat would crowd answers and join all whom it
names. What is forwarded is text. Who wrote to whom, and when, stands before the text. What is
attached is read as files are.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from functools import partial
from mimetypes import guess_extension
from pathlib import PurePosixPath
from typing import Final

from hippohover.indexing.corpus.files.source_file import Attached, SourceFile
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES, made_stream
from hippohover.indexing.corpus.markup import without_suffix
from hippohover.indexing.corpus.readers.texts.html import html_root, page_text
from hippohover.indexing.corpus.readers.texts.mail_quotes import (
    is_forward,
    says_forwarded,
    without_quotes,
)
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    UnreadableError,
    clean_title,
    make_document,
    other_names,
)

SUFFIXES: Final = (".eml", ".mbox")

# What the standard library raises on headers and parts that are odd.
_DAMAGE: Final = (
    MessageError, LookupError, ValueError, AttributeError, TypeError, AssertionError,
    RecursionError,
)  # fmt: skip
_MAX_PARTS: Final = 1000
_MAX_BORDERS: Final = 100  # each line is compared with those of all parts around it
_MAX_NAMES: Final = 10  # of those who get a message
_LINE_BYTES: Final = 2**16
_MARK_CHARS: Final = 200  # at the head of a quote, where it says that it is forwarded
_BORDER = re.compile(rb"From .*\d\d:\d\d")
_BARE_BORDER = re.compile(rb"From(?: -)?[ \t]*\r?\n")  # newer Thunderbirds write no date
_HEADER = re.compile(rb"[!-9;-~]{1,80}:")
_ID = re.compile(r"<\s*([^<>\s]{1,900})\s*>")

_TEXTS: Final = ("text/plain", "text/html")
_LONGEST_NAME: Final = 200


def read(file: SourceFile) -> Iterator[Document | BadRecord | Attached]:
    """Yield the documents of a file's messages, each followed by its attachments."""
    if not _has_many(file):
        yield from _message(file.content(), file, "")
        return
    for n, content in enumerate(_messages(file), start=1):
        place = f"{file.place}#{n}"
        if len(content) > MAX_RECORD_BYTES:
            size = MAX_RECORD_BYTES // 2**20
            yield BadRecord(place, f"a message of more than {size} MB: remove it")
        elif n == 1 and not is_box(content):
            raise UnreadableError('is not an mbox: it begins with no line "From ": check it')
        else:
            yield from _message(content.partition(b"\n")[2], file, f"#{n}")


def is_box(head: bytes) -> bool:
    """Return whether bytes begin as a file of many messages does, with a line "From "."""
    first, _, rest = head.partition(b"\n")
    is_border = _BORDER.match(first) or _BARE_BORDER.match(first + b"\n")
    return bool(is_border and _HEADER.match(rest))


def _has_many(file: SourceFile) -> bool:
    """Return whether a file is one of many messages: by its name, else by its first lines.

    Thunderbird calls its folders ``Inbox``, and Apple's Mail ``mbox``.
    """
    suffixes = PurePosixPath(file.place.lower()).suffixes[-2:]  # ".mbox.gz"
    if ".mbox" in suffixes or ".eml" in suffixes:
        return ".mbox" in suffixes
    with file.opened() as stream:
        return is_box(stream.read(_LINE_BYTES))


def _messages(file: SourceFile) -> Iterator[bytes]:
    """Yield the messages of an mbox, each with the line before it; cuts too long ones."""
    parts: list[bytes] = []
    n_bytes = 0
    after_blank = True
    with file.opened() as stream:
        line = stream.readline(_LINE_BYTES)
        while line:
            after = stream.readline(_LINE_BYTES)
            if after_blank and parts and _is_border(line, after):
                yield b"".join(parts)
                parts, n_bytes = [], 0
            if n_bytes <= MAX_RECORD_BYTES:
                parts.append(line[1:] if line.startswith(b">From ") else line)
                n_bytes += len(line)
            after_blank = not line.strip()
            line = after
    if n_bytes:
        yield b"".join(parts)


def _is_border(line: bytes, after: bytes) -> bool:
    if _BARE_BORDER.match(line):
        return bool(_HEADER.match(after))
    return bool(_BORDER.match(line))


def _message(
    content: bytes, file: SourceFile, number: str
) -> Iterator[Document | BadRecord | Attached]:
    place = f"{file.place}{number}"
    try:
        if content.count(b"boundary=") > _MAX_BORDERS:
            raise UnreadableError(f"has over {_MAX_BORDERS} nested parts: split it")
        message = BytesParser().parsebytes(content)
        parts = _parts(message)
        subject = _header(message, "Subject")
        text = without_quotes(_body(parts, subject), subject)
        document = _document(message, text, file, number)
    except UnreadableError as error:
        yield BadRecord(place, str(error))
        return
    except _DAMAGE as error:
        kind = type(error).__name__
        yield BadRecord(place, f"a message that cannot be read ({kind}): check it")
        return
    yield document
    yield from _attached(parts, document.id, f"{file.place}{number.replace('#', '/')}")


def _attached(parts: list[Message], to: str, place: str) -> Iterator[BadRecord | Attached]:
    try:
        files = list(attachments(parts, place))
    except _DAMAGE as error:
        kind = type(error).__name__
        yield BadRecord(place, f"what is attached cannot be read ({kind}): check it")
        return
    yield from (Attached(file, to) for file in files)


def _document(message: Message, text: str, file: SourceFile, number: str) -> Document:
    fields = _fields(message)
    if not fields and not text.strip():
        raise UnreadableError("is not a message: it has neither headers nor a text")
    subject = str(fields.get("subject", ""))
    titles = (subject, f"Message of {fields['from']}" if "from" in fields else "", file.stem)
    title = next(filter(None, map(clean_title, titles)), file.place)
    document = make_document(title, f"{_letterhead(fields)}{text}")
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


def _body(parts: list[Message], subject: str) -> str:
    """Return the text of a message: its plain parts, else those in HTML; no attachments."""
    texts: dict[str, list[str]] = {"text/plain": [], "text/html": []}
    for part in parts:
        if part.get_content_type() in texts and not is_attached(part):
            texts[part.get_content_type()].append(_decoded(part))
    plain = "\n\n".join(texts["text/plain"])
    if plain.strip():
        return plain
    return "\n\n".join(_of_html(text, subject) for text in texts["text/html"])


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


def _of_html(text: str, subject: str) -> str:
    root = html_root(text)
    for quoted in () if is_forward(subject) else root.iter("blockquote", "div"):
        is_quote = quoted.get("type") == "cite" or "gmail_quote" in quoted.get("class", "")
        if is_quote and not says_forwarded("".join(quoted.itertext()).lstrip()[:_MARK_CHARS]):
            quoted.clear(keep_tail=True)
    return page_text(root, "").text


# Attachments of a message, as separate files


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
            stream = partial(made_stream, [_content(part)])
            yield SourceFile(f"{place}/{name}", lambda stream=stream: nullcontext(stream()))


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
