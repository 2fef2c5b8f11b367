"""What a message quotes, which is left out, and what it forwards, which is its content."""

import re
import tomllib
from importlib.resources import files
from typing import Final

MAIL_WORDS: Final[dict[str, list[str]]] = tomllib.loads(
    (files("hippohover.indexing.corpus.readers.texts") / "mail_words.toml").read_text("utf-8")
)


def _one_of(name: str) -> str:
    return f"(?:{'|'.join(map(re.escape, MAIL_WORDS[name]))})"


_FORWARD = re.compile(
    rf"\s*(?:\[[^\[\]\n]{{1,60}}\]\s*)?{_one_of('forwarded_subjects')}\s?(?:\[\d+\])?[:：]", re.I
)
_ORIGINAL = re.compile(rf"^-{{2,}}[ ]?{_one_of('originals')}[ ]?-{{2,}}", re.M | re.I)
_FORWARDED = re.compile(
    rf"^[ \t]{{0,3}}(?:-{{2,}}[ ]?{_one_of('forwards')}[ ]?-{{2,}}|{_one_of('beginnings')}[ ]?:)",
    re.M,
)
# As Outlook begins it below a rule, or below nothing.
_HEADERS = re.compile(
    rf"^(?:_{{5,}}[ \t]*\n+)?\*?{_one_of('senders')}[ ]?:\*?[ \t][^\n]+\n"
    rf"(?:[^\n:]{{1,30}}:[^\n]*\n)?\*?{_one_of('dates')}[ ]?:",
    re.M,
)
# On Monday, Tom Ashe <tom@x.org> wrote:, on one line or, where it begins so, on two.
_WROTE = re.compile(
    rf"^(?:{_one_of('opening')} [^\n]{{1,200}}\n(?!>))?(?!>)[^\n]{{0,300}}:[ \t]*\n"
    r"(?:[ \t]*\n)?(?=>)",
    re.M,
)
_QUOTED = re.compile(r"^[ \t]*>[^\n]*\n?", re.M)
_QUOTE_MARK = re.compile(r"^(?:>[ \t]?)+", re.M)
_SIGNATURE = re.compile(r"^-- ?\n", re.M)
_SIGNATURE_LINES: Final = 15


def is_forward(subject: str) -> bool:
    """Return whether a subject says that a message is passed on: "FW: Rates", "WG: Rates"."""
    return bool(_FORWARD.match(subject))


def says_forwarded(text: str) -> bool:
    """Return whether a line of a text says that a forwarded message begins."""
    return bool(_FORWARDED.search(text))


def without_quotes(text: str, subject: str) -> str:
    """Remove quoted text and the signature, unless nothing else is left.

    What is forwarded is kept with what it quotes in its turn: no other message of its reader has
    that text.
    """
    begins = _FORWARDED.search(text)
    if is_forward(subject):
        marks = (mark.search(text) for mark in (_FORWARDED, _ORIGINAL, _HEADERS))
        begins = min(filter(None, marks), key=re.Match.start, default=None)
        if begins is None:
            return _without_signature(text).strip() or text.strip()
    if begins is None:
        return _own(text) or text.strip()
    above, below = text[: begins.start()], text[begins.start() :]
    return f"{_own(above)}\n\n{_QUOTE_MARK.sub('', below).strip()}".strip()


def _own(text: str) -> str:
    """Return what a text has beside quotes and a signature."""
    own = _without_signature(text)
    if original := _ORIGINAL.search(own):
        own = own[: original.start()]
    own = _QUOTED.sub("", _WROTE.sub("", own))
    return re.sub(r"\n{3,}", "\n\n", own).strip()


def _without_signature(text: str) -> str:
    *_, border = [len(text), *(match.start() for match in _SIGNATURE.finditer(text))]
    return text[:border] if text.count("\n", border) <= _SIGNATURE_LINES else text
