"""Chats exported as JSON: who said what when, and what it answers."""

import json
from pathlib import Path

import pytest

from hippohover.indexing.corpus.readers.texts.chat_exports import read, reads
from hippohover.indexing.corpus.readers.texts.chat_logs import WITHOUT_WORDS
from hippohover.indexing.corpus.records import Document, Understood, UnreadableError
from tests.indexing.corpus.readers.texts.text_samples import documents, source

SLACK = [
    {"type": "message", "subtype": "channel_join", "ts": "1704450000.000100", "text": "joined"},
    {"type": "message", "user": "U1", "ts": "1704450120.000200", "text": "Who owns <@U2>&amp;Co?",
     "thread_ts": "1704450120.000200", "user_profile": {"real_name": "Ada Finch"}},
    {"type": "message", "user": "U2", "ts": "1704450180.000300", "text": "<https://x.org|it>",
     "thread_ts": "1704450120.000200"},
    {"type": "message", "username": "bot", "ts": "1704450240.000400", "text": "see <#C1|rates>"},
]  # fmt: skip

DISCORD = {
    "guild": {"id": "1", "name": "Heron"},
    "channel": {"id": "2", "name": "rates"},
    "messages": [
        {"id": "10", "type": "Default", "timestamp": "2024-01-05T10:22:33.1+00:00",
         "content": "Who owns it?", "author": {"name": "ada", "nickname": "Ada"}},
        {"id": "11", "type": "GuildMemberJoin", "content": "joined", "author": {"name": "x"}},
        {"id": "12", "type": "Reply", "timestamp": "2024-01-05T10:23:00+00:00", "content": "Ida",
         "author": {"name": "tom"}, "reference": {"messageId": "10"},
         "embeds": [{"title": "News", "description": "of it"}]},
    ],
}  # fmt: skip

TELEGRAM = {
    "name": "Family", "type": "private_group", "id": 7,
    "messages": [
        {"id": 1, "type": "service", "text": ""},
        {"id": 2, "type": "message", "date": "2024-01-05T10:22:33", "from": "Ada",
         "text": ["Who ", {"type": "bold", "text": "owns"}, " it?"]},
        {"id": 3, "type": "message", "date": "2024-01-05T10:23:00", "from": "Tom", "text": "Ida",
         "reply_to_message_id": 2},
    ],
}  # fmt: skip


def rows(made: list[Document]) -> list[tuple[str, str, str, str]]:
    return [(one.id, one.title, one.text, one.reply_to) for one in made]


def test_a_day_of_slack(tmp_path: Path):
    users = b'[{"id": "U2", "profile": {"real_name": "Tom Ashe"}}, {"id": 3}]'
    day = tmp_path / "export" / "general" / "2024-01-05.json"
    day.parent.mkdir(parents=True)
    (day.parents[1] / "users.json").write_bytes(users)
    file = source("export/general/2024-01-05.json", json.dumps(SLACK))
    file.on_disk = day
    assert reads(file)
    made = [one for one in read(file) if isinstance(one, Document)]
    chat = "export/general#1704450"
    assert rows(made) == [
        (f"{chat}120.000200", "general, 2024-01-05 10:22, Ada Finch",
         "Ada Finch: Who owns @Tom Ashe&Co?", ""),
        (f"{chat}180.000300", "general, 2024-01-05 10:23, Tom Ashe", "Tom Ashe: it",
         f"{chat}120.000200"),
        (f"{chat}240.000400", "general, 2024-01-05 10:24, bot", "bot: see #rates",
         f"{chat}180.000300"),
    ]  # fmt: skip


def test_a_channel_of_discord():
    content = json.dumps(DISCORD)
    assert reads(source("d.json", content))
    assert rows(documents(read, "d.json", content)) == [
        ("d#10", "rates, 2024-01-05 10:22, Ada", "Ada: Who owns it?", ""),
        ("d#12", "rates, 2024-01-05 10:23, tom", "tom: Ida\nNews\nof it", "d#10"),
    ]


def test_a_chat_and_all_chats_of_telegram():
    assert reads(source("result.json", json.dumps(TELEGRAM)))
    expected = [
        ("t/result#2", "Family, 2024-01-05 10:22, Ada", "Ada: Who owns it?", ""),
        ("t/result#3", "Family, 2024-01-05 10:23, Tom", "Tom: Ida", "t/result#2"),
    ]
    assert rows(documents(read, "t/result.json", json.dumps(TELEGRAM))) == expected
    both = json.dumps({"about": "Here is the data you requested", "chats": {"list": [TELEGRAM]}})
    assert reads(source("result.json", both))
    assert [row[0] for row in rows(documents(read, "result.json", both))] == [
        "result/7#2",
        "result/7#3",
    ]


@pytest.mark.parametrize(
    "content", ['[{"title": "T", "text": "ts type message"}]', '{"a": 1}', "", "[1]", "nothing"]
)
def test_other_json_is_no_chat(content: str):
    assert not reads(source("a.json", content))


@pytest.mark.parametrize("content", ["", "[" * 5000, "7", "caf\xe9"])
def test_what_is_no_chat_is_refused(content: str):
    with pytest.raises(UnreadableError):
        list(read(source("a.json", content.encode("latin-1"))))


@pytest.mark.parametrize(
    "content",
    ['[{"ts": 1}, 2, {"ts": "x", "text": null}]', '{"guild": 1, "channel": 2, "messages": [3]}',
     '{"chats": [], "messages": {"a": 1}}', '{"messages": [{"type": "message", "text": [{}]}]}'],
)  # fmt: skip
def test_odd_fields_are_none(content: str):
    assert documents(read, "a.json", content) == []


def section(text: str) -> dict[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


RICH = {"type": "rich_text", "elements": [
    {"type": "rich_text_section", "elements": [
        {"type": "text", "text": "Ask "}, {"type": "user", "user_id": "U1"},
        {"type": "text", "text": " about "}, {"type": "link", "url": "https://x.org/weir"}]},
    {"type": "rich_text_list", "elements": [
        {"type": "rich_text_section", "elements": [{"type": "text", "text": "Otter"}]},
        {"type": "rich_text_section", "elements": [{"type": "text", "text": "Stork"}]}]},
]}  # fmt: skip


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "", "blocks": [section("The weir is open")]}, "The weir is open"),
        ({"text": "Same", "blocks": [section("Same")]}, "Same"),
        ({"blocks": [RICH]}, "Ask @Ada about https://x.org/weir\nOtter\nStork"),
        ({"blocks": [{"type": "section", "fields": [{"type": "mrkdwn", "text": "a &amp; b"}]},
                     {"type": "context", "elements": [{"type": "plain_text", "text": "c"}]},
                     {"type": "divider"}, 7]}, "a & b\nc"),
        ({"blocks": [{"type": "table", "rows": [[{"text": "Otter"}, {"text": "2"}]]}]}, "Otter; 2"),
        ({"attachments": [{"fallback": "Failed", "title": "Build 5", "text": "The weir broke.",
                           "fields": [{"title": "Branch", "value": "otter"}]}]},
         "Build 5\nThe weir broke.\nBranch: otter"),
        ({"attachments": [{"fallback": "Only this"}]}, "Only this"),
        ({"attachments": [{"blocks": [section("In a card")]}]}, "In a card"),
        ({"attachments": [{"message_blocks": [{"message": {"blocks": [section("Shared")]}}]}]},
         "Shared"),
        ({"text": "See", "attachments": [{"title": "Weirs", "text": "Of Ott."}]},
         "See\nWeirs\nOf Ott."),
        ({"text": "", "files": [{"name": "a.pdf", "title": "Dues of 1931"}]}, "Dues of 1931"),
    ],
)  # fmt: skip
def test_words_of_slack_beside_the_text(message: dict[str, object], text: str):
    day = [
        {"type": "message", "ts": "1704450120.000200", "user": "U1", "text": "x",
         "user_profile": {"real_name": "Ada"}},
        {"type": "message", "ts": "1704450121.000200", "user": "U1"} | message,
    ]  # fmt: skip
    assert documents(read, "c/2024-01-05.json", json.dumps(day))[1].text == f"Ada: {text}"


def test_words_of_discord_and_telegram_beside_the_text():
    first = DISCORD["messages"][0] | {  # pyright: ignore
        "content": "",
        "embeds": [{"author": {"name": "ci"}, "fields": [{"name": "Branch", "value": "otter"}]}],
        "poll": {"question": {"text": "When?"}, "answers": [{"poll_media": {"text": "May"}}]},
        "attachments": [{"fileName": "dues.pdf"}],
    }
    (made,) = documents(read, "d.json", json.dumps(DISCORD | {"messages": [first]}))
    assert made.text == "Ada: ci\nBranch: otter\nWhen?\nMay\ndues.pdf"
    message = {"id": 1, "type": "message", "from": "Ada", "text": "", "file_name": "dues.pdf",
               "poll": {"question": "When?", "answers": [{"text": "May"}]}}  # fmt: skip
    (made,) = documents(read, "r.json", json.dumps(TELEGRAM | {"messages": [message]}))
    assert made.text == "Ada: When?\nMay\ndues.pdf"


def test_that_messages_without_words_are_left_out_is_said_once():
    silent = [SLACK[1] | {"text": "", "ts": f"170445012{n}.0"} for n in range(2)]
    assert list(read(source("c/2024-01-05.json", json.dumps(silent)))) == [
        Understood(WITHOUT_WORDS)
    ]
