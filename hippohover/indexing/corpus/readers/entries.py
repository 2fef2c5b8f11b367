"""Files that are lists of records: questions with their answers, terms with their definitions.

Each record is a document of its own, named by its question or term: a file of two hundred answers
would fill one place of a ranking. The file stays one too, with what stands between the records,
their names and all links, as other files link to it.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from hippohover.indexing.corpus.markup import without_code
from hippohover.indexing.corpus.readers.documents import Section, slug
from hippohover.indexing.corpus.readers.texts.inline_html import Edit, Edited
from hippohover.indexing.corpus.records import (
    Document,
    Heading,
    Link,
    Records,
    Understood,
    clean_title,
)

_ASKS: Final = ("?", "？", "؟", "\u037e", "՞", "፧")
_BOLD: Final = re.compile(r"^(?P<mark>\*\*|__)(?P<words>[^*_\n]{1,200})(?P=mark)[ \t]*$", re.M)
_BELOW_ALL: Final = 9  # the level of a line in bold, which people write for a heading
_LABELLED: Final = re.compile(
    r"^(?:\*\*)?(?P<label>\w{1,12}[ ]?\d{0,4})[.:)：](?:\*\*)?[ \t]*(?P<words>\S[^\n]{0,300})$",
    re.M,
)
_FEWEST: Final = 3
_LEAST_SHARE: Final = 2 / 3  # of a text: a page may end with questions about what it says
_MOST_OTHERS: Final = 0.2  # of a list: a heading "Contact" below questions, a line above terms

_TERM: Final = r"(?P<{0}>[^\s*_:#>|`\[\]-][^*_:\n|`]{{0,80}}?)"
_OF_LETTERS: Final = r"(?P<{0}>[^\W\d_][^*_:\n|`]{{0,80}}?)"  # and no number of a clause
_DEFINED: Final = re.compile(
    rf"^(?:[ ]{{0,3}}(?:[-*+][ ]+)?(?P<mark>\*\*|__){_TERM.format('bold')}"
    r"(?::(?P=mark)|(?P=mark)[ ]?(?::|[–—-](?=[ ])))[ \t]*(?=\S)"
    rf"|{_TERM.format('below')}\n\n?:[ \t]+(?=\S)"
    rf"|(?:-[ ]+)?{_TERM.format('between')}[ ]?::[ \t]+(?=\S)"
    rf"|(?P<depth>[ ]{{0,9}}){_OF_LETTERS.format('above')}\n(?P=depth)[ ]{{2,9}}(?=\S)"
    rf"|{_OF_LETTERS.format('plain')}:[ \t]+(?=\S))",
    re.M,
)
_BLOCK: Final = re.compile(r"(?:\A|\n[ \t]*\n)(?P<first>[^\s#][^\n]*)")
_WORDS: Final = 3  # of a definition in the middle: a date or an owner has fewer
_CERTAIN: Final = 8  # terms: so many in no order are no lines of what a page says of itself


class Entry(NamedTuple):
    """A record in a text: its name and anchor, where it begins, what it says and where it ends."""

    name: str
    anchor: str
    start: int
    body: int
    end: int


def with_entries(document: Document, sections: Sequence[Section]) -> Records:
    """Yield the document of a file, and those of its records if it is a list of some."""
    text = document.text
    entries = _questions(text, sections) or _answered(text) or _definitions(text, sections)
    n_chars = sum(entry.end - entry.start for entry in entries)
    if not entries or n_chars < _LEAST_SHARE * len(text):
        yield document
        return
    yield Understood("read each question, or each term, of a list of them as a document too")
    yield _list_of(document, entries)
    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        own = entry.anchor or slug(entry.name)
        own = own if own and own not in seen else f"{own} {number}"
        seen.add(own)
        yield _document_of(document, entry, f"{document.id}#{own}")


def _document_of(document: Document, entry: Entry, own: str) -> Document:
    text = document.text[entry.body : entry.end].strip("\n")
    n = document.text.index(text, entry.body)
    links = (link for link in document.links if entry.start <= link.offset < entry.end)
    return Document(
        title=entry.name,
        text=text,
        links=tuple(link._replace(offset=max(link.offset - n, 0)) for link in links),
        fields=document.fields,
        id=own,
        headings=(Heading(0, "", entry.anchor),) if entry.anchor else (),
        reply_to=document.id,
        path=document.path,
    )


def _list_of(document: Document, entries: Sequence[Entry]) -> Document:
    """Return the file's own document: its text with the names alone of its records."""
    names = (Edit(entry.start, entry.end, f"{entry.name}\n") for entry in entries)
    titles = dict.fromkeys(link.title for link in document.links)
    return document._replace(
        text=Edited(document.text, names).text,
        links=tuple(Link(0, title) for title in titles),
        headings=(),
    )


def _questions(text: str, sections: Sequence[Section]) -> list[Entry]:
    """Return the questions of a text whose innermost headings are questions, with few others."""
    prose = without_code(text)
    bold = (Section(line.start(), _BELOW_ALL, line["words"]) for line in _BOLD.finditer(prose))
    sections = sorted([*sections, *bold])
    innermost = max((section.level for section in sections), default=0)
    lowest = [section for section in sections if section.level == innermost]
    asking = [one for one in lowest if clean_title(one.words).endswith(_ASKS)]
    if len(asking) < _FEWEST or len(lowest) - len(asking) > _MOST_OTHERS * len(lowest):
        return []
    ends = dict(pairwise([*(section.offset for section in sections), len(text)]))
    spans = ((one, text.find("\n", one.offset) + 1, ends[one.offset]) for one in asking)
    return [
        Entry(clean_title(one.words), one.anchor, one.offset, body, end)
        for one, body, end in spans
        if body and text[body:end].strip()
    ]


def _answered(text: str) -> list[Entry]:
    """Return the questions of a text whose labels tell them from answers: "Q: ...", "A: ..."."""
    lines = [*_LABELLED.finditer(without_code(text))]
    pairs = [(line["label"].rstrip("0123456789 "), line) for line in lines]
    asking = {label for label, line in pairs if line["words"].rstrip().endswith(_ASKS)}
    if len(asking) != 1:
        return []
    [label] = asking
    asked = [line for own, line in pairs if own == label]
    answers = {own for own, _ in pairs if own != label}
    if len(answers) != 1 or not _FEWEST <= len(asked) == len(lines) - len(asked):
        return []
    ends = [*(line.start() for line in asked[1:]), len(text)]
    return [
        Entry(clean_title(line["words"]), "", line.start(), line.end() + 1, end)
        for line, end in zip(asked, ends, strict=True)
    ]


def _definitions(text: str, sections: Sequence[Section]) -> list[Entry]:
    """Return the terms of a text that defines them, and says hardly anything else."""
    prose = without_code(text)
    for kind in ("below", "between", "above", "bold", "plain"):
        matches = [match for match in _DEFINED.finditer(prose) if match[kind]]
        if len(matches) >= _FEWEST and _is_glossary(kind, prose, matches, sections):
            ends = sorted({*(m.start() for m in matches), *(s.offset for s in sections), len(text)})
            after = dict(pairwise(ends))
            return [
                Entry(clean_title(match[kind]), "", match.start(), match.start(), end)
                for match in matches
                if (end := after[match.start()])
            ]
    return []


def _is_glossary(
    kind: str, text: str, matches: Sequence[re.Match[str]], sections: Sequence[Section]
) -> bool:
    """Return whether hardly anything else stands in a text, and its terms are in order.

    The marks of a list of definitions tell it by themselves, and so do many terms in bold, each
    defined in some words, without a heading between them.
    """
    terms = [clean_title(match[kind]).casefold() for match in matches]
    starts = {match.start() for match in matches}
    n_others = sum(block.start("first") not in starts for block in _BLOCK.finditer(text))
    if len({*terms}) < len(terms) or n_others > max(1, _MOST_OTHERS * len(terms)):
        return False
    if kind in ("below", "between"):
        return True
    ends = [*(match.start() for match in matches[1:]), len(text)]
    told = (text[match.end() : end] for match, end in zip(matches, ends, strict=True))
    n_words = median(len(definition.split()) for definition in told)
    n_in_order = sum(first < second for first, second in pairwise(terms))
    if n_in_order < (1 - _MOST_OTHERS) * (len(terms) - 1):
        return kind == "bold" and not sections and len(terms) >= _CERTAIN and n_words > _WORDS
    if kind in ("above", "bold"):
        return n_words >= _WORDS
    n_lines = sum(bool(line.strip()) and not line[0].isspace() for line in text.split("\n"))
    return n_words >= _WORDS and n_lines <= len(terms) + n_others + len(sections)
