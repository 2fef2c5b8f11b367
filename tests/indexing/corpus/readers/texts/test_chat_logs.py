"""Which texts are chats, and who said what when in them."""

import pytest

from hippohover.indexing.corpus.readers.texts.chat_logs import WITHOUT_WORDS, chat_turns
from hippohover.indexing.corpus.readers.texts.plain import read
from hippohover.indexing.corpus.records import Document, Understood
from tests.indexing.corpus.readers.texts.text_samples import document, documents, source

PLAIN = """[2024-01-05 10:22] Ada: Who owns the heron?
[2024-01-05 10:23] Tom Ashe: Ida does,
since May.

[2024-01-05 10:25] Ada: Thanks
"""

ANDROID = """13/01/2024, 10:20 - Messages and calls are end-to-end encrypted.
13/01/2024, 10:22 - Ada: Who owns the heron?
13/01/2024, 10:23 - +44 20 7946 0000: Ida does
13/01/2024, 10:24 - Ada: <Media omitted>
"""

IPHONE = """[1/13/24, 12:22:33\u202fAM] Ada: Who owns the heron?
\u200e[1/13/24, 12:23:00\u202fPM] ~\u202fTom: \u200eimage omitted
[1/13/24, 1:24:00 p.m.] ~\u202fTom: Nobody
[2/3/24, 9:01:07\u202fAM] Ada: Ida does
"""

IRC = "10:22 <ada> who owns the heron?\n10:23 <@tom> ida does\n10:24 <ada> thanks\n"

AMBIGUOUS = "[01/02/26, 09:00] tom: a\n[01/02/26, 09:01] silas: b\n[02/02/26, 09:02] tom: c\n"


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        (PLAIN, [("Ada", "2024-01-05 10:22", "Who owns the heron?"),
                 ("Tom Ashe", "2024-01-05 10:23", "Ida does,\nsince May.\n"),
                 ("Ada", "2024-01-05 10:25", "Thanks\n")]),
        (ANDROID, [("Ada", "2024-01-13 10:22", "Who owns the heron?"),
                   ("+44 20 7946 0000", "2024-01-13 10:23", "Ida does"),
                   ("Ada", "2024-01-13 10:24", "")]),
        (IPHONE, [("Ada", "2024-01-13 00:22:33", "Who owns the heron?"),
                  ("Tom", "2024-01-13 12:23:00", ""),
                  ("Tom", "2024-01-13 13:24:00", "Nobody"),
                  ("Ada", "2024-02-03 09:01:07", "Ida does\n")]),
        (IRC, [("ada", "2023-12-31 10:22", "who owns the heron?"),
               ("tom", "2023-12-31 10:23", "ida does"), ("ada", "2023-12-31 10:24", "thanks\n")]),
        (AMBIGUOUS, [("tom", "01/02/26 09:00", "a"), ("silas", "01/02/26 09:01", "b"),
                     ("tom", "02/02/26 09:02", "c\n")]),
    ],
)  # fmt: skip
def test_turns_of_a_chat(text: str, turns: list[tuple[str, str, str]]):
    made = list(chat_turns(text, "2023-12-31"))
    assert [(turn.author, turn.date, turn.text) for turn in made] == turns
    assert [turn.number for turn in made] == [str(n) for n in range(1, len(turns) + 1)]


@pytest.mark.parametrize(
    ("stamp", "when"),
    [
        ("31/12/2023, 21:01 - ", "2023-12-31 21:01"),
        ("31/12/2023 21:01 - ", "2023-12-31 21:01"),
        ("31/12/23 à 21:01 - ", "2023-12-31 21:01"),
        ("31.12.23, 21:01 - ", "2023-12-31 21:01"),
        ("[31.12.23, 21:01:07] ", "2023-12-31 21:01:07"),
        ("31.12.2023 klo 21.01 - ", "2023-12-31 21:01"),
        ("31.12.2023 kl. 21.01 - ", "2023-12-31 21:01"),
        ("31-12-23 21:01 - ", "2023-12-31 21:01"),
        ("12/31/23, 9:01 PM - ", "2023-12-31 21:01"),
        ("12/31/23, 9:01\u202fp. m. - ", "2023-12-31 21:01"),
        ("31/12/2023, 9:01 p.\xa0m. - ", "2023-12-31 21:01"),
        ("31/12/2023, 12:01 am - ", "2023-12-31 00:01"),
        ("2023-12-31, 9:01 p.m. - ", "2023-12-31 21:01"),
        ("2023/12/31, 21:01 - ", "2023-12-31 21:01"),
        ("2023/12/31 下午9:01 - ", "2023-12-31 21:01"),
        ("2023/12/31 上午9:01 - ", "2023-12-31 09:01"),
        ("2023年12月31日 21:01 - ", "2023-12-31 21:01"),
        ("2023. 12. 31. 21:01 - ", "2023-12-31 21:01"),
        ("2023. 12. 31. 오후 9:01, ", "2023-12-31 21:01"),
        ("2023년 12월 31일 오후 9:01 - ", "2023-12-31 21:01"),
    ],
)
def test_stamps_as_whatsapp_writes_them_in_its_languages(stamp: str, when: str):
    turns = list(chat_turns(f"{stamp}Ada: one\n{stamp}Tom: two\n{stamp}Ada: three"))
    assert [(turn.author, turn.date, turn.text) for turn in turns] == [
        ("Ada", when, "one"), ("Tom", when, "two"), ("Ada", when, "three"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("days", "dates"),
    [
        (["1/9/24", "2/3/24", "3/2/24"], ["2024-01-09", "2024-02-03", "2024-03-02"]),
        (["9/1/24", "3/2/24", "2/3/24"], ["2024-01-09", "2024-02-03", "2024-03-02"]),
        (["1/2/24", "2/2/24", "3/3/24"], ["1/2/24", "2/2/24", "3/3/24"]),  # either way
    ],
)
def test_a_chat_goes_on_in_time_which_tells_the_month(days: list[str], dates: list[str]):
    turns = chat_turns("\n".join(f"{day}, 9:01 PM - Ada: x" for day in days))
    assert [turn.date for turn in turns] == [f"{date} 21:01" for date in dates]


def test_numbered_notes_are_no_turns():
    assert not list(chat_turns("1.10 Note: one\n1.11 Note: two\n1.12 Note: three"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024-01-05 10:22:33,123 INFO root: started\n" * 9,
        "2024-01-05 10:22:33 [error] 123#0: gone\n" * 9,
        "2024/01/05 10:22:33 main.go:23: message\n" * 9,
        "Jan  5 10:22:33 host sshd[123]: closed\n" * 9,
        "09:00 Welcome: Ada Finch\n10:00 Rates: Tom Ashe\n11:00 Lunch: all\n12:00 Talks: Ida\n",
        "[2024-01-05 10:22] Ada: one\n[2024-01-05 10:23] Ada: two\n",
        "A story.\n" * 9 + PLAIN,
        "12:30 is when we met: at noon.\n" + "We went on.\n" * 4,
    ],
)
def test_what_is_no_chat(text: str):
    assert list(chat_turns(text)) == []


def test_each_turn_is_a_document_that_answers_the_one_before():
    first, second, third = documents(read, "slack/general.txt", PLAIN)
    assert first.title == "general, 2024-01-05 10:22, Ada"
    assert second.text == "Tom Ashe: Ida does,\nsince May."
    assert [first.id, second.id] == ["slack/general#1", "slack/general#2"]
    assert [first.reply_to, second.reply_to, third.reply_to] == ["", first.id, second.id]
    assert first.fields == {"channel": "general", "date": "2024-01-05 10:22", "author": "Ada"}
    assert first.path == "slack/general.txt"


def test_a_file_of_a_day_is_of_its_folders_chat():
    titles = [made.title for made in documents(read, "heron/2024-02-01.log", IRC)]
    assert titles[0] == "heron, 2024-02-01 10:22, ada"
    first, *_, last = read(source("WhatsApp Chat with Tom.txt", ANDROID))
    assert isinstance(first, Document)
    assert first.title.startswith("Tom, 2024")
    assert last == Understood(WITHOUT_WORDS)  # a picture was left out


def test_the_day_in_the_name_tells_which_number_is_the_month():
    made = documents(read, "slack/2026-02-01.txt", AMBIGUOUS)
    assert made[0].title == "slack, 2026-02-01 09:00, tom"


def test_a_text_that_is_no_chat_is_one_document():
    assert document(read, "a.txt", "Ada: yes\nTom: no\n").text == "Ada: yes\nTom: no\n"
