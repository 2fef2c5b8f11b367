"""Three files of each kind of mail, chat and subtitle: by their places in a folder."""

import json
from email.message import EmailMessage
from typing import Any, Final

SRT: Final = """1
00:00:01,000 --> 00:00:02,500
<i>Who owns</i>
the heron?

2
00:02:03,000 --> 00:02:04,000
Ida does.
"""
RUSSIAN: Final = """1
00:00:01,000 --> 00:00:02,500
Где цапля?

2
00:00:03,000 --> 00:00:04,000
У Иды, на мосту через реку.
"""
QUOTING: Final = "Ida does.\n\nOn 5 Jan 2024, Ada Finch wrote:\n> Who owns the heron?\n"
IPHONE: Final = """[1/13/24, 10:22:33\u202fPM] Ada: Who owns it?
\u200e[1/13/24, 10:23:00\u202fPM] ~\u202fTom: Ida does
[2/3/24, 9:01:07\u202fAM] Ada: Thanks
"""
ANDROID: Final = """13/01/2024, 10:20 - Messages and calls are end-to-end encrypted.
13/01/2024, 10:22 - Ada: Who owns it?
13/01/2024, 10:23 - Tom: Ida
13/01/2024, 10:24 - Ada: Thanks
"""
GERMAN: Final = """5.1.24, 10:22 - Ada: Wem gehört sie?
5.1.24, 10:23 - Jörg: Ida
seit Mai
5.1.24, 10:24 - Ada: <Media omitted>
5.1.24, 10:25 - Jörg: Gern
"""


def mail(subject: str, text: str, number: int, answers: int = 0) -> EmailMessage:
    """A message of Ada's to Tom."""
    made = EmailMessage()
    made["Subject"], made["From"] = subject, "Ada Finch <ada@x.org>"
    made["To"], made["Date"] = "Tom Ashe <tom@x.org>", "Fri, 05 Jan 2024 09:30:00 +0100"
    made["Message-ID"] = f"<{number}@x.org>"
    if answers:
        made["In-Reply-To"] = f"<{answers}@x.org>"
    made.set_content(text)
    return made


def with_more(made: EmailMessage) -> EmailMessage:
    """A message in HTML with a picture and a text attached."""
    made.set_content("<p>Two <b>crowns</b></p>", subtype="html")
    made.add_attachment(b"\x89PNG\0", maintype="image", subtype="png", filename="a.png")
    made.add_attachment("Words of an attachment.", filename="terms.txt")
    return made


def mbox(*messages: EmailMessage) -> bytes:
    """Messages one after another, as Unix keeps them."""
    border = b"From ada@x.org Fri Jan  5 09:30:00 2024\n"
    return b"\n".join(border + message.as_bytes() for message in messages)


def slack(*said: tuple[str, str, str, str]) -> str:
    """A day of a channel: second, who, text, and the second of the thread."""
    messages = [
        {"type": "message", "user": f"U-{who}", "ts": f"17044501{at}.000200", "text": text,
         "user_profile": {"real_name": who}}
        | ({"thread_ts": f"17044501{thread}.000200"} if thread else {})
        for at, who, text, thread in said
    ]  # fmt: skip
    return json.dumps(messages)


def discord(channel: str, *said: tuple[str, str, str, dict[str, Any]]) -> str:
    """DiscordChatExporter's: minute, who, text, and more of it."""
    messages = [
        {"id": at, "type": "Default", "timestamp": f"2024-01-05T10:{at}:33.1+00:00",
         "content": text, "author": {"name": who}} | more
        for at, who, text, more in said
    ]  # fmt: skip
    channels = {"guild": {"id": "1", "name": "H"}, "channel": {"id": "2", "name": channel}}
    return json.dumps({**channels, "messages": messages})


def telegram(name: str, *said: tuple[int, str, object, int]) -> dict[str, Any]:
    """A chat of Telegram Desktop's export: number, who, text, and the number that it answers."""
    messages = [
        {"id": at, "type": "message", "date": f"2024-01-05T10:2{at}:33", "from": who, "text": text}
        | ({"reply_to_message_id": answers} if answers else {})
        for at, who, text, answers in said
    ]
    return {"name": name, "type": "private_group", "id": 7, "messages": messages}


def all_of_telegram(*chats: dict[str, Any]) -> str:
    """The export of an account."""
    about = "Here is the data you requested."
    return json.dumps({"about": about, "chats": {"list": list(chats)}})


FILES: Final[dict[str, str | bytes]] = {
    "eml/1.eml": mail("The heron", "Who owns the heron?", 1).as_bytes(),
    "eml/2.eml": mail("Re: The heron", QUOTING, 2, answers=1).as_bytes(),
    "eml/3.eml": with_more(mail("Größe", "", 3)).as_bytes(),
    "mbox/a.mbox": mbox(mail("Rates", "Two crowns.", 10), mail("Re: Rates", "Three.", 11, 10)),
    "mbox/one.mbox": mbox(mail("Only", "One message.", 12)),
    "mbox/archive": mbox(mail("Bare", "From a file without a suffix.", 13)),
    "srt/a.srt": SRT,
    "srt/b.srt": ("\ufeff" + SRT).replace("\n", "\r\n"),
    "srt/c.srt": RUSSIAN.encode("koi8-r"),
    "vtt/a.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Two crowns\n\n"
    "00:02.000 --> 00:03.000\n<v Tom>Too much\n",
    "vtt/b.vtt": "WEBVTT - Talk\n\nNOTE hidden\n\nintro\n00:00:01.000 --> 00:00:02.000 line:0\n"
    "Good morning\n\n01:00:00.000 --> 01:00:02.000\nGood night\n",
    "vtt/c.vtt": "WEBVTT\nKind: captions\n\n00:00.000 --> 00:02.000\nthe heron\n\n"
    "00:02.000 --> 00:04.000\nthe heron\nis old\n",
    "slack/general/2024-01-05.json": slack(
        ("20", "Ada Finch", "Who owns it?", ""), ("80", "Tom Ashe", "Ida", "20")
    ),
    "slack/general/2024-01-06.json": slack(("90", "Ada", "See <https://x.org|it> &amp; more.", "")),
    "slack/rates/2024-01-05.json": slack(("30", "Tom Ashe", "Two crowns.", "")),
    "discord/heron.json": discord(
        "heron",
        ("22", "ada", "Who owns it?", {"author": {"name": "ada", "nickname": "Ada"}}),
        ("23", "tom", "Ida", {"type": "Reply", "reference": {"messageId": "22"}}),
    ),
    "discord/H - rates [2].json": discord("rates", ("24", "ada", "Two crowns.", {})),
    "discord/joins.json": discord(
        "joins", ("25", "ada", "joined", {"type": "GuildMemberJoin"}), ("26", "tom", "Hello", {})
    ),
    "telegram/result.json": json.dumps(
        telegram("Family", (2, "Ada", ["Who ", {"text": "owns"}, " it?"], 0), (3, "Tom", "Ida", 2))
    ),
    "telegram/work/result.json": json.dumps(telegram("Work", (4, "Ada", "Two crowns.", 0))),
    "telegram/all.json": all_of_telegram(telegram("Choir", (5, "Ida", "At noon.", 0))),
    "whatsapp/WhatsApp Chat with Tom.txt": ANDROID,
    "whatsapp/export/_chat.txt": IPHONE,
    "whatsapp/Chat.txt": GERMAN,
    "logs/irc.log": "[2024-01-05 10:22] Ada: Who owns it?\n[2024-01-05 10:23] Tom: Ida,\n"
    "since May.\n[2024-01-05 10:24] Ada: Thanks\n",
    "logs/heron/2024-01-05.txt": "10:22 <ada> who owns it?\n10:23 <@tom> ida\n10:24 <ada> thanks\n",
    "logs/three.txt": "2024-01-05T09:01:02Z ada: one\n2024-01-05T09:01:03Z tom: two\n"
    "2024-01-05T09:01:04Z ada: three\n",
}
