"""Files that are attached to a message: their names, which may be any text, and their bytes."""

from email import message_from_bytes
from email.message import EmailMessage, Message

import pytest

from hippohover.indexing.corpus.readers.texts.parsing.attachments import attachments, is_attached


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
