"""What each sentence, line and row of a passage says, written so that it says it by itself.

A list item, a row, a field or a sentence without a subject is about its title, headings, header or
speaker; an answer is about its question. Whoever compares a claim with evidence reads these.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import Field

from hippohover.language.cues import cues, word_list, words_of
from hippohover.language.sentence import MARKS
from hippohover.names.normal_forms import without_unseen
from hippohover.records import RankedPassage
from hippohover.verification.claims import MAX_CHARS
from hippohover.verification.payloads import EvidenceChunk
from hippohover.verification.statements.lines import Unit, is_row, units_of
from hippohover.verification.statements.neighbours import follows
from hippohover.verification.statements.replies import is_question, reply, verbs_in

MAX_STATEMENTS: Final = 400
"""Of a passage: more are no evidence of one thing."""
VERSION: Final = "rule_sentences_v1"
_MAX_PASSAGE_CHARS: Final = 100_000
_EMPHASIS: Final = re.compile(r"\*\*|__|`")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
_LABEL: Final = re.compile(r"([^\W\d_][\w'’.-]*(?: [\w'’.-]+){0,2}):\s+")
_FIRST_PERSON: Final = re.compile(r"\b(I am|I'm|I’m|I have|I've|I’ve|I'll|I’ll|I|[Mm]y|me)\b")
_OF_SPEAKER: Final = {"am": " is", "m": " is", "have": " has", "ve": " has", "ll": " will"}
_YOU: Final = re.compile(r"\byour?\b")
_NUMBER: Final = re.compile(r"\d[\d,.]*$")
_YEAR: Final = re.compile(r"1\d{3}$|20\d\d$")
_NO_VERBS: Final = word_list("before_noun") | cues().pronouns
_BEFORE_VERB: Final = frozenset(["never", "not"]) | word_list("openers") | {"now"}
_GO_ON: Final = word_list("auxiliaries") | frozenset(
    ["and", "or", "but", "who", "which", "that", "to", "not", "never", "be", "been"]
)
"""Before the further verbs of a sentence that begins with one."""
_SHORT: Final = 3
_YES, _NO = "yes", frozenset(["no", "none", "never", "n/a"])


class Statement(EvidenceChunk):
    """A piece of a passage, and what it says.

    Attributes
    ----------
    about : str
        What it is about unless it says so: title, headings, key or speaker.
    said : str
        What it says; ``text`` is what stands there.
    """

    about: str = Field(default="", exclude=True)
    said: str = Field(default="", exclude=True)


@dataclass(frozen=True, slots=True)
class _Told:
    start: int
    stop: int
    about: str
    said: str


def statements_of(
    passages: Sequence[RankedPassage], *, retriever: str, source: str
) -> list[Statement]:
    """Return all statements of the passages, in order.

    Of a passage the first 100,000 characters are read and 400 statements, and a sentence that is
    longer than a claim is cut into pieces: a document that was never split must not make a claim
    take longer than the others do. A question without an answer states nothing.
    Unseen characters are left out of a text, and counted in where it begins and ends. The passage's
    score stands under the retriever's name, if a payload has a field for it. Of a passage from
    beyond the index, ``source`` is its own, and no retriever has scored it.
    """
    scored = f"score_{retriever}" if retriever in ("bm25", "dense", "hybrid", "ppr") else None
    found: list[Statement] = []
    asked: Unit | None = None
    before: RankedPassage | None = None
    for passage in passages:
        if before is None or not follows(before, passage):
            asked = None
        scores = {} if scored is None or passage.source else {scored: passage.score}
        several, asked = _told(passage, asked)
        before = passage
        for number, told in enumerate(several):
            text = passage.text[told.start : told.stop]
            begin = told.start + len(text) - len(text.lstrip())
            found.append(
                Statement(
                    doc_id=passage.pid,
                    sent_id=number,
                    text=without_unseen(text.strip()),
                    char_start=begin,
                    char_end=begin + len(text.strip()),
                    rank=passage.rank,
                    source=passage.source or source,
                    version=VERSION,
                    about=told.about,
                    said=without_unseen(told.said),
                    **scores,
                )
            )
    return found


def _told(passage: RankedPassage, asked: Unit | None) -> tuple[list[_Told], Unit | None]:
    """Return what a passage says, and the question that it ends with.

    ``asked`` is the question that the passage before it ended with.
    """
    text = passage.text[:_MAX_PASSAGE_CHARS]
    units = units_of(text, MAX_STATEMENTS)
    title = passage.title
    if is_question(title):
        asked, title = Unit("sentence", 0, 0, title), ""
    if passage.heading and passage.heading not in text:
        title = ", ".join(filter(None, (title, passage.heading)))
    found: list[_Told] = []
    for unit in units:
        if is_question(unit.text):
            asked = unit
            continue
        about = _about(title, unit)
        if asked is not None and unit.kind != "row":
            start = asked.start if asked in units else unit.start
            said = _replied(asked, unit)
        else:
            start, said = unit.start, [*_said(unit, title)]
        asked = None
        found += [piece for one in said for piece in _pieces(start, unit.stop, about, one)]
    whole = [] if units else [_Told(0, len(text), title, text)]
    return found[:MAX_STATEMENTS] or whole, asked


def _replied(asked: Unit, unit: Unit) -> list[str]:
    """Return what an answer says with its question, in the names of the two who speak."""
    question, answer = (_plain(one, label=True) for one in (asked, unit))
    question = _by_speaker(asked.key, question) or question
    if len(unit.key) > 1:
        question = _YOU.sub(lambda found: unit.key + "'s" * (found[0] == "your"), question)
    return reply(question, _by_speaker(unit.key, answer) or answer)


def _pieces(start: int, stop: int, about: str, said: str) -> Iterator[_Told]:
    """Yield a statement, or what it is cut into at blanks, if it is longer than a claim."""
    while len(said) > MAX_CHARS and stop - start >= len(said):
        blank = said.rfind(" ", 1, MAX_CHARS)
        border = blank if blank > 0 else MAX_CHARS
        yield _Told(start, start + border, about, said[:border])
        start, said = start + border, said[border:]
    yield _Told(start, stop, about, said)


def _about(title: str, unit: Unit) -> str:
    """Return title and headings, each once; of a row its first cell as well."""
    first = unit.text.partition("; ")[0].partition(": ")[2] if unit.kind == "row" else ""
    known = (title, *unit.above, first)
    return ", ".join(dict.fromkeys(_EMPHASIS.sub("", one) for one in known if one))


def _plain(unit: Unit, *, label: bool = False) -> str:
    """Return a unit's words without marks; a ``label`` before them, "Q:" or "Ann:", is one."""
    text = _LINK.sub(r"\1", _EMPHASIS.sub("", unit.text)).strip()
    found = _LABEL.match(text) if label else None
    return text[found.end() :] if found else text


def _said(unit: Unit, title: str) -> Iterator[str]:
    """Yield what a unit says by itself."""
    text = _plain(unit)
    if unit.kind == "row" or is_row(text):
        yield ", ".join(_field(*cell.split(": ", 1)) for cell in text.split("; "))
        return
    if _is_bare_reply(text, title):
        return
    key, _, value = text.partition(":")
    own = value.strip() if unit.kind == "field" else text
    if unit.key and (named := _by_speaker(unit.key, own)):
        text = named
    elif unit.kind == "field" and own:
        text = _field(key, own)
    elif unit.lead:
        text = f"{unit.lead} {text}"
    elif title and _has_no_subject(text):
        text = f"{title} {text[:1].lower()}{text[1:]}"
    yield text


def _is_bare_reply(text: str, title: str) -> bool:
    """Return whether nobody knows what is affirmed or denied: "No.", "Ann: Yes"."""
    speaker, _, value = text.rpartition(":")
    known = not speaker or (bool(title) and title.endswith(speaker.strip()))
    return known and value.strip(" .!").casefold() in _NO | {_YES}


def _by_speaker(key: str, value: str) -> str:
    """Return what a speaker says of himself in his name: "Ann: I left" says "Ann left"."""
    if not _FIRST_PERSON.search(value) or not key[:1].isupper():
        return ""
    return _FIRST_PERSON.sub(lambda found: _named(key, found[0]), value)


def _named(name: str, word: str) -> str:
    parts = re.split(r"['’ ]", word)
    if parts[0].casefold() == "my":
        return f"{name}'s"
    return f"{name}{_OF_SPEAKER.get(parts[-1], '')}"


def _field(key: str, value: str) -> str:
    """Return a field as it is said: "Seats: 6" counts six seats, "Sealing: none" denies it."""
    word = value.casefold().rstrip(".")
    if word == _YES:
        return key
    if word in _NO or word.startswith("none "):
        return f"not {key}" if word == "no" else f"no {key} {value.partition(' ')[2]}".strip()
    if _NUMBER.match(value) and not _YEAR.match(value):
        return f"{value} {key}"
    return (
        f"{key} {value}"
        if cues().turns.get(key.split(maxsplit=1)[0].casefold())
        else f"{key}: {value}"
    )


def _has_no_subject(text: str) -> bool:
    """Return whether a sentence begins with its verb: "Joined in March", "Leads the team".

    Not where another verb has a subject: "Compared with May, sales rose", "Cards were lost".
    """
    told = words_of(text)
    begin = bool(told) and told[0][0] in _BEFORE_VERB
    words = [word for word, _, _ in told]
    others = [at for at in verbs_in(text) if at > begin]
    told, words = told[begin:], words[begin:]
    if len(words) < 2 or not words[0].isalpha() or words[0] in _NO_VERBS:
        return False
    if any(words[at - begin - 1] not in _GO_ON for at in others):
        return False
    second = text[told[1][1]]
    ends = words[0].endswith("s") and not words[0].endswith("ss") and len(words[0]) > _SHORT
    return cues().is_verb(words[0]) or (ends and not second.isupper() and words[1] not in MARKS)
