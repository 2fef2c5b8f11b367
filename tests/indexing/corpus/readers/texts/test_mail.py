"""Messages: subject, ids, who wrote when; what is quoted and attached is left out."""

from email import message_from_bytes
from email.message import EmailMessage, Message

import pytest

from hippohover.indexing.corpus.files import source_file
from hippohover.indexing.corpus.files.globs import EVERY, Globs
from hippohover.indexing.corpus.formats import documents_in
from hippohover.indexing.corpus.passages import CorpusCounts
from hippohover.indexing.corpus.readers.texts import mail
from hippohover.indexing.corpus.readers.texts.mail import attachments, is_attached, read
from hippohover.indexing.corpus.readers.texts.mail_quotes import (
    MAIL_WORDS,
    is_forward,
    says_forwarded,
    without_quotes,
)
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver
from tests.indexing.corpus.readers.texts.text_samples import document, documents, reason, source

REPLY = """On Mon, 4 Jan 2026 at 10:00, Tom Ashe
<tom@x.org> wrote:

> Who owns the heron?
> Tom

Ida Fenn owns it.

> And since when?
Since May.

--\x20
Ada Finch
Heron Bridge Ltd
"""


def message(subject: str, text: str, **headers: str) -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = subject
    made["From"] = "Ada Finch <ada@x.org>"
    made["To"] = '"Ashe, Tom" <tom@x.org>, ida@x.org'
    made["Date"] = "Tue, 05 Jan 2026 09:30:00 +0100"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    return made


def test_a_reply_without_what_it_quotes():
    made = message("Re: Größe", REPLY, Message_ID="<2@x.org>", In_Reply_To="<1@x.org>")
    read_one = document(read, "mail/2.eml", made.as_bytes())
    assert (read_one.title, read_one.id, read_one.reply_to) == ("Re: Größe", "2@x.org", "1@x.org")
    assert read_one.text == (
        "From: Ada Finch\nTo: Ashe, Tom, ida@x.org\nDate: 2026-01-05T09:30:00+01:00\n\n"
        "Ida Fenn owns it.\n\nSince May."
    )
    assert read_one.fields == {
        "from": "Ada Finch",
        "to": ["Ashe, Tom", "ida@x.org"],
        "subject": "Re: Größe",
        "date": "2026-01-05T09:30:00+01:00",
    }
    assert (read_one.aliases, read_one.path) == (("2",), "mail/2.eml")


def test_html_is_read_where_there_is_no_plain_text():
    made = message("Rates", "plain words", References="<0@x.org> <1@x.org>")
    made.add_alternative("<p>html words</p>", subtype="html")
    read_one = document(read, "r.eml", made.as_bytes())
    assert read_one.text.endswith("\n\nplain words")
    assert (read_one.id, read_one.reply_to) == ("r", "1@x.org")
    made = message("Rates", "")
    made.set_content(
        "<div>Two <b>crowns</b></div><div class='gmail_quote'>On ... wrote: old</div>",
        subtype="html",
    )
    assert document(read, "r.eml", made.as_bytes()).text.endswith("\n\nTwo crowns")


def with_attachments() -> EmailMessage:
    made = message("Rates", "plain words", Message_ID="<9@x>")
    made.add_attachment("attached words", filename="a.txt")
    made.add_attachment("other words", filename="C:\\in\\a.txt")
    made.add_attachment(b"\0\1", maintype="image", subtype="png", filename="../b.png")
    made.add_attachment(b"PK", maintype="application", subtype="zip")
    inner = message("Inner", "inner words", Message_ID="<8@x>")
    inner.add_attachment("deeper words", filename="c.txt")
    made.add_attachment(inner)
    return made


def test_what_is_attached_is_read_as_files_below_the_message_and_leads_to_it():
    records = list(documents_in(source("in/r.eml", with_attachments().as_bytes()), EVERY))
    made = [record for record in records if isinstance(record, Document)]
    assert [(one.title, one.path, one.id, one.reply_to) for one in made] == [
        ("Rates", "in/r.eml", "9@x", ""),
        ("a", "in/r.eml/a.txt", "in/r.eml/a", "9@x"),
        ("3-a", "in/r.eml/3-a.txt", "in/r.eml/3-a", "9@x"),
        ("Inner", "in/r.eml/6.eml", "8@x", "9@x"),
    ]
    assert made[0].text.endswith("\n\nplain words")
    assert [one.text for one in made[1:3]] == ["attached words\n", "other words\n"]
    assert [record for record in records if isinstance(record, PassedOver)] == [
        PassedOver("in/r.eml/b.png", "pictures"),
        PassedOver("in/r.eml/5.zip", "an attached archive"),
        PassedOver("in/r.eml/6.eml/c.txt", "attached to what is attached"),
    ]
    without = documents_in(
        source("r.eml", with_attachments().as_bytes()), Globs(exclude=("*.txt",))
    )
    assert [one.place for one in without if isinstance(one, PassedOver)][:2] == [
        "r.eml/a.txt", "r.eml/3-a.txt",
    ]  # fmt: skip


def test_a_file_of_messages_with_attachments_is_counted_once():
    box = b"\n".join([b"From ada@x Tue Jan  5 09:30:00 2026\n" + with_attachments().as_bytes()] * 2)
    counts = CorpusCounts()
    records = counts.without_files(documents_in(source("all.mbox", box), EVERY))
    assert [one.path for one in records if isinstance(one, Document)][-2:] == [
        "all.mbox/2/3-a.txt", "all.mbox/2/6.eml",
    ]  # fmt: skip
    assert counts.n_files == {".mbox": 1, ".txt": 4, ".eml": 2}
    assert counts.passed_over["pictures"] == {".png": 2}


def test_an_attachment_that_is_damaged_leaves_its_message():
    made = message("Rates", "words")
    made.add_attachment(b"%PDF", maintype="application", subtype="x", filename="a.docx")
    first, bad = documents_in(source("r.eml", made.as_bytes()), EVERY)
    assert isinstance(first, Document)
    assert isinstance(bad, BadRecord)
    assert bad.place == "r.eml/a.docx"


def test_a_message_of_old_without_a_subject():
    content = b"From: =?iso-8859-1?q?Jos=E9?= <j@x.org>\nDate: yesterday\n\ncaf\xe9 \x96 open\n"
    made = document(read, "old.eml", content)
    assert made.title == "Message of José"
    assert made.fields["date"] == "yesterday"
    assert made.text.endswith("café – open")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("> only\n> quoted\n", "> only\n> quoted"),
        ("Yes.\n-----Original Message-----\nFrom: Tom\nold\n", "Yes."),
        ("a\n-- \nsignature\n", "a"),
        ("-- \n" + "line\n" * 30, "-- \n" + "line\n" * 29 + "line"),
        ("See below:\n\ntext", "See below:\n\ntext"),
        ("Yes.\n-----Mensaje original-----\nDe: Tom\nold\n", "Yes."),
        ("---------- Forwarded message ---------\nthe news", None),
    ],
)
def test_what_is_a_messages_own(text: str, own: str | None):
    made = document(read, "a.eml", f"Subject: s\n\n{text}".encode())
    assert made.text == (own or text)


def test_an_mbox_is_read_message_by_message():
    texts = [message(f"S{n}", f"body {n}\n", Message_ID=f"<{n}@x>").as_bytes() for n in range(3)]
    texts[1] = texts[1].replace(b"body 1", b">From the start\nFrom here\n")
    box = b"\n".join(b"From ada@x Tue Jan  5 09:30:00 2026\n" + text for text in texts)
    made = documents(read, "box/all.mbox", box)
    assert [one.id for one in made] == ["0@x", "1@x", "2@x"]
    assert [one.title for one in made] == ["S0", "S1", "S2"]
    assert made[1].text.endswith("From the start\nFrom here")
    assert {one.path for one in made} == {"box/all.mbox"}
    assert documents(read, "empty.mbox", b"") == []


def test_what_is_no_mail_is_named():
    no_box = reason("b.mbox", b"Subject: x\n\nno box")
    assert no_box == 'is not an mbox: it begins with no line "From ": check it'
    (no_mail,) = read(source("b.eml", b"\n\n"))
    assert no_mail[1] == "is not a message: it has neither headers nor a text"
    deep = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(1200)
    )
    assert reason("deep.eml", deep) == "has over 100 nested parts: split it"


def test_a_message_that_is_too_long_is_one_failure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mail, "MAX_RECORD_BYTES", 2000)
    assert source_file.MAX_RECORD_BYTES > 2000
    border = b"From a Tue Jan  5 09:30:00 2026\n"
    box = border + b"Subject: a\n\n" + b"x\n" * 2000 + b"\n" + border + b"Subject: b\n\nshort\n"
    long, short = read(source("b.mbox", box))
    assert isinstance(long, BadRecord)
    assert long.place == "b.mbox#1"
    assert short.title == "b"  # pyright: ignore[reportAttributeAccessIssue]


HEADERS = "From: Tom Ashe\nSent: Monday, 4 January 2026\nSubject: The weir\n\n"


@pytest.mark.parametrize("subject", ["FW: The weir", "Wg: The weir", "TR: x", "[staff] Fwd: x"])
@pytest.mark.parametrize(
    "mark",
    [
        "-----Original Message-----\n",
        "-----Ursprüngliche Nachricht-----\n",
        "________________________________\n",
        "---------- Forwarded message ---------\n",
        "",
    ],
)
def test_what_is_forwarded_is_text(subject: str, mark: str):
    text = f"See below.\n\n-- \nAda\n\n{mark}{HEADERS}The weir opens in May.\n\n> Does it?\n"
    made = message(subject, text)
    read_one = document(read, "f.eml", made.as_bytes())
    assert read_one.text.split("\n\n", 1)[1] == (
        f"See below.\n\n{mark}{HEADERS}The weir opens in May.\n\nDoes it?"
    )


def test_what_apple_forwards_is_quoted_and_text():
    text = (
        "Look.\n\nBegin forwarded message:\n\n> From: Tom Ashe\n> \n> The weir opens\n> in May.\n"
    )
    read_one = document(read, "f.eml", message("Fwd: The weir", text).as_bytes())
    assert read_one.text.endswith("From: Tom Ashe\n\nThe weir opens\nin May.")
    bare = document(read, "f.eml", message("Fwd: The weir", "Look.\n\n> It opens.").as_bytes())
    assert bare.text.endswith("\n\nLook.\n\n> It opens.")


@pytest.mark.parametrize(
    ("subject", "quote", "is_kept"),
    [
        ("Fwd: The weir", '<blockquote type="cite">It opens.</blockquote>', True),
        ("The weir", '<div class="gmail_quote">- Forwarded message -<br>It opens.</div>', False),
        (
            "The weir",
            '<div class="gmail_quote">---- Forwarded message ----<p>It opens.</div>',
            True,
        ),
        ("Re: Fwd: The weir", '<blockquote type="cite">It opens.</blockquote>', False),
    ],
)
def test_what_is_forwarded_in_html_is_text(subject: str, quote: str, is_kept: bool):
    made = message(subject, "")
    made.set_content(f"<p>See below.</p>{quote}", subtype="html")
    assert document(read, "f.eml", made.as_bytes()).text.endswith("It opens.") == is_kept


def test_a_reply_to_what_was_forwarded_leaves_it_out():
    quoted = "Thanks.\n\n> ---- Forwarded message ----\n> The weir opens."
    assert document(read, "f.eml", message("Re: x", quoted).as_bytes()).text.endswith("Thanks.")
    text = f"Thanks.\n\n-----Original Message-----\n{HEADERS}The weir opens in May."
    assert document(read, "f.eml", message("RE: FW: x", text).as_bytes()).text.endswith("Thanks.")


@pytest.mark.parametrize(
    "border",
    ["From ada@x Tue Jan  5 09:30:00 2026", "From - Tue Jan  5 09:30:00 2026", "From ", "From -"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "place", ["Inbox", "Lists.mbox/mbox", "all.mbox", "all.mbox.gz", "Old.2024"]
)
def test_a_mail_folder_is_read_message_by_message_whatever_its_name(
    border: str, end: str, place: str
):
    text = f"{border}\nX-Mozilla-Status: 0001\nSubject: S%d\n\nbody %d\n\nFrom here\n\n"
    box = "".join(text % (n, n) for n in range(3)).replace("\n", end).encode()
    made = list(documents_in(source(place, box), EVERY))
    assert [one.title for one in made if isinstance(one, Document)] == ["S0", "S1", "S2"]
    assert len({one.id for one in made if isinstance(one, Document)}) == 3


def test_a_message_in_a_file_called_by_a_number_is_mail():
    text = b"Message-ID: <7@x>\nDate: Tue, 05 Jan 2026 09:30:00 +0100\nSubject: Rates\n\nTwo."
    for place in ("kept/7.", "kept/7", "cur/7.gz"):
        (made,) = documents_in(source(place, text), EVERY)
        assert isinstance(made, Document)
        assert (made.id, made.title) == ("7@x", "Rates")
    (prose,) = documents_in(source("README", b"From here on, 10:30 is noon.\n\nText."), EVERY)
    assert isinstance(prose, Document)
    assert prose.text.startswith("From here on")


@pytest.mark.parametrize(
    ("kind", "word"), [(kind, word) for kind, words in MAIL_WORDS.items() for word in words]
)
def test_what_programs_write_around_a_quote_is_known_in_any_language(kind: str, word: str):
    text = {
        "originals": f"Own.\n\n----- {word} -----\nOld.",
        "forwards": f"Own.\n\n---------- {word} ---------\nOld.",
        "beginnings": f"Own.\n\n{word}:\n\nOld.",
        "senders": f"-- \n{'x' * 9}\n\n{word}: Tom Ashe\nSent: Monday\n\nOld.",
        "dates": f"-- \n{'x' * 9}\n\nFrom: Tom Ashe\n{word}: Monday\n\nOld.",
        "opening": f"Own.\n\n{word} Monday, Tom Ashe\n<tom@x.org> wrote:\n> Old.",
    }.get(kind, "")
    if kind == "forwarded_subjects":
        assert is_forward(f"{word}: Rates")
        assert not is_forward(f"{word} Rates")
    elif kind in ("originals", "opening"):
        assert without_quotes(text, "Re: Rates") == "Own."
    elif kind in ("senders", "dates"):  # above a signature, all of that would be one
        assert without_quotes(text, "Fwd: Rates").endswith("Old.")
    else:
        assert says_forwarded(text)


# Files that are attached to a message: their names, which may be any text, and their bytes


def part(kind: str = "application/x-odd", name: str = "", disposition: str = "") -> Message:
    made = Message()
    made["Content-Type"] = kind
    if disposition or name:
        made["Content-Disposition"] = disposition or "inline"
    if name:
        made.set_param("filename", name, "Content-Disposition")
    made.set_payload("x")
    return made


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (part("text/plain"), False),
        (part("text/html", name="page.html"), False),  # a text that is shown, whatever its name
        (part("text/plain", disposition="attachment"), True),
        (part("image/png", name="a.png"), True),
        (part("image/png"), False),  # what a page shows
        (part("message/rfc822"), True),
    ],
)
def test_a_part_with_a_name_or_said_to_be_one_is_attached(made: Message, expected: bool):
    assert is_attached(made) is expected


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (["a.pdf", "b.pdf"], ["m.eml/a.pdf", "m.eml/b.pdf"]),
        (["a.pdf", "a.pdf"], ["m.eml/a.pdf", "m.eml/2-a.pdf"]),
        (["../../etc/passwd", "C:\\x\\y.doc"], ["m.eml/passwd", "m.eml/y.doc"]),
        (["..", "a\0b\n.txt"], ["m.eml/1", "m.eml/a b .txt"]),
        (["n" * 500 + ".txt"], ["m.eml/" + "n" * 196 + ".txt"]),
    ],
)
def test_each_has_a_name_of_its_own_below_the_message(names: list[str], places: list[str]):
    parts = [part(name=name, disposition="attachment") for name in names]
    assert [file.place for file in attachments(parts, "m.eml")] == places


def test_what_has_no_name_is_called_by_its_number_and_kind():
    parts = [part("text/plain"), part("application/pdf", disposition="attachment")]
    assert [file.place for file in attachments(parts, "m.eml")] == ["m.eml/2.pdf"]


def test_the_bytes_are_decoded_and_a_message_is_one_again():
    made, inner = EmailMessage(), EmailMessage()
    inner["Subject"] = "Inner"
    inner.set_content("words\n")
    made.add_attachment(b"\0\xff", maintype="image", subtype="png", filename="a.png")
    made.add_attachment(inner)
    read = message_from_bytes(made.as_bytes())
    picture, forwarded = attachments(read.get_payload(), "m.eml")  # pyright: ignore
    assert (picture.content(), picture.content()) == (b"\0\xff", b"\0\xff")  # as often as asked
    assert forwarded.place == "m.eml/2.eml"
    assert message_from_bytes(forwarded.content())["Subject"] == "Inner"
