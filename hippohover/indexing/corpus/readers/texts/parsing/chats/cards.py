"""Words of a chat message that stand beside its text: blocks, attachments, embeds, polls, files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

Fields = Mapping[str, Any]

_DEEPEST: Final = 12
_LINES: Final = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")
_OF_BLOCK: Final = ("title", "text", "alt_text", "value", "elements", "fields", "rows")


def slack_words(message: Fields) -> str:
    """Return the words of a message: its text, else its blocks'; and what is attached to it."""
    text = _said(message, "text") or "\n".join(_blocks(message.get("blocks")))
    parts = [text]
    for card in _items(message.get("attachments")):
        words = [word for word in _of_attachment(card) if word not in text]
        parts += dict.fromkeys(words)
    parts += [_said(file, "title") or _said(file, "name") for file in _items(message.get("files"))]
    return "\n".join(filter(None, parts))


def _of_attachment(card: Fields) -> list[str]:
    """Return the words of a bot's message or of a shared link; its fallback says them again."""
    words = [_said(card, name) for name in ("pretext", "author_name", "title", "text")]
    words += [": ".join(_pair(field, "title", "value")) for field in _items(card.get("fields"))]
    blocks = [card.get("blocks"), *(_inner(m, "message").get("blocks") for m in _shared(card))]
    words += [] if _said(card, "text") else [line for part in blocks for line in _blocks(part)]
    words = list(filter(None, words))
    return [*(words or [_said(card, "fallback")]), _said(card, "footer")]


def _shared(card: Fields) -> list[Fields]:
    return _items(card.get("message_blocks"))


def _blocks(value: object) -> Iterator[str]:
    """Yield the lines of Slack's blocks, of those in sections and lists too."""
    for block in _items(value):
        yield from filter(None, _lines(block, 0))


def _lines(block: Fields, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if block.get("type") in _LINES:
        yield "".join(map(_inline, _items(block.get("elements"))))
        return
    for name in _OF_BLOCK:
        value = block.get(name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from _lines(cast("Fields", value), depth + 1)
        elif name == "rows":
            rows = cast("list[object]", value) if isinstance(value, list) else []
            for row in rows:
                cells = (" ".join(_lines(cell, depth + 1)) for cell in _items(row))
                yield "; ".join(filter(None, cells))
        else:
            for item in _items(value):
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
    for embed in _items(message.get("embeds")):
        parts += [_said(_inner(embed, "author"), "name"), _said(embed, "title")]
        parts.append(_said(embed, "description"))
        parts += [": ".join(_pair(field, "name", "value")) for field in _items(embed.get("fields"))]
        parts.append(_said(_inner(embed, "footer"), "text"))
    if forwarded := _inner(message, "forwardedMessage"):
        parts.append(_said(forwarded, "content"))
    poll = _inner(message, "poll")
    parts.append(_said(_inner(poll, "question"), "text"))
    parts += [_said(_inner(answer, "poll_media"), "text") for answer in _items(poll.get("answers"))]
    parts += [_said(file, "fileName") for file in _items(message.get("attachments"))]
    return "\n".join(filter(None, parts))


def telegram_words(message: Fields) -> str:
    """Return the words of a message: text in pieces, a poll, a file's name, a contact, a place."""
    poll, contact = _inner(message, "poll"), _inner(message, "contact_information")
    place = [_said(message, name) for name in ("place_name", "address")]
    title = [_said(message, name) for name in ("title", "performer")]
    parts = [
        "".join(_pieces(message.get("text"))),
        _said(poll, "question"),
        *(_said(answer, "text") for answer in _items(poll.get("answers"))),
        " ".join(_pair(contact, "first_name", "last_name")),
        ", ".join(filter(None, place)),
        ", ".join(filter(None, title)),
        _said(message, "file_name"),
    ]
    return "\n".join(filter(None, parts))


def _pieces(written: object) -> Iterator[str]:
    for part in cast("list[object]", written) if isinstance(written, list) else [written]:
        yield said(cast("Fields", part).get("text") if isinstance(part, dict) else part)


def _pair(fields: Fields, first: str, second: str) -> Sequence[str]:
    return list(filter(None, (_said(fields, first), _said(fields, second))))


def said(value: object) -> str:
    """Return a text or a whole number as text; "" for anything else."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number or isinstance(value, str) else ""


def _said(fields: Fields, name: str) -> str:
    return said(fields.get(name)).strip()


def _inner(fields: Fields, name: str) -> Fields:
    value = fields.get(name)
    return cast("Fields", value) if isinstance(value, dict) else {}


def _items(value: object) -> list[Fields]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Fields", item) for item in items if isinstance(item, dict)]
