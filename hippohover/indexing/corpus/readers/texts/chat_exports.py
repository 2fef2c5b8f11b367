"""Chats exported as JSON: a day of Slack, a channel of Discord (DiscordChatExporter), Telegram."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hippohover.disk.errors import json_or_none
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import BOM, MAX_RECORD_BYTES
from hippohover.indexing.corpus.markup import without_suffix
from hippohover.indexing.corpus.readers.documents import json_of
from hippohover.indexing.corpus.readers.texts.chat_logs import Turn, channel_of, turn_documents
from hippohover.indexing.corpus.records import (
    Records,
    UnreadableError,
    clean_title,
    items_in,
    object_in,
    objects_in,
)

SUFFIXES: Final = (".json",)

Fields = dict[str, Any]

_SLACK = re.compile(rb'"type"\s*:\s*"message"')
_STAMP = re.compile(rb'"ts"\s*:\s*"\d{6,12}\.\d{1,9}"')
_DISCORD = re.compile(rb'^\s*\{\s*"guild"\s*:\s*\{')
_TELEGRAM = re.compile(
    rb'"type"\s*:\s*"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_(?:group|supergroup'
    rb'|channel))"|"about"\s*:\s*"Here is the data you requested'
)
_SLACK_LINK = re.compile(r"<([@#!]?)([^<>|\n]{1,500})(?:\|([^<>\n]{0,300}))?>")
_SERVICE: Final = ("channel_", "group_", "bot_add", "bot_remove", "pinned_item", "reminder_add")
_HEAD_BYTES: Final = 2**14

_DEEPEST: Final = 12
_LINES: Final = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")
_OF_BLOCK: Final = ("title", "text", "alt_text", "value", "elements", "fields", "rows")


def reads(file: SourceFile) -> bool:
    """Return whether a JSON file begins as an exported chat does."""
    with file.opened() as stream:
        head = stream.read(_HEAD_BYTES).removeprefix(BOM).lstrip()
    if head[:1] == b"[":
        return bool(_SLACK.search(head) and _STAMP.search(head))
    return bool(_DISCORD.match(head) or _TELEGRAM.search(head))


def read(file: SourceFile) -> Records:
    """Yield the documents of an exported chat's messages."""
    chat = json_of(file)
    whole = without_suffix(file.place.removesuffix(".json"))
    if isinstance(chat, list):
        messages = objects_in(chat)
        turns = _slack(messages, _names(messages) | _users_of(file))
        yield from turn_documents(turns, file, channel_of(file), file.folder or whole)
    elif isinstance(chat, dict) and "guild" in chat:
        channel = said(_inner(chat, "channel").get("name")) or channel_of(file)
        yield from turn_documents(_discord(objects_in(chat.get("messages"))), file, channel, whole)
    elif isinstance(chat, dict):
        chats = [chat, *objects_in(_inner(chat, "chats").get("list"))]
        for at, part in enumerate(chats):
            channel = clean_title(said(part.get("name"))) or channel_of(file)
            of_part = f"{whole}/{part.get('id', at)}" if at else whole
            turns = _telegram(objects_in(part.get("messages")))
            yield from turn_documents(turns, file, channel, of_part)
    else:
        raise UnreadableError("is not a chat of Slack, Discord or Telegram: check the file")


def _users_of(file: SourceFile) -> dict[str, str]:
    """Return names by ids from ``users.json`` of Slack's export, above the channels."""
    if file.on_disk is None or not file.folder:
        return {}
    path = file.on_disk.parents[1] / "users.json"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_RECORD_BYTES:
        return {}
    return _users_in(path, path.stat().st_mtime_ns)


@lru_cache(2)
def _users_in(path: Path, _changed: int) -> dict[str, str]:
    return slack_users(path.read_bytes())


def slack_users(content: bytes) -> dict[str, str]:
    """Return names by ids from a ``users.json``; none when it is something else."""
    users = objects_in(json_or_none(content))
    named = ((said(user.get("id")), _slack_name(user)) for user in users)
    return {number: name for number, name in named if number and name}


def _slack_name(user: Fields) -> str:
    profile = _inner(user, "profile")
    names = (
        profile.get("real_name"),
        user.get("real_name"),
        profile.get("display_name"),
        user.get("name"),
    )
    return next(filter(None, map(said, names)), "")


def _names(messages: list[Fields]) -> dict[str, str]:
    """Return names by ids, from the messages themselves."""
    named = (
        (said(m.get("user")), _slack_name({"profile": m.get("user_profile")})) for m in messages
    )
    return {number: name for number, name in named if number and name}


def _slack(messages: list[Fields], names: Mapping[str, str]) -> Iterator[Turn]:
    def shown(link: re.Match[str]) -> str:
        if link[1] == "@":
            return f"@{names.get(link[2]) or link[3] or link[2]}"
        return f"{'#' if link[1] == '#' else ''}{link[3] or link[2]}"

    for message in messages:
        stamp = said(message.get("ts"))
        if not stamp or said(message.get("subtype")).startswith(_SERVICE):
            continue
        user = said(message.get("user")) or said(message.get("bot_id"))
        author = names.get(user) or said(message.get("username")) or user
        thread = said(message.get("thread_ts"))
        text = html.unescape(_SLACK_LINK.sub(shown, slack_words(message)))
        yield Turn(stamp, author, _date(stamp), text, thread if thread != stamp else "")


def _discord(messages: list[Fields]) -> Iterator[Turn]:
    for message in messages:
        if said(message.get("type")) not in ("", "Default", "Reply", "0", "19"):
            continue
        author = _inner(message, "author")
        name = said(author.get("nickname")) or said(author.get("name"))
        answered = said(_inner(message, "reference").get("messageId"))
        date = said(message.get("timestamp"))[:16].replace("T", " ")
        yield Turn(said(message.get("id")), name, date, discord_words(message), answered)


def _telegram(messages: list[Fields]) -> Iterator[Turn]:
    for message in messages:
        if message.get("type") != "message":
            continue
        author = said(message.get("from")) or said(message.get("from_id"))
        date = said(message.get("date"))[:16].replace("T", " ")
        answered = said(message.get("reply_to_message_id"))
        yield Turn(said(message.get("id")), author, date, telegram_words(message), answered)


def _date(stamp: str) -> str:
    """Convert seconds since 1970 to 2024-01-05 10:22, in UTC."""
    try:
        return datetime.fromtimestamp(float(stamp), UTC).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return ""


def _inner(fields: Fields, name: str) -> Fields:
    return object_in(fields.get(name))


# Words of a chat message that stand beside its text: blocks, attachments, embeds, polls, files


def slack_words(message: Fields) -> str:
    """Return the words of a message: its text, else its blocks'; and what is attached to it."""
    text = _said(message, "text") or "\n".join(_blocks(message.get("blocks")))
    parts = [text]
    for card in objects_in(message.get("attachments")):
        words = [word for word in _of_attachment(card) if word not in text]
        parts += dict.fromkeys(words)
    parts += [
        _said(file, "title") or _said(file, "name") for file in objects_in(message.get("files"))
    ]
    return "\n".join(filter(None, parts))


def _of_attachment(card: Fields) -> list[str]:
    """Return the words of a bot's message or of a shared link; its fallback says them again."""
    words = [_said(card, name) for name in ("pretext", "author_name", "title", "text")]
    words += [": ".join(_pair(field, "title", "value")) for field in objects_in(card.get("fields"))]
    blocks = [
        card.get("blocks"),
        *(_inner(m, "message").get("blocks") for m in objects_in(card.get("message_blocks"))),
    ]
    words += [] if _said(card, "text") else [line for part in blocks for line in _blocks(part)]
    words = list(filter(None, words))
    return [*(words or [_said(card, "fallback")]), _said(card, "footer")]


def _blocks(value: object) -> Iterator[str]:
    """Yield the lines of Slack's blocks, of those in sections and lists too."""
    for block in objects_in(value):
        yield from filter(None, _lines(block, 0))


def _lines(block: Fields, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if block.get("type") in _LINES:
        yield "".join(map(_inline, objects_in(block.get("elements"))))
        return
    for name in _OF_BLOCK:
        value = block.get(name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from _lines(object_in(value), depth + 1)
        elif name == "rows":
            for row in items_in(value):
                cells = (" ".join(_lines(cell, depth + 1)) for cell in objects_in(row))
                yield "; ".join(filter(None, cells))
        else:
            for item in objects_in(value):
                yield from _lines(item, depth + 1)


def _inline(element: Fields) -> str:
    """Write a part of a line as Slack's own text does: "<@U1>" for a person."""
    kind = element.get("type")
    if kind == "user":
        return f"<@{_said(element, 'user_id')}>"
    if kind == "channel":
        return f"<#{_said(element, 'channel_id')}>"
    return said(element.get("text")) or _said(element, "url")


def discord_words(message: Fields) -> str:
    """Return the words of a message, of what it embeds, forwards, asks, and of its files' names."""
    parts = [_said(message, "content")]
    for embed in objects_in(message.get("embeds")):
        parts += [_said(_inner(embed, "author"), "name"), _said(embed, "title")]
        parts.append(_said(embed, "description"))
        parts += [
            ": ".join(_pair(field, "name", "value")) for field in objects_in(embed.get("fields"))
        ]
        parts.append(_said(_inner(embed, "footer"), "text"))
    if forwarded := _inner(message, "forwardedMessage"):
        parts.append(_said(forwarded, "content"))
    poll = _inner(message, "poll")
    parts.append(_said(_inner(poll, "question"), "text"))
    parts += [
        _said(_inner(answer, "poll_media"), "text") for answer in objects_in(poll.get("answers"))
    ]
    parts += [_said(file, "fileName") for file in objects_in(message.get("attachments"))]
    return "\n".join(filter(None, parts))


def telegram_words(message: Fields) -> str:
    """Return the words of a message: text in pieces, a poll, a file's name, a contact, a place."""
    poll, contact = _inner(message, "poll"), _inner(message, "contact_information")
    place = [_said(message, name) for name in ("place_name", "address")]
    title = [_said(message, name) for name in ("title", "performer")]
    parts = [
        "".join(_pieces(message.get("text"))),
        _said(poll, "question"),
        *(_said(answer, "text") for answer in objects_in(poll.get("answers"))),
        " ".join(_pair(contact, "first_name", "last_name")),
        ", ".join(filter(None, place)),
        ", ".join(filter(None, title)),
        _said(message, "file_name"),
    ]
    return "\n".join(filter(None, parts))


def _pieces(written: object) -> Iterator[str]:
    for part in items_in(written) or [written]:
        yield said(object_in(part).get("text") if isinstance(part, dict) else part)


def _pair(fields: Fields, first: str, second: str) -> Sequence[str]:
    return list(filter(None, (_said(fields, first), _said(fields, second))))


def said(value: object) -> str:
    """Return a text or a whole number as text; "" for anything else."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number or isinstance(value, str) else ""


def _said(fields: Fields, name: str) -> str:
    return said(fields.get(name)).strip()
