"""Chats exported as JSON: a day of Slack, a channel of Discord (DiscordChatExporter), Telegram."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from hippohover.disk.errors import not_json
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import BOM, MAX_RECORD_BYTES
from hippohover.indexing.corpus.markup import without_suffix
from hippohover.indexing.corpus.readers.texts.parsing.chats.cards import (
    discord_words,
    said,
    slack_words,
    telegram_words,
)
from hippohover.indexing.corpus.readers.texts.parsing.chats.turns import (
    Turn,
    channel_of,
    turn_documents,
)
from hippohover.indexing.corpus.records import BadRecord, Document, Understood, clean_title

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


def reads(file: SourceFile) -> bool:
    """Return whether a JSON file begins as an exported chat does."""
    with file.opened() as stream:
        head = stream.read(_HEAD_BYTES).removeprefix(BOM).lstrip()
    if head[:1] == b"[":
        return bool(_SLACK.search(head) and _STAMP.search(head))
    return bool(_DISCORD.match(head) or _TELEGRAM.search(head))


def read(file: SourceFile) -> Iterator[Document | BadRecord | Understood]:
    """Yield the documents of an exported chat's messages."""
    try:
        chat = json.loads(file.content().removeprefix(BOM))
    except (ValueError, RecursionError) as error:
        yield BadRecord(file.place, not_json(error))
        return
    whole = without_suffix(file.place.removesuffix(".json"))
    if isinstance(chat, list):
        messages = _fields_of(chat)
        turns = _slack(messages, _names(messages) | _users_of(file))
        yield from turn_documents(turns, file, channel_of(file), file.folder or whole)
    elif isinstance(chat, dict) and "guild" in chat:
        channel = said(_inner(chat, "channel").get("name")) or channel_of(file)
        yield from turn_documents(_discord(_fields_of(chat.get("messages"))), file, channel, whole)
    elif isinstance(chat, dict):
        chats = [chat, *_fields_of(_inner(chat, "chats").get("list"))]
        for at, part in enumerate(chats):
            channel = clean_title(said(part.get("name"))) or channel_of(file)
            of_part = f"{whole}/{part.get('id', at)}" if at else whole
            turns = _telegram(_fields_of(part.get("messages")))
            yield from turn_documents(turns, file, channel, of_part)
    else:
        yield BadRecord(file.place, "is not a chat of Slack, Discord or Telegram: check the file")


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
    try:
        users = _fields_of(json.loads(content))
    except (ValueError, RecursionError):
        return {}
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
    value = fields.get(name)
    return cast("Fields", value) if isinstance(value, dict) else {}


def _fields_of(value: object) -> list[Fields]:
    """Return the objects in a list; none for anything else."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Fields", item) for item in items if isinstance(item, dict)]
