"""Who "she" is: a sentence whose subject is a pronoun takes that of the sentence before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hippohover.language.clauses import ClauseReader
from hippohover.language.sentence import Sentence

_WHO: Final = frozenset(["he", "she", "it", "they"])
_WHOSE: Final = frozenset(["his", "her", "its", "their"])
_PEOPLE: Final = frozenset(["he", "she", "his", "her"])
_LONGEST_FRAME: Final = 8
_ARTICLES: Final = frozenset(["the", "a", "an", "this", "that", "these", "those"])
_WITHIN: Final = frozenset(
    ["in", "at", "on", "by", "from", "for", "with", "near", "to", "under", "over", "after",
     "before", "which", "who", "whom", "whose", "that", "where", "when"]
)  # fmt: skip
"""Words of a description after which a name is not what the description is of."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A sentence with a name in the place of its first pronoun, and that name; "" without."""

    text: str
    name: str = ""


def with_antecedents(sentences: Sequence[str]) -> list[Resolved]:
    """Return sentences with the name that each one's first pronoun stands for in its place.

    It is what the last sentence with a subject of its own is about, where that is a name: "Ann Roe
    was a pilot. She was born in Telk." gives "Ann Roe was born in Telk." Only a pronoun before the
    verb and before any name is replaced; in "it is false that he" it is "he". A name inside a
    description is not what the sentence is about: after "The drama in which Ann Roe played was
    long" no pronoun is she; after "The capital of Norland is Telk" only "it" is Norland.
    """
    read = ClauseReader()
    found: list[Resolved] = []
    name, is_owner = "", False
    for sentence in sentences:
        said = read(sentence)
        at = _pronoun(said)
        if at < 0:
            name, is_owner = _subject(said)
        known = at >= 0 and bool(name) and not (is_owner and said.words[at] in _PEOPLE)
        found.append(Resolved(_replaced(said, at, name), name) if known else Resolved(sentence))
    return found


def _pronoun(said: Sentence) -> int:
    """Return the place of the pronoun in a sentence's subject; -1 without one."""
    for at in range(min(said.verb, len(said.words))):
        if said.named[at]:
            return -1
        if said.words[at] in _WHO | _WHOSE:
            return _behind_that(said, at) if said.words[at] == "it" else at
    return -1


def _behind_that(said: Sentence, at: int) -> int:
    """Return the place of "it", or in "it is false that he" of "he"; -1 where that is a name."""
    following = said.words[at : at + _LONGEST_FRAME]
    if "that" not in following:
        return at
    behind = at + following.index("that") + 1
    return behind if set(said.words[behind : behind + 1]) & (_WHO | _WHOSE) else -1


def _subject(said: Sentence) -> tuple[str, bool]:
    """Return a sentence's subject as it is written, if it is a name: "Ann Roe and Tim Orr".

    The second is whether the sentence is about something of that name: "the capital of Norland".
    """
    places = [at for at in range(said.verb) if said.named[at] and not _is_number(said, at)]
    if not places:
        return "", False
    first = places[0]
    described = said.words[1:first] if said.words[0] in _ARTICLES else []
    if _WITHIN & set(described):
        return "", False
    last = next((at for at in range(first, said.verb) if not _goes_on(said, at)), said.verb) - 1
    name = said.text[said.spans[first][0] : said.spans[max(first, last)][1]]
    return name.removesuffix("'s"), "of" in described


def _goes_on(said: Sentence, at: int) -> bool:
    """Return whether a name goes on at a place, or another follows it: "and".

    Its number does not: of "Loam 4.2" more is told than of one release.
    """
    joins = said.words[at] == "and" and any(said.named[at + 1 : at + 2])
    return joins or (said.named[at] and not _is_number(said, at))


def _is_number(said: Sentence, at: int) -> bool:
    return said.words[at][:1].isdigit()


def _replaced(said: Sentence, at: int, name: str) -> str:
    start, stop = said.spans[at]
    owner = f"{name}'s" if said.words[at] in _WHOSE else name
    return f"{said.text[:start]}{owner}{said.text[stop:]}"
