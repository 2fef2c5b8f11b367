"""Chats kept as text: WhatsApp's exports, "[2024-01-05 10:22] Ada: text", "10:22 <ada> text"."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from hippohover.indexing.corpus.readers.texts.parsing.chat_turns import Turn

_STAMP = (
    r"[\u200e\u200f]?[\[(]?(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{2,4})?[,T ]{0,2}"
    r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:[ \u202f\xa0]?[AaPp]\.?[Mm]\.?)?)"
    r"(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?[\])]?[ \t]{0,3}(?:[-–][ \t])?[ \t]{0,3}"
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
_DATE = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{2,4})")


def chat_turns(text: str, day: str = "") -> Iterator[Turn]:
    """The turns of a text; none when it is no chat. ``day`` is that of times without a date.

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
            when = f"{date} {_of_24_hours(match['time'])}"
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
    """Whether dates of a file are written 12/31; nothing when neither they nor its day tell."""
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
    return None


def _of_24_hours(time: str) -> str:
    """A time as dates are compared by: "9:01:07 PM" is 21:01:07."""
    clock = time.rstrip("AaPpMm. \u202f\xa0")
    hour, _, rest = clock.partition(":")
    half = time[len(clock) :].casefold()
    if half:
        hour = str(int(hour) % _HALF_DAY + (_HALF_DAY if "p" in half else 0))
    return f"{hour:0>2}:{rest}"


def _iso(date: str, month_first: bool | None) -> str:
    """A date as 2024-01-05; as it is written when nothing tells the month."""
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
