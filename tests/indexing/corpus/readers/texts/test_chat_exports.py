"""Chats exported as JSON: who said what when, and what it answers."""

import json
from pathlib import Path

import pytest

from hippohover.indexing.corpus.readers.texts.chat_exports import read, reads
from hippohover.indexing.corpus.records import BadRecord, Document
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
def test_what_is_no_chat_is_a_bad_record(content: str):
    (record,) = read(source("a.json", content.encode("latin-1")))
    assert isinstance(record, BadRecord)


@pytest.mark.parametrize(
    "content",
    ['[{"ts": 1}, 2, {"ts": "x", "text": null}]', '{"guild": 1, "channel": 2, "messages": [3]}',
     '{"chats": [], "messages": {"a": 1}}', '{"messages": [{"type": "message", "text": [{}]}]}'],
)  # fmt: skip
def test_odd_fields_are_none(content: str):
    assert documents(read, "a.json", content) == []
