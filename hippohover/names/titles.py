"""The names of a passage: its title, bare title and parts of it, or its first name."""

import re
from collections.abc import Sequence
from enum import IntEnum
from pathlib import PurePosixPath
from typing import NamedTuple

from hippohover.names.mentions import MAX_NAME_TOKENS, STOP_TOKENS, find_phrases
from hippohover.names.normal_forms import entity_key, tokens_and_breaks, without_qualifier
from hippohover.names.references import Part, parts_of, section_of
from hippohover.records import Passage

_ARTICLES = frozenset(("a", "an", "the"))
_HEAD_CHARS = 400
_FIRST_WORDS = 8  # of which the corpus makes a title of what has none
_HASH = re.compile(r"(?=.*[0-9])[0-9a-f]{16,128}")
# What titles and the names of sites, spaces and sections are put together with.
_SEPARATOR = re.compile(r"(?<=\w):(?=\s)|(?<=\s)[-–—|:·•»›>→/]+(?=\s)|—|：|｜")
_SHORT = re.compile(r"\s*[(（][\s\"“”'‘’„«»]*(?=\S*[^\W\d_])(\S{2,12}?)[\s\"“”'‘’„«»]*[);,）]")
_MOST_PARTS = 6  # of a path of a page; each is a candidate for a name


class TitleKind(IntEnum):
    """The kinds of names of a passage."""

    FULL = 0
    """The title, unchanged."""
    BARE = 1
    """The title without its bracketed qualifier, where it has one."""
    OPENING = 2
    """The name at the beginning of the text, if the title is only an id or the text's first
    words."""
    HEAD = 3
    """The part before a colon or a dash of the title: "PEP 498" of "PEP 498: Literal ..."."""
    ALIAS = 4
    """A further name of the document, its id or path, the section of a numbered title, or the
    acronym that its text defines."""
    TAIL = 5
    """A part behind the head, if more titles begin with this head than it could name: "Sync" of
    "OPS : Sync"."""


IN_PART = frozenset((TitleKind.HEAD, TitleKind.TAIL))
"""Kinds that are names of a passage only as far as other titles let them."""


class TitleKey(NamedTuple):
    """A name of a passage: its kind, its entity key, and its spelling."""

    kind: TitleKind
    key: str
    written: str


def title_keys(passage: Passage) -> list[TitleKey]:
    """Return the names of a passage, with different keys.

    A number that is the name of its file or its folder is written "/5": links, gold and users find
    the document by it, and no text names it so; see ``CaseRule.NOWHERE``.
    """
    names: list[tuple[TitleKind, str]] = []
    is_titled = bool(passage.title) and not _is_code(passage)
    parts = parts_of(passage)
    if is_titled:
        names.append((TitleKind.FULL, passage.title))
        names.append((TitleKind.BARE, without_qualifier(passage.title)))
        names.append((TitleKind.HEAD, _head_of(passage, parts)))
    if not is_titled or _is_first_words(passage):
        names.append((TitleKind.OPENING, opening_name(passage.text)))
    names += [(TitleKind.ALIAS, alias) for alias in passage.aliases]
    # Neither a mere number nor a hash is a name.
    is_name = any(map(str.isalpha, passage.document)) and not _HASH.fullmatch(passage.document)
    if passage.title and is_name:
        names.append((TitleKind.ALIAS, passage.document))
    names.append((TitleKind.ALIAS, section_of(passage.title)))
    if is_titled:
        names.append((TitleKind.ALIAS, acronym_of(without_qualifier(passage.title), passage.text)))
        for tail in tails_of(passage.title):
            names += [(TitleKind.TAIL, tail), (TitleKind.TAIL, without_qualifier(tail))]
    for part in parts:
        names += [(TitleKind.ALIAS, part.full_name), (TitleKind.ALIAS, part.name)]
    keys: dict[str, TitleKey] = {}
    for kind, name in names:
        key = entity_key(name) if name else ""
        written = f"/{key}" if key.isdecimal() and name in _file_names(passage) else name
        if key:
            keys.setdefault(key, TitleKey(kind, key, written))
    return list(keys.values())


def _head_of(passage: Passage, parts: Sequence[Part]) -> str:
    """Return the head of a title, or what a passage is called as a numbered part.

    A part that the title itself numbers is more than a head: "Act, Article 3: Fees".
    """
    head = head_of(passage.title)
    if not parts or (head and parts[0].series == passage.title):
        return head
    return parts[0].name


def _file_names(passage: Passage) -> tuple[str, ...]:
    """Return the names of a passage's file, and of the folder of an index file."""
    path = PurePosixPath(passage.path)
    is_index = path.stem.lower().removeprefix("_") in {"index", "readme"}
    return (path.stem, path.parent.name) if is_index else (path.stem,)


def _is_code(passage: Passage) -> bool:
    """Return whether a record's name is only an id: a number, code or address.

    A note without one goes by its file's name.
    """
    title = passage.title
    is_of_file = passage.path.startswith(title)
    has_signs = any(char.isdigit() or char in "/:" for char in title)
    return title == passage.document and has_signs and not is_of_file


def _is_first_words(passage: Passage) -> bool:
    """Return whether a record without title and id is named by its first words."""
    words = passage.title.split()
    return (
        len(words) == _FIRST_WORDS and passage.text.split(None, len(words))[: len(words)] == words
    )


def head_of(title: str) -> str:
    """Return the part of a title before the first colon, dash or the like; "" without one."""
    match = _SEPARATOR.search(title)
    return title[: match.start()].rstrip() if match and title[match.end() :].strip() else ""


def tails_of(title: str) -> list[str]:
    """Return what may be the name behind the head: each part, and all from a part on."""
    cuts = [match.span() for match in _SEPARATOR.finditer(title)][: _MOST_PARTS - 1]
    ends = [*(start for start, _ in cuts[1:]), len(title)]
    tails = [
        title[start:stop].strip()
        for (_, start), end in zip(cuts, ends, strict=False)  # without any, the end of none
        for stop in (end, len(title))
    ]
    return list(dict.fromkeys(filter(None, tails)))


def acronym_of(title: str, text: str) -> str:
    """Return what a text's beginning writes in brackets right behind its title; else "".

    Its letters must be letters of the title, in order: "HTML" of "Hypertext Markup Language".
    """
    start = text[:_HEAD_CHARS].find(title) if " " in title else -1
    match = _SHORT.match(text, start + len(title)) if start >= 0 else None
    if match is None or sum(map(str.isupper, match[1])) < 2:
        return ""
    letters = iter("".join(entity_key(title)))
    short = entity_key(match[1]).replace(" ", "")
    is_first = title[:1].casefold() == short[:1]
    return match[1] if is_first and all(letter in letters for letter in short) else ""


def opening_name(text: str) -> str:
    """Return the key of a text's first capitalised phrase, without article; else ""."""
    folded, written, breaks = tokens_and_breaks(text[:_HEAD_CHARS])
    skip = 1 if folded and folded[0] in _ARTICLES else 0
    if len(folded) <= skip or folded[skip] in STOP_TOKENS:
        return ""
    for key, start, stop in find_phrases(
        folded[skip:], written[skip:], (), [at - skip for at in breaks]
    ):
        return key if start == 0 and stop <= MAX_NAME_TOKENS else ""
    return ""
