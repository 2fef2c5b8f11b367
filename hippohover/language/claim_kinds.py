"""Decides whether a text claims anything: a question, an order or a phrase gets no verdict."""

import re
from itertools import pairwise
from typing import Final

from hippohover.language.clause_parts import Parses
from hippohover.language.cues import cues, word_list, words_of
from hippohover.language.parses import Parse
from hippohover.language.quantities.table import number_words
from hippohover.names.mentions import STOP_TOKENS

_QUESTION = re.compile(r"(?<![.!])[?？؟]\s*[\"'”’)\]]*\s*$")
_ASKS: Final = word_list("auxiliaries")
_WITH_AUXILIARY: Final = word_list("questions")
_ENGLISH: Final = word_list("english")
_BEFORE_NOUN: Final = word_list("before_noun")
_FINITE: Final = frozenset(["is", "are", "was", "were", "has", "had"])
_RELATIVE: Final = frozenset(["who", "which", "that", "where", "whose"])
_SUBJECT_OF_CLAUSE: Final = frozenset(["who", "which", "that", "whom"])
_BETWEEN: Final = frozenset(["also", "not", "never", "once", "still"])
_HEAD: Final = 6
"""Words before a noun's relative clause at most: "The old stone bridge over it that"."""
_TELL_WHY: Final = frozenset(["why", "how", "what"])
"""Without a full stop a heading begins with them: "How the mill was built"."""
_OF_NOUN: Final = frozenset(["which", "whose", "whom", "what"])
"""Asked without a question mark: "which files can I keep", "to whom was it sold"."""
_WHAT: Final = frozenset(["whether", "if", "how", "why", "what", "which", "who", "where", "when"])
"""Behind a verb that orders: "Check whether it is open"."""
_NOT: Final = frozenset(["not", "n't"])
_MANY: Final = frozenset(["people", "men", "women", "children", "police", "majority", "most"])
_COMMANDS: Final = word_list("commands")
_COMMANDED: Final = word_list("commanded")
_ASKING: Final = tuple(f"{one} " for one in sorted(word_list("asking")))
_GREETINGS: Final = word_list("greetings")
_HEADINGS: Final = word_list("headings")
_INTRANSITIVE: Final = word_list("intransitive")
_ASKED_OF: Final = frozenset(["me", "us"])
_JOINS: Final = frozenset(["and", "or", "nor"])
_PREPOSITIONS: Final = word_list("prepositions")
_SUBJECT_ARCS: Final = frozenset(["nsubj", "nsubjpass", "csubj", "csubjpass", "expl"])
_BEHIND_ORDERS: Final = frozenset(["DT", "PRP", "PRP$", "IN", "CD"])
_QUOTES: Final = "\"'”’)]"
_SHORT: Final = 3
_LONG: Final = 8

QUESTION: Final = "it is a question, not a claim"
ORDER: Final = "it asks for something and claims nothing"
PHRASE: Final = "it is a phrase without a verb and claims nothing"
NAMELESS: Final = "none of its words says what it is about"


def why_no_claim(text: str, parses: Parses | None = None) -> str:
    """Say why a text claims nothing, in words; "" where it may claim something.

    By words of English: a text without any is taken for a claim. Where a parse is given, an
    English text is none either that is a noun without a verb of its own, or an order: "Patients
    who got it", "Beat the eggs".
    """
    words = [word for word, start, _ in words_of(text) if text[start : start + 1].isalnum()]
    if _QUESTION.search(text):
        return QUESTION
    if STOP_TOKENS.issuperset(words):
        return NAMELESS if words else ""
    why = _why_asks(text, words) or (PHRASE if _is_phrase(text, words) else "")
    if why or parses is None or not _ENGLISH & set(words):
        return why
    return _why_by_parse(text, parses([text])[0])


def _why_by_parse(text: str, parse: Parse) -> str:
    """Say why a parsed text claims nothing: its root has no subject, and is a noun or an order."""
    roots = [at for at, head in enumerate(parse.heads) if head == at]
    if len(roots) != 1:
        return ""
    [root] = roots
    arcs = {arc for arc, head in zip(parse.arcs, parse.heads, strict=True) if head == root}
    if arcs & _SUBJECT_ARCS:
        return ""
    if parse.tags[root] == "VB" and not root and {*parse.tags[1:2]} & _BEHIND_ORDERS:
        return ORDER
    return PHRASE if parse.tags[root].startswith("NN") and not _stops(text) else ""


def _why_asks(text: str, words: list[str]) -> str:
    """Say whether a text asks or orders, in words; "" where it does neither."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    asks = first in _WITH_AUXILIARY and (second in _ASKS or cues().is_verb(second))
    asks = asks or first in _ASKS | _TELL_WHY | _OF_NOUN
    asks = asks or (first in _PREPOSITIONS and second in _OF_NOUN)
    asks = asks or (first == "where" and second in _PREPOSITIONS)
    if asks and not _stops(text) and not _begins_with_title(text):
        return QUESTION
    if _asks_or_wishes(text):
        return QUESTION if {"know", "wonder"} & set(words) else ORDER
    told_to = second in _COMMANDED | _WHAT or _has_no_subject(words)
    commands = first in cues().orders or (first in _COMMANDS and told_to)
    small = [text[start].islower() for word, start, _ in words_of(text) if word not in _NOT]
    forbids = first == "do" and second in _NOT and small[1:2] == [True]
    return ORDER if forbids or (commands and _is_order(text, second)) else ""


def _has_no_subject(words: list[str]) -> bool:
    """Return whether no verb stands behind a first word that may be one: "Bake for 40 minutes".

    A noun in its place has a verb behind it, or is one of two: "Store sales rose".
    """
    second, later = words[1] if len(words) > 1 else "", words[1:]
    if any(cues().is_verb(word) for word in later):
        return False
    counted = second[:1].isdecimal() or second in number_words().values
    if counted or second in _PREPOSITIONS | {"until", "out"}:
        return True
    return len(words) > _SHORT and not any(_may_be_verb(words, at) for at in range(1, len(words)))


def _stops(text: str) -> bool:
    return text.rstrip().endswith((".", "!"))


def _is_phrase(text: str, words: list[str]) -> bool:
    """Return whether a text has no verb, or only greets; of other languages, if it is short."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    greets = first in _GREETINGS or " ".join(words[:2]) in _GREETINGS
    if greets and (len(words) < _SHORT or (len(words) == _SHORT and first not in _GREETINGS)):
        return True
    english = bool(_ENGLISH & set(words)) or _names_nation(text) or words[-1] in _HEADINGS
    sentence = not english or len(words) > _LONG or not {first, second} & _ENGLISH
    if _is_described_noun(text):
        return True
    verb = _has_verb(words) if _stops(text) else _has_verb_unstopped(text)
    if verb or (_stops(text) and (sentence or _has_plain_verb(text))):
        return False
    short = min(len(words), len(text.split())) <= _SHORT
    return english or (short and text.isascii())


def _is_described_noun(text: str) -> bool:
    """Return whether a text is a noun and its relative clause: "The mill that grinds corn".

    Not where a later word may be the noun's own verb: "The mill that grinds corn burns".
    """
    told = [one for one in words_of(text) if text[one[1]].isalnum()]
    words = [word for word, _, _ in told]
    at = next((n for n, word in enumerate(words[:_HEAD]) if word in _SUBJECT_OF_CLAUSE), 0)
    plural = at > 0 and (words[at - 1] in _MANY or _ends_as_verb(words[at - 1]))
    small = all(text[start].islower() for _, start, _ in told[1:at])
    if at < 2 or words[0] not in _BEFORE_NOUN or plural or not small:
        return False
    verb = at + 1
    named = words[at] == "whom"  # "whom Ann Roe taught"
    while words[verb : verb + 1] and (
        words[verb] in _ASKS | _BETWEEN
        or words[verb][-2:] == "ly"
        or (named and text[told[verb][1]].isupper())
    ):
        verb += 1
    told_of = words[at + 1 : verb + 1]
    if not told_of or not any(_may_be_verb(words, n) for n in range(at + 1, at + 1 + len(told_of))):
        return False
    later = range(verb + 1, len(words))
    return not any(_may_be_verb(words, n) and text[told[n][1]].islower() for n in later)


def _may_be_verb(words: list[str], at: int) -> bool:
    """Return whether a word may be a verb: by the list, or by its -s behind no small word."""
    before = words[at - 1]
    ends = _ends_as_verb(words[at]) and not (before in _BEFORE_NOUN or before[0].isdigit())
    return ends or (cues().is_verb(words[at]) and before not in _BEFORE_NOUN)


def called(text: str) -> str:
    """Return what to call a text that was asked: "question", "claim", or "query" for a phrase."""
    why = why_no_claim(text)
    return "question" if why == QUESTION else "query" if why else "claim"


def _begins_with_title(text: str) -> bool:
    """Return whether a name and a predicate follow the first word: "Do the Odd Job is a film"."""
    told = words_of(text)
    rest = told[1:]
    while rest and rest[0][0] in _BEFORE_NOUN:
        rest = rest[1:]
    named = bool(rest) and text[rest[0][1]].isupper()
    behind = [word for word, _, _ in rest[1:]]
    relative = next((at for at, word in enumerate(behind) if word in _RELATIVE), len(behind))
    return named and bool(_FINITE & set(behind[:relative]))


def _is_order(text: str, second: str) -> bool:
    """Return whether a text is an order: "List the towns", not "Show Boat is a film"."""
    told = [one for one in words_of(text) if text[one[1]].isalnum()]
    if second in _ASKED_OF and text[told[1][1]].islower():
        return not any(cues().is_verb(word) for word, _, _ in told[2:3])
    polite = told[0][0] == "please" and bool(second)
    if (polite or second in _WHAT) and text[told[1][1]].islower():
        return True
    if not second or cues().is_verb(second) or _FINITE & {word for word, _, _ in told}:
        return False
    place = told[2] if second in _BEFORE_NOUN and len(told) > 2 else told[1]
    small = text[place[1]].islower() or text[place[1]].isdecimal()
    return small or not _has_verb_unstopped(text, first=1)


def _asks_or_wishes(text: str) -> bool:
    """Return whether a text begins with "I wonder", "let us", "if only": not "Let Me In is a film".

    What a comma divides may claim something: "if only two remain, the rest is sold".
    """
    low = text.casefold().replace("’", "'")
    rest = next((text[len(one) :] for one in _ASKING if low.startswith(one)), "")
    again = text[1 : len(text) - len(rest)]
    small = again.replace("I", "i").islower()
    return bool(rest) and small and ("," not in rest or not low.startswith("if "))


def _names_nation(text: str) -> bool:
    """Return whether a text has an English adjective of a country, with its capital: "Polish"."""
    nations = cues().nationalities
    return any(word in nations and text[start].isupper() for word, start, _ in words_of(text))


def _has_verb_unstopped(text: str, first: int = 0) -> bool:
    """Return whether a text without a full stop has a verb: a plural is none, nor is a name.

    In "The mill grinds corn" and "Ida Fenn lives in Oslo" the word in -s is one; it is none at the
    end, before "and", or before a preposition behind a small word: "bridges over the Teff".
    """
    told = [one for one in words_of(text) if text[one[1]].isalnum()][first:]
    words = [word for word, _, _ in told]
    known = cues()
    for at in range(1, len(words)):
        begin = told[at][1]
        if known.is_verb(words[at]) and (text[begin].islower() or text.isupper()):
            return True
        if _ends_as_verb(words[at]) and text[begin].islower() and _is_predicate(text, told, at):
            return True
    return words[:1] != [] and words[0] in known.verbs and not first


def _ends_as_verb(word: str) -> bool:
    return word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is"))


def _is_predicate(text: str, told: list[tuple[str, int, int]], at: int) -> bool:
    """Return whether a word in -s stands as a verb does, between a subject and what follows it."""
    word, begin, end = told[at]
    before, start, stop = told[at - 1]
    if before in _BEFORE_NOUN or text[stop:begin].lstrip(_QUOTES) != " ":
        return False
    behind = told[at + 1][0] if text[end : end + 1] == " " and at + 1 < len(told) else ""
    named = at > 1 and (text[start].isupper() or before[0].isdigit())
    if named or before in cues().pronouns or word in _INTRANSITIVE:
        return behind not in _JOINS or word in _INTRANSITIVE
    return bool(behind) and behind not in _JOINS | _PREPOSITIONS


def _has_plain_verb(text: str) -> bool:
    """Return whether a plural's verb may stand behind "of" and its noun: "rules of it forbid this".

    It is a small word behind a noun, and not the last one.
    """
    told = [one for one in words_of(text) if text[one[1]].isalnum()]
    words = [word for word, _, _ in told]
    subject = next((word for word in words if word not in _BEFORE_NOUN), "")
    if subject not in _MANY and (not subject.endswith("s") or subject.endswith("ss")):
        return False
    behind = words.index(subject) + 1
    return any(
        text[told[at][1]].islower()
        and not {words[at - 1], words[at]} & (_BEFORE_NOUN | STOP_TOKENS)
        for at in range(behind + 1, len(words) - 1)
    )


def _has_verb(words: list[str]) -> bool:
    """Return whether a later word may be a verb: by the list, or by its ending and place."""
    known = cues()
    for before, word in pairwise(words):
        if known.is_verb(word):
            return True
        if _ends_as_verb(word) and before not in _BEFORE_NOUN:
            return True
    return known.is_verb(words[0]) and words[0] in known.verbs
