"""A question and its answer -> what they say together: "Was it certified? No." denies it.

By the words of English: what begins with an auxiliary wants yes or no, what begins with "who" or
"how" wants the answer in the place of that word.
"""

from typing import Final

from hippohover.language.cues import cues, word_list, words_of
from hippohover.language.named import names_in
from hippohover.names.mentions import STOP_TOKENS

_ASKS: Final = word_list("auxiliaries")
_QUESTIONS: Final = word_list("questions")
_BEFORE_NOUN: Final = word_list("before_noun") | word_list("determiners")
_PEOPLE: Final = word_list("speakers") | cues().pronouns
_YES: Final = word_list("yes")
_NO: Final = word_list("no")
_OF_SUBJECT: Final = frozenset(["who", "what", "which"])
_DO: Final = frozenset(["do", "does", "did"])
_LONGEST_FRAGMENT: Final = 12
"""Words of an answer at most that is no sentence by itself."""


def is_question(text: str) -> bool:
    """Return whether a text asks."""
    return text.rstrip(" \t\n*_\"'”’)").endswith("?")


def reply(question: str, answer: str) -> list[str]:
    """Return what an answer says with its question, and what it says besides.

    None where the answer is a sentence by itself, which it then says alone.
    """
    asked = question.strip(" *_?\n").split()
    first, rest = _opening(answer)
    begins = asked[0].casefold() if asked else ""
    if begins in _ASKS:
        return _yes_or_no(asked, answer, first, rest)
    if not _is_fragment(answer):
        return [answer]
    if begins in _QUESTIONS:
        return [_in_its_place(asked, answer.rstrip("."))]
    return [f"{' '.join(asked)}: {answer}"]


def _yes_or_no(asked: list[str], answer: str, first: str, rest: str) -> list[str]:
    """Return what an answer says to a question that wants yes or no."""
    own = [rest.removeprefix("but ")] if rest and not _is_fragment(rest) else []
    if first in _NO:
        return [f"{_capital(_declared(asked, denied=True))}.", *own]
    told = _capital(_declared(asked))
    if first in _YES:
        return [f"{told}, {rest}" if rest and not own else f"{told}.", *own]
    if _NO & {word for word, _, _ in words_of(answer)} and _is_fragment(answer):
        return [f"{_capital(_declared(asked, denied=True))}: {answer}"]  # "Not yet."
    return [f"{told}: {answer}"] if _is_fragment(answer) else [answer]


def _opening(answer: str) -> tuple[str, str]:
    """Return the first word of an answer, folded, and what follows its mark."""
    head, _, rest = answer.strip().partition(" ")
    word = head.rstrip(",.;:!–—-").casefold()
    marked = head != head.rstrip(",.;:!–—-") or not rest
    if word in _YES or word in _NO:
        return (
            (word, rest.strip(" ,–—-")) if marked else (word, "") if word in _YES else ("", answer)
        )
    return "", answer


def _is_fragment(text: str) -> bool:
    """Return whether an answer has no verb of its own."""
    return len(words_of(text)) <= _LONGEST_FRAGMENT and not verbs_in(text)


def verbs_in(text: str) -> list[int]:
    """Return places of the words that may be verbs, behind the first; "May" is none."""
    told = words_of(text)
    small = (at for at, (_, start, _) in enumerate(told) if at and text[start].islower())
    return [at for at in small if cues().is_verb(told[at][0])]


def _declared(asked: list[str], *, denied: bool = False) -> str:
    """Put a question's auxiliary behind its subject: "Has it passed" says "it has passed"."""
    stop = _end_of_subject(asked)
    helps = denied or asked[0].casefold() not in _DO
    aux = [asked[0].casefold()] * helps + ["not"] * denied
    return " ".join([*asked[1:stop], *aux, *asked[stop:]])


def _end_of_subject(asked: list[str]) -> int:
    """Return the place behind the subject that follows a question's auxiliary."""
    folded = [word.casefold() for word in asked]
    text = " ".join(asked)
    named = dict(
        zip((start for _, start, _ in words_of(text)), names_in(text, words_of(text)), strict=True)
    )
    starts = [len(" ".join(asked[:at])) + bool(at) for at in range(len(asked))]
    if folded[1:2] and folded[1] in _PEOPLE - _BEFORE_NOUN:
        return 2
    at = 1
    while at < len(asked) and named.get(starts[at], False):
        at += 1
    if at > 1:
        return at
    at = 3 if folded[1:2] and folded[1] in _BEFORE_NOUN else 2
    while at < len(asked) and folded[at] in {"of", "in", "for"}:  # "the end of the pier"
        at += 3 if folded[at + 1 : at + 2] and folded[at + 1] in _BEFORE_NOUN else 2
    return min(at, len(asked))


def _in_its_place(asked: list[str], answer: str) -> str:
    """Put an answer in the place of what is asked for: "Who teaches it", "When is it open"."""
    at = next((n for n, word in enumerate(asked) if n and word.casefold() in _ASKS), 0)
    verb = next((n for n, word in enumerate(asked) if n and _may_be_verb(word)), 0)
    if at and (at == verb or not verb) and not _asks_for_subject(asked, at):
        told = _declared(asked[at:])
        return f"{_capital(told)} {_small(answer)} {' '.join(asked[1:at])}".rstrip() + "."
    verb = verb or min(1, len(asked) - 1)
    return f"{answer} {' '.join(asked[verb:])}."


def _asks_for_subject(asked: list[str], at: int) -> bool:
    """Return whether a verb follows the auxiliary: "Who will fix it", not "Who will you ask"."""
    behind = asked[at + 1] if at + 1 < len(asked) else ""
    opens = behind.casefold() in _PEOPLE | _BEFORE_NOUN or behind[:1].isupper()
    return asked[0].casefold() in _OF_SUBJECT and not opens


def _may_be_verb(word: str) -> bool:
    folded = word.casefold()
    return cues().is_verb(folded) or (folded.endswith("s") and len(folded) > 3)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    first = text.split(maxsplit=1)[:1]
    return text[:1].lower() + text[1:] if first and first[0].casefold() in STOP_TOKENS else text
