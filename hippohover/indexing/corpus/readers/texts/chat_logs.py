"""Chats kept as text: WhatsApp's exports, "[2024-01-05 10:22] Ada: text", "10:22 <ada> text"."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import file_title
from hippohover.indexing.corpus.records import Records, Understood, clean_title, make_document

_BLANK = r"[ \u202f\xa0]"
_DAY = r"\d{1,4}(?:[./-] ?|[年년] ?)\d{1,2}(?:[./-] ?|[月월] ?)\d{1,4}[.日일]?"
_STAMP = (
    rf"[\u200e\u200f]?[\[(]?(?P<date>{_DAY})?(?:,|T|{_BLANK}){{0,2}}"
    rf"(?:(?:à|às|at|kl\.?|klo|um|o) )?(?P<before>[上下]午|오[전후])?{_BLANK}?"
    r"(?P<time>\d{1,2}(?(date)[:.]|:)\d{2}(?:[:.]\d{2})?"
    rf"(?:{_BLANK}?[AaPp]\.?{_BLANK}?[Mm]\.?)?)"
    r"(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?[\])]?,?[ \t]{0,3}(?:[-–][ \t])?[ \t]{0,3}"
)
_STAMPED = re.compile(_STAMP)
_TURN = re.compile(
    rf"{_STAMP}(?:<[@+ ]?(?P<nick>[^<>\s]{{1,60}})>|[\u200e~ \u202f\xa0]{{0,4}}"
    r"(?P<name>[^\s:<>\[\]{}=()\"'/\\][^:<>\[\]{}=\"/\\\n]{0,60}):)(?:[ \t]+|$)(?P<text>.*)"
)
_LEVEL = re.compile(
    r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE)\b", re.I
)
_LEFT_OUT = re.compile(r"[\u200e<]*(?:Media omitted|image omitted|This message was deleted)>?\.?$")
_FEWEST: Final = 3
_CHARS_TRIED: Final = 200_000
_MONTHS: Final = 12
_HALF_DAY: Final = 12  # hours
_DATE = re.compile(r"(\d{1,4})([./-]|[年년]) ?(\d{1,2})(?:\2|[月월]) ?(\d{1,4})[.日일]?")

_DAY_IN_A_NAME = re.compile(r"\d{4}[-_.]?\d{2}[-_.]?\d{2}")
_OF_WHATSAPP = re.compile(r"^WhatsApp Chat (?:with|-) ", re.I)

WITHOUT_WORDS: Final = (
    "messages of chats without words (pictures, voices, removed ones) are left out"
)


class Turn(NamedTuple):
    """A message: ``number`` is its number in the chat, ``answers`` another's."""

    number: str
    author: str
    date: str
    text: str
    answers: str = ""


def chat_turns(text: str, day: str = "") -> Iterator[Turn]:
    """Yield the messages of a chat; none for other text. ``day`` dates times without a date.

    Most lines have to be turns, of people of whom some say more than one thing, and none of a
    program.
    """
    if not _is_chat(text):
        return
    lines = text.split("\n")
    month_first = _month_first(lines, day)
    who = when = ""
    said: list[str] = []
    n_turns = 0
    for line in lines:
        match = _TURN.match(line)
        if match:
            if n_turns:
                yield Turn(str(n_turns), who, when, "\n".join(said))
            n_turns += 1
            who = match["nick"] or match["name"]
            date = _iso(match["date"], month_first) if match["date"] else day
            when = f"{date} {_of_24_hours(match['time'], match['before'] or '')}"
            said = [] if _LEFT_OUT.match(match["text"]) else [match["text"]]
        elif not _STAMPED.match(line):  # what the program says is no turn's
            said.append(line)
    yield Turn(str(n_turns), who, when, "\n".join(said))


def _is_chat(text: str) -> bool:
    lines = [line for line in text[:_CHARS_TRIED].split("\n") if line.strip()]
    turns = [match for match in map(_TURN.match, lines) if match]
    people = {match["nick"] or match["name"] for match in turns}
    return (
        len(turns) >= _FEWEST
        and len(turns) * 2 >= len(lines)
        and len(people) < len(turns)
        and len(people) <= max(_FEWEST, len(turns) // 2)
        and not any(map(_LEVEL.search, people))
    )


def _month_first(lines: Iterable[str], day: str) -> bool | None:
    """Return whether a file writes dates as 12/31; None when neither dates nor its day tell.

    A chat goes on in time: where its dates do so in one order alone, that is theirs.
    """
    written: list[str] = []
    for line in lines:
        match = _STAMPED.match(line)
        date = _DATE.fullmatch(match["date"] or "") if match else None
        if date and len(date[1]) <= 2:
            if int(date[1]) > _MONTHS or date[2] == ".":
                return False
            if int(date[3]) > _MONTHS or _iso(date[0], True) == day:
                return True
            if _iso(date[0], False) == day:
                return False
            written.append(date[0])
    goes_on = [_goes_on(_iso(date, order) for date in written) for order in (True, False)]
    return goes_on[0] if goes_on[0] != goes_on[1] else None


def _goes_on(dates: Iterable[str]) -> bool:
    return all(before <= after for before, after in pairwise(dates))


def _of_24_hours(time: str, before: str) -> str:
    """Convert a time to 24 hours: "9:01:07 PM" and "下午9:01:07" are 21:01:07."""
    clock = time.rstrip("AaPpMm. \u202f\xa0")
    hour, *rest = re.split("[:.]", clock)
    half = before or time[len(clock) :].casefold()
    if half:
        is_later = "p" in half or half[0] == "下" or half[-1] == "후"
        hour = str(int(hour) % _HALF_DAY + _HALF_DAY * is_later)
    return ":".join([f"{hour:0>2}", *rest])


def _iso(date: str, month_first: bool | None) -> str:
    """Return a date as 2024-01-05; as it is written when nothing tells the month."""
    parts = _DATE.fullmatch(date)
    if parts is None:
        return date
    first, second, third = parts[1], parts[3], parts[4]
    if len(first) == len("2024"):
        return f"{first}-{second:0>2}-{third:0>2}"
    if month_first is None:
        return date
    month, of_month = (first, second) if month_first else (second, first)
    year = third if len(third) > 2 else f"20{third}"
    return f"{year}-{month:0>2}-{of_month:0>2}"


# Chat messages as documents, each titled by channel, date and author


def turn_documents(turns: Iterable[Turn], file: SourceFile, channel: str, whole: str) -> Records:
    """Yield documents of messages with text; each answers another, or the previous one.

    That there are others is said once. ``whole`` begins their ids, which go on with "#" and the
    number.
    """
    before = ""
    is_without_words = False
    for n, turn in enumerate(turns, start=1):
        number = turn.number or str(n)
        text = turn.text.strip()
        author = clean_title(turn.author)
        if not text:
            is_without_words = is_without_words or bool(author)
            continue
        title = ", ".join(filter(None, (channel, clean_title(turn.date), author))) or file.place
        said = f"{author}: {text}" if author else text
        document = make_document(title, said)
        fields = {"channel": channel, "date": turn.date, "author": author}
        document = document._replace(
            id=clean_title(f"{whole}#{number}"),
            fields={name: value for name, value in fields.items() if value},
            reply_to=clean_title(f"{whole}#{turn.answers}") if turn.answers else before,
            path=file.place,
        )
        before = document.id
        yield document
    if is_without_words:
        yield Understood(WITHOUT_WORDS)


def channel_of(file: SourceFile) -> str:
    """Return the name of a file's chat: the folder's, where the file's is a day."""
    folder = PurePosixPath(file.folder).name
    if folder and (_DAY_IN_A_NAME.fullmatch(file.stem) or file.stem == "_chat"):
        return folder
    return clean_title(_OF_WHATSAPP.sub("", file_title(file)))


def day_of(file: SourceFile) -> str:
    """Return the day in a file's name, "2024-01-05"; "" without one."""
    day = _DAY_IN_A_NAME.search(file.stem)
    if day is None:
        return ""
    digits = re.sub(r"\D", "", day[0])
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
