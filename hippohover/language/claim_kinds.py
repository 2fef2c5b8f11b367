"""Decides whether a text claims anything: a question, an order or a phrase gets no verdict."""

import re
from itertools import dropwhile, pairwise, takewhile
from typing import Final

from hippohover.language.cues import cues, word_list, words_of
from hippohover.language.quantities.table import number_words
from hippohover.language.sentence import FINITE, RELATIVE
from hippohover.names.mentions import STOP_TOKENS

_QUESTION = re.compile(r"(?<![.!])[?？؟]\s*[\"'”’)\]]*\s*$")
_ASKS: Final = word_list("auxiliaries")
_WITH_AUXILIARY: Final = word_list("questions")
_ENGLISH: Final = word_list("english")
_BEFORE_NOUN: Final = word_list("before_noun")
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
_QUOTES: Final = "\"'”’)]"
_SHORT: Final = 3
_LONG: Final = 8

QUESTION: Final = "it is a question, not a claim"
ORDER: Final = "it asks for something and claims nothing"
PHRASE: Final = "it is a phrase without a verb and claims nothing"
NAMELESS: Final = "none of its words says what it is about"


def why_no_claim(text: str) -> str:
    """Say why a text claims nothing, in words; "" where it may claim something.

    By words of English: a text without any is taken for a claim.
    """
    asked = _Asked(text)
    if _QUESTION.search(text):
        return QUESTION
    if STOP_TOKENS.issuperset(asked.words):
        return NAMELESS if asked.words else ""
    return asked.why_asks() or (PHRASE if asked.is_phrase() else "")


def called(text: str) -> str:
    """Return what to call a text that was asked: "question", "claim", or "query" for a phrase."""
    why = why_no_claim(text)
    return "question" if why == QUESTION else "query" if why else "claim"


class _Asked:
    """The words of a text, without its marks, and how they are written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stops = text.rstrip().endswith((".", "!"))
        self._told = words_of(text)
        self._placed = [one for one in self._told if text[one[1]].isalnum()]
        self.words = [word for word, _, _ in self._placed]
        self._first, self._second = (*self.words, "", "")[:2]

    def _is_small(self, at: int) -> bool:
        return self.text[self._placed[at][1]].islower()

    def why_asks(self) -> str:
        """Say whether it asks or orders, in words; "" where it does neither."""
        first, second = self._first, self._second
        asks = (
            (first in _WITH_AUXILIARY and (second in _ASKS or cues().is_verb(second)))
            or first in _ASKS | _TELL_WHY | _OF_NOUN
            or (first in _PREPOSITIONS and second in _OF_NOUN)
            or (first == "where" and second in _PREPOSITIONS)
        )
        if asks and not self.stops and not self._begins_with_title():
            return QUESTION
        if self._asks_or_wishes():
            return QUESTION if {"know", "wonder"} & set(self.words) else ORDER
        told_to = second in _COMMANDED | _WHAT or self._has_no_subject()
        commands = first in cues().orders or (first in _COMMANDS and told_to)
        small = [self.text[start].islower() for word, start, _ in self._told if word not in _NOT]
        forbids = first == "do" and second in _NOT and small[1:2] == [True]
        return ORDER if forbids or (commands and self._is_order()) else ""

    def _has_no_subject(self) -> bool:
        """Return whether no verb stands behind a first word that may be one: "Bake for 40 minutes".

        A noun in its place has a verb behind it, or is one of two: "Store sales rose".
        """
        second, later = self._second, range(1, len(self.words))
        if any(cues().is_verb(self.words[at]) for at in later):
            return False
        counted = second[:1].isdecimal() or second in number_words().values
        if counted or second in _PREPOSITIONS | {"until", "out"}:
            return True
        return len(self.words) > _SHORT and not any(map(self._may_be_verb, later))

    def is_phrase(self) -> bool:
        """Return whether it has no verb, or only greets; of other languages, if it is short."""
        words, first, second = self.words, self._first, self._second
        greets = first in _GREETINGS or " ".join(words[:2]) in _GREETINGS
        if greets and (len(words) < _SHORT or (len(words) == _SHORT and first not in _GREETINGS)):
            return True
        english = bool(_ENGLISH & set(words)) or self._names_nation() or words[-1] in _HEADINGS
        sentence = not english or len(words) > _LONG or not {first, second} & _ENGLISH
        if self._is_described_noun():
            return True
        verb = self._has_verb() if self.stops else self._has_verb_unstopped()
        if verb or (self.stops and (sentence or self._has_plain_verb())):
            return False
        short = min(len(words), len(self.text.split())) <= _SHORT
        return english or (short and self.text.isascii())

    def _is_described_noun(self) -> bool:
        """Return whether it is a noun and its relative clause: "The mill that grinds corn".

        Not where a later word may be the noun's own verb: "The mill that grinds corn burns".
        """
        words = self.words
        at = next((n for n, word in enumerate(words[:_HEAD]) if word in _SUBJECT_OF_CLAUSE), 0)
        plural = at > 0 and (words[at - 1] in _MANY or _ends_as_verb(words[at - 1]))
        if at < 2 or words[0] not in _BEFORE_NOUN or plural:
            return False
        if not all(map(self._is_small, range(1, at))):
            return False
        verb = at + 1
        named = words[at] == "whom"  # "whom Ann Roe taught"
        while verb < len(words) and (
            words[verb] in _ASKS | _BETWEEN
            or words[verb][-2:] == "ly"
            or (named and self.text[self._placed[verb][1]].isupper())
        ):
            verb += 1
        if not any(map(self._may_be_verb, range(at + 1, min(verb + 1, len(words))))):
            return False
        later = range(verb + 1, len(words))
        return not any(self._may_be_verb(n) and self._is_small(n) for n in later)

    def _may_be_verb(self, at: int) -> bool:
        """Return whether a word may be a verb: by the list, or by its -s behind no small word."""
        before = self.words[at - 1]
        if before in _BEFORE_NOUN:
            return False
        ends = _ends_as_verb(self.words[at]) and not before[0].isdigit()
        return ends or cues().is_verb(self.words[at])

    def _begins_with_title(self) -> bool:
        """Return whether a name and a predicate follow its first: "Do the Odd Job is a film"."""
        rest = list(dropwhile(lambda one: one[0] in _BEFORE_NOUN, self._told[1:]))
        named = bool(rest) and self.text[rest[0][1]].isupper()
        behind = takewhile(lambda word: word not in RELATIVE, (word for word, _, _ in rest[1:]))
        return named and not FINITE.isdisjoint(behind)

    def _is_order(self) -> bool:
        """Return whether it is an order: "List the towns", not "Show Boat is a film"."""
        words, second = self.words, self._second
        if second in _ASKED_OF and self._is_small(1):
            return not any(map(cues().is_verb, words[2:3]))
        polite = self._first == "please" and bool(second)
        if (polite or second in _WHAT) and self._is_small(1):
            return True
        if not second or cues().is_verb(second) or FINITE & set(words):
            return False
        place = 2 if second in _BEFORE_NOUN and len(words) > 2 else 1
        small = self._is_small(place) or self.text[self._placed[place][1]].isdecimal()
        return small or not self._has_verb_unstopped(first=1)

    def _asks_or_wishes(self) -> bool:
        """Return whether it begins with "I wonder", "let us", "if only": not "Let Me In is a film".

        What a comma divides may claim something: "if only two remain, the rest is sold".
        """
        text, low = self.text, self.text.casefold().replace("’", "'")
        rest = next((text[len(one) :] for one in _ASKING if low.startswith(one)), "")
        again = text[1 : len(text) - len(rest)]
        small = again.replace("I", "i").islower()
        return bool(rest) and small and ("," not in rest or not low.startswith("if "))

    def _names_nation(self) -> bool:
        """Return whether it has an English adjective of a country, with its capital: "Polish"."""
        nations = cues().nationalities
        return any(word in nations and self.text[at].isupper() for word, at, _ in self._told)

    def _has_verb_unstopped(self, first: int = 0) -> bool:
        """Return whether words without a full stop have a verb: a plural is none, nor is a name.

        In "The mill grinds corn" and "Ida Fenn lives in Oslo" the word in -s is one; it is none at
        the end, before "and", or before a preposition behind a small word: "bridges over the Teff".
        """
        for at in range(first + 1, len(self.words)):
            small = self._is_small(at)
            if cues().is_verb(self.words[at]) and (small or self.text.isupper()):
                return True
            if _ends_as_verb(self.words[at]) and small and self._is_predicate(at, first):
                return True
        return not first and self._first in cues().verbs

    def _is_predicate(self, at: int, first: int) -> bool:
        """Return whether a word in -s stands as a verb does, between a subject and what follows."""
        text, (word, begin, end) = self.text, self._placed[at]
        before, start, stop = self._placed[at - 1]
        if before in _BEFORE_NOUN or text[stop:begin].lstrip(_QUOTES) != " ":
            return False
        follows = text[end : end + 1] == " " and at + 1 < len(self.words)
        behind = self.words[at + 1] if follows else ""
        named = at > first + 1 and (text[start].isupper() or before[0].isdigit())
        if named or before in cues().pronouns or word in _INTRANSITIVE:
            return behind not in _JOINS or word in _INTRANSITIVE
        return bool(behind) and behind not in _JOINS | _PREPOSITIONS

    def _has_plain_verb(self) -> bool:
        """Return whether a plural's verb may stand behind "of" and its noun: "rules of it forbid".

        It is a small word behind a noun, and not the last one.
        """
        words = self.words
        subject = next((word for word in words if word not in _BEFORE_NOUN), "")
        if subject not in _MANY and (not subject.endswith("s") or subject.endswith("ss")):
            return False
        return any(
            self._is_small(at) and not {words[at - 1], words[at]} & (_BEFORE_NOUN | STOP_TOKENS)
            for at in range(words.index(subject) + 2, len(words) - 1)
        )

    def _has_verb(self) -> bool:
        """Return whether a later word may be a verb: by the list, or by its ending and place."""
        later = any(
            cues().is_verb(word) or (_ends_as_verb(word) and before not in _BEFORE_NOUN)
            for before, word in pairwise(self.words)
        )
        return later or self._first in cues().verbs


def _ends_as_verb(word: str) -> bool:
    return word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is"))
