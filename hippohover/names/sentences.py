"""Splits a text into sentences, by rule.

One scan of a compiled pattern finds every possible border; a few rules then decide which are
borders. The rules know abbreviations, initials, decimals, ellipses and the full stops of scripts
that put no blank after them. They read any text, in time linear in its length.
"""

import re

_CLOSERS = "\"'”’»)\\]）」』】》〉"
_OPENERS = "\"'“‘«([（「『【《〈¿¡"
_WIDE_STOPS = "。！？｡"  # Chinese and Japanese: no blank follows

# One leading character class, so that the scan between two candidates is a table look-up.
_CANDIDATE = re.compile(
    rf"[.!?…{_WIDE_STOPS}؟۔।॥։።\n]"
    rf"(?:(?<=[{_WIDE_STOPS}])[{_WIDE_STOPS}…]*[{_CLOSERS}]*\s*"
    r"|(?<=\n)[^\S\n]*\n\s*"
    rf"|(?<![\n{_WIDE_STOPS}])[{_CLOSERS}]*\s+)"
)
_ACRONYM = re.compile(r"(?:\w{1,2}\.)+\w{1,2}")
_DECIMAL = re.compile(r"\d+(?:\.\d+)+")
_JOINERS = re.compile(r"[-–—/]")
_FIRST_WORD = re.compile(rf"[{re.escape(_OPENERS)}]*(\w+)(?=[\s,'’])")
_GOES_ON = frozenset(",;:)]}%")


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_BEFORE_NAME = _words(
    "mr mrs ms mx dr prof st ste mt ft gen adm col capt cpt cmdr lt sgt cpl maj pvt brig rev fr "
    "hon sen rep gov pres amb atty msgr sra srta mme mlle v vs cf viz"
)
_BEFORE_NUMBER = _words(
    "no nos vol vols op p pp art sec fig figs ch nr c ca b d r fl approx est "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_MID_SENTENCE = _words("inc ltd co corp bros jr sr esq al dept univ assn ave blvd rd ed eds")
_ABBREVIATIONS = _BEFORE_NAME | _BEFORE_NUMBER | _MID_SENTENCE
_LONGEST_ABBREVIATION = max(map(len, _ABBREVIATIONS))
# Words that begin a sentence far more often than they follow an abbreviation inside one.
_STARTERS = _words(
    "The This These Those That There It Its He His She Her They Their We Our You In On At As A An "
    "After Before During From For By When While Although Though However Both Some Many Most Since "
    "Until With One Other Another If But And Also To Under Over Between Following"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of ``text``, in order.

    Parameters
    ----------
    text : str
        Any text, in any script. A blank line also ends a sentence; a single line break does not.

    Returns
    -------
    list of (start, end)
        Offsets in characters: ``text[start:end]`` is a sentence without blanks at its ends. Every
        character that is not a blank lies in exactly one span. Empty only for a blank text.
    """
    start, stop = len(text) - len(text.lstrip()), len(text.rstrip())
    spans: list[tuple[int, int]] = []
    if start >= stop:
        return spans
    for match in _CANDIDATE.finditer(text, start, stop):
        mark, after = match.span()
        if after < stop and (_is_plain(text, mark, after) or _is_border(text, start, mark, after)):
            end = after
            while text[end - 1].isspace():
                end -= 1
            spans.append((start, end))
            start = after
    spans.append((start, stop))
    return spans


def _is_plain(text: str, mark: int, after: int) -> bool:
    """Return whether an ordinary word and a capital meet: most borders, found at little cost."""
    if mark <= _LONGEST_ABBREVIATION or not text[after].isupper():
        return False
    head = text[mark - _LONGEST_ABBREVIATION - 1 : mark]
    word = head[head.rfind(" ") + 1 :]
    return word.isalpha() and len(word) > 1 and word.lower() not in _ABBREVIATIONS


def _is_border(text: str, start: int, mark: int, after: int) -> bool:
    """Return whether the sentence from ``start`` ends at ``mark``; ``after`` comes next."""
    stop, following = text[mark], text[after]
    if stop in _WIDE_STOPS or text.count("\n", mark, after) > 1:
        return True
    if following.islower() or following in _GOES_ON:
        return False
    return stop != "." or _ends_sentence(text, start, mark, after)


def _ends_sentence(text: str, start: int, dot: int, after: int) -> bool:
    """Return whether a full stop ends a sentence, not an abbreviation, initial or number."""
    head = text[max(start, dot - _LONGEST_ABBREVIATION - 2) : dot]
    if not head or head[-1].isspace():
        return True
    word = _JOINERS.split(head.split()[-1])[-1].lstrip(_OPENERS)
    if word.isdigit() or _DECIMAL.fullmatch(word):
        return dot - start > len(word)  # "1. FC Köln": a number that opens the sentence
    if (len(word) == 1 and word.isupper()) or _ACRONYM.fullmatch(word):
        return _begins_with_starter(text, after)
    key = word.lower()
    if key in _BEFORE_NUMBER:
        return not text[after].isdigit()
    if key in _MID_SENTENCE:
        return _begins_with_starter(text, after)
    return key not in _BEFORE_NAME


def _begins_with_starter(text: str, after: int) -> bool:
    first = _FIRST_WORD.match(text, after)
    return first is not None and first.group(1) in _STARTERS
